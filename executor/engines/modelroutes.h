// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/modelconfig.h"

namespace deskhand::engines {

/// What an engine needs to reach a model through the loopback proxy; the provider's key is not in
/// it.
struct ModelRoute
{
    QString baseUrl; ///< http://127.0.0.1:PORT/…/<token>
    QString bearer; ///< expected by the proxy besides the token in the path; may be empty
};

/// How a request of a route failed at the provider; without secrets.
struct RouteFailure
{
    QString provider; ///< host, with the port where it is not the usual one
    int status = 0; ///< HTTP status; 200: within the stream
    QString code; ///< "upstream_unreachable": no answer came; else as Codex knows it
    QString message; ///< the provider's words, else what happened
};

/// Where engines get their routes. Implemented over the model proxy; engines see only this.
/// Called on the executor thread; must not block for longer than a mutex.
class ModelRoutes
{
public:
    virtual ~ModelRoutes() = default;
    /// Same scope (a task id) again: same address, new upstream.
    [[nodiscard]] virtual Result<ModelRoute> acquire(const QString &scope, const ModelConfig &model)
        = 0;
    virtual void bindThread(const QString &scope, const QString &threadId) = 0;
    virtual void release(const QString &scope) = 0;
    /// Of the scope's latest request since acquire(), when it got no answer of the model.
    [[nodiscard]] virtual std::optional<RouteFailure> lastFailure(const QString &scope) const
    {
        Q_UNUSED(scope)
        return std::nullopt;
    }
};

} // namespace deskhand::engines
