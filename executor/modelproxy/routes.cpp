// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/routes.h"

#include "executor/common/ids.h"

#include <QMutexLocker>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

constexpr int kTokenBytes = 24;

QString harnessKey(const QString &scope)
{
    return u"harness\n"_s + scope;
}

tl::unexpected<RouteRefusal> refusal(int status, std::string code, std::string message)
{
    return tl::unexpected(RouteRefusal { status, std::move(code), std::move(message) });
}

} // namespace

RouteTable::RouteTable(std::chrono::minutes idleLife)
    : m_idleLife(idleLife)
{ }

Result<QString> RouteTable::add(const QString &scope, const Upstream &upstream, RouteKind kind)
{
    if (scope.trimmed().isEmpty()) {
        return failure(ErrorKind::Usage, u"a route needs a scope"_s);
    }
    Result<ProviderProfile> profile = ProviderProfile::resolve(upstream);
    if (!profile) {
        return tl::unexpected(profile.error());
    }
    upstream.hideSecrets();

    const QMutexLocker lock(&m_mutex);
    dropIdle();
    const bool harness = kind == RouteKind::Harness;
    const QString key = harness ? harnessKey(scope) : scope;
    const bool known = m_routes.contains(key);
    Route &route = m_routes[key];
    if (!known || harness) {
        QString token;
        do {
            token = u"task-"_s + randomHex(kTokenBytes);
        } while (std::any_of(m_routes.begin(), m_routes.end(),
            [&](const Route &other) { return other.token == token; }));
        route.token = token;
        route.memory = std::make_shared<RouteMemory>();
        route.threads.clear();
    }
    route.kind = kind;
    route.upstream = std::make_shared<const Upstream>(upstream);
    route.profile = std::make_shared<const ProviderProfile>(std::move(*profile));
    route.lastUse = std::chrono::steady_clock::now();
    route.references = harness ? 1 : route.references + 1;
    return route.token;
}

void RouteTable::bind(const QString &scope, const QString &threadId)
{
    const QMutexLocker lock(&m_mutex);
    const auto route = m_routes.find(scope);
    if (route != m_routes.end() && !threadId.isEmpty()) {
        route->threads.insert(threadId);
    }
}

void RouteTable::markSwitch(const QString &scope)
{
    const QMutexLocker lock(&m_mutex);
    if (const auto route = m_routes.find(scope); route != m_routes.end()) {
        route->switchPending = true;
    }
}

void RouteTable::remove(const QString &scope)
{
    const QMutexLocker lock(&m_mutex);
    m_routes.remove(scope);
}

void RouteTable::switchDone(const QString &scope)
{
    const QMutexLocker lock(&m_mutex);
    if (const auto route = m_routes.find(scope); route != m_routes.end()) {
        route->switchPending = false;
    }
}

void RouteTable::release(const QString &scope)
{
    const QMutexLocker lock(&m_mutex);
    if (m_routes.remove(harnessKey(scope)) > 0) {
        return;
    }
    const auto route = m_routes.find(scope);
    if (route != m_routes.end() && route->references > 0) {
        --route->references;
        route->lastUse = std::chrono::steady_clock::now();
    }
}

void RouteTable::dropIdle()
{
    const auto limit = std::chrono::steady_clock::now() - m_idleLife;
    m_routes.removeIf([&](const QHash<QString, Route>::iterator &entry) {
        return entry->references == 0 && entry->lastUse <= limit;
    });
}

bool RouteTable::admits(Route &route, const ThreadIdentity &identity)
{
    if (route.threads.isEmpty()) {
        return true; // the first request of a new thread
    }
    if (identity.thread.isEmpty()) {
        return false;
    }
    if (route.threads.contains(identity.thread)) {
        return true;
    }
    if (!identity.parent.isEmpty() && route.threads.contains(identity.parent)) {
        route.threads.insert(identity.thread);
        return true;
    }
    return false;
}

RouteView RouteTable::view(const QString &scope, const Route &route)
{
    return { scope, route.upstream, route.profile, route.memory, route.switchPending,
        route.kind == RouteKind::Probe };
}

tl::expected<RouteView, RouteRefusal> RouteTable::byToken(
    const QByteArray &token, const ThreadIdentity &identity, bool harness)
{
    const QMutexLocker lock(&m_mutex);
    dropIdle();
    Route *found = nullptr;
    QString scope;
    // All are compared, so that the time tells nothing about how much of a token was right.
    for (auto it = m_routes.begin(); it != m_routes.end(); ++it) {
        if (equalConstantTime(it->token.toLatin1(), token)
            && (it->kind == RouteKind::Harness) == harness) {
            found = &*it;
            scope = it.key();
        }
    }
    if (found == nullptr) {
        return refusal(404, "route_not_found", "this model route is unknown or has expired");
    }
    if (!harness && !admits(*found, identity)) {
        return refusal(409, "thread_not_bound",
            identity.thread.isEmpty()
                ? "the request names no thread, and this route belongs to certain threads"
                : "this thread does not belong to the route");
    }
    found->lastUse = std::chrono::steady_clock::now();
    return view(scope, *found);
}

tl::expected<RouteView, RouteRefusal> RouteTable::byThread(const ThreadIdentity &identity)
{
    if (identity.thread.isEmpty()) {
        return refusal(409, "thread_missing", "the request names no thread");
    }
    const QMutexLocker lock(&m_mutex);
    dropIdle();
    QList<QString> matches;
    for (auto it = m_routes.begin(); it != m_routes.end(); ++it) {
        if (it->kind != RouteKind::Harness && !it->threads.isEmpty()
            && (it->threads.contains(identity.thread)
                || (!identity.parent.isEmpty() && it->threads.contains(identity.parent)))) {
            matches.append(it.key());
        }
    }
    if (matches.isEmpty()) {
        return refusal(404, "route_not_found", "no model route belongs to this thread");
    }
    if (matches.size() > 1) {
        return refusal(409, "route_ambiguous", "several model routes belong to this thread");
    }
    Route &route = m_routes[matches.first()];
    route.threads.insert(identity.thread);
    route.lastUse = std::chrono::steady_clock::now();
    return view(matches.first(), route);
}

const RouteTable::Route *RouteTable::find(const QByteArray &token, bool harness) const
{
    // All are compared, so that the time tells nothing about how much of a token was right.
    const Route *found = nullptr;
    for (const Route &route : m_routes) {
        if (equalConstantTime(route.token.toLatin1(), token)
            && (route.kind == RouteKind::Harness) == harness) {
            found = &route;
        }
    }
    return found;
}

bool RouteTable::hasToken(const QByteArray &token, bool harness) const
{
    const QMutexLocker lock(&m_mutex);
    return find(token, harness) != nullptr;
}

std::shared_ptr<const Upstream> RouteTable::upstreamOf(const QByteArray &token) const
{
    const QMutexLocker lock(&m_mutex);
    const Route *route = find(token, false);
    return route != nullptr ? route->upstream : nullptr;
}

} // namespace deskhand::modelproxy
