// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/answer.h"
#include "executor/modelproxy/inlinethink.h"
#include "executor/modelproxy/providerprofile.h"
#include "executor/modelproxy/responseswriter.h"
#include "executor/modelproxy/toolnames.h"

#include <deque>
#include <optional>
#include <string>

namespace deskhand::modelproxy {

/// A Chat Completions answer turned into a Responses event stream.
class ChatAnswer final : public AnswerTranslator
{
public:
    /// `model`: named when the provider names none.
    ChatAnswer(ToolNames names, const ProviderProfile &profile, std::string model);

    [[nodiscard]] std::string keepAlive() override;

private:
    /// One tool call as the deltas describe it.
    struct Slot
    {
        std::optional<std::int64_t> index;
        std::string id; ///< the provider's
        std::string name;
        std::string early; ///< arguments that came before the name
        Json extra = Json::object();
        ResponsesWriter::Call *call = nullptr; ///< from the moment the name is known
        [[nodiscard]] const std::string &arguments() const
        {
            return call != nullptr ? call->arguments : early;
        }
    };

    void onEvent(std::string_view event, std::string_view data, bool complete) override;
    void onJson(Json &&body) override;
    void onEof() override;
    void writeFailure(const ProviderError &error) override;

    void onChunk(const Json &chunk);
    void onPayload(const Json &payload, bool snapshot);
    void onContent(const Json &content, bool snapshot);
    void onText(std::string_view text);
    void onToolCall(const Json &delta, bool snapshot);
    Slot *slotFor(const Json &delta, std::string_view id, std::string_view name);
    void onArguments(Slot &slot, const Json *arguments, bool snapshot);
    void onUsage(const Json *usage);
    void conclude();

    ToolNames m_names;
    ResponsesWriter m_writer;
    InlineThink m_think;
    std::string m_model;
    bool m_sawChoice = false;
    std::string m_finish; // first finish reason
    std::optional<ReportedUsage> m_usage;
    std::deque<Slot> m_slots; // references must stay valid
    std::string m_received; // content so far, to cut snapshots
    std::string m_receivedReasoning;
};

} // namespace deskhand::modelproxy
