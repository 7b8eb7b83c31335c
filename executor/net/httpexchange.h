// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/net/httpmessage.h"

#include <QObject>

#include <string>
#include <string_view>

namespace deskhand::net {

class HttpConnection;

/// One request and its answer: either reply(), or begin(), write() and end(). Owned by its
/// connection, on the server's thread; gone after the answer or after clientGone(). Whoever keeps
/// a pointer keeps a QPointer.
class HttpExchange final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HttpExchange)

public:
    HttpExchange(HttpConnection &connection, HttpRequestHead head, std::string body);

    [[nodiscard]] const HttpRequestHead &head() const { return m_head; }
    [[nodiscard]] std::string takeBody() { return std::move(m_body); }

    /// A complete answer with its length.
    void reply(const HttpReply &reply);

    /// Starts an answer of unknown length (chunked for HTTP/1.1).
    void begin(int status, const HeaderList &headers);
    /// Sends at once. Nothing may be written before begin().
    void write(std::string_view bytes);
    void end();
    /// Cuts the connection, so that the client sees an unfinished answer.
    void abort();

    [[nodiscard]] bool hasBegun() const { return m_begun; }
    /// Bytes that the client has not taken yet. The writer pauses its source when it grows.
    [[nodiscard]] qint64 pendingBytes() const;

Q_SIGNALS:
    /// The client has taken everything that was pending.
    void drained();
    /// The client closed the connection before the answer ended. Nothing more can be sent.
    void clientGone();

private:
    friend class HttpConnection;

    HttpConnection &m_connection;
    HttpRequestHead m_head;
    std::string m_body;
    bool m_begun = false;
    bool m_ended = false;
    bool m_chunked = false;
};

} // namespace deskhand::net
