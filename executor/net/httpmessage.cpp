// SPDX-License-Identifier: Apache-2.0
#include "executor/net/httpmessage.h"

#include <QHostAddress>

#include <algorithm>

namespace deskhand::net {
namespace {

bool sameName(QByteArrayView a, QByteArrayView b)
{
    return a.size() == b.size()
        && qstrnicmp(a.data(), b.data(), static_cast<size_t>(a.size())) == 0;
}

bool isTokenChar(char c)
{
    static constexpr QByteArrayView kSymbols = "!#$%&'*+-.^_`|~";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
        || kSymbols.contains(c);
}

} // namespace

QByteArray headerValue(const HeaderList &headers, QByteArrayView name)
{
    for (const auto &[key, value] : headers) {
        if (sameName(key, name)) {
            return value;
        }
    }
    return {};
}

bool hasHeader(const HeaderList &headers, QByteArrayView name)
{
    return std::any_of(headers.begin(), headers.end(),
        [name](const auto &header) { return sameName(header.first, name); });
}

void setHeader(HeaderList &headers, const QByteArray &name, const QByteArray &value)
{
    headers.removeIf([&name](const auto &header) { return sameName(header.first, name); });
    headers.append({ name, value });
}

bool isHeaderName(QByteArrayView name)
{
    return !name.isEmpty() && std::all_of(name.begin(), name.end(), isTokenChar);
}

bool isHeaderValue(QByteArrayView value)
{
    return std::none_of(
        value.begin(), value.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

QByteArray reasonPhrase(int status)
{
    switch (status) {
    case 100:
        return "Continue";
    case 200:
        return "OK";
    case 201:
        return "Created";
    case 202:
        return "Accepted";
    case 204:
        return "No Content";
    case 304:
        return "Not Modified";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 402:
        return "Payment Required";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 409:
        return "Conflict";
    case 413:
        return "Payload Too Large";
    case 415:
        return "Unsupported Media Type";
    case 417:
        return "Expectation Failed";
    case 422:
        return "Unprocessable Entity";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 501:
        return "Not Implemented";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    default:
        return status < 400 ? "OK" : "Error";
    }
}

bool isLoopbackHostHeader(QByteArrayView host)
{
    const QByteArray lower = host.toByteArray().trimmed().toLower();
    for (const QByteArrayView name : { "127.0.0.1", "localhost", "[::1]" }) {
        if (!lower.startsWith(name)) {
            continue;
        }
        const QByteArrayView rest = QByteArrayView(lower).sliced(name.size());
        if (rest.isEmpty()) {
            return true;
        }
        const QByteArrayView port = rest.sliced(1);
        if (rest.front() == ':' && !port.isEmpty() && port.size() <= 5
            && std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })) {
            return true;
        }
    }
    return false;
}

bool isLoopbackHost(const QString &host)
{
    QString bare = host;
    if (bare.startsWith(u'[') && bare.endsWith(u']')) {
        bare = bare.sliced(1, bare.size() - 2);
    }
    if (bare.compare(QLatin1StringView("localhost"), Qt::CaseInsensitive) == 0) {
        return true;
    }
    const QHostAddress address(bare);
    return !address.isNull() && address.isLoopback();
}

} // namespace deskhand::net
