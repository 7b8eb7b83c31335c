// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/modelproxy/providerprofile.h"
#include "executor/modelproxy/toolhistory.h"
#include "executor/modelproxy/upstream.h"

#include <QHash>
#include <QMutex>
#include <QSet>
#include <QString>

#include <chrono>
#include <memory>
#include <string>

namespace deskhand::modelproxy {

/// Who sends a request, as its body says.
struct ThreadIdentity
{
    QString thread;
    QString parent;
};

/// A request that may not use a route.
struct RouteRefusal
{
    int status = 404;
    std::string code;
    std::string message;
};

/// What the proxy thread remembers of a route between requests; never touched elsewhere.
struct RouteMemory
{
    ToolHistory history;
    std::string lastModel; ///< of the last request that got a 2xx
    bool contextWarned = false;
};

enum class RouteKind {
    Task,
    Harness, ///< speaks Messages
    Probe ///< one attempt per request
};

/// What a request needs of its route, taken once at its start.
struct RouteView
{
    QString scope;
    std::shared_ptr<const Upstream> upstream;
    std::shared_ptr<const ProviderProfile> profile;
    std::shared_ptr<RouteMemory> memory;
    bool switchPending = false;
    bool singleAttempt = false;
};

/// All routes and who is bound to them. Shared by the facade's callers and the proxy thread;
/// every member is thread-safe. Owned by the facade.
class RouteTable final
{
public:
    explicit RouteTable(std::chrono::minutes idleLife);
    Q_DISABLE_COPY_MOVE(RouteTable)

    /// Gives the token. The same scope again replaces the upstream only.
    [[nodiscard]] Result<QString> add(
        const QString &scope, const Upstream &upstream, RouteKind kind);
    void bind(const QString &scope, const QString &threadId);
    void markSwitch(const QString &scope);
    void release(const QString &scope);
    /// Ends a route at once, whatever its references.
    void remove(const QString &scope);
    /// The switch has reached the new model.
    void switchDone(const QString &scope);

    /// Binds a child of a bound thread as it passes.
    [[nodiscard]] tl::expected<RouteView, RouteRefusal> byToken(
        const QByteArray &token, const ThreadIdentity &identity, bool harness);
    /// The route whose thread it is; for the URL without a token.
    [[nodiscard]] tl::expected<RouteView, RouteRefusal> byThread(const ThreadIdentity &identity);
    [[nodiscard]] bool hasToken(const QByteArray &token, bool harness) const;
    /// The provider behind a task's token, whoever asks; null for another token.
    [[nodiscard]] std::shared_ptr<const Upstream> upstreamOf(const QByteArray &token) const;

private:
    struct Route
    {
        QString token;
        RouteKind kind = RouteKind::Task;
        std::shared_ptr<const Upstream> upstream;
        std::shared_ptr<const ProviderProfile> profile;
        std::shared_ptr<RouteMemory> memory;
        QSet<QString> threads;
        bool switchPending = false;
        int references = 0;
        std::chrono::steady_clock::time_point lastUse;
    };

    [[nodiscard]] const Route *find(const QByteArray &token, bool harness) const;
    static bool admits(Route &route, const ThreadIdentity &identity);
    [[nodiscard]] static RouteView view(const QString &scope, const Route &route);
    void dropIdle();

    const std::chrono::minutes m_idleLife;
    mutable QMutex m_mutex; // guards m_routes
    QHash<QString, Route> m_routes; // by scope; harness scopes have a prefix of their own
};

} // namespace deskhand::modelproxy
