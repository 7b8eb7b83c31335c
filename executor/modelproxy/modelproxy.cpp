// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/modelproxy.h"

#include "executor/common/ids.h"
#include "executor/logging/masking.h"
#include "executor/modelproxy/harnesscontext.h"
#include "executor/modelproxy/modelprobe.h"
#include "executor/modelproxy/proxyserver.h"
#include "executor/modelproxy/routes.h"

#include <QThread>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

constexpr int kBearerBytes = 24;

} // namespace

/// The thread "proxy", what lives on it, and what it shares with callers.
class ProxyThread final
{
public:
    explicit ProxyThread(ProxyOptions chosen)
        : options(std::move(chosen))
        , bearerKey(u"local-"_s + randomHex(kBearerBytes))
        , routes(options.timing.idleRoute)
    {
        thread.setObjectName(u"proxy"_s);
    }

    ~ProxyThread()
    {
        if (server != nullptr) {
            QMetaObject::invokeMethod(
                server.get(), [this] { server.reset(); }, Qt::BlockingQueuedConnection);
        }
        thread.quit();
        thread.wait();
    }
    Q_DISABLE_COPY_MOVE(ProxyThread)

    /// Runs on the proxy thread, after what was asked for before.
    template <typename Function> void post(Function &&function)
    {
        QMetaObject::invokeMethod(
            server.get(), std::forward<Function>(function), Qt::QueuedConnection);
    }

    ProxyOptions options;
    QString bearerKey;
    RouteTable routes;
    HarnessContexts contexts;
    const ModelDirectory *directory = nullptr;
    quint16 port = 0;
    QThread thread;
    std::unique_ptr<ProxyServer> server; // lives on the thread
};

ModelProxy::ModelProxy(ProxyOptions options, QObject *parent)
    : QObject(parent)
    , m_thread(std::make_unique<ProxyThread>(std::move(options)))
{
    qRegisterMetaType<RetryNotice>();
    qRegisterMetaType<UpstreamFailure>();
    qRegisterMetaType<UsageReport>();
    qRegisterMetaType<ContextWarning>();
    qRegisterMetaType<ModelTestReport>();
    qRegisterMetaType<QList<ListedModel>>();
    qRegisterMetaType<Error>();
    logging::addSecret(m_thread->bearerKey);
}

ModelProxy::~ModelProxy() = default;

void ModelProxy::setDirectory(const ModelDirectory *directory)
{
    m_thread->directory = directory;
}

Result<> ModelProxy::start()
{
    if (m_thread->server != nullptr) {
        return failure(ErrorKind::Internal, u"the model proxy is started twice"_s);
    }
    m_thread->server = std::make_unique<ProxyServer>(
        m_thread->options, m_thread->routes, m_thread->contexts, m_thread->bearerKey.toLatin1());
    ProxyServer *server = m_thread->server.get();
    server->setDirectory(m_thread->directory);
    connect(server, &ProxyServer::retryWaiting, this, &ModelProxy::retryWaiting);
    connect(server, &ProxyServer::upstreamFailed, this, &ModelProxy::upstreamFailed);
    connect(server, &ProxyServer::usageReported, this, &ModelProxy::usageReported);
    connect(server, &ProxyServer::contextWarned, this, &ModelProxy::contextWarned);
    connect(server, &ProxyServer::stopped, this, &ModelProxy::stopped);
    server->moveToThread(&m_thread->thread);
    m_thread->thread.start();
    Result<> listening;
    QMetaObject::invokeMethod(
        server,
        [&listening, this, server] {
            listening = server->listen();
            m_thread->port = server->port();
        },
        Qt::BlockingQueuedConnection);
    return listening;
}

quint16 ModelProxy::port() const
{
    return m_thread->port;
}

QString ModelProxy::sharedBaseUrl() const
{
    return u"http://127.0.0.1:%1/v1/codex-router"_s.arg(m_thread->port);
}

QString ModelProxy::bearerKey() const
{
    return m_thread->bearerKey;
}

Result<RouteGrant> ModelProxy::registerRoute(const QString &scope, const Upstream &upstream)
{
    return m_thread->routes.add(scope, upstream, RouteKind::Task).map([this](const QString &token) {
        return RouteGrant { sharedBaseUrl() + u'/' + token, token, bearerKey() };
    });
}

Result<RouteGrant> ModelProxy::registerHarnessRoute(const QString &scope, const Upstream &upstream)
{
    return m_thread->routes.add(scope, upstream, RouteKind::Harness)
        .map([this](const QString &token) {
            return RouteGrant {
                u"http://127.0.0.1:%1/v1/harness-router/%2"_s.arg(m_thread->port).arg(token), token,
                bearerKey()
            };
        });
}

void ModelProxy::bindThread(const QString &scope, const QString &threadId)
{
    m_thread->routes.bind(scope, threadId);
}

void ModelProxy::markModelSwitch(const QString &scope)
{
    m_thread->routes.markSwitch(scope);
}

void ModelProxy::releaseRoute(const QString &scope)
{
    m_thread->routes.release(scope);
}

Result<QString> ModelProxy::registerHarnessContext(const QJsonObject &payload)
{
    return m_thread->contexts.add(payload);
}

void ModelProxy::revokeHarnessContext(const QString &token)
{
    m_thread->contexts.revoke(token);
}

void ModelProxy::listModels(const Upstream &upstream, QObject *context,
    std::function<void(Result<QList<ListedModel>>)> done)
{
    auto *lister = new ModelLister(upstream, m_thread->options.timing);
    connect(lister, &ModelLister::listed, context,
        [done](const QList<ListedModel> &models) { done(models); });
    connect(lister, &ModelLister::failed, context,
        [done](const Error &error) { done(tl::unexpected<Error>(error)); });
    runProbe(lister);
}

void ModelProxy::testModel(
    const Upstream &upstream, QObject *context, std::function<void(ModelTestReport)> done)
{
    const QString scope = u"test "_s + randomHex(kBearerBytes);
    const Result<QString> token = m_thread->routes.add(scope, upstream, RouteKind::Probe);
    auto *tester = new ModelTester(upstream, token ? sharedBaseUrl() + u'/' + *token : QString());
    connect(tester, &ModelTester::tested, context,
        [done = std::move(done)](const ModelTestReport &report) { done(report); });
    connect(tester, &QObject::destroyed, this, [this, scope] { m_thread->routes.remove(scope); });
    runProbe(tester);
}

template <typename Probe> void ModelProxy::runProbe(Probe *probe)
{
    if (m_thread->server == nullptr) {
        delete probe; // nobody serves: the caller is not called, as when its context is gone
        return;
    }
    ProxyServer *server = m_thread->server.get();
    probe->moveToThread(&m_thread->thread);
    m_thread->post([probe, server] {
        probe->setParent(server); // goes with the server at the latest
        probe->start(server->httpClient());
    });
}

void ModelProxy::requestStop()
{
    if (m_thread->server == nullptr) {
        QMetaObject::invokeMethod(this, &ModelProxy::stopped, Qt::QueuedConnection);
        return;
    }
    m_thread->post([server = m_thread->server.get()] { server->requestStop(); });
}

} // namespace deskhand::modelproxy
