// SPDX-License-Identifier: Apache-2.0
#include "executor/proxyroutes.h"

#include "executor/logging/masking.h"
#include "executor/modelproxy/modelproxy.h"

#include <QUrl>

namespace deskhand {

ProxyRoutes::ProxyRoutes(modelproxy::ModelProxy &proxy)
    : m_proxy(proxy)
{ }

Result<> ProxyRoutes::ensureStarted()
{
    if (m_started) {
        return {};
    }
    const Result<> started = m_proxy.start();
    m_started = started.has_value();
    return started;
}

Result<engines::ModelRoute> ProxyRoutes::acquire(
    const QString &scope, const engines::ModelConfig &model)
{
    const Result<modelproxy::Upstream> upstream = modelproxy::Upstream::fromJson(model.raw);
    if (!upstream) {
        return tl::unexpected<Error>(upstream.error());
    }
    logging::addSecret(upstream->apiKey);
    if (const Result<> started = ensureStarted(); !started) {
        return tl::unexpected<Error>(started.error());
    }
    Result<modelproxy::RouteGrant> grant = m_proxy.registerRoute(scope, *upstream);
    if (!grant) {
        return tl::unexpected<Error>(grant.error());
    }
    Known &known = m_known[scope];
    const QString described = upstream->describe();
    if (!known.model.isEmpty() && known.model != described) {
        m_proxy.markModelSwitch(scope);
    }
    known.model = described;
    known.provider = QUrl(upstream->requestUrl).adjusted(QUrl::RemoveUserInfo).authority();
    known.failure.reset();
    ++known.references;
    return engines::ModelRoute { grant->baseUrl, grant->bearerKey };
}

void ProxyRoutes::bindThread(const QString &scope, const QString &threadId)
{
    m_proxy.bindThread(scope, threadId);
}

std::optional<engines::RouteFailure> ProxyRoutes::lastFailure(const QString &scope) const
{
    return m_known.value(scope).failure;
}

void ProxyRoutes::requestFailed(const modelproxy::UpstreamFailure &failed)
{
    if (const auto known = m_known.find(failed.scope); known != m_known.end()) {
        known->failure
            = engines::RouteFailure { known->provider, failed.status, failed.code, failed.message };
    }
}

void ProxyRoutes::requestAnswered(const QString &scope)
{
    if (const auto known = m_known.find(scope); known != m_known.end()) {
        known->failure.reset();
    }
}

void ProxyRoutes::release(const QString &scope)
{
    const auto known = m_known.find(scope);
    if (known == m_known.end()) {
        return;
    }
    // Each turn acquired once more; the task is over, so all of it goes.
    for (; known->references > 0; --known->references) {
        m_proxy.releaseRoute(scope);
    }
    m_known.erase(known);
}

} // namespace deskhand
