// SPDX-License-Identifier: Apache-2.0
#include "tests/support/modelpeers/rawclient.h"

#include <QHostAddress>

namespace deskhand::test {

QByteArray ClientAnswer::header(const QByteArray &name) const
{
    for (const QByteArray &line : head.split('\n')) {
        const qsizetype colon = line.indexOf(':');
        if (colon > 0 && line.left(colon).compare(name, Qt::CaseInsensitive) == 0) {
            return line.mid(colon + 1).trimmed();
        }
    }
    return {};
}

QList<std::pair<QByteArray, QByteArray>> ClientAnswer::events() const
{
    QList<std::pair<QByteArray, QByteArray>> list;
    QByteArray event;
    QByteArray data;
    for (const QByteArray &line : body.split('\n')) {
        if (line.startsWith("event: ")) {
            event = line.mid(7);
        } else if (line.startsWith("data: ")) {
            data = line.mid(6);
        } else if (line.isEmpty() && !data.isEmpty()) {
            list.append({ event, data });
            event.clear();
            data.clear();
        }
    }
    return list;
}

RawClient::RawClient(quint16 port, QObject *parent)
    : QObject(parent)
    , m_port(port)
{
    connect(
        &m_socket, &QTcpSocket::readyRead, this, [this] { m_received.append(m_socket.readAll()); });
    m_socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
}

void RawClient::post(const QByteArray &path, const QByteArray &body,
    const QList<std::pair<QByteArray, QByteArray>> &headers)
{
    QByteArray request = "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:"
        + QByteArray::number(m_port) + "\r\nContent-Type: application/json\r\nContent-Length: "
        + QByteArray::number(body.size()) + "\r\n";
    for (const auto &[name, value] : headers) {
        request += name + ": " + value + "\r\n";
    }
    send(request + "\r\n" + body);
}

void RawClient::get(const QByteArray &path, const QList<std::pair<QByteArray, QByteArray>> &headers)
{
    QByteArray request
        = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + QByteArray::number(m_port) + "\r\n";
    for (const auto &[name, value] : headers) {
        request += name + ": " + value + "\r\n";
    }
    send(request + "\r\n");
}

void RawClient::setReading(bool reading)
{
    // A buffer of one byte that nobody empties stops the socket's own reading.
    if (reading) {
        m_socket.setReadBufferSize(0);
        connect(&m_socket, &QTcpSocket::readyRead, this,
            [this] { m_received.append(m_socket.readAll()); });
        m_received.append(m_socket.readAll());
    } else {
        m_socket.disconnect(this);
        m_socket.setReadBufferSize(1);
    }
}

ClientAnswer RawClient::answer() const
{
    ClientAnswer answer;
    const qsizetype end = m_received.indexOf("\r\n\r\n");
    if (end < 0) {
        return answer;
    }
    answer.head = m_received.left(end);
    answer.status = m_received.mid(9, 3).toInt();
    QByteArray rest = m_received.mid(end + 4);
    if (answer.header("transfer-encoding") != "chunked") {
        const QByteArray length = answer.header("content-length");
        answer.body = length.isEmpty() ? rest : rest.left(length.toLongLong());
        answer.complete = length.isEmpty() ? isClosed() : rest.size() >= length.toLongLong();
        return answer;
    }
    while (true) {
        const qsizetype line = rest.indexOf("\r\n");
        if (line < 0) {
            return answer;
        }
        const qsizetype size = rest.left(line).toLongLong(nullptr, 16);
        if (size == 0) {
            answer.complete = true;
            return answer;
        }
        answer.body += rest.mid(line + 2, size);
        if (rest.size() < line + 2 + size + 2) {
            return answer;
        }
        rest = rest.mid(line + 2 + size + 2);
    }
}

} // namespace deskhand::test
