// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/sandboxedrun.h"

#include <QJsonObject>
#include <QStringList>

namespace deskhand::sandbox {

/// The whole result as JSON. Output that is no UTF-8 comes as text with replacement characters and
/// as base64 beside it. `display`: control sequences are taken out of the text. Pure.
[[nodiscard]] QJsonObject resultToJson(const SandboxResult &result, bool display);

/// What is ours and not the command's, one line each without prefix: time-out, limit, refusal,
/// denials, changes worth a look. Pure.
[[nodiscard]] QStringList resultNotes(const SandboxResult &result);

[[nodiscard]] QJsonObject denialToJson(const Denial &denial);

} // namespace deskhand::sandbox
