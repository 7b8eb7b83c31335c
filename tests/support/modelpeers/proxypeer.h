// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QObject>
#include <QTcpServer>
#include <QTcpSocket>

namespace deskhand::test {

/// A network proxy under test control: HTTP CONNECT and SOCKS5 with user name and password on one
/// port. Whatever host it is asked for, it connects to one port of this computer.
class ProxyPeer final : public QObject
{
    Q_OBJECT
public:
    explicit ProxyPeer(quint16 target, QObject *parent = nullptr);

    [[nodiscard]] quint16 port() const { return m_server.serverPort(); }
    /// "host:port" of each tunnel, as the client asked for it.
    [[nodiscard]] const QList<QByteArray> &asked() const { return m_asked; }
    /// "user:password" of the last client.
    [[nodiscard]] const QByteArray &credentials() const { return m_credentials; }
    /// Refuses everybody from now on.
    void refuse() { m_refusing = true; }

private:
    enum class Step { Greeting, Password, Request, Tunnel };
    struct Client
    {
        QTcpSocket *socket = nullptr;
        QTcpSocket *server = nullptr;
        QByteArray input;
        Step step = Step::Greeting;
    };

    void onClient();
    void onInput(Client &client);
    void onConnectRequest(Client &client);
    void onSocks(Client &client);
    void tunnel(Client &client, const QByteArray &target, const QByteArray &answer);

    QTcpServer m_server;
    quint16 m_target;
    QList<QByteArray> m_asked;
    QByteArray m_credentials;
    bool m_refusing = false;
};

} // namespace deskhand::test
