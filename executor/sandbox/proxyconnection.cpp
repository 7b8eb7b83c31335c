// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/proxyconnection.h"

#include <QNetworkProxy>
#include <QPointer>
#include <QUrl>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr qsizetype kMaxHead = 16 * 1024;
constexpr qint64 kCopyBuffer = 256 * 1024;
constexpr int kHttps = 443;
constexpr int kHttp = 80;
constexpr char kSocksVersion = 5;
constexpr char kSocksNotAllowed = 2;
constexpr char kSocksUnreachable = 4;

} // namespace

ProxyClient::ProxyClient(std::unique_ptr<QLocalSocket> socket)
    : m_local(socket.get())
{
    m_device = std::move(socket);
    m_device->setParent(nullptr);
}

ProxyClient::ProxyClient(std::unique_ptr<QTcpSocket> socket)
    : m_tcp(socket.get())
{
    m_device = std::move(socket);
    m_device->setParent(nullptr);
}

void ProxyClient::setReadBufferSize(qint64 size)
{
    if (m_local != nullptr) {
        m_local->setReadBufferSize(size);
    } else {
        m_tcp->setReadBufferSize(size);
    }
}

void ProxyClient::onDisconnected(QObject *context, const std::function<void()> &then)
{
    if (m_local != nullptr) {
        QObject::connect(m_local, &QLocalSocket::disconnected, context, then);
    } else {
        QObject::connect(m_tcp, &QTcpSocket::disconnected, context, then);
    }
}

void ProxyClient::disconnectFromPeer()
{
    if (m_local != nullptr) {
        m_local->disconnectFromServer();
    } else {
        m_tcp->disconnectFromHost();
    }
}

bool ProxyClient::isClosed() const
{
    return m_local != nullptr ? m_local->state() == QLocalSocket::UnconnectedState
                              : m_tcp->state() == QAbstractSocket::UnconnectedState;
}

void ProxyClient::abort()
{
    if (m_local != nullptr) {
        m_local->abort();
    } else {
        m_tcp->abort();
    }
}

ProxyConnection::ProxyConnection(ProxyClient client, ProxyShared &shared, QObject *parent)
    : QObject(parent)
    , m_shared(shared)
    , m_client(std::move(client))
{
    m_client.setReadBufferSize(kCopyBuffer);
    m_upstream.setReadBufferSize(kCopyBuffer);
    m_upstream.setProxy(QNetworkProxy::NoProxy);
    m_idle.setSingleShot(true);
    m_idle.setInterval(m_shared.idleLimit);
    m_wait.setSingleShot(true);
    connect(&m_idle, &QTimer::timeout, this, &ProxyConnection::end);
    connect(m_client.device(), &QIODevice::readyRead, this, &ProxyConnection::onClientData);
    connect(m_client.device(), &QIODevice::bytesWritten, this, &ProxyConnection::copyBoth);
    m_client.onDisconnected(this, [this] {
        if (m_phase == Phase::Tunnel && m_upstream.state() == QAbstractSocket::ConnectedState) {
            copyBoth();
            m_upstream.disconnectFromHost();
        } else {
            end();
        }
    });
    connect(&m_upstream, &QTcpSocket::connected, this, &ProxyConnection::onUpstreamConnected);
    connect(&m_upstream, &QTcpSocket::readyRead, this, &ProxyConnection::copyBoth);
    connect(&m_upstream, &QTcpSocket::bytesWritten, this, &ProxyConnection::copyBoth);
    connect(&m_upstream, &QTcpSocket::disconnected, this, [this] {
        if (m_phase == Phase::Tunnel) {
            copyBoth();
            closeGently();
        }
    });
    connect(&m_upstream, &QTcpSocket::errorOccurred, this, [this] {
        if (m_phase == Phase::Connecting) {
            connectNext();
        }
    });
    m_idle.start();
    if (m_client.device()->bytesAvailable() > 0) {
        QMetaObject::invokeMethod(this, &ProxyConnection::onClientData, Qt::QueuedConnection);
    }
}

