// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/permission.h"

#include <QJsonObject>
#include <QString>

#include <optional>

namespace deskhand::engines::codex {

/// The questions of `codex app-server` we can put before the owner.
enum class Ask { Command, FileChange, Permissions, Question, ToolApproval, ToolForm };

/// Which question a method with these parameters is; nothing for what we cannot answer.
[[nodiscard]] std::optional<Ask> askOf(const QString &method, const QJsonObject &params);

/// Fills everything of a request but ids and times. FileChange: the files come with the item, by
/// the caller. Pure.
[[nodiscard]] PermissionRequest mapRequest(Ask ask, const QJsonObject &params);

/// The `result` that carries a decision out. Never grants more than was asked, and never for
/// longer: what the engine takes to be the same thing later is wider than what the owner allowed
/// (another spelling of a command, other arguments of a tool), so it has to ask each time and the
/// broker answers for the owner. Pure.
[[nodiscard]] QJsonObject mapDecision(Ask ask, const QJsonObject &params, const Decision &decision);

/// True when the decision also means that the turn must be interrupted by us, because the answer
/// itself has no way to say so.
[[nodiscard]] bool needsInterrupt(Ask ask, Choice choice);

/// The `result` that refuses; for requests nobody was asked about. Pure.
[[nodiscard]] QJsonObject refusal(Ask ask, const QJsonObject &params);

} // namespace deskhand::engines::codex
