// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/socketio/backoff.h"
#include "executor/socketio/client.h"
#include "executor/socketio/inbox.h"
#include "executor/socketio/pendingacks.h"

#include <QElapsedTimer>
#include <QThread>
#include <QTimer>
#include <QUrl>

#include <deque>
#include <map>
#include <vector>

namespace deskhand::socketio {

class Transport;

/// What SocketIoClient does: namespaces, acks, reconnecting, the order of its signals. Owned by
/// the client, on its thread. Every signal and handler is first a notice in a queue, so that the
/// state is final before a slot runs and a slot may call anything, also delete the client.
class ClientCore final : public QObject
{
    Q_OBJECT

public:
    explicit ClientCore(SocketIoClient *client);
    ~ClientCore() override;
    Q_DISABLE_COPY_MOVE(ClientCore)

    Result<> start(const ClientOptions &options);
    void stop();
    [[nodiscard]] LinkStatus status() const;
    [[nodiscard]] bool isConnected(const QString &nsp) const;
    void setAuth(const QJsonObject &auth) { m_options.auth = auth; }
    void reconnectNow();
    void retryIn(std::chrono::milliseconds delay);
    void dropLink(const QString &cause);
    Result<> emitEvent(const QString &nsp, const QString &name, const Payload &payload);
    Result<> emitEvent(const QString &nsp, const QString &name, const Payload &payload,
        std::chrono::milliseconds limit, QObject *context, SocketIoClient::AckHandler handler);
    Result<> answer(quint64 link, const QString &nsp, qint64 id, const Payload &payload);
    [[nodiscard]] qint64 bytesToWrite() const;
    [[nodiscard]] qint64 maxFrameBytes() const { return m_maxFrameBytes; }

private:
    enum class Phase {
        Wanted, ///< connect as soon as there is a link
        Asking, ///< CONNECT sent
        Up, ///< connected
        Resting ///< refused or disconnected by the server; left to the owner
    };
    struct Namespace
    {
        Phase phase = Phase::Wanted;
        std::deque<Packet> early = {}; ///< events that came before the answer to CONNECT
    };
    enum class Link { None, Opening, Open };

    Q_INVOKABLE void run(); ///< delivers notices and handles what has come
    void takeInbox(); ///< handles all that has come; run() has to follow
    void handle(Inbound &item);
    void onOpened(const OpenInfo &info);
    void onGone(const LinkGone &gone);
    void onPacket(Packet &packet);
    void onConnect(const QString &nsp, Namespace &space, const Packet &packet);
    void onDisconnect(const QString &nsp, Namespace &space);
    void onConnectError(const QString &nsp, Namespace &space, const QJsonValue &data);
    void onEvent(Namespace &space, Packet &packet);
    void onNamespaceTimeout();
    void reject(const QString &what);

    void connectNow();
    void liftResting();
    void onNetworkBack();
    void openLink();
    void askNamespaces();
    void loseNamespace(const QString &nsp, DisconnectReason reason, const QString &cause);
    void afterNamespaceEnd(bool retry, const QString &cause);
    void closeLink();
    void cutLink(DisconnectReason reason, const QString &cause);
    void finishStop();
    void updateState(const QString &cause);
    void armAckTimer();
    Result<> send(const Packet &packet);
    [[nodiscard]] qint64 nextRetryMs() const;
    void notify(std::function<void()> notice);
    void post(Outbox::Command command);
    [[nodiscard]] bool anyIn(Phase phase) const;

    SocketIoClient *m_client;
    ClientOptions m_options;
    QUrl m_url;
    BackOff m_backOff;
    std::map<QString, Namespace> m_namespaces;
    PendingAcks m_acks;

    std::shared_ptr<Inbox> m_inbox;
    std::shared_ptr<Outbox> m_outbox;
    std::shared_ptr<Backlog> m_backlog;
    QThread m_thread;
    Transport *m_transport = nullptr; ///< lives in m_thread, deleted when that ends

    Link m_link = Link::None;
    quint64 m_linkId = 0; ///< of the newest link
    QElapsedTimer m_linkStarted; ///< when the newest try began
    QElapsedTimer m_upSince; ///< since the first namespace of the link came up
    qint64 m_maxFrameBytes = 0;
    bool m_isStopping = false;
    LinkStatus m_status;

    std::deque<std::function<void()>> m_notices;
    bool m_isRunQueued = false;
    bool m_isHandling = false; ///< inside handle(), after which run() looks for notices itself
    QTimer m_resumeTimer; ///< lets the owner's other events in between
    QTimer m_retryTimer; ///< to the next try after a lost link
    QTimer m_askTimer; ///< until resting namespaces are asked again
    QTimer m_namespaceTimer;
    QTimer m_ackTimer;
    QMetaObject::Connection m_reachability;
};

/// Shared by the copies of one Acknowledger.
struct Acknowledger::State
{
    QPointer<ClientCore> core;
    quint64 link = 0;
    QString nsp;
    qint64 id = 0;
    bool isUsed = false;
};

} // namespace deskhand::socketio