ProxyConnection::~ProxyConnection()
{
    m_client.device()->disconnect(this);
    m_upstream.disconnect(this);
}

void ProxyConnection::onClientData()
{
    m_idle.start();
    switch (m_phase) {
    case Phase::Hello:
        m_buffer += m_client.device()->read(kMaxHead + 1 - m_buffer.size());
        readHello();
        break;
    case Phase::SocksRequest:
        m_buffer += m_client.device()->read(kMaxHead + 1 - m_buffer.size());
        readSocksRequest();
        break;
    case Phase::ServerName:
        m_buffer += m_client.device()->read(kMaxHead + 1 - m_buffer.size());
        checkServerName();
        break;
    case Phase::Tunnel:
        copyBoth();
        break;
    case Phase::Deciding:
    case Phase::Connecting:
        break; // waits in the socket until there is somewhere to go
    case Phase::Closing:
        (void)m_client.device()->readAll();
        break;
    }
}

void ProxyConnection::readHello()
{
    if (m_buffer.isEmpty()) {
        return;
    }
    if (m_buffer[0] == kSocksVersion) {
        m_kind = Kind::Socks;
        readSocksGreeting();
    } else {
        readHttpHead();
    }
}

void ProxyConnection::readHttpHead()
{
    const qsizetype headEnd = m_buffer.indexOf("\r\n\r\n");
    if (headEnd < 0) {
        if (m_buffer.size() > kMaxHead) {
            answerHttp("431 Request Header Fields Too Large", "too-large",
                u"the request head is over 16 KiB"_s);
        }
        return;
    }
    const QByteArray head = m_buffer.left(headEnd);
    m_buffer.remove(0, headEnd + 4);
    const QList<QByteArray> line = head.left(head.indexOf("\r\n")).split(' ');
    if (line.size() != 3 || !line[2].startsWith("HTTP/1.")) {
        answerHttp("400 Bad Request", "bad-request", u"this is no HTTP/1.1 proxy request"_s);
        return;
    }
    QString host;
    int port = 0;
    if (line[0] == "CONNECT") {
        m_kind = Kind::Connect;
        const qsizetype colon = line[1].lastIndexOf(':');
        bool ok = false;
        port = line[1].mid(colon + 1).toInt(&ok);
        host = ok && colon > 0 ? QString::fromLatin1(line[1].left(colon)) : QString();
    } else {
        m_kind = Kind::PlainHttp;
        const QUrl url(QString::fromLatin1(line[1]), QUrl::StrictMode);
        port = url.port(kHttp);
        host = preparePlainRequest(line[0], line[1], head);
    }
    if (host.isEmpty() || port < 1 || port > 65535) {
        answerHttp("400 Bad Request", "bad-request", u"the request names no host"_s);
        return;
    }
    decide(host, port, line[0]);
}

/// Turns "GET http://host/path" into what the server itself expects; returns the host.
QString ProxyConnection::preparePlainRequest(
    const QByteArray &method, const QByteArray &target, const QByteArray &head)
{
    const QUrl url(QString::fromLatin1(target), QUrl::StrictMode);
    if (url.scheme() != u"http"_s || url.host().isEmpty()) {
        return {};
    }
    QByteArray path
        = url.toEncoded(QUrl::RemoveScheme | QUrl::RemoveAuthority | QUrl::RemoveFragment);
    if (!path.startsWith('/')) {
        path.prepend('/');
    }
    QByteArray authority = url.host(QUrl::FullyEncoded).toLatin1();
    if (authority.contains(':')) {
        authority = '[' + authority + ']';
    }
    if (url.port() > 0) {
        authority += ':' + QByteArray::number(url.port());
    }
    m_toUpstream = method + ' ' + path + " HTTP/1.1\r\nHost: " + authority + "\r\n";
    const QList<QByteArray> lines = head.split('\n');
    for (qsizetype i = 1; i < lines.size(); ++i) {
        const QByteArray line = lines[i].trimmed();
        const QByteArray name = line.left(line.indexOf(':')).toLower();
        // The host of the target counts; and one request for one connection, so that a second
        // cannot go to another host unseen.
        if (!line.isEmpty() && name != "host" && name != "connection"
            && !name.startsWith("proxy-")) {
            m_toUpstream += line + "\r\n";
        }
    }
    m_toUpstream += "Connection: close\r\n\r\n";
    return url.host();
}

