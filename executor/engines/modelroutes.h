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
};

} // namespace deskhand::engines
