// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/net/httpexchange.h"
#include "executor/net/httpserver.h"
#include "executor/net/requestparser.h"

#include <QDeadlineTimer>
#include <QPointer>
#include <QTcpSocket>

#include <memory>

namespace deskhand::net {

/// One accepted socket and the requests that arrive on it, one after the other. Owned by the
/// server, on its thread; deletes itself (later) when the socket is closed.
class HttpConnection final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HttpConnection)

public:
    HttpConnection(HttpServer &server, QTcpSocket *socket);
    ~HttpConnection() override;

    void checkDeadline();

private:
    friend class HttpExchange;

    enum class Phase {
        Idle, // between requests
        Receiving,
        Answering,
        Draining, // the answer is out, the rest of the request is thrown away
        Closed
    };

    void onReadyRead();
    void onBytesWritten();
    void onDisconnected();
    void consume();
    void onHead();
    void serve();
    void refuse(const HttpReply &reply);
    void sendHead(int status, const HeaderList &headers, qint64 contentLength);
    void send(const QByteArray &bytes);
    void answerEnded();
    void resetParser();
    void close();

    HttpServer &m_server;
    QTcpSocket *m_socket; // child
    std::unique_ptr<RequestParser> m_parser;
    QPointer<HttpExchange> m_exchange;
    QByteArray m_input;
    Phase m_phase = Phase::Idle;
    bool m_closeAfter = false;
    QDeadlineTimer m_deadline;
    QDeadlineTimer m_bodyDeadline { QDeadlineTimer::Forever };
};

} // namespace deskhand::net
