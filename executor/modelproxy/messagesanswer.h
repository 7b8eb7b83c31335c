// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/answer.h"
#include "executor/modelproxy/responseswriter.h"
#include "executor/modelproxy/toolnames.h"

#include <deque>
#include <optional>
#include <string>

namespace deskhand::modelproxy {

/// An Anthropic Messages answer turned into a Responses event stream.
class MessagesAnswer final : public AnswerTranslator
{
public:
    /// `model`: named when the provider names none.
    MessagesAnswer(ToolNames names, std::string model);

    [[nodiscard]] std::string keepAlive() override;

private:
    struct Block
    {
        std::int64_t index = 0;
        std::string type;
        std::string thinking;
        std::string signature;
        std::string startInput; ///< a call's input, if the start carried it
        ResponsesWriter::Call *call = nullptr;
        bool closed = false;
    };

    void onEvent(std::string_view event, std::string_view data, bool complete) override;
    void onJson(Json &&body) override;
    void onEof() override;
    void writeFailure(const ProviderError &error) override;

    void onMessageEvent(std::string_view type, const Json &event);
    void onStart(const Json &message);
    void onBlockStart(std::int64_t index, const Json &content);
    void onBlockDelta(std::int64_t index, const Json &delta);
    void onBlockStop(std::int64_t index);
    void onUsage(const Json *usage);
    void closeBlock(Block &block);
    Block *find(std::int64_t index);
    void ensureBegun();
    void conclude();

    ToolNames m_names;
    ResponsesWriter m_writer;
    std::string m_model;
    std::deque<Block> m_blocks; // references must stay valid
    std::string m_stopReason;
    bool m_anyBlock = false;
    bool m_anyUsage = false;
    std::int64_t m_input = 0;
    std::int64_t m_cacheRead = 0;
    std::int64_t m_cacheWrite = 0;
    std::int64_t m_output = 0;
};

} // namespace deskhand::modelproxy
