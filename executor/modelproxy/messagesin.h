// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/answer.h"
#include "executor/modelproxy/json.h"

#include <memory>
#include <string>
#include <unordered_set>

namespace deskhand::modelproxy {

/// An Anthropic Messages request as a Responses request, from which every other protocol can be
/// made. Consumes `request`, an object. Thinking is dropped: no other provider can read it.
[[nodiscard]] Json responsesRequestFromMessages(Json &&request);

/// A Messages answer passed on as it is; watched for failures and usage.
class MessagesPassage final : public AnswerTranslator
{
public:
    [[nodiscard]] std::string keepAlive() override;

private:
    void onEvent(std::string_view event, std::string_view data, bool complete) override;
    void onJson(Json &&body) override;
    void onEof() override;
    void writeFailure(const ProviderError &error) override;
    void noteUsage(const Json *usage);

    bool m_stopped = false; // the model said why it stopped
};

/// Turns the Responses events of another translator into Messages events. One block is open at a
/// time, indices are contiguous.
class MessagesFromResponses final : public AnswerTranslator
{
public:
    explicit MessagesFromResponses(std::unique_ptr<AnswerTranslator> inner);

    void feed(std::string_view bytes) override;
    void finish() override;
    void fail(std::string_view code, std::string_view message) override;
    [[nodiscard]] bool isForeign() const override { return m_inner->isForeign(); }
    [[nodiscard]] std::string foreignExcerpt() const override { return m_inner->foreignExcerpt(); }
    [[nodiscard]] size_t signsOfLife() const override { return m_inner->signsOfLife(); }
    [[nodiscard]] std::string keepAlive() override;

private:
    void onEvent(std::string_view event, std::string_view data, bool complete) override;
    void onJson(Json &&body) override;
    void onEof() override;
    void writeFailure(const ProviderError &error) override;

    void pump();
    void event(std::string_view type, const Json &fields);
    void openBlock(std::string_view kind, Json content);
    void closeBlock();
    void onCallDone(const Json &item);
    void say(std::string_view kind, std::string_view text);
    void onItemDone(const Json &item);
    void onEnd(const Json &response, bool incomplete);

    std::unique_ptr<AnswerTranslator> m_inner;
    std::string m_openKind;
    std::int64_t m_index = -1;
    bool m_started = false;
    bool m_toolUsed = false;
    std::unordered_set<std::string> m_heard; // ids of items that came in pieces
};

/// The complete `message` object, or the error object, out of a stream of Messages events.
[[nodiscard]] std::string wholeMessage(const std::string &events);
/// The `response` of the terminal event out of a stream of Responses events; an error body when it
/// failed.
[[nodiscard]] std::string wholeResponse(const std::string &events);

} // namespace deskhand::modelproxy
