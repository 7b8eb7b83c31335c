// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/allowlistproxy.h"

#include <QFile>
#include <QHostInfo>
#include <QLocalServer>
#include <QNetworkProxy>
#include <QTcpServer>

#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr qsizetype kMaxSocketPath = 107;

void systemLookup(const QString &host, QObject *context,
    const std::function<void(const QList<QHostAddress> &)> &done)
{
    QHostInfo::lookupHost(host, context, [done](const QHostInfo &info) { done(info.addresses()); });
}

} // namespace

/// The listener and its connections, on the proxy's thread.
class AllowListProxy::Server final : public QObject
{
public:
    explicit Server(ProxyShared shared)
        : m_shared(std::move(shared))
    {
        m_listener.setParent(this);
        m_listener.setMaxPendingConnections(kMaxConnections);
        m_port.setParent(this);
        m_port.setProxy(QNetworkProxy::NoProxy);
        m_port.setMaxPendingConnections(kMaxConnections);
    }
    ~Server() override
    {
        // The connections go first: they refer to what they share.
        qDeleteAll(findChildren<ProxyConnection *>(Qt::FindDirectChildrenOnly));
    }
    Q_DISABLE_COPY_MOVE(Server)

    [[nodiscard]] Result<> listen(const QString &path)
    {
        connect(&m_listener, &QLocalServer::newConnection, this, &Server::acceptLocal);
        m_listener.setSocketOptions(QLocalServer::UserAccessOption);
        if (!m_listener.listen(path)) {
            return failure(ErrorKind::Unavailable,
                u"the network proxy could not start: %1"_s.arg(m_listener.errorString()));
        }
        return {};
    }

    /// The port that was taken.
    [[nodiscard]] Result<int> listenOnLoopback()
    {
        connect(&m_port, &QTcpServer::newConnection, this, [this] {
            while (QTcpSocket *socket = m_port.nextPendingConnection()) {
                accept(std::unique_ptr<QTcpSocket>(socket));
            }
        });
        if (!m_port.listen(QHostAddress::LocalHost)) {
            return failure(ErrorKind::Unavailable,
                u"the network proxy could not start: %1"_s.arg(m_port.errorString()));
        }
        return m_port.serverPort();
    }

private:
    void acceptLocal()
    {
        while (QLocalSocket *socket = m_listener.nextPendingConnection()) {
            accept(std::unique_ptr<QLocalSocket>(socket));
        }
    }
    template <typename Socket> void accept(std::unique_ptr<Socket> socket)
    {
        ProxyClient client(std::move(socket));
        if (++m_count > kMaxConnections) {
            --m_count;
            return; // closed by its end of life
        }
        auto *connection = new ProxyConnection(std::move(client), m_shared, this);
        connect(connection, &ProxyConnection::finished, this, [this, connection] {
            --m_count;
            connection->deleteLater();
        });
    }

    ProxyShared m_shared;
    QLocalServer m_listener;
    QTcpServer m_port;
    int m_count = 0;
};

Result<std::unique_ptr<AllowListProxy>> AllowListProxy::start(Options options)
{
    Result<DomainRules> rules = DomainRules::parse(options.policy.domains);
    if (!rules) {
        return tl::unexpected(rules.error());
    }
    std::unique_ptr<AllowListProxy> proxy(new AllowListProxy);
    if (!proxy->m_folder.isValid()) {
        return failure(ErrorKind::Unavailable,
            u"no folder for the network proxy: %1"_s.arg(proxy->m_folder.errorString()));
    }
    const QByteArray path = QFile::encodeName(proxy->socketPath());
    if (!options.onLoopback && path.size() > kMaxSocketPath) {
        return failure(ErrorKind::Unavailable,
            u"the path %1 is too long for a socket"_s.arg(proxy->socketPath()),
            u"set TMPDIR to a shorter path"_s);
    }
    ProxyShared shared;
    shared.policy = options.policy;
    shared.rules = *rules;
    shared.callId = options.callId;
    shared.broker = options.broker;
    shared.lookup = options.lookup ? options.lookup : systemLookup;
    AllowListProxy *self = proxy.get();
    shared.decided = [self, journal = options.journal](const ProxyDecision &decision) {
        if (!decision.allowed) {
            const QMutexLocker lock(&self->m_mutex);
            self->m_refused.append(decision);
        }
        if (journal) {
            journal(decision);
        }
    };
    proxy->m_server = std::make_unique<Server>(std::move(shared));
    proxy->m_server->moveToThread(&proxy->m_thread);
    proxy->m_thread.setObjectName(u"sandbox-proxy"_s);
    proxy->m_thread.start();
    Result<int> listening;
    QMetaObject::invokeMethod(
        proxy->m_server.get(),
        [&]() -> void {
            if (options.onLoopback) {
                listening = self->m_server->listenOnLoopback();
            } else if (Result<> listens = self->m_server->listen(self->socketPath()); !listens) {
                listening = tl::unexpected(listens.error());
            }
        },
        Qt::BlockingQueuedConnection);
    if (!listening) {
        return tl::unexpected(listening.error());
    }
    proxy->m_port = *listening;
    if (options.identity && !options.onLoopback) {
        const QByteArray folder = QFile::encodeName(proxy->folder());
        if (chown(folder.constData(), options.identity->uid, options.identity->gid) != 0
            || chown(path.constData(), options.identity->uid, options.identity->gid) != 0) {
            return failure(
                ErrorKind::Unavailable, u"the network proxy's socket could not be handed over"_s);
        }
    }
    return proxy;
}

AllowListProxy::~AllowListProxy()
{
    stop();
}

QList<ProxyDecision> AllowListProxy::refused() const
{
    const QMutexLocker lock(&m_mutex);
    return m_refused;
}

void AllowListProxy::stop()
{
    if (!m_thread.isRunning()) {
        return;
    }
    // Sockets and timers belong to that thread and must end there.
    m_server.release()->deleteLater();
    m_thread.quit();
    m_thread.wait();
}

} // namespace deskhand::sandbox
