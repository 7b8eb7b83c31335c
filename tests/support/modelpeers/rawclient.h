// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QTcpSocket>

#include <optional>
#include <utility>

namespace deskhand::test {

/// An answer, with chunks put together.
struct ClientAnswer
{
    int status = 0;
    QByteArray head;
    QByteArray body;
    bool complete = false; ///< ended as its head announced

    [[nodiscard]] QByteArray header(const QByteArray &name) const;
    /// `event` and `data` of each block of an event stream.
    [[nodiscard]] QList<std::pair<QByteArray, QByteArray>> events() const;
};

/// An HTTP client made of a bare socket, so that a test decides over every byte.
class RawClient final : public QObject
{
    Q_OBJECT
public:
    explicit RawClient(quint16 port, QObject *parent = nullptr);

    void send(const QByteArray &bytes) { m_socket.write(bytes); }
    /// A request with a body, Host and Content-Length.
    void post(const QByteArray &path, const QByteArray &body,
        const QList<std::pair<QByteArray, QByteArray>> &headers = {});
    void get(const QByteArray &path, const QList<std::pair<QByteArray, QByteArray>> &headers = {});
    /// Stops and goes on taking bytes from the network.
    void setReading(bool reading);
    void close() { m_socket.abort(); }

    [[nodiscard]] ClientAnswer answer() const;
    /// Everything received, undigested.
    [[nodiscard]] const QByteArray &received() const { return m_received; }
    void forget() { m_received.clear(); }
    [[nodiscard]] bool isConnected() const
    {
        return m_socket.state() == QAbstractSocket::ConnectedState;
    }
    [[nodiscard]] bool isClosed() const
    {
        return m_socket.state() == QAbstractSocket::UnconnectedState;
    }

private:
    QTcpSocket m_socket;
    QByteArray m_received;
    quint16 m_port;
};

} // namespace deskhand::test
