// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>

namespace deskhand::engines::codex {

/// Why a turn failed: a stable word for programs and a sentence for a person.
struct TurnError
{
    QString code;
    QString message;
};

/// Translates the `error` of an error notification or of a failed turn. `ownAccount` tells whether
/// the turn ran on the engine's own account, which decides the next step that is offered. Pure.
///
/// Codes: model_quota, model_context, model_auth, model_overloaded, model_rate_limited,
/// model_unavailable, model_stream, model_incomplete, model_refused, model_bad_request,
/// engine_sandbox, runtime_error.
[[nodiscard]] TurnError mapTurnError(const QJsonObject &error, bool ownAccount);

} // namespace deskhand::engines::codex
