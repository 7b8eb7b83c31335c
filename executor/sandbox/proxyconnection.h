// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/domainrules.h"
#include "executor/sandbox/sandboxedrun.h"

#include <QHostInfo>
#include <QLocalSocket>
#include <QObject>
#include <QTcpSocket>
#include <QTimer>

#include <functional>
#include <memory>

namespace deskhand::sandbox {

/// What all connections of one run share. Lives on the proxy's thread.
struct ProxyShared
{
    NetworkPolicy policy;
    DomainRules rules;
    QString callId;
    HostBroker broker;
    /// Name to addresses; asynchronous. The system's lookup unless a test says otherwise.
    std::function<void(
        const QString &, QObject *context, std::function<void(const QList<QHostAddress> &)>)>
        lookup;
    std::function<void(const ProxyDecision &)> decided;
    qint64 bytesLeft = 1LL * 1024 * 1024 * 1024; ///< of the whole run, both directions
    std::chrono::milliseconds idleLimit { 60'000 };
    std::chrono::milliseconds lookupLimit { 2'000 };
    std::chrono::milliseconds askLimit { 300'000 };
};

/// The command's end of a connection: a UNIX socket, or one of the loopback where the wall can let
/// a port through but no socket file. Owned by its connection; on the proxy's thread.
class ProxyClient final
{
public:
    explicit ProxyClient(std::unique_ptr<QLocalSocket> socket);
    explicit ProxyClient(std::unique_ptr<QTcpSocket> socket);

    [[nodiscard]] QIODevice *device() const { return m_device.get(); }
    void setReadBufferSize(qint64 size);
    void onDisconnected(QObject *context, const std::function<void()> &then);
    void disconnectFromPeer(); ///< after what is written went out
    [[nodiscard]] bool isClosed() const;
    void abort();

private:
    std::unique_ptr<QIODevice> m_device;
    QLocalSocket *m_local = nullptr; ///< one of the two is the device
    QTcpSocket *m_tcp = nullptr;
};

/// One connection of a command to the proxy: HTTP or SOCKS5, told apart by the first byte; decides,
/// resolves, checks every address, connects to a checked one, copies. Ends itself by finished().
/// Owned by the proxy; on its thread.
class ProxyConnection final : public QObject
{
    Q_OBJECT
public:
    ProxyConnection(ProxyClient client, ProxyShared &shared, QObject *parent);
    ~ProxyConnection() override;
    Q_DISABLE_COPY_MOVE(ProxyConnection)

Q_SIGNALS:
    void finished();

private:
    enum class Phase { Hello, SocksRequest, Deciding, Connecting, ServerName, Tunnel, Closing };
    enum class Kind { Connect, PlainHttp, Socks };

    void onClientData();
    void readHello();
    void readHttpHead();
    void readSocksGreeting();
    void readSocksRequest();
    [[nodiscard]] QString preparePlainRequest(
        const QByteArray &method, const QByteArray &target, const QByteArray &head);
    void decide(const QString &host, int port, const QByteArray &method);
    void ask();
    void resolve();
    void onAddresses(const QList<QHostAddress> &addresses);
    void connectNext();
    void onUpstreamConnected();
    void checkServerName();
    void startTunnel();
    void copy(QIODevice &from, QIODevice &to, qint64 toWaiting);
    void copyBoth();
    void refuse(const QString &reason, const QByteArray &code, const QString &text);
    void failUpstream(const QString &text);
    void answerHttp(const QByteArray &status, const QByteArray &code, const QString &text);
    void answerSocks(char code);
    void closeGently();
    void end();

    ProxyShared &m_shared;
    ProxyClient m_client;
    QTcpSocket m_upstream;
    QTimer m_idle;
    QTimer m_wait; ///< lookup or the owner's answer
    QByteArray m_buffer;
    QByteArray m_toUpstream; ///< the rewritten head of a plain request
    Phase m_phase = Phase::Hello;
    Kind m_kind = Kind::Connect;
    QString m_host;
    int m_port = 0;
    QList<QHostAddress> m_addresses;
    bool m_ended = false;
};

} // namespace deskhand::sandbox
