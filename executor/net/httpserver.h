// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/net/httpexchange.h"
#include "executor/net/httpmessage.h"

#include <QHostAddress>
#include <QObject>
#include <QSet>
#include <QTcpServer>
#include <QTimer>

#include <chrono>
#include <optional>

namespace deskhand::net {

/// What a peer may cost. All are enforced for every connection.
struct HttpServerLimits
{
    qsizetype headerBytes = 64 * 1024;
    qsizetype bodyBytes = qsizetype(64) * 1024 * 1024;
    std::chrono::milliseconds header { 15000 }; ///< whole head, from its first byte
    std::chrono::milliseconds bodyIdle { 30000 }; ///< between bytes of the body
    std::chrono::milliseconds body { 300000 }; ///< whole body
    std::chrono::milliseconds keepAlive { 180000 }; ///< between requests
    std::chrono::milliseconds writeStall { 300000 }; ///< a client that reads nothing
    int connections = 4096;
};

/// Decides about requests. Called on the server's thread.
class HttpHandler
{
public:
    virtual ~HttpHandler() = default;
    /// Looks at the head before the body is read; a reply refuses the request.
    [[nodiscard]] virtual std::optional<HttpReply> admit(const HttpRequestHead &head) = 0;
    /// The complete request. The answer may come later.
    virtual void serve(HttpExchange &exchange) = 0;
};

/// HTTP/1.1 server on Qt sockets: keep-alive, chunked bodies both ways, Expect: 100-continue,
/// limits and time-outs. One request at a time per connection: a pipelined one is not served, the
/// connection closes after the current answer. Owned by whoever serves, lives on one thread; the
/// handler must outlive it.
class HttpServer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HttpServer)

public:
    explicit HttpServer(
        HttpHandler &handler, HttpServerLimits limits = {}, QObject *parent = nullptr);
    ~HttpServer() override;

    [[nodiscard]] Result<> listen(const QHostAddress &address, quint16 port);
    [[nodiscard]] quint16 port() const { return m_server.serverPort(); }
    [[nodiscard]] qsizetype connectionCount() const { return m_connections.size(); }
    /// No new connections; active answers go on.
    void stopListening();

private:
    friend class HttpConnection;

    void acceptPending();
    void sweep();

    HttpHandler &m_handler;
    HttpServerLimits m_limits;
    QTcpServer m_server;
    QSet<HttpConnection *> m_connections;
    QTimer
        m_sweep; // one timer for all deadlines: a timer per request would cost more than it serves
};

} // namespace deskhand::net