void ProxyConnection::readSocksGreeting()
{
    if (m_buffer.size() < 2 || m_buffer.size() < 2 + static_cast<uchar>(m_buffer[1])) {
        return;
    }
    const int methods = static_cast<uchar>(m_buffer[1]);
    const bool anonymous = m_buffer.mid(2, methods).contains('\0');
    m_buffer.remove(0, 2 + methods);
    m_client.device()->write(anonymous ? QByteArray("\x05\x00", 2) : QByteArray("\x05\xff", 2));
    if (!anonymous) {
        closeGently();
        return;
    }
    m_phase = Phase::SocksRequest;
    readSocksRequest();
}

void ProxyConnection::readSocksRequest()
{
    // version, command, reserved, address type, address, port
    if (m_buffer.size() < 5) {
        return;
    }
    const int type = static_cast<uchar>(m_buffer[3]);
    const qsizetype length
        = type == 1 ? 4 : (type == 4 ? 16 : (type == 3 ? 1 + static_cast<uchar>(m_buffer[4]) : -1));
    if (m_buffer[0] != kSocksVersion || m_buffer[1] != 1 || length < 0) {
        constexpr char kCommandNotSupported = 7;
        answerSocks(kCommandNotSupported); // UDP and incoming connections are not forwarded
        return;
    }
    if (m_buffer.size() < 4 + length + 2) {
        return;
    }
    const QByteArray address = m_buffer.mid(4, length);
    QString host;
    if (type == 3) {
        host = QString::fromLatin1(address.mid(1));
    } else if (type == 1) {
        host = QHostAddress(static_cast<quint32>(static_cast<uchar>(address[0])) << 24U
            | static_cast<quint32>(static_cast<uchar>(address[1])) << 16U
            | static_cast<quint32>(static_cast<uchar>(address[2])) << 8U
            | static_cast<uchar>(address[3]))
                   .toString();
    } else {
        host = QHostAddress(reinterpret_cast<const quint8 *>(address.constData())).toString();
    }
    const int port
        = static_cast<uchar>(m_buffer[4 + length]) << 8 | static_cast<uchar>(m_buffer[5 + length]);
    m_buffer.remove(0, 4 + length + 2);
    decide(host, port, {});
}

void ProxyConnection::decide(const QString &host, int port, const QByteArray &method)
{
    m_phase = Phase::Deciding;
    m_host = normalisedHost(host);
    m_port = port;
    if (m_host.isEmpty()) {
        m_host = host;
        refuse(u"not-listed"_s, "blocked-by-policy", u"\"%1\" is no host"_s.arg(host));
        return;
    }
    const bool plain = m_kind == Kind::PlainHttp;
    const bool portAllowed = m_port == (plain ? kHttp : kHttps)
        || m_shared.policy.extraPorts.contains(m_port)
        || (m_kind == Kind::Socks && m_port == kHttp);
    if (!portAllowed) {
        refuse(u"port"_s, "blocked-by-policy", u"port %1 is not open"_s.arg(m_port));
        return;
    }
    if (m_shared.policy.limitedMethods
        && (!plain || (method != "GET" && method != "HEAD" && method != "OPTIONS"))) {
        refuse(u"method"_s, "blocked-by-method-policy",
            u"only plain GET, HEAD and OPTIONS requests are allowed"_s);
        return;
    }
    switch (m_shared.rules.check(m_host)) {
    case DomainRules::Answer::Denied:
        refuse(
            u"denied"_s, "blocked-by-denylist", u"%1 is on the list of denied hosts"_s.arg(m_host));
        return;
    case DomainRules::Answer::Allowed:
        resolve();
        return;
    case DomainRules::Answer::NotListed:
        break;
    }
    if (!m_shared.broker) {
        refuse(u"not-listed"_s, "blocked-by-allowlist",
            u"%1 is not on the list of allowed hosts"_s.arg(m_host));
        return;
    }
    ask();
}

