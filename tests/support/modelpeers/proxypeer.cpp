// SPDX-License-Identifier: Apache-2.0
#include "tests/support/modelpeers/proxypeer.h"

#include <QtEndian>

#include <memory>

namespace deskhand::test {
namespace {

constexpr char kSocksVersion = 5;
constexpr char kByName = 3;
constexpr char kByIpv4 = 1;

} // namespace

ProxyPeer::ProxyPeer(quint16 target, QObject *parent)
    : QObject(parent)
    , m_target(target)
{
    connect(&m_server, &QTcpServer::newConnection, this, &ProxyPeer::onClient);
    m_server.listen(QHostAddress::LocalHost, 0);
}

void ProxyPeer::onClient()
{
    while (QTcpSocket *socket = m_server.nextPendingConnection()) {
        const auto client = std::make_shared<Client>();
        client->socket = socket;
        connect(socket, &QTcpSocket::readyRead, this, [this, client] { onInput(*client); });
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
    }
}

void ProxyPeer::onInput(Client &client)
{
    client.input += client.socket->readAll();
    if (client.step == Step::Tunnel) {
        client.server->write(std::exchange(client.input, {}));
    } else if (client.input.startsWith("CONNECT ")) {
        onConnectRequest(client);
    } else {
        onSocks(client);
    }
}

void ProxyPeer::onConnectRequest(Client &client)
{
    if (!client.input.contains("\r\n\r\n")) {
        return;
    }
    const QByteArray target = client.input.split(' ').value(1);
    constexpr QByteArrayView kField = "Proxy-Authorization: Basic ";
    if (const qsizetype at = client.input.indexOf(kField); at >= 0) {
        const QByteArray rest = client.input.mid(at + kField.size());
        m_credentials = QByteArray::fromBase64(rest.left(rest.indexOf('\r')));
    }
    client.input.clear();
    if (m_refusing) {
        client.socket->write("HTTP/1.1 407 Proxy Authentication Required\r\n"
                             "Content-Length: 0\r\nConnection: close\r\n\r\n");
        client.socket->disconnectFromHost();
        return;
    }
    tunnel(client, target, "HTTP/1.1 200 Connected\r\n\r\n");
}

void ProxyPeer::onSocks(Client &client)
{
    const QByteArray &input = client.input;
    const auto length = [&input](qsizetype at) {
        return at < input.size() ? static_cast<qsizetype>(static_cast<uchar>(input[at])) : 0;
    };
    if (client.step == Step::Greeting && input.size() >= 2 && input.size() >= 2 + length(1)) {
        client.input.clear();
        client.step = Step::Password;
        client.socket->write(QByteArray { "\x05\x02", 2 }); // user name and password
    } else if (client.step == Step::Password && input.size() >= 3
        && input.size() >= 3 + length(1) + length(2 + length(1))) {
        const QByteArray user = input.mid(2, length(1));
        m_credentials = user + ':' + input.mid(3 + user.size(), length(2 + user.size()));
        client.input.clear();
        client.step = Step::Request;
        client.socket->write(QByteArray { m_refusing ? "\x01\x01" : "\x01\x00", 2 });
        if (m_refusing) {
            client.socket->disconnectFromHost();
        }
    } else if (client.step == Step::Request && input.size() >= 5) {
        const bool byName = input[3] == kByName;
        const qsizetype size = byName ? 5 + length(4) + 2 : 10;
        if (input[0] != kSocksVersion || (!byName && input[3] != kByIpv4) || input.size() < size) {
            return;
        }
        const QByteArray host = byName ? input.mid(5, length(4)) : QByteArray("an address");
        const auto port = qFromBigEndian<quint16>(input.constData() + size - 2);
        client.input.clear();
        QByteArray answer("\x05\x00\x00\x01", 4);
        answer.append(6, '\0');
        tunnel(client, host + ':' + QByteArray::number(port), answer);
    }
}

void ProxyPeer::tunnel(Client &client, const QByteArray &target, const QByteArray &answer)
{
    m_asked.append(target);
    client.step = Step::Tunnel;
    client.server = new QTcpSocket(client.socket);
    QTcpSocket *socket = client.socket;
    QTcpSocket *server = client.server;
    connect(server, &QTcpSocket::connected, socket, [socket, answer] { socket->write(answer); });
    connect(server, &QTcpSocket::readyRead, socket,
        [socket, server] { socket->write(server->readAll()); });
    connect(server, &QTcpSocket::disconnected, socket, &QTcpSocket::disconnectFromHost);
    server->connectToHost(QHostAddress(QHostAddress::LocalHost), m_target);
}

} // namespace deskhand::test
