// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/answer.h"
#include "executor/modelproxy/toolnames.h"

#include <deque>
#include <string>
#include <unordered_map>

namespace deskhand::modelproxy {

/// A Responses answer on its way to Codex. What is right passes byte for byte; what Codex would
/// stumble over is repaired: missing or foreign ids, items without their announcement, empty
/// arguments, repeated ends, incomplete usage, missing terminal events, JSON instead of a stream.
class ResponsesAnswer final : public AnswerTranslator
{
public:
    /// `bridged`: names of tools that were sent in another form than Codex knows; their calls are
    /// turned back. Empty when nothing was bridged.
    explicit ResponsesAnswer(ToolNames bridged = {}, bool bridging = false);

    [[nodiscard]] std::string keepAlive() override;

private:
    struct Item
    {
        std::string id; ///< as sent to the client
        std::string originalId; ///< as the provider wrote it
        std::int64_t outputIndex = 0;
        std::string type;
        const ToolIdentity *bridge = nullptr; ///< not a plain function
        bool announced = false;
        bool done = false;
        std::string text; ///< of the deltas: arguments, input or text
        std::string held; ///< events of a call that is not announced yet
    };

    void onEvent(std::string_view event, std::string_view data, bool complete) override;
    void onJson(Json &&body) override;
    void onEof() override;
    void writeFailure(const ProviderError &error) override;

    void onStart(std::string_view type, Json &event, std::string_view data);
    void onItemAdded(Json &event, std::string_view data);
    void onItemDone(Json &event, std::string_view data);
    void onItemEvent(std::string_view type, Json &event, std::string_view data);
    void onTerminal(std::string_view type, Json &event, std::string_view data);
    void finishItem(Item &item, Json &value, Json &event, bool changed, std::string_view data);
    void ensureCreated();
    void announce(Item &item, const Json &value);
    void pass(std::string_view type, std::string_view data);
    void pass(std::string_view type, const Json &event);

    [[nodiscard]] Item *find(std::string_view id, std::optional<std::int64_t> outputIndex);
    [[nodiscard]] Item *findFor(const Json &event);
    [[nodiscard]] Item *endedTwin(const Json &value, std::int64_t index);
    /// Null when there are too many, which fails the answer.
    [[nodiscard]] Item *track(std::string_view originalId, std::optional<std::int64_t> outputIndex,
        std::string_view type);
    /// Repairs ids, object arguments, refusals and bridged calls. True when anything changed.
    bool repairItem(Json &value, Item &item) const;
    void recordUsage(const Json &response);

    ToolNames m_names;
    bool m_bridging;
    bool m_created = false;
    Json m_createdResponse = Json::object();
    std::deque<Item> m_items; // references must stay valid
    std::unordered_map<std::string, size_t> m_byId; // both the provider's ids and ours
    std::unordered_map<std::int64_t, size_t> m_byIndex;
    std::unordered_map<std::string, size_t> m_endedCalls; // by call id
    Json m_doneItems = Json::array();
    std::int64_t m_nextIndex = 0;
};

} // namespace deskhand::modelproxy
