// SPDX-License-Identifier: Apache-2.0
#include "executor/net/httpconnection_p.h"

#include <algorithm>

#if defined(Q_OS_LINUX)
#include <sys/socket.h>
#endif

namespace deskhand::net {
namespace {

// A client that is being refused may go on sending for this long, so that it can read the reply
// instead of a connection reset.
constexpr std::chrono::milliseconds kDrainTime { 2000 };
constexpr qint64 kReadPiece = 256 * 1024;

/// As much as the system takes without waiting; errors show on the socket's own next step.
qsizetype sendDirectly([[maybe_unused]] qintptr socket, [[maybe_unused]] QByteArrayView bytes)
{
#if defined(Q_OS_LINUX)
    const ssize_t sent = ::send(static_cast<int>(socket), bytes.data(),
        static_cast<size_t>(bytes.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
    return std::max<qsizetype>(0, static_cast<qsizetype>(sent));
#else
    return 0;
#endif
}

HttpReply plainReply(int status, const QByteArray &text)
{
    return { status, { { "Content-Type", "text/plain; charset=utf-8" } }, text + '\n' };
}

} // namespace

HttpConnection::HttpConnection(HttpServer &server, QTcpSocket *socket)
    : QObject(&server)
    , m_server(server)
    , m_socket(socket)
    , m_deadline(server.m_limits.header)
{
    m_server.m_connections.insert(this);
    m_socket->setParent(this);
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    m_socket->setReadBufferSize(kReadPiece);
    connect(m_socket, &QTcpSocket::readyRead, this, &HttpConnection::onReadyRead);
    connect(m_socket, &QTcpSocket::bytesWritten, this, &HttpConnection::onBytesWritten);
    connect(m_socket, &QTcpSocket::disconnected, this, &HttpConnection::onDisconnected);
    resetParser();
    if (m_socket->bytesAvailable() > 0) {
        onReadyRead();
    }
}

HttpConnection::~HttpConnection()
{
    m_server.m_connections.remove(this);
}

void HttpConnection::checkDeadline()
{
    if (m_phase == Phase::Closed || (!m_deadline.hasExpired() && !m_bodyDeadline.hasExpired())) {
        return;
    }
    switch (m_phase) {
    case Phase::Receiving:
        refuse(plainReply(408, "the request took too long to arrive"));
        break;
    case Phase::Idle:
    case Phase::Answering: // the client does not read
    case Phase::Draining:
        m_socket->abort();
        break;
    case Phase::Closed:
        break;
    }
}

void HttpConnection::onReadyRead()
{
    if (m_phase == Phase::Draining) {
        m_socket->readAll();
        return;
    }
    if (m_phase == Phase::Answering) {
        // Pipelined: never served. It is read only to notice that the client leaves.
        m_socket->readAll();
        m_closeAfter = true;
        return;
    }
    m_input.append(m_socket->readAll());
    consume();
}

void HttpConnection::consume()
{
    while (!m_input.isEmpty() && (m_phase == Phase::Idle || m_phase == Phase::Receiving)) {
        if (m_phase == Phase::Idle) {
            m_phase = Phase::Receiving;
            m_deadline = QDeadlineTimer(m_server.m_limits.header);
        }
        const RequestParser::State before = m_parser->state();
        const qsizetype taken = m_parser->feed(m_input);
        m_input.remove(0, taken);
        if (m_parser->state() == RequestParser::State::Failed) {
            refuse(plainReply(m_parser->failureStatus(), m_parser->failureText()));
            return;
        }
        if (before == RequestParser::State::Head && m_parser->state() != before) {
            onHead();
            if (m_phase != Phase::Receiving) {
                return;
            }
        }
        if (m_parser->state() == RequestParser::State::Body) {
            m_deadline = QDeadlineTimer(m_server.m_limits.bodyIdle);
        }
        if (m_parser->state() == RequestParser::State::Done) {
            serve();
            return;
        }
        if (taken == 0) {
            return; // incomplete: waits for more
        }
    }
}

void HttpConnection::onHead()
{
    const HttpRequestHead &head = m_parser->head();
    m_bodyDeadline = QDeadlineTimer(m_server.m_limits.body);
    const QByteArray expect = head.header("expect");
    if (!expect.isEmpty() && !m_parser->expectsContinue()) {
        refuse(plainReply(417, "only 100-continue can be expected"));
        return;
    }
    if (const std::optional<HttpReply> refusal = m_server.m_handler.admit(head)) {
        refuse(*refusal);
        return;
    }
    if (head.header("content-length").toLongLong() > m_server.m_limits.bodyBytes) {
        refuse(plainReply(413, "the request's body is too large"));
        return;
    }
    if (m_parser->expectsContinue() && m_parser->state() == RequestParser::State::Body
        && m_input.isEmpty()) {
        send("HTTP/1.1 100 Continue\r\n\r\n");
    }
}

void HttpConnection::serve()
{
    m_phase = Phase::Answering;
    m_deadline = QDeadlineTimer(QDeadlineTimer::Forever);
    m_bodyDeadline = QDeadlineTimer(QDeadlineTimer::Forever);
    m_closeAfter = !m_parser->head().keepAlive || !m_input.isEmpty();
    m_input.clear();
    m_exchange = new HttpExchange(*this, m_parser->head(), m_parser->takeBody());
    m_parser.reset();
    m_server.m_handler.serve(*m_exchange);
}

void HttpConnection::refuse(const HttpReply &reply)
{
    m_closeAfter = true;
    HeaderList headers = reply.headers;
    sendHead(reply.status, headers, reply.body.size());
    if (m_parser == nullptr || m_parser->state() == RequestParser::State::Head
        || m_parser->head().method != "HEAD") {
        send(reply.body);
    }
    m_input.clear();
    m_phase = Phase::Draining;
    m_deadline = QDeadlineTimer(kDrainTime);
    m_bodyDeadline = QDeadlineTimer(QDeadlineTimer::Forever);
    if (m_parser != nullptr && m_parser->state() == RequestParser::State::Done) {
        close(); // nothing more is coming
    }
}

void HttpConnection::sendHead(int status, const HeaderList &headers, qint64 contentLength)
{
    QByteArray head
        = "HTTP/1.1 " + QByteArray::number(status) + ' ' + reasonPhrase(status) + "\r\n";
    for (const auto &[name, value] : headers) {
        head += name + ": " + value + "\r\n";
    }
    if (contentLength >= 0) {
        head += "Content-Length: " + QByteArray::number(contentLength) + "\r\n";
    } else if (m_exchange != nullptr && m_exchange->m_chunked) {
        head += "Transfer-Encoding: chunked\r\n";
    }
    if (m_closeAfter) {
        head += "Connection: close\r\n";
    }
    head += "\r\n";
    send(head);
}

void HttpConnection::send(const QByteArray &bytes)
{
    if (m_phase == Phase::Closed || bytes.isEmpty()) {
        return;
    }
    // A stream has thousands of small pieces. Qt would watch the socket for each of them and stop
    // watching at once, which costs more than the writing itself.
    qsizetype sent = 0;
    if (m_socket->bytesToWrite() == 0) {
        sent = sendDirectly(m_socket->socketDescriptor(), bytes);
    }
    if (sent < bytes.size()) {
        m_socket->write(bytes.constData() + sent, bytes.size() - sent);
        m_socket->flush();
    }
    if (m_phase == Phase::Answering && m_socket->bytesToWrite() > 0 && m_deadline.isForever()) {
        m_deadline = QDeadlineTimer(m_server.m_limits.writeStall);
    }
}

void HttpConnection::onBytesWritten()
{
    if (m_phase != Phase::Answering) {
        return;
    }
    if (m_socket->bytesToWrite() > 0) {
        m_deadline = QDeadlineTimer(m_server.m_limits.writeStall);
        return;
    }
    m_deadline = QDeadlineTimer(QDeadlineTimer::Forever);
    if (m_exchange != nullptr) {
        Q_EMIT m_exchange->drained();
    }
}

void HttpConnection::answerEnded()
{
    if (m_exchange != nullptr) {
        m_exchange->deleteLater();
        m_exchange = nullptr;
    }
    if (m_phase != Phase::Answering) {
        return;
    }
    if (m_closeAfter) {
        close();
        return;
    }
    m_phase = Phase::Idle;
    m_deadline = QDeadlineTimer(m_server.m_limits.keepAlive);
    resetParser();
}

void HttpConnection::resetParser()
{
    m_parser = std::make_unique<RequestParser>(
        m_server.m_limits.headerBytes, m_server.m_limits.bodyBytes);
}

void HttpConnection::close()
{
    m_phase = Phase::Draining;
    m_deadline = QDeadlineTimer(kDrainTime);
    m_socket->disconnectFromHost(); // after what is pending
}

void HttpConnection::onDisconnected()
{
    if (m_phase == Phase::Closed) {
        return;
    }
    const bool unfinished = m_phase == Phase::Answering;
    m_phase = Phase::Closed;
    m_server.m_connections.remove(this);
    if (m_exchange != nullptr) {
        HttpExchange *exchange = m_exchange;
        m_exchange = nullptr;
        if (unfinished) {
            Q_EMIT exchange->clientGone();
        }
        exchange->m_ended = true;
        exchange->deleteLater();
    }
    deleteLater();
}

} // namespace deskhand::net
