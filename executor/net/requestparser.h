// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/net/httpmessage.h"

#include <QByteArrayView>

#include <memory>
#include <string>

namespace deskhand::net {

/// Reads one HTTP/1.1 request from bytes as they come (Boost.Beast's parser). Knows no socket, so
/// that it can be fuzzed. Owned by its connection, on that thread.
class RequestParser final
{
public:
    enum class State {
        Head, ///< first line and headers are not complete
        Body,
        Done,
        Failed
    };

    RequestParser(qsizetype maxHeaderBytes, qsizetype maxBodyBytes);
    ~RequestParser();
    Q_DISABLE_COPY_MOVE(RequestParser)

    /// Consumes what it can; the rest stays with the caller and is offered again with more. Stops
    /// after the head once, so that the body can be refused before it is sent.
    [[nodiscard]] qsizetype feed(QByteArrayView bytes);

    [[nodiscard]] State state() const { return m_state; }
    /// Valid from Body on.
    [[nodiscard]] const HttpRequestHead &head() const { return m_head; }
    [[nodiscard]] bool expectsContinue() const;
    /// The body, decoded from chunks; valid when Done.
    [[nodiscard]] std::string takeBody();
    /// HTTP status that tells the client what was wrong, and the words; valid when Failed.
    [[nodiscard]] int failureStatus() const { return m_failureStatus; }
    [[nodiscard]] const QByteArray &failureText() const { return m_failureText; }

private:
    struct Beast;
    void fail(int status, const QByteArray &text);
    void readHead();

    std::unique_ptr<Beast> m_beast;
    State m_state = State::Head;
    HttpRequestHead m_head;
    int m_failureStatus = 0;
    QByteArray m_failureText;
};

} // namespace deskhand::net
