// SPDX-License-Identifier: Apache-2.0
#include "executor/net/requestparser.h"

#include <algorithm>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <limits>
#include <optional>

namespace deskhand::net {
namespace http = boost::beast::http;

namespace {

/// Beast takes for granted that the last chunk comes whole ("0", the end of its line, the end of
/// the trailer). Whether these are a chunk's first line or its data is not known here; data that
/// waits for more is no loss, since as much always follows it.
bool mayBePartOfLastChunk(QByteArrayView rest)
{
    constexpr qsizetype kLastChunk = sizeof("0\r\n\r\n") - 1;
    const QByteArrayView line = rest.startsWith("\r\n") ? rest.sliced(2) : rest;
    return rest.size() < kLastChunk && (line.isEmpty() || line.front() == '0');
}

} // namespace

struct RequestParser::Beast
{
    http::request_parser<http::string_body> parser;
};

RequestParser::RequestParser(qsizetype maxHeaderBytes, qsizetype maxBodyBytes)
    : m_beast(std::make_unique<Beast>())
{
    m_beast->parser.header_limit(static_cast<std::uint32_t>(maxHeaderBytes));
    m_beast->parser.body_limit(static_cast<std::uint64_t>(maxBodyBytes));
}

RequestParser::~RequestParser() = default;

qsizetype RequestParser::feed(QByteArrayView bytes)
{
    qsizetype consumed = 0;
    while (consumed < bytes.size() && m_state != State::Done && m_state != State::Failed) {
        boost::system::error_code error;
        const auto rest = boost::asio::const_buffer(
            bytes.data() + consumed, static_cast<size_t>(bytes.size() - consumed));
        if (m_state == State::Body && m_beast->parser.chunked()
            && mayBePartOfLastChunk(bytes.sliced(consumed))) {
            break;
        }
        const auto taken = static_cast<qsizetype>(m_beast->parser.put(rest, error));
        consumed += taken;
        if (error == http::error::need_more) {
            break;
        }
        if (error == http::error::header_limit) {
            fail(431, "the request's headers are too large");
        } else if (error == http::error::body_limit) {
            fail(413, "the request's body is too large");
        } else if (error) {
            fail(400, "not a valid HTTP request: " + QByteArray::fromStdString(error.message()));
        } else if (m_state == State::Head && m_beast->parser.is_header_done()) {
            readHead();
            break;
        } else if (taken == 0) {
            break;
        }
        if (m_state == State::Body && m_beast->parser.is_done()) {
            m_state = State::Done;
        }
    }
    return consumed;
}

bool RequestParser::expectsContinue() const
{
    return m_head.header("expect").compare("100-continue", Qt::CaseInsensitive) == 0;
}

std::string RequestParser::takeBody()
{
    return std::move(m_beast->parser.get().body());
}

void RequestParser::fail(int status, const QByteArray &text)
{
    m_state = State::Failed;
    m_failureStatus = status;
    m_failureText = text;
}

void RequestParser::readHead()
{
    const auto &message = m_beast->parser.get();
    const auto toBytes = [](boost::beast::string_view text) {
        return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
    };
    m_head.method = toBytes(message.method_string());
    const QByteArray target = toBytes(message.target());
    const qsizetype mark = target.indexOf('?');
    m_head.path = mark < 0 ? target : target.left(mark);
    m_head.query = mark < 0 ? QByteArray() : target.mid(mark + 1);
    for (const auto &field : message) {
        m_head.headers.append({ toBytes(field.name_string()), toBytes(field.value()) });
    }
    m_head.http11 = message.version() >= 11;
    m_head.keepAlive = message.keep_alive();
    const auto hosts = std::count_if(m_head.headers.begin(), m_head.headers.end(),
        [](const auto &field) { return field.first.compare("host", Qt::CaseInsensitive) == 0; });
    const QByteArray coding = m_head.header("transfer-encoding").trimmed();
    if (hosts > 1) {
        fail(400, "not a valid HTTP request: more than one Host"); // which one would be checked?
    } else if (!coding.isEmpty() && coding.compare("chunked", Qt::CaseInsensitive) != 0) {
        fail(501, "only the transfer encoding \"chunked\" is served");
    } else {
        m_state = m_beast->parser.is_done() ? State::Done : State::Body;
    }
}

} // namespace deskhand::net
