// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/answer.h"

#include "executor/logging/masking.h"

namespace deskhand::modelproxy {
namespace {

constexpr size_t kMaxEventBytes = size_t(16) * 1024 * 1024;
constexpr size_t kMaxForeignBytes = 4096;
constexpr size_t kExcerptCharacters = 200;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

} // namespace

AnswerTranslator::AnswerTranslator()
    : m_sse(*this, kMaxEventBytes)
{ }

void AnswerTranslator::feed(std::string_view bytes)
{
    if (ended()) {
        return;
    }
    if (!m_utf8.feed(bytes)) {
        fail(kServerError, "the provider's answer is not valid UTF-8");
        return;
    }
    if (m_form == Form::Unknown) {
        m_head.append(bytes);
        sniff(m_head);
        if (m_form == Form::Unknown) {
            if (m_head.size() > kMaxForeignBytes) {
                m_head.erase(0, m_head.size() - 1); // endless blanks
            }
            return;
        }
        const std::string head = std::exchange(m_head, {});
        std::string_view rest = head;
        if (rest.starts_with(kByteOrderMark)) {
            rest.remove_prefix(kByteOrderMark.size());
        }
        take(rest);
        return;
    }
    take(bytes);
}

void AnswerTranslator::take(std::string_view bytes)
{
    switch (m_form) {
    case Form::Events:
        if (!m_sse.feed(bytes) && !ended()) {
            fail(kServerError, "the provider sent an event of more than 16 MiB");
        }
        break;
    case Form::OneObject:
        m_body.append(bytes);
        if (m_body.size() > kMaxEventBytes) {
            fail(kServerError, "the provider's answer is larger than 16 MiB");
        }
        break;
    case Form::Foreign:
        m_body.append(
            bytes.substr(0, kMaxForeignBytes - std::min(kMaxForeignBytes, m_body.size())));
        break;
    case Form::Unknown:
        break;
    }
}

void AnswerTranslator::sniff(std::string_view bytes)
{
    if (kByteOrderMark.starts_with(bytes.substr(0, kByteOrderMark.size()))) {
        if (bytes.size() <= kByteOrderMark.size()) {
            return;
        }
        bytes.remove_prefix(kByteOrderMark.size());
    }
    const size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return;
    }
    switch (bytes[first]) {
    case '{':
    case '[':
        m_form = Form::OneObject;
        break;
    case ':':
    case 'd': // data
    case 'e': // event
    case 'i': // id
    case 'r': // retry
        m_form = Form::Events;
        break;
    default:
        m_form = Form::Foreign;
    }
}

void AnswerTranslator::finish()
{
    if (ended()) {
        return;
    }
    if (!m_utf8.complete()) {
        fail(kServerError, "the provider's answer ends within a UTF-8 character");
        return;
    }
    switch (m_form) {
    case Form::Events:
        m_sse.finish();
        if (!ended()) {
            onEof();
        }
        break;
    case Form::OneObject: {
        Result<Json> body = parseJson(m_body);
        m_body.clear();
        if (body && body->is_array() && body->size() == 1) {
            Json only = std::move(body->front()); // Gemini's errors
            *body = std::move(only);
        }
        if (!body || !body->is_object()) {
            fail(kServerError,
                body ? "the provider's answer is not a JSON object"
                     : "the provider's answer is " + body.error().message.toStdString());
            return;
        }
        onJson(std::move(*body));
        if (!ended()) {
            onEof();
        }
        break;
    }
    case Form::Foreign:
        fail(kServerError,
            "the provider's answer is neither an event stream nor JSON: " + foreignExcerpt());
        break;
    case Form::Unknown:
        fail(kServerError, "the provider closed the connection without an answer");
        break;
    }
    // What failed to say how it ended has failed.
    if (!ended()) {
        fail(kServerError, "the provider's stream ended without saying how");
    }
}

void AnswerTranslator::fail(std::string_view code, std::string_view message)
{
    failWith({ std::string(code), std::string(message), std::string(code) });
}

void AnswerTranslator::failWith(const ProviderError &error)
{
    if (ended()) {
        return;
    }
    // A provider that repeats the key in its refusal must not hand it to the client.
    ProviderError masked = error;
    masked.message = logging::maskSecrets(error.message);
    writeFailure(masked);
    m_state.end = AnswerEnd::Failed;
    m_state.error = std::move(masked);
}

std::string AnswerTranslator::foreignExcerpt() const
{
    std::string text;
    bool inTag = false;
    size_t characters = 0;
    for (const char c : m_body) {
        if (c == '<') {
            inTag = true;
        } else if (c == '>') {
            inTag = false;
            continue;
        }
        if (inTag) {
            continue;
        }
        const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (blank && (text.empty() || text.back() == ' ')) {
            continue;
        }
        const bool startsCharacter = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        if (startsCharacter && ++characters > kExcerptCharacters) {
            break;
        }
        text.push_back(blank ? ' ' : c);
    }
    return text;
}

void AnswerTranslator::onSseEvent(std::string_view event, std::string_view data, bool complete)
{
    if (!ended()) {
        onEvent(event, data, complete);
    }
}

} // namespace deskhand::modelproxy
