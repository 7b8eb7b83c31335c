// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/socketio/options.h"
#include "executor/socketio/packet.h"

#include <QObject>

#include <chrono>
#include <functional>
#include <memory>

namespace deskhand::socketio {

class ClientCore;

enum class LinkState {
    Stopped, ///< not started, or stop() has ended
    Connecting, ///< from the first TCP packet until every namespace has its answer
    Connected, ///< at least one namespace is connected and none is waiting for its answer
    Waiting, ///< no link; the next try comes in nextRetryMs
    Idle, ///< started, no namespace connected, nothing planned: the owner decides
    Stopping ///< clean close under way
};

/// State with its cause in words (English, no secrets) and the time to the next try (-1: none).
struct LinkStatus
{
    LinkState state = LinkState::Stopped;
    QString cause = {};
    qint64 nextRetryMs = -1;
};

enum class DisconnectReason {
    LinkLost, ///< socket error or cut
    PingMissed, ///< no ping within pingInterval + pingTimeout
    ServerClosed, ///< the server closed the Engine.IO link
    ServerDisconnect, ///< the server disconnected this namespace
    ProtocolFault, ///< the server broke the protocol or a limit so that the link cannot go on
    Stopped ///< stop() was called
};

/// The right to answer one event, at most once. Copies share that right. Owner's thread.
class Acknowledger
{
public:
    Acknowledger() = default;

    /// The peer asked for an answer, and none has been given yet.
    [[nodiscard]] bool isWanted() const;
    /// Usage when no answer is wanted, Conflict when it was already given, Network when the
    /// connection that asked is gone.
    Result<> send(const Payload &payload);

private:
    friend class ClientCore;
    struct State;
    std::shared_ptr<State> m_state;
};

/// Engine.IO 4 / Socket.IO 5 over one WebSocket. Created, used and destroyed on one thread with an
/// event loop (the owner's); may be destroyed from its own signals. The socket lives on a small
/// thread of the client's own that parses, answers pings and queues packets: a slot that blocks
/// delays later slots by that time, and never a pong or the notice of missing pings.
///
/// Signals and ack handlers come from the owner's event loop, in the order of the wire, one at a
/// time, never from inside a call of this class; status() is already the new one by then.
class SocketIoClient final : public QObject
{
    Q_OBJECT

public:
    using AckHandler = std::function<void(const Result<Payload> &)>;

    explicit SocketIoClient(QObject *parent = nullptr);
    ~SocketIoClient() override; ///< cuts the link without the clean close; pending acks are dropped
    Q_DISABLE_COPY_MOVE(SocketIoClient)

    /// Begins to connect. Usage error when the options are malformed or the client is not stopped.
    Result<> start(const ClientOptions &options);
    /// Namespace DISCONNECT, Engine.IO close, WebSocket close, each as far as the link got, and a
    /// cut at closeTimeLimit. stopped() follows once, also when nothing was open.
    void stop();
    [[nodiscard]] bool isStopped() const;

    [[nodiscard]] LinkStatus status() const;
    [[nodiscard]] bool isConnected(const QString &nsp) const;

    /// Used by every later CONNECT; does not touch what is connected.
    void setAuth(const QJsonObject &auth);
    /// Resets the back-off and tries at once: a lost link, and namespaces that were refused or
    /// disconnected by the server. A try younger than a second is left alone; nothing happens
    /// while all is connected. When QNetworkInformation (if the program has loaded a backend)
    /// reports the network back, the client does this for a lost link by itself.
    void reconnectNow();
    /// As reconnectNow() after a delay, for an owner that was refused; the back-off stays as it is.
    /// Replaces a planned try.
    void retryIn(std::chrono::milliseconds delay);

    /// Cuts a link its owner has found dead, as by heartbeats nobody answers; reconnecting follows
    /// as after any other loss. Nothing happens without an open link.
    void dropLink(const QString &cause);

    /// Sends an event without asking for an answer. Network when the namespace is not connected,
    /// Usage when a frame is above the server's limit or the payload cannot be said.
    Result<> emitEvent(const QString &nsp, const QString &name, const Payload &payload = {});
    /// Sends an event and asks for its answer. On success `handler` is called exactly once from
    /// the event loop (unless `context` is destroyed first): with the answer, with Timeout after
    /// `limit`, or with Network as soon as the link is cut or the namespace disconnected
    /// (Cancelled by stop()). After these three the peer may or may not have got the event; a
    /// late answer is dropped.
    Result<> emitEvent(const QString &nsp, const QString &name, const Payload &payload,
        std::chrono::milliseconds limit, QObject *context, AckHandler handler);

    /// Bytes given to emitEvent and not yet taken by the operating system.
    [[nodiscard]] qint64 bytesToWrite() const;
    /// Largest frame the connected server takes, in bytes.
    [[nodiscard]] qint64 maxFrameBytes() const;

Q_SIGNALS:
    void stateChanged(const deskhand::socketio::LinkStatus &status);
    void stopped();
    void connected(const QString &nsp, const QString &sid);
    /// The server refused the namespace; `data` as it was sent.
    void connectError(const QString &nsp, const QJsonValue &data);
    /// Pending acks of the namespace have failed before this signal.
    void disconnected(
        const QString &nsp, deskhand::socketio::DisconnectReason reason, const QString &cause);
    void eventReceived(const QString &nsp, const QString &name,
        const deskhand::socketio::Payload &payload, deskhand::socketio::Acknowledger acknowledger);
    /// A packet that cannot be understood was dropped; the link goes on.
    void packetRejected(const deskhand::Error &error);
    /// bytesToWrite() came back to zero.
    void drained();

private:
    std::unique_ptr<ClientCore> m_core;
};

} // namespace deskhand::socketio

Q_DECLARE_METATYPE(deskhand::socketio::LinkStatus)
