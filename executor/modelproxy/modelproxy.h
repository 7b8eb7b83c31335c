// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/modelproxy/upstream.h"

#include <QDateTime>
#include <QList>
#include <QObject>
#include <QString>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace deskhand::modelproxy {

/// What an engine needs to reach a registered model; none of it opens the provider.
struct RouteGrant
{
    QString baseUrl; ///< http://127.0.0.1:PORT/v1/codex-router/TOKEN
    QString token; ///< the unguessable part of the URL
    QString bearerKey; ///< local key of the shared route and of the catalog; new at each start
};

/// The proxy waits before it sends a request again.
struct RetryNotice
{
    QString scope;
    int attempt = 0; ///< the attempt that will follow, from 1
    int maxAttempts = 0;
    std::chrono::milliseconds delay { 0 };
    QString reason; ///< "HTTP 429", "connection refused": without secrets
};

/// A request of a route ended without an answer of the model.
struct UpstreamFailure
{
    QString scope;
    int status = 0; ///< HTTP status given to the client; 200 when it failed within the stream
    QString code; ///< as Codex knows it, e.g. "rate_limit_exceeded"
    QString message; ///< the provider's words, secrets masked
};

/// Tokens of one answered request; only what the provider reported.
struct UsageReport
{
    QString scope;
    QString model;
    qint64 inputTokens = 0; ///< cached ones included
    qint64 cachedTokens = 0;
    qint64 outputTokens = 0;
    QDateTime time; ///< UTC
};

/// A provider drops what does not fit its context window without a word, and seems to do it now.
struct ContextWarning
{
    QString scope;
    QString message; ///< what was seen and the one next step
};

/// Time limits; tests shorten them.
struct ProxyTiming
{
    QList<std::chrono::milliseconds> retryDelays { std::chrono::seconds(1), std::chrono::seconds(5),
        std::chrono::seconds(10), std::chrono::seconds(30), std::chrono::seconds(60) };
    QList<std::chrono::milliseconds> connectRetryDelays { std::chrono::seconds(1),
        std::chrono::seconds(5) };
    std::chrono::milliseconds longestRetryAfter { 60000 }; ///< longer ones are cut to this
    std::chrono::milliseconds hopelessRetryAfter { 300000 }; ///< above: passed on at once
    std::chrono::milliseconds connect { 30000 };
    std::chrono::milliseconds firstByte { 300000 };
    std::chrono::milliseconds idle { 300000 }; ///< between complete events of a stream
    std::chrono::milliseconds keepAlive { 20000 }; ///< silence after which a stream is kept warm
    std::chrono::milliseconds afterFinish { 5000 }; ///< wait for usage after the finish reason
    std::chrono::milliseconds stopGrace { 5000 }; ///< active requests at a stop
    std::chrono::minutes idleRoute { 60 };
    std::chrono::milliseconds catalogLife { 300000 }; ///< a provider's own catalog is asked again
    std::chrono::milliseconds catalogWait { 4000 }; ///< Codex itself waits five seconds for it
    double jitter = 0.1; ///< share by which a retry delay varies
};

/// Everything else that is chosen at the start.
struct ProxyOptions
{
    ProxyTiming timing;
    QString extraCaFile; ///< PEM, in addition to the system's authorities
    QString customCatalogFile; ///< the owner's catalog entries; empty: none
};

/// One model as a provider lists it.
struct ListedModel
{
    QString id;
    QString displayName;
    std::optional<qint64> contextWindow;
};

/// Outcome of a real round trip with a tool call.
struct ModelTestReport
{
    bool answered = false;
    bool calledTool = false; ///< the model called the tool it was told to call
    std::chrono::milliseconds firstByte { 0 };
    std::chrono::milliseconds total { 0 };
    std::optional<qint64> contextWindow; ///< when the provider or a profile tells it
    QString model; ///< as the provider names itself in the answer
    QString text; ///< beginning of what it said, if it spoke instead
    QString problem; ///< what is wrong, in words; empty when nothing is
    QString hint; ///< the one next step
};

class ModelDirectory;
class ProxyThread;

/// The loopback server through which engines reach model providers. It holds the provider keys,
/// adds them to requests, translates between model APIs and retries. This facade lives on its
/// owner's thread and owns the thread "proxy" with all sockets. registerRoute, bindThread,
/// markModelSwitch and releaseRoute may be called from any thread. Signals arrive queued.
class ModelProxy final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ModelProxy)

public:
    explicit ModelProxy(ProxyOptions options = {}, QObject *parent = nullptr);
    /// Stops at once if requestStop() was not used; blocks for the end of the thread.
    ~ModelProxy() override;

    /// Serves models by name at /v1 as well; before start(). The directory outlives the proxy.
    void setDirectory(const ModelDirectory *directory);

    /// Binds 127.0.0.1 on a port of the kernel's choice. Takes milliseconds; call once.
    [[nodiscard]] Result<> start();
    /// 0 before start(). The same for the life of the process.
    [[nodiscard]] quint16 port() const;
    /// http://127.0.0.1:PORT/v1/codex-router, the shared route and the catalog's parent.
    [[nodiscard]] QString sharedBaseUrl() const;
    [[nodiscard]] QString bearerKey() const;

    /// A route for one scope (a task). The same scope again keeps token, history and bound
    /// threads, replaces the upstream and adds a reference. Thread-safe.
    [[nodiscard]] Result<RouteGrant> registerRoute(const QString &scope, const Upstream &upstream);
    /// A route for a client that speaks Anthropic Messages: base URL
    /// http://127.0.0.1:PORT/v1/harness-router/TOKEN. Starts empty at every registration and ends
    /// at its release. Thread-safe.
    [[nodiscard]] Result<RouteGrant> registerHarnessRoute(
        const QString &scope, const Upstream &upstream);
    /// From now on only this thread, earlier bound ones and their children may use the route.
    void bindThread(const QString &scope, const QString &threadId);
    /// The next request of the scope goes to another model: what only the old one can read is
    /// left out of it.
    void markModelSwitch(const QString &scope);
    /// Drops one reference. Without references a route lives on for an idle hour.
    void releaseRoute(const QString &scope);

    /// Identity for a harness without secrets; unknown fields are dropped. The token opens
    /// /v1/harness-context/TOKEN/{user,model,status} for 30 minutes. Thread-safe.
    [[nodiscard]] Result<QString> registerHarnessContext(const QJsonObject &payload);
    void revokeHarnessContext(const QString &token);

    /// Asks a provider for its models, after start(). `done` runs once on the thread of `context`,
    /// or never when `context` is gone.
    void listModels(const Upstream &upstream, QObject *context,
        std::function<void(Result<QList<ListedModel>>)> done);
    /// A real round trip with a tool call, through the proxy's own translation.
    void testModel(
        const Upstream &upstream, QObject *context, std::function<void(ModelTestReport)> done);

    /// Refuses new requests, gives active ones the grace of the options, then cuts them.
    /// stopped() follows, always.
    void requestStop();

Q_SIGNALS:
    void retryWaiting(const deskhand::modelproxy::RetryNotice &notice);
    void upstreamFailed(const deskhand::modelproxy::UpstreamFailure &failure);
    void usageReported(const deskhand::modelproxy::UsageReport &usage);
    /// At most once for each route.
    void contextWarned(const deskhand::modelproxy::ContextWarning &warning);
    void stopped();

private:
    template <typename Probe> void runProbe(Probe *probe);

    std::unique_ptr<ProxyThread> m_thread;
};

} // namespace deskhand::modelproxy
