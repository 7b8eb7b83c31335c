// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/permission.h"

#include <QJsonObject>

// Questions of tool servers (the elicitation of the Model Context Protocol), as codex passes them
// on. All pure.
namespace deskhand::engines::codex {

/// The server's tool wants to run and codex asks whether it may.
[[nodiscard]] bool isToolApproval(const QJsonObject &params);

/// Only forms whose fields we can show can be put before the owner; links and unknown modes cannot.
[[nodiscard]] bool isAnswerable(const QJsonObject &params);

/// Fills kind, summary, server, tool, arguments, questions and choices.
void mapElicitation(const QJsonObject &params, PermissionRequest &request);

/// The `result` for a decision; form answers are converted to the types of the form's fields.
[[nodiscard]] QJsonObject elicitationAnswer(const QJsonObject &params, const Decision &decision);

} // namespace deskhand::engines::codex
