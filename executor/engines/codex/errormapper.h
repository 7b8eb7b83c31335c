// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/modelroutes.h"

#include <QJsonObject>
#include <QString>

#include <optional>

namespace deskhand::engines::codex {

/// Why a turn failed: a stable word for programs and a sentence for a person.
struct TurnError
{
    QString code;
    QString message;
};

/// Translates the `error` of an error notification or of a failed turn. `ownAccount` tells whether
/// the turn ran on the engine's own account, which decides the next step that is offered. `route`
/// is what the model proxy saw: its words name the provider, which the engine does not know. Pure.
///
/// Codes: model_quota, model_context, model_auth, model_overloaded, model_rate_limited,
/// model_unavailable, model_unreachable, model_stream, model_incomplete, model_refused,
/// model_bad_request, engine_sandbox, runtime_error.
[[nodiscard]] TurnError mapTurnError(const QJsonObject &error, bool ownAccount,
    const std::optional<RouteFailure> &route = std::nullopt);

/// The provider refuses who asks; asking again does not help.
[[nodiscard]] bool isAuthFailure(const QJsonObject &error);
/// A message of the engine without the loopback address of our model proxy.
[[nodiscard]] QString withoutRoute(const QString &message);

} // namespace deskhand::engines::codex
