// SPDX-License-Identifier: Apache-2.0
#include "executor/net/httpexchange.h"

#include "executor/net/httpconnection_p.h"

namespace deskhand::net {

// Has the connection as its parent, so that it also goes when the connection goes.
HttpExchange::HttpExchange(HttpConnection &connection, HttpRequestHead head, std::string body)
    : QObject(&connection)
    , m_connection(connection)
    , m_head(std::move(head))
    , m_body(std::move(body))
{ }

void HttpExchange::reply(const HttpReply &reply)
{
    if (m_ended || m_begun) {
        return;
    }
    m_begun = true;
    m_ended = true;
    m_connection.sendHead(reply.status, reply.headers, reply.body.size());
    if (m_head.method != "HEAD") {
        m_connection.send(reply.body);
    }
    m_connection.answerEnded();
}

void HttpExchange::begin(int status, const HeaderList &headers)
{
    if (m_ended || m_begun) {
        return;
    }
    m_begun = true;
    m_chunked = m_head.http11;
    if (!m_chunked) {
        m_connection.m_closeAfter = true; // the end of the connection is the end of the body
    }
    m_connection.sendHead(status, headers, -1);
}

void HttpExchange::write(std::string_view bytes)
{
    if (!m_begun || m_ended || bytes.empty()) {
        return;
    }
    const auto size = static_cast<qsizetype>(bytes.size());
    if (!m_chunked) {
        m_connection.send(QByteArray(bytes.data(), size));
        return;
    }
    QByteArray chunk = QByteArray::number(size, 16);
    chunk.reserve(chunk.size() + size + 4);
    chunk.append("\r\n").append(bytes.data(), size).append("\r\n");
    m_connection.send(chunk);
}

void HttpExchange::end()
{
    if (!m_begun || m_ended) {
        return;
    }
    m_ended = true;
    if (m_chunked) {
        m_connection.send("0\r\n\r\n");
    }
    m_connection.answerEnded();
}

void HttpExchange::abort()
{
    if (m_ended) {
        return;
    }
    m_ended = true;
    m_connection.m_socket->abort();
}

qint64 HttpExchange::pendingBytes() const
{
    return m_connection.m_socket->bytesToWrite();
}

} // namespace deskhand::net
