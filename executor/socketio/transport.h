// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/socketio/codec.h"
#include "executor/socketio/inbox.h"
#include "executor/socketio/options.h"

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <QUrl>

#include <memory>

class QWebSocket;

namespace deskhand::socketio {

/// One WebSocket at a time with the Engine.IO layer on it: open packet, pings, watching for
/// missing ones, packets put together. Owned by ClientCore, lives on the client's own thread; all
/// calls there. Tells everything through the inbox, and of each link exactly one LinkGone.
class Transport final : public QObject
{
    Q_OBJECT

public:
    /// `reader` has the invokable run(), which is queued when the inbox was empty before a push.
    Transport(QObject *reader, std::shared_ptr<Inbox> inbox, std::shared_ptr<Outbox> outbox,
        std::shared_ptr<Backlog> backlog);
    ~Transport() override;
    Q_DISABLE_COPY_MOVE(Transport)

    /// Carries out what is in the outbox.
    Q_INVOKABLE void takeCommands();

    /// Cuts what is open (silently: its owner has moved on) and connects anew.
    void open(quint64 link, const QUrl &url, const ClientOptions &options);
    /// Frames for a link that is gone are dropped.
    void send(quint64 link, const Frames &frames);
    /// Sends the frames, closes the WebSocket, cuts it at the limit. LinkGone (Stopped) follows.
    void close(quint64 link, const QList<QByteArray> &farewell, std::chrono::milliseconds limit);
    /// Cuts the link at once; LinkGone with the reason given follows.
    void cut(quint64 link, DisconnectReason reason, const QString &cause);

private:
    void connectSocket();
    void onText(const QString &text);
    void onBinary(const QByteArray &bytes);
    void onEngineOpen(QByteArrayView data);
    void onPacket(const Result<std::optional<Packet>> &packet, qint64 bytes);
    void onSocketError();
    void onDisconnected();
    void onBytesWritten();
    void dropSocket();
    void post(LinkFact fact, qint64 bytes = 0);
    void updateBacklog();
    [[nodiscard]] QString viaProxy() const;

    QObject *m_reader;
    std::shared_ptr<Inbox> m_inbox;
    std::shared_ptr<Outbox> m_outbox;
    std::shared_ptr<Backlog> m_backlog;

    quint64 m_link = 0; ///< 0: none
    QUrl m_url;
    ClientOptions m_options;
    QWebSocket *m_socket = nullptr; ///< child of this
    PacketDecoder m_decoder;
    bool m_isOpen = false; ///< the open packet has come
    bool m_isClosing = false; ///< close() was called
    bool m_hasSent = false; ///< since the last LinkDrained
    QStringList m_tlsFaults;
    qint64 m_pingLimitMs = 0; ///< pingInterval + pingTimeout
    QTimer m_linkTimer; ///< until the open packet, and of a clean close
    QTimer m_pingTimer;
};

} // namespace deskhand::socketio
