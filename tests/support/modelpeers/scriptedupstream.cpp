// SPDX-License-Identifier: Apache-2.0
#include "tests/support/modelpeers/scriptedupstream.h"

#include "tests/support/modelpeers/certificates.h"

#include <QSslConfiguration>
#include <QSslServer>
#include <QVariant>

namespace deskhand::test {

QByteArray ReceivedRequest::header(const QByteArray &name) const
{
    for (const auto &[key, value] : headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0) {
            return value;
        }
    }
    return {};
}

UpstreamReply::UpstreamReply(QTcpSocket *socket, ReceivedRequest received)
    : QObject(socket)
    , request(std::move(received))
    , m_socket(socket)
{
    connect(socket, &QTcpSocket::disconnected, this, &UpstreamReply::disconnected);
}

void UpstreamReply::respond(int status, const QByteArray &contentType, const QByteArray &body,
    const QList<std::pair<QByteArray, QByteArray>> &headers)
{
    QByteArray head = "HTTP/1.1 " + QByteArray::number(status) + " X\r\nContent-Type: "
        + contentType + "\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n";
    for (const auto &[name, value] : headers) {
        head += name + ": " + value + "\r\n";
    }
    raw(head + "\r\n" + body);
}

void UpstreamReply::beginStream(const QByteArray &contentType)
{
    raw("HTTP/1.1 200 OK\r\nContent-Type: " + contentType
        + "\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void UpstreamReply::chunk(const QByteArray &bytes)
{
    if (!bytes.isEmpty()) {
        raw(QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n");
    }
}

void UpstreamReply::endStream()
{
    raw("0\r\n\r\n");
}

void UpstreamReply::raw(const QByteArray &bytes)
{
    if (m_socket != nullptr) {
        m_socket->write(bytes);
        m_socket->flush();
    }
}

void UpstreamReply::close()
{
    if (m_socket != nullptr) {
        m_socket->disconnectFromHost();
    }
}

void UpstreamReply::cut()
{
    if (m_socket != nullptr) {
        m_socket->abort();
    }
}

bool UpstreamReply::isOpen() const
{
    return m_socket != nullptr && m_socket->state() == QAbstractSocket::ConnectedState;
}

qint64 UpstreamReply::pendingBytes() const
{
    return m_socket != nullptr ? m_socket->bytesToWrite() : 0;
}

ScriptedUpstream::ScriptedUpstream(Script script, QObject *parent)
    : QObject(parent)
    , m_server(new QTcpServer(this))
    , m_script(std::move(script))
{
    listen();
}

ScriptedUpstream::ScriptedUpstream(const Certificates &certificates, Script script, QObject *parent)
    : QObject(parent)
    , m_script(std::move(script))
{
    auto *server = new QSslServer(this);
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setLocalCertificate(certificates.certificate());
    configuration.setPrivateKey(certificates.key());
    server->setSslConfiguration(configuration);
    m_server = server;
    listen();
}

void ScriptedUpstream::listen()
{
    connect(
        m_server, &QTcpServer::pendingConnectionAvailable, this, &ScriptedUpstream::onConnection);
    m_server->setListenBacklogSize(512);
    m_server->listen(QHostAddress::LocalHost, 0);
}

QString ScriptedUpstream::baseUrl() const
{
    return QStringLiteral("http://127.0.0.1:%1/v1").arg(port());
}

void ScriptedUpstream::onConnection()
{
    while (QTcpSocket *socket = m_server->nextPendingConnection()) {
        ++m_connections;
        socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
        connect(socket, &QTcpSocket::readyRead, this, [this, socket] { onReadyRead(socket); });
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
    }
}

void ScriptedUpstream::onReadyRead(QTcpSocket *socket)
{
    QByteArray input = socket->property("input").toByteArray() + socket->readAll();
    const qsizetype end = input.indexOf("\r\n\r\n");
    if (end < 0) {
        socket->setProperty("input", input);
        return;
    }
    ReceivedRequest request;
    const QList<QByteArray> lines = input.left(end).split('\n');
    const QList<QByteArray> first = lines.value(0).trimmed().split(' ');
    request.method = first.value(0);
    request.path = first.value(1);
    for (const QByteArray &line : lines.mid(1)) {
        const qsizetype colon = line.indexOf(':');
        request.headers.append({ line.left(colon).trimmed(), line.mid(colon + 1).trimmed() });
    }
    const qsizetype length = request.header("content-length").toLongLong();
    if (input.size() < end + 4 + length) {
        socket->setProperty("input", input);
        return;
    }
    request.body = input.mid(end + 4, length);
    socket->setProperty("input", QByteArray());
    m_requests.append(request);
    auto *reply = new UpstreamReply(socket, request);
    m_last = reply;
    if (m_script) {
        m_script(*reply);
    }
}

} // namespace deskhand::test