void ProxyConnection::ask()
{
    m_idle.stop();
    const auto timeout = connect(
        &m_wait, &QTimer::timeout, this,
        [this] {
            refuse(u"not-listed"_s, "blocked-by-allowlist",
                u"nobody answered whether %1 may be reached"_s.arg(m_host));
        },
        Qt::SingleShotConnection);
    m_wait.start(m_shared.askLimit);
    const QPointer<ProxyConnection> self(this);
    m_shared.broker({ m_host, m_port, m_shared.callId }, [self, timeout](HostAnswer answer) {
        // The answer may come from any thread, and long after.
        if (!self) {
            return;
        }
        QMetaObject::invokeMethod(self.data(), [self, timeout, answer] {
            if (!self || self->m_phase != Phase::Deciding || self->m_ended) {
                return;
            }
            QObject::disconnect(timeout);
            self->m_wait.stop();
            self->m_idle.start();
            if (answer == HostAnswer::Allow) {
                self->resolve();
            } else {
                self->refuse(u"not-listed"_s, "blocked-by-allowlist",
                    u"%1 was not allowed"_s.arg(self->m_host));
            }
        });
    });
}

void ProxyConnection::resolve()
{
    QHostAddress literal;
    if (literal.setAddress(m_host)) {
        onAddresses({ literal });
        return;
    }
    connect(
        &m_wait, &QTimer::timeout, this,
        [this] { failUpstream(u"the name %1 could not be looked up in time"_s.arg(m_host)); },
        Qt::SingleShotConnection);
    m_wait.start(m_shared.lookupLimit);
    m_shared.lookup(m_host, this, [this](const QList<QHostAddress> &addresses) {
        if (m_wait.isActive() && m_phase == Phase::Deciding) {
            m_wait.stop();
            onAddresses(addresses);
        }
    });
}

void ProxyConnection::onAddresses(const QList<QHostAddress> &addresses)
{
    if (addresses.isEmpty()) {
        failUpstream(u"the name %1 is not known"_s.arg(m_host));
        return;
    }
    for (const QHostAddress &address : addresses) {
        QHostAddress literal;
        const bool typed = literal.setAddress(m_host);
        if (!isPublicAddress(address) && !(typed && m_shared.rules.listsAddress(address))) {
            refuse(u"private-address"_s, "blocked-by-policy",
                u"%1 leads to the private address %2"_s.arg(m_host, address.toString()));
            return;
        }
    }
    m_shared.decided({ m_host, m_port, true, u"allowed"_s, m_shared.callId });
    m_addresses = addresses;
    m_phase = Phase::Connecting;
    connectNext();
}

void ProxyConnection::connectNext()
{
    if (m_addresses.isEmpty()) {
        failUpstream(u"%1 does not answer: %2"_s.arg(m_host, m_upstream.errorString()));
        return;
    }
    // To the address that was checked; a second lookup could say something else.
    m_upstream.abort();
    m_upstream.connectToHost(m_addresses.takeFirst(), static_cast<quint16>(m_port));
}

