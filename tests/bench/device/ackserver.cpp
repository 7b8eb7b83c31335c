// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/device/ackserver.h"

#include <QHostAddress>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QWebSocket>

#include <chrono>

using namespace Qt::StringLiterals;

namespace {

const QString kNamespace = u"/local-executor,"_s;
const QString kOpen
    = u"0{\"sid\":\"bench\",\"upgrades\":[],\"pingInterval\":25000,\"pingTimeout\":20000,"
      "\"maxPayload\":1000000}"_s;

} // namespace

AckServer::AckServer()
{
    moveToThread(&m_thread);
    m_thread.start();
    QMetaObject::invokeMethod(
        this, [this] { listen(); }, Qt::BlockingQueuedConnection);
}

AckServer::~AckServer()
{
    QMetaObject::invokeMethod(
        this,
        [this] {
            delete m_peer;
            delete m_server;
        },
        Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
}

qint64 AckServer::now()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

void AckServer::listen()
{
    m_server = new QWebSocketServer(u"bench"_s, QWebSocketServer::NonSecureMode);
    m_server->listen(QHostAddress::LocalHost);
    m_port = m_server->serverPort();
    connect(m_server, &QWebSocketServer::newConnection, this, [this] {
        QWebSocket *socket = m_server->nextPendingConnection();
        m_peer = socket;
        connect(socket, &QWebSocket::textMessageReceived, this,
            [this, socket](const QString &text) { onText(socket, text); });
        socket->sendTextMessage(kOpen);
    });
}

void AckServer::onText(QWebSocket *socket, const QString &text)
{
    const qint64 arrived = now();
    if (text.startsWith(u"40"_s)) {
        socket->sendTextMessage(u"40"_s + kNamespace + u"{\"sid\":\"s\"}"_s);
        return;
    }
    const QString head = u"42"_s + kNamespace;
    if (!text.startsWith(head)) {
        return;
    }
    const qsizetype bracket = text.indexOf(u'[');
    const QString id = text.mid(head.size(), bracket - head.size());
    socket->sendTextMessage(u"43"_s + kNamespace + id + u"[{\"success\":true}]"_s);
    const QJsonArray packet = QJsonDocument::fromJson(text.mid(bracket).toUtf8()).array();
    const QString event = packet.at(0).toString();
    const QJsonObject data = packet.at(1).toObject().value(u"data"_s).toObject();
    m_registrations += event == u"device:register" ? 1 : 0;
    m_beats += event == u"device:heartbeat" ? 1 : 0;
    m_endings += event == u"response.completed" ? 1 : 0;
    m_arrivals.append({ arrived, event.toLatin1(), data.value(u"delta"_s).toString().toLatin1() });
}

void AckServer::say(const QString &event, const QByteArray &json)
{
    QMetaObject::invokeMethod(this, [this, event, json] {
        m_peer->sendTextMessage(
            u"42"_s + kNamespace + u"[\""_s + event + u"\","_s + QString::fromUtf8(json) + u']');
    });
}

void AckServer::cut()
{
    QMetaObject::invokeMethod(this, [this] {
        m_peer->abort();
        m_peer->deleteLater();
        m_peer = nullptr;
    });
}

QList<AckServer::Arrival> AckServer::take()
{
    QList<Arrival> taken;
    QMetaObject::invokeMethod(
        this, [this, &taken] { taken.swap(m_arrivals); }, Qt::BlockingQueuedConnection);
    return taken;
}
