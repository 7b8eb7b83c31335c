// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/answer.h"
#include "executor/modelproxy/toolnames.h"

#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>

namespace deskhand::modelproxy {

/// Token counts of one answer as its provider reported them.
struct ReportedUsage
{
    std::int64_t input = 0;
    std::int64_t cached = 0;
    std::optional<std::int64_t> cacheWrite; ///< only Messages tells it
    std::int64_t output = 0;
    std::int64_t reasoning = 0;
    std::optional<std::int64_t> total;
};

/// Writes the event stream of a Responses answer: numbers the events, announces and ends items in
/// the order Codex needs, keeps what the terminal event must repeat. At most one of reasoning and
/// message is open; calls stay open until they are ended. Owned by the translator it writes for.
class ResponsesWriter final
{
public:
    struct Call
    {
        ToolIdentity identity;
        std::string itemId;
        std::string callId;
        std::string arguments; ///< as the provider wrote them
        std::int64_t outputIndex = 0;
        bool done = false;
    };

    /// `out` receives the events.
    explicit ResponsesWriter(std::string &out);

    /// response.created and response.in_progress; later calls change nothing.
    void begin(std::string_view providerId, std::string_view model);
    [[nodiscard]] bool begun() const { return !m_responseId.empty(); }
    [[nodiscard]] const std::string &responseId() const { return m_responseId; }

    void reasoning(std::string_view delta);
    void text(std::string_view delta);
    /// Opaque data that belongs to the open reasoning item.
    void setEncrypted(std::string encrypted);
    /// A reasoning item that has nothing to read.
    void encryptedReasoning(std::string encrypted);
    /// Ends the open reasoning or message item.
    void closeOpen(std::string_view messageStatus = "completed");

    /// The reference stays valid.
    Call &openCall(const ToolIdentity &identity, std::string_view callId);
    void arguments(Call &call, std::string_view delta);
    void closeCall(Call &call);

    [[nodiscard]] bool hasItems() const { return m_nextIndex > 0; }
    /// Ends what is open and writes the terminal event. With a reason the answer is incomplete:
    /// then a call whose arguments are cut is listed, but never ended, so that it is not run.
    void end(std::string_view incompleteReason, const std::optional<ReportedUsage> &usage);
    void fail(const ProviderError &error);
    [[nodiscard]] std::string keepAlive();
    /// Finished calls and the reasoning between them, for the tool history.
    [[nodiscard]] Json finishedCalls() const;

private:
    enum class Open { None, Reasoning, Message };

    void event(std::string_view type, std::string_view fields);
    void delta(std::string_view type, std::string_view position, std::string_view text);
    [[nodiscard]] std::string itemId(std::string_view prefix) const;
    [[nodiscard]] std::string uniqueCallId(std::string_view providerId);
    [[nodiscard]] Json response(std::string_view status) const;
    [[nodiscard]] Json messageItem(std::string_view status) const;
    [[nodiscard]] Json reasoningItem() const;
    void closeAllCalls(bool incomplete);

    std::string &m_out;
    std::int64_t m_sequence = 0;
    std::string m_responseId;
    std::string m_base; // of item ids
    std::string m_model;
    std::int64_t m_createdAt = 0;
    std::int64_t m_nextIndex = 0;
    Open m_open = Open::None;
    std::int64_t m_openIndex = 0;
    std::string m_openId;
    std::string m_openText;
    std::string m_encrypted;
    std::deque<Call> m_calls; // references must stay valid
    std::unordered_set<std::string> m_callIds;
    std::vector<std::pair<std::int64_t, Json>> m_done; // by output index
};

} // namespace deskhand::modelproxy
