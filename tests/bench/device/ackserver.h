// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QObject>
#include <QThread>
#include <QWebSocketServer>

#include <atomic>

/// The smallest Socket.IO server a device is content with: accepts, acknowledges everything with
/// success, and notes when each event came. Lives on a thread of its own, so that the device's
/// thread does nothing but the device's work.
class AckServer final : public QObject
{
    Q_OBJECT
public:
    struct Arrival
    {
        qint64 ns = 0; ///< steady clock
        QByteArray event;
        QByteArray delta; ///< of a text delta, else empty
    };

    AckServer();
    ~AckServer() override;

    [[nodiscard]] int port() const { return m_port; }
    void say(const QString &event, const QByteArray &json); ///< from any thread
    void cut(); ///< from any thread
    [[nodiscard]] QList<Arrival> take(); ///< what came since the last call; from any thread
    [[nodiscard]] int registrations() const { return m_registrations; }
    [[nodiscard]] int endings() const { return m_endings; }
    [[nodiscard]] int beats() const { return m_beats; }

    [[nodiscard]] static qint64 now(); ///< steady clock in nanoseconds

private:
    void listen();
    void onText(QWebSocket *socket, const QString &text);

    QThread m_thread;
    QWebSocketServer *m_server = nullptr;
    QWebSocket *m_peer = nullptr;
    QList<Arrival> m_arrivals;
    std::atomic<int> m_port = 0;
    std::atomic<int> m_registrations = 0;
    std::atomic<int> m_endings = 0;
    std::atomic<int> m_beats = 0;
};
