// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/transport.h"

#include <QNetworkRequest>
#include <QRegularExpression>
#include <QSslError>
#include <QWebSocket>

using namespace Qt::StringLiterals;

namespace deskhand::socketio {

namespace {

// What a small queued packet costs beyond its text.
constexpr qint64 kQueuedOverhead = 512;

QSslConfiguration tlsConfiguration(const ClientOptions &options)
{
    QSslConfiguration tls = options.tls.value_or(QSslConfiguration::defaultConfiguration());
    if (!options.extraCaCertificates.isEmpty()) {
        tls.addCaCertificates(options.extraCaCertificates);
    }
    return tls;
}

} // namespace

Transport::Transport(QObject *reader, std::shared_ptr<Inbox> inbox, std::shared_ptr<Outbox> outbox,
    std::shared_ptr<Backlog> backlog)
    : m_reader(reader)
    , m_inbox(std::move(inbox))
    , m_outbox(std::move(outbox))
    , m_backlog(std::move(backlog))
    , m_linkTimer(this)
    , m_pingTimer(this)
{
    m_linkTimer.setSingleShot(true);
    connect(&m_linkTimer, &QTimer::timeout, this, [this] {
        if (m_isClosing) {
            cut(m_link, DisconnectReason::Stopped, u"closed without the server's answer"_s);
        } else {
            cut(m_link, DisconnectReason::LinkLost,
                u"no connection to %1%2 within %3 ms"_s.arg(m_url.host(), viaProxy())
                    .arg(m_options.linkTimeLimit.count()));
        }
    });
    m_pingTimer.setSingleShot(true);
    connect(&m_pingTimer, &QTimer::timeout, this, [this] {
        cut(m_link, DisconnectReason::PingMissed,
            u"no ping from the server within %1 ms"_s.arg(m_pingLimitMs));
    });
}

Transport::~Transport()
{
    dropSocket();
}

void Transport::takeCommands()
{
    for (const Outbox::Command &command : m_outbox->takeAll()) {
        command(*this);
    }
}

void Transport::open(quint64 link, const QUrl &url, const ClientOptions &options)
{
    dropSocket();
    m_link = link;
    m_url = url;
    m_options = options;
    DecodeLimits limits;
    limits.maxTextBytes = options.maxIncomingBytes;
    limits.maxAttachmentBytes = options.maxQueuedBytes;
    m_decoder = PacketDecoder(limits);
    m_socket = new QWebSocket(QString(), QWebSocketProtocol::VersionLatest, this);
    connectSocket();
    const auto most = static_cast<quint64>(options.maxIncomingBytes);
    m_socket->setMaxAllowedIncomingFrameSize(most);
    m_socket->setMaxAllowedIncomingMessageSize(most);
    m_socket->setProxy(options.proxy);
    if (url.scheme() == u"wss") {
        // The system's certificates are read only when they are needed.
        m_socket->setSslConfiguration(tlsConfiguration(options));
    }
    m_linkTimer.start(options.linkTimeLimit);
    m_socket->open(QNetworkRequest(url));
}

void Transport::connectSocket()
{
    connect(m_socket, &QWebSocket::textMessageReceived, this, &Transport::onText);
    connect(m_socket, &QWebSocket::binaryMessageReceived, this, &Transport::onBinary);
    connect(m_socket, &QWebSocket::disconnected, this, &Transport::onDisconnected);
    connect(m_socket, &QWebSocket::bytesWritten, this, &Transport::onBytesWritten);
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    connect(m_socket, &QWebSocket::errorOccurred, this, &Transport::onSocketError);
#else
    connect(m_socket, qOverload<QAbstractSocket::SocketError>(&QWebSocket::error), this,
        &Transport::onSocketError);
#endif
    // Not ignored: the connection fails, and the texts become its cause.
    connect(m_socket, &QWebSocket::sslErrors, this, [this](const QList<QSslError> &errors) {
        for (const QSslError &error : errors) {
            m_tlsFaults.append(error.errorString());
        }
    });
}

void Transport::send(quint64 link, const Frames &frames)
{
    m_backlog->posted -= frames.totalBytes();
    if (link != m_link || m_isClosing) {
        return;
    }
    m_socket->sendTextMessage(QString::fromUtf8(frames.text));
    for (const QByteArray &attachment : frames.binary) {
        m_socket->sendBinaryMessage(attachment);
    }
    m_hasSent = true;
    // At once, not with the next turn of the event loop. What fails here ends the link in here.
    m_socket->flush();
    if (m_socket) {
        updateBacklog();
    }
}

void Transport::close(
    quint64 link, const QList<QByteArray> &farewell, std::chrono::milliseconds limit)
{
    if (link != m_link || m_isClosing) {
        return;
    }
    if (!m_isOpen) {
        cut(link, DisconnectReason::Stopped, u"stopped while connecting"_s);
        return;
    }
    m_isClosing = true;
    m_pingTimer.stop();
    m_linkTimer.start(limit);
    for (const QByteArray &frame : farewell) {
        m_socket->sendTextMessage(QString::fromUtf8(frame));
    }
    m_socket->close(QWebSocketProtocol::CloseCodeNormal);
}

void Transport::cut(quint64 link, DisconnectReason reason, const QString &cause)
{
    if (link == 0 || link != m_link) {
        return;
    }
    const LinkGone gone { m_isClosing ? DisconnectReason::Stopped : reason, cause };
    // The socket goes first, so that none of its signals finds this link again.
    dropSocket();
    m_link = link;
    post(gone);
    m_link = 0;
}

void Transport::onText(const QString &text)
{
    const QByteArray utf8 = text.toUtf8();
    const auto packet = decodeEngine(utf8);
    if (!packet) {
        if (m_isOpen) {
            post(PacketRefused { packet.error() }, kQueuedOverhead);
        } else {
            cut(m_link, DisconnectReason::ProtocolFault, packet.error().message);
        }
        return;
    }
    if (!m_isOpen) {
        if (packet->type == EngineType::Open) {
            onEngineOpen(packet->data);
        } else {
            cut(m_link, DisconnectReason::ProtocolFault,
                u"the server did not begin with an Engine.IO open packet"_s);
        }
        return;
    }
    switch (packet->type) {
    case EngineType::Ping:
        m_pingTimer.start(std::chrono::milliseconds(m_pingLimitMs));
        if (!m_isClosing) {
            const QByteArray pong = encodeEngine(EngineType::Pong, packet->data);
            m_socket->sendTextMessage(QString::fromUtf8(pong));
        }
        break;
    case EngineType::Message:
        onPacket(m_decoder.addText(packet->data), utf8.size());
        break;
    case EngineType::Close:
        cut(m_link, DisconnectReason::ServerClosed, u"the server closed the connection"_s);
        break;
    case EngineType::Noop:
        break;
    case EngineType::Open:
    case EngineType::Pong:
    case EngineType::Upgrade:
        post(PacketRefused { { ErrorKind::Protocol,
                 u"Engine.IO packet of type %1 has no meaning here"_s.arg(
                     static_cast<int>(packet->type)) } },
            kQueuedOverhead);
        break;
    }
}

void Transport::onBinary(const QByteArray &bytes)
{
    if (!m_isOpen) {
        cut(m_link, DisconnectReason::ProtocolFault,
            u"the server did not begin with an Engine.IO open packet"_s);
        return;
    }
    onPacket(m_decoder.addBinary(bytes), bytes.size());
}

void Transport::onEngineOpen(QByteArrayView data)
{
    const auto info = decodeOpen(data);
    if (!info) {
        cut(m_link, DisconnectReason::ProtocolFault, info.error().message);
        return;
    }
    m_isOpen = true;
    m_linkTimer.stop();
    m_pingLimitMs = info->pingIntervalMs + info->pingTimeoutMs;
    m_pingTimer.start(std::chrono::milliseconds(m_pingLimitMs));
    post(LinkOpened { *info }, kQueuedOverhead);
}

void Transport::onPacket(const Result<std::optional<Packet>> &packet, qint64 bytes)
{
    if (!packet) {
        post(PacketRefused { packet.error() }, kQueuedOverhead);
    } else if (packet->has_value()) {
        for (const QByteArray &attachment : (*packet)->payload.attachments) {
            bytes += attachment.size();
        }
        post(PacketReceived { **packet }, bytes + kQueuedOverhead);
    }
    if (m_inbox->bytes() > m_options.maxQueuedBytes) {
        cut(m_link, DisconnectReason::ProtocolFault,
            u"more than %1 bytes received and not handled in time"_s.arg(m_options.maxQueuedBytes));
    }
}

void Transport::onSocketError()
{
    // Qt puts the name of its function before what a server answered to the handshake.
    static const QRegularExpression function(u"^\\w+::\\w+: "_s);
    QString cause = m_socket->errorString().remove(function);
    if (!m_tlsFaults.isEmpty()) {
        cause += u" (%1)"_s.arg(m_tlsFaults.join(u"; "_s));
    }
    cut(m_link, DisconnectReason::LinkLost,
        u"%1:%2%3: %4"_s.arg(m_url.host())
            .arg(m_url.port(m_url.scheme() == u"wss" ? 443 : 80))
            .arg(viaProxy(), cause));
}

void Transport::onDisconnected()
{
    if (!m_isOpen && !m_isClosing) {
        // Behind a proxy this comes before the error that explains it.
        onSocketError();
        return;
    }
    const auto code = m_socket->closeCode();
    const QString words = m_socket->closeReason();
    // Qt closes by itself what breaks the WebSocket protocol or our limits, with these codes.
    const bool fault = code == QWebSocketProtocol::CloseCodeProtocolError
        || code == QWebSocketProtocol::CloseCodeWrongDatatype
        || code == QWebSocketProtocol::CloseCodeTooMuchData;
    cut(m_link, fault ? DisconnectReason::ProtocolFault : DisconnectReason::LinkLost,
        words.isEmpty()
            ? u"the connection was closed (WebSocket code %1)"_s.arg(code)
            : u"the connection was closed (WebSocket code %1: %2)"_s.arg(code).arg(words));
}

void Transport::onBytesWritten()
{
    updateBacklog();
    if (m_hasSent && m_backlog->inSocket == 0 && m_backlog->posted == 0) {
        m_hasSent = false;
        post(LinkDrained {});
    }
}

void Transport::dropSocket()
{
    m_linkTimer.stop();
    m_pingTimer.stop();
    m_isOpen = false;
    m_isClosing = false;
    m_hasSent = false;
    m_tlsFaults.clear();
    m_backlog->inSocket = 0;
    m_link = 0;
    if (m_socket) {
        m_socket->disconnect(this);
        m_socket->abort();
        // Often called from the socket's own signal.
        m_socket->deleteLater();
        m_socket = nullptr;
    }
}

void Transport::post(LinkFact fact, qint64 bytes)
{
    if (m_inbox->push({ m_link, std::move(fact), bytes })) {
        QMetaObject::invokeMethod(m_reader, "run", Qt::QueuedConnection);
    }
}

void Transport::updateBacklog()
{
    m_backlog->inSocket = m_socket->bytesToWrite();
}

QString Transport::viaProxy() const
{
    if (m_options.proxy.type() == QNetworkProxy::NoProxy
        || m_options.proxy.type() == QNetworkProxy::DefaultProxy) {
        return {};
    }
    return u" through the proxy %1:%2"_s.arg(m_options.proxy.hostName())
        .arg(m_options.proxy.port());
}

} // namespace deskhand::socketio
