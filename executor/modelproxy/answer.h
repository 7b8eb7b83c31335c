// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/errorcodes.h"
#include "executor/modelproxy/json.h"
#include "executor/modelproxy/ssereader.h"
#include "executor/modelproxy/utf8check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace deskhand::modelproxy {

enum class AnswerEnd {
    Open,
    Completed,
    Incomplete, ///< the model was cut short
    Failed
};

struct TokenUsage
{
    std::int64_t input = 0; ///< cached ones included
    std::int64_t cached = 0;
    std::int64_t output = 0;
};

/// What is known about an answer so far.
struct AnswerState
{
    AnswerEnd end = AnswerEnd::Open;
    ProviderError error; ///< when Failed
    std::string responseId;
    std::string model;
    std::optional<TokenUsage> usage;
    Json calls = Json::array(); ///< finished calls and reasoning, for the tool history
    Json callExtras = Json::object(); ///< call id -> fields a provider wants back
    bool substance = false; ///< anything of the model was passed on
    bool finishing = false; ///< the model is done, only numbers may follow
};

/// Turns the bytes of a provider's answer into the client's event stream. Reads server-sent events
/// or one JSON body, whatever the content type says; checks UTF-8 and sizes. Exactly one terminal
/// event comes out, and nothing after it. One object for one answer, used on one thread.
class AnswerTranslator : private SseReader::Sink
{
public:
    ~AnswerTranslator() override = default;
    AnswerTranslator(const AnswerTranslator &) = delete;
    AnswerTranslator &operator=(const AnswerTranslator &) = delete;

    virtual void feed(std::string_view bytes);
    /// The provider's body ended.
    virtual void finish();
    /// The transport failed, or something else that is not in the bytes.
    virtual void fail(std::string_view code, std::string_view message);

    /// What can be sent to the client now.
    [[nodiscard]] std::string takeOutput() { return std::exchange(m_out, {}); }
    [[nodiscard]] bool hasOutput() const { return !m_out.empty(); }
    [[nodiscard]] const AnswerState &state() const { return m_state; }
    [[nodiscard]] bool ended() const { return m_state.end != AnswerEnd::Open; }
    /// The body is neither events nor JSON: a login page, a proxy's error. First part of it.
    [[nodiscard]] virtual bool isForeign() const { return m_form == Form::Foreign; }
    [[nodiscard]] virtual std::string foreignExcerpt() const;
    [[nodiscard]] virtual size_t signsOfLife() const { return m_sse.signsOfLife(); }
    /// Harmless event that resets the client's idle clock; empty before the answer began.
    [[nodiscard]] virtual std::string keepAlive() = 0;

protected:
    AnswerTranslator();

    /// One event; `complete` is false for a last one without its empty line.
    virtual void onEvent(std::string_view event, std::string_view data, bool complete) = 0;
    /// The whole answer as one JSON object.
    virtual void onJson(Json &&body) = 0;
    /// Events ended without a terminal one.
    virtual void onEof() = 0;
    /// Writes the terminal event of a failure; the state is set afterwards.
    virtual void writeFailure(const ProviderError &error) = 0;

    void failWith(const ProviderError &error);

    AnswerState m_state;
    std::string m_out;

private:
    enum class Form { Unknown, Events, OneObject, Foreign };

    void onSseEvent(std::string_view event, std::string_view data, bool complete) final;
    void sniff(std::string_view bytes);
    void take(std::string_view bytes);

    Form m_form = Form::Unknown;
    Utf8Check m_utf8;
    SseReader m_sse;
    std::string m_head; // bytes before the form is known
    std::string m_body; // OneObject and Foreign
};

} // namespace deskhand::modelproxy