void ProxyConnection::onUpstreamConnected()
{
    m_idle.start();
    if (m_kind == Kind::PlainHttp) {
        m_upstream.write(m_toUpstream);
        startTunnel();
        return;
    }
    if (m_kind == Kind::Connect) {
        m_client.device()->write("HTTP/1.1 200 Connection established\r\n\r\n");
    } else {
        m_client.device()->write(QByteArray("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10));
    }
    m_phase = Phase::ServerName;
    onClientData();
}

/// The name inside TLS must be the one that was asked for: a front server would otherwise forward
/// to hosts that are not listed.
void ProxyConnection::checkServerName()
{
    if (m_buffer.isEmpty()) {
        if (m_port == kHttps || m_upstream.bytesAvailable() == 0) {
            return;
        }
    }
    const ClientHello hello = ClientHello::read(m_buffer);
    if (hello.state == ClientHello::State::Incomplete && !m_buffer.isEmpty()
        && m_buffer.size() <= kMaxHead) {
        return;
    }
    QHostAddress literal;
    const bool nameMatches
        = hello.serverName == m_host || (hello.serverName.isEmpty() && literal.setAddress(m_host));
    const bool acceptable
        = hello.state == ClientHello::State::Complete ? nameMatches : m_port != kHttps;
    if (!acceptable) {
        m_shared.decided({ m_host, m_port, false, u"server-name"_s, m_shared.callId });
        closeGently();
        return;
    }
    startTunnel();
}

void ProxyConnection::startTunnel()
{
    m_phase = Phase::Tunnel;
    m_upstream.write(m_buffer);
    m_shared.bytesLeft -= m_buffer.size();
    m_buffer.clear();
    copyBoth();
}

void ProxyConnection::copy(QIODevice &from, QIODevice &to, qint64 toWaiting)
{
    const qint64 room = std::min(kCopyBuffer - toWaiting, m_shared.bytesLeft);
    if (room <= 0 || from.bytesAvailable() == 0) {
        return;
    }
    const QByteArray piece = from.read(room);
    m_shared.bytesLeft -= piece.size();
    to.write(piece);
    m_idle.start();
}

void ProxyConnection::copyBoth()
{
    if (m_phase == Phase::ServerName && m_port != kHttps) {
        checkServerName(); // a protocol in which the server speaks first
        return;
    }
    if (m_phase != Phase::Tunnel) {
        return;
    }
    copy(*m_client.device(), m_upstream, m_upstream.bytesToWrite());
    copy(m_upstream, *m_client.device(), m_client.device()->bytesToWrite());
    if (m_shared.bytesLeft <= 0) {
        m_shared.decided({ m_host, m_port, false, u"limit"_s, m_shared.callId });
        end();
    }
}

void ProxyConnection::refuse(const QString &reason, const QByteArray &code, const QString &text)
{
    m_shared.decided({ m_host, m_port, false, reason, m_shared.callId });
    if (m_kind == Kind::Socks) {
        answerSocks(kSocksNotAllowed);
    } else {
        answerHttp("403 Forbidden", code, text);
    }
}

void ProxyConnection::failUpstream(const QString &text)
{
    if (m_kind == Kind::Socks) {
        answerSocks(kSocksUnreachable);
    } else {
        answerHttp("502 Bad Gateway", "upstream", text);
    }
}

void ProxyConnection::answerHttp(
    const QByteArray &status, const QByteArray &code, const QString &text)
{
    const QByteArray body
        = "{\"error\":\"" + code + "\",\"message\":\"" + text.toUtf8().replace('"', '\'') + "\"}\n";
    m_client.device()->write("HTTP/1.1 " + status + "\r\nx-proxy-error: " + code
        + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
        + QByteArray::number(body.size()) + "\r\n\r\n" + body);
    closeGently();
}

void ProxyConnection::answerSocks(char code)
{
    QByteArray answer("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10);
    answer[1] = code;
    m_client.device()->write(answer);
    closeGently();
}

void ProxyConnection::closeGently()
{
    m_phase = Phase::Closing;
    m_upstream.abort();
    m_client.disconnectFromPeer();
    if (m_client.isClosed()) {
        end();
    }
}

void ProxyConnection::end()
{
    if (!m_ended) {
        m_ended = true;
        m_phase = Phase::Closing;
        m_upstream.abort();
        m_client.abort();
        Q_EMIT finished();
    }
}

} // namespace deskhand::sandbox
