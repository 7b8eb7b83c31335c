// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <utility>

namespace deskhand::net {

using HeaderList = QList<std::pair<QByteArray, QByteArray>>;

/// Value of the first header of that name, case ignored; empty when there is none.
[[nodiscard]] QByteArray headerValue(const HeaderList &headers, QByteArrayView name);
[[nodiscard]] bool hasHeader(const HeaderList &headers, QByteArrayView name);
/// Replaces every header of that name, or appends it.
void setHeader(HeaderList &headers, const QByteArray &name, const QByteArray &value);

/// A header name is a token and a value has no CR, LF or NUL (RFC 9110, section 5).
[[nodiscard]] bool isHeaderName(QByteArrayView name);
[[nodiscard]] bool isHeaderValue(QByteArrayView value);

/// First line and headers of a request as it arrived.
struct HttpRequestHead
{
    QByteArray method;
    QByteArray path; ///< not decoded, without the query
    QByteArray query;
    HeaderList headers;
    bool keepAlive = true;
    bool http11 = true;

    [[nodiscard]] QByteArray header(QByteArrayView name) const
    {
        return headerValue(headers, name);
    }
};

/// A complete answer.
struct HttpReply
{
    int status = 200;
    HeaderList headers;
    QByteArray body;
};

/// The standard words for a status code, "Not Found".
[[nodiscard]] QByteArray reasonPhrase(int status);

/// Whether a Host header names this computer's loopback (with or without a port). Guards against
/// DNS rebinding: a web page's own name that resolves to 127.0.0.1 is refused.
[[nodiscard]] bool isLoopbackHostHeader(QByteArrayView host);
/// "localhost", 127.0.0.0/8, ::1 (brackets allowed).
[[nodiscard]] bool isLoopbackHost(const QString &host);

} // namespace deskhand::net
