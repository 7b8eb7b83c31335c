// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/modelroutes.h"
#include "executor/modelproxy/upstream.h"

#include <QHash>

namespace deskhand::modelproxy {
class ModelProxy;
struct UpstreamFailure;
} // namespace deskhand::modelproxy

namespace deskhand {

/// Gives engines their routes through the model proxy, which starts with the first of them. Owned
/// by the core, used on the executor thread.
class ProxyRoutes final : public engines::ModelRoutes
{
public:
    explicit ProxyRoutes(modelproxy::ModelProxy &proxy);

    /// Starts the proxy when that has not happened yet.
    [[nodiscard]] Result<> ensureStarted();

    [[nodiscard]] Result<engines::ModelRoute> acquire(
        const QString &scope, const engines::ModelConfig &model) override;
    void bindThread(const QString &scope, const QString &threadId) override;
    void release(const QString &scope) override;
    [[nodiscard]] std::optional<engines::RouteFailure> lastFailure(
        const QString &scope) const override;

    // Told by the owner as the proxy tells it.
    void requestFailed(const modelproxy::UpstreamFailure &failed);
    void requestAnswered(const QString &scope);

private:
    struct Known
    {
        QString model; ///< description of the upstream
        QString provider; ///< host and port
        int references = 0;
        std::optional<engines::RouteFailure> failure;
    };
    modelproxy::ModelProxy &m_proxy;
    QHash<QString, Known> m_known;
    bool m_started = false;
};

} // namespace deskhand
