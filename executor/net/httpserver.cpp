// SPDX-License-Identifier: Apache-2.0
#include "executor/net/httpserver.h"

#include "executor/net/httpconnection_p.h"

#include <QTcpSocket>

#include <algorithm>

namespace deskhand::net {
namespace {

std::chrono::milliseconds sweepInterval(const HttpServerLimits &limits)
{
    const auto shortest = std::min(
        { limits.header, limits.bodyIdle, limits.body, limits.keepAlive, limits.writeStall });
    return std::clamp(shortest / 4, std::chrono::milliseconds(20), std::chrono::milliseconds(1000));
}

} // namespace

HttpServer::HttpServer(HttpHandler &handler, HttpServerLimits limits, QObject *parent)
    : QObject(parent)
    , m_handler(handler)
    , m_limits(limits)
    , m_server(this)
    , m_sweep(this)
{
    connect(&m_server, &QTcpServer::newConnection, this, &HttpServer::acceptPending);
    connect(&m_sweep, &QTimer::timeout, this, &HttpServer::sweep);
    m_sweep.setInterval(sweepInterval(m_limits));
    m_sweep.setTimerType(Qt::CoarseTimer);
}

HttpServer::~HttpServer()
{
    // They leave the set when they go, so they must go while it is still there; also those that
    // are closed already and only wait to be deleted.
    qDeleteAll(findChildren<HttpConnection *>(Qt::FindDirectChildrenOnly));
}

Result<> HttpServer::listen(const QHostAddress &address, quint16 port)
{
    m_server.setMaxPendingConnections(m_limits.connections);
    m_server.setListenBacklogSize(512);
    if (!m_server.listen(address, port)) {
        return failure(ErrorKind::Network,
            QStringLiteral("cannot listen on %1 port %2: %3")
                .arg(address.toString())
                .arg(port)
                .arg(m_server.errorString()));
    }
    return {};
}

void HttpServer::stopListening()
{
    m_server.close();
}

void HttpServer::acceptPending()
{
    while (QTcpSocket *socket = m_server.nextPendingConnection()) {
        if (m_connections.size() >= m_limits.connections) {
            // No room even for a reply: a peer that opens thousands of connections is not a client.
            socket->abort();
            socket->deleteLater();
            continue;
        }
        new HttpConnection(*this, socket); // enters m_connections itself
    }
    if (!m_sweep.isActive()) {
        m_sweep.start();
    }
}

void HttpServer::sweep()
{
    const QList<HttpConnection *> open(m_connections.begin(), m_connections.end());
    for (HttpConnection *connection : open) {
        connection->checkDeadline();
    }
    if (m_connections.isEmpty()) {
        m_sweep.stop(); // an idle server does not wake up
    }
}

} // namespace deskhand::net
