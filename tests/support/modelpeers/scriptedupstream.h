// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QTcpServer>
#include <QTcpSocket>

#include <functional>
#include <utility>

namespace deskhand::test {

class Certificates;

/// A request as the provider's side received it.
struct ReceivedRequest
{
    QByteArray method;
    QByteArray path;
    QList<std::pair<QByteArray, QByteArray>> headers;
    QByteArray body;

    [[nodiscard]] QByteArray header(const QByteArray &name) const;
};

/// The provider's side of one request, in the hands of a test.
class UpstreamReply final : public QObject
{
    Q_OBJECT
public:
    UpstreamReply(QTcpSocket *socket, ReceivedRequest request);

    const ReceivedRequest request;

    /// A whole answer with its length.
    void respond(int status, const QByteArray &contentType, const QByteArray &body,
        const QList<std::pair<QByteArray, QByteArray>> &headers = {});
    /// Head of a chunked event stream.
    void beginStream(const QByteArray &contentType = "text/event-stream");
    void chunk(const QByteArray &bytes);
    void endStream();
    /// Bytes as they are.
    void raw(const QByteArray &bytes);
    /// Closes in good order after what was written.
    void close();
    /// Resets the connection.
    void cut();
    [[nodiscard]] bool isOpen() const;
    [[nodiscard]] qint64 pendingBytes() const;

Q_SIGNALS:
    void disconnected();

private:
    QPointer<QTcpSocket> m_socket;
};

/// A model provider under test control: listens on 127.0.0.1, records every request and lets the
/// script answer, at once or later. Lives on the test's thread.
class ScriptedUpstream final : public QObject
{
    Q_OBJECT
public:
    using Script = std::function<void(UpstreamReply &)>;

    explicit ScriptedUpstream(Script script = {}, QObject *parent = nullptr);
    /// Speaks TLS.
    ScriptedUpstream(const Certificates &certificates, Script script, QObject *parent = nullptr);

    void setScript(Script script) { m_script = std::move(script); }
    [[nodiscard]] quint16 port() const { return m_server->serverPort(); }
    /// http://127.0.0.1:PORT/v1
    [[nodiscard]] QString baseUrl() const;
    [[nodiscard]] const QList<ReceivedRequest> &requests() const { return m_requests; }
    [[nodiscard]] UpstreamReply *lastReply() const { return m_last; }
    [[nodiscard]] int connectionCount() const { return m_connections; }
    void close() { m_server->close(); }

private:
    void listen();
    void onConnection();
    void onReadyRead(QTcpSocket *socket);

    QTcpServer *m_server; // child
    Script m_script;
    QList<ReceivedRequest> m_requests;
    QPointer<UpstreamReply> m_last;
    int m_connections = 0;
};

} // namespace deskhand::test
