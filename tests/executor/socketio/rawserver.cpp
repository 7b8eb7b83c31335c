// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/socketio/rawserver.h"

#include <QCryptographicHash>
#include <QRegularExpression>
#include <QTcpSocket>

using namespace Qt::StringLiterals;

RawTcpServer::RawTcpServer()
{
    m_server.listen(QHostAddress::LocalHost);
    connect(&m_server, &QTcpServer::newConnection, this, &RawTcpServer::onConnection);
}

QByteArray RawTcpServer::frame(int opcode, const QByteArray &content)
{
    QByteArray bytes;
    bytes.append(static_cast<char>(0x80 | opcode));
    bytes.append(static_cast<char>(content.size()));
    return bytes + content;
}

void RawTcpServer::onConnection()
{
    QTcpSocket *socket = m_server.nextPendingConnection();
    connect(socket, &QTcpSocket::readyRead, this, [this, socket] {
        if (isSilent || socket->property("answered").toBool()) {
            return;
        }
        const QByteArray request = socket->peek(65536);
        if (!request.contains("\r\n\r\n")) {
            return;
        }
        socket->setProperty("answered", true);
        if (!answer.isEmpty()) {
            socket->write(answer);
            socket->disconnectFromHost();
            return;
        }
        static const QRegularExpression keyLine(
            u"Sec-WebSocket-Key: (\\S+)"_s, QRegularExpression::CaseInsensitiveOption);
        const QByteArray key = keyLine.match(QString::fromLatin1(request)).captured(1).toLatin1();
        const QByteArray accept = QCryptographicHash::hash(
            key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11", QCryptographicHash::Sha1)
                                      .toBase64();
        if (stopsReading) {
            socket->setReadBufferSize(1);
        }
        socket->write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                      "Connection: Upgrade\r\nSec-WebSocket-Accept: "
            + accept + "\r\n\r\n" + afterHandshake);
    });
}
