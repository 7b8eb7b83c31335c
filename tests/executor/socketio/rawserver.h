// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHostAddress>
#include <QObject>
#include <QStringList>
#include <QTcpServer>
#include <QWebSocket>
#include <QWebSocketServer>

/// A WebSocket server that says what a test tells it to: by default a correct open packet and the
/// answer to CONNECT, then nothing, not even pings. On the test's thread.
class RawServer : public QObject
{
    Q_OBJECT

public:
    QString openPacket = QStringLiteral(
        R"(0{"sid":"raw","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000})");
    QString connectAnswer = QStringLiteral(R"(40{"sid":"s"})"); ///< empty: none
    QString beforeConnectAnswer = {}; ///< sent in front of it
    bool cutsAfterConnect = false;

    QStringList received;
    int connections = 0;
    QWebSocket *peer = nullptr; ///< the newest connection

    RawServer()
        : m_server(QStringLiteral("raw"), QWebSocketServer::NonSecureMode)
    {
        m_server.listen(QHostAddress::LocalHost);
        connect(&m_server, &QWebSocketServer::newConnection, this, &RawServer::onConnection);
    }

    [[nodiscard]] QString url() const
    {
        return QStringLiteral("ws://127.0.0.1:%1").arg(m_server.serverPort());
    }

private:
    void onConnection()
    {
        ++connections;
        QWebSocket *socket = m_server.nextPendingConnection();
        socket->setParent(this);
        peer = socket;
        connect(socket, &QWebSocket::textMessageReceived, this,
            [this, socket](const QString &text) { onText(socket, text); });
        if (!openPacket.isEmpty()) {
            socket->sendTextMessage(openPacket);
        }
    }

    void onText(QWebSocket *socket, const QString &text)
    {
        received.append(text);
        if (!text.startsWith(QStringLiteral("40"))) {
            return;
        }
        if (!beforeConnectAnswer.isEmpty()) {
            socket->sendTextMessage(beforeConnectAnswer);
        }
        if (!connectAnswer.isEmpty()) {
            socket->sendTextMessage(connectAnswer);
        }
        if (cutsAfterConnect) {
            socket->flush();
            socket->abort();
        }
    }

    QWebSocketServer m_server;
};

/// Bytes on TCP: answers the first request with `answer` (or, when that is empty, with a correct
/// WebSocket handshake) and then sends `afterHandshake` as it stands.
class RawTcpServer : public QObject
{
    Q_OBJECT

public:
    QByteArray answer;
    QByteArray afterHandshake;
    bool isSilent = false; ///< accepts and never answers
    bool stopsReading = false; ///< after the handshake

    RawTcpServer();
    [[nodiscard]] QString url() const
    {
        return QStringLiteral("ws://127.0.0.1:%1").arg(m_server.serverPort());
    }
    /// An unmasked frame as a server sends it; at most 125 bytes of content.
    [[nodiscard]] static QByteArray frame(int opcode, const QByteArray &content);

private:
    void onConnection();

    QTcpServer m_server;
};
