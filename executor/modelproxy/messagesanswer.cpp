// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/messagesanswer.h"

#include "executor/modelproxy/packedthinking.h"
#include "executor/modelproxy/toolcalls.h"

#include <algorithm>

namespace deskhand::modelproxy {
namespace {

constexpr size_t kMostBlocks = 4096;

/// The kind of block a delta belongs to, for servers that forget the start.
std::string blockTypeOf(std::string_view deltaType)
{
    return deltaType == "thinking_delta" || deltaType == "signature_delta" ? "thinking"
        : deltaType == "text_delta"                                        ? "text"
                                                                           : "";
}

} // namespace

MessagesAnswer::MessagesAnswer(ToolNames names, std::string model)
    : m_names(std::move(names))
    , m_writer(m_out)
    , m_model(std::move(model))
{ }

std::string MessagesAnswer::keepAlive()
{
    return ended() ? std::string() : m_writer.keepAlive();
}

void MessagesAnswer::onEvent(std::string_view event, std::string_view data, bool complete)
{
    if (isBlank(data) || data == "[DONE]") {
        return;
    }
    const Result<Json> parsed = parseJson(data);
    if (!parsed || !parsed->is_object()) {
        if (complete) {
            fail(kServerError, "the provider sent an event that is not a JSON object");
        }
        return;
    }
    std::string_view type = textMember(*parsed, "type");
    if (type.empty()) {
        type = event;
    }
    if (type == "error" || carriesError(*parsed)) {
        failWith(providerError(*parsed, 0));
        return;
    }
    onMessageEvent(type, *parsed);
}

void MessagesAnswer::onMessageEvent(std::string_view type, const Json &event)
{
    const std::int64_t index = intMember(event, "index").value_or(0);
    static const Json kNothing = Json::object();
    const auto object = [&event](std::string_view key) -> const Json & {
        const Json *value = member(event, key);
        return value != nullptr && value->is_object() ? *value : kNothing;
    };
    if (type == "message_start") {
        onStart(object("message"));
    } else if (type == "content_block_start") {
        onBlockStart(index, object("content_block"));
    } else if (type == "content_block_delta") {
        onBlockDelta(index, object("delta"));
    } else if (type == "content_block_stop") {
        onBlockStop(index);
    } else if (type == "message_delta") {
        const std::string_view reason = textMember(object("delta"), "stop_reason");
        if (!reason.empty()) {
            m_stopReason = reason;
            m_state.finishing = true;
        }
        onUsage(member(event, "usage"));
    } else if (type == "message_stop") {
        conclude();
    }
    // ping, server tools, citations: nothing that Codex knows.
}

void MessagesAnswer::onJson(Json &&body)
{
    if (carriesError(body) || textMember(body, "type") == "error") {
        failWith(providerError(body, 0));
        return;
    }
    onStart(body);
    std::int64_t index = 0;
    if (const Json *content = member(body, "content"); content != nullptr && content->is_array()) {
        for (const Json &block : *content) {
            onBlockStart(index, block);
            if (ended()) {
                return;
            }
            if (const std::string_view signature = textMember(block, "signature");
                !signature.empty()) {
                if (Block *open = find(index); open != nullptr) {
                    open->signature = signature;
                }
            }
            onBlockStop(index++);
        }
    }
    m_stopReason = textMember(body, "stop_reason");
    conclude();
}

void MessagesAnswer::onStart(const Json &message)
{
    const std::string_view model = textMember(message, "model");
    m_state.model = model.empty() ? m_model : std::string(model);
    m_writer.begin(textMember(message, "id"), m_state.model);
    m_state.responseId = m_writer.responseId();
    onUsage(member(message, "usage"));
}

void MessagesAnswer::ensureBegun()
{
    if (!m_writer.begun()) {
        onStart(Json::object());
    }
}

MessagesAnswer::Block *MessagesAnswer::find(std::int64_t index)
{
    for (auto block = m_blocks.rbegin(); block != m_blocks.rend(); ++block) {
        if (block->index == index && !block->closed) {
            return &*block;
        }
    }
    return nullptr;
}

void MessagesAnswer::onBlockStart(std::int64_t index, const Json &content)
{
    ensureBegun();
    if (m_blocks.size() >= kMostBlocks) {
        fail(kServerError, "the provider's answer has more parts than are served");
        return;
    }
    const std::string type(textMember(content, "type"));
    if (type == "redacted_thinking") {
        m_anyBlock = true;
        m_state.substance = true;
        m_writer.encryptedReasoning(packThinking(Json::array({ content })));
        return;
    }
    if (type != "text" && type != "thinking" && type != "tool_use") {
        return;
    }
    // Each block is an item of its own.
    m_writer.closeOpen();
    m_anyBlock = true;
    Block &block = m_blocks.emplace_back();
    block.index = index;
    block.type = type;
    if (type == "tool_use") {
        const std::string name(textMember(content, "name"));
        const ToolIdentity *identity = m_names.identity(name);
        m_state.substance = true;
        block.call = &m_writer.openCall(
            identity != nullptr ? *identity : ToolIdentity { ToolKind::Function, {}, name },
            textMember(content, "id"));
        if (const Json *input = member(content, "input");
            input != nullptr && input->is_object() && !input->empty()) {
            block.startInput = dumpJson(*input);
        }
        return;
    }
    if (type == "text") {
        onBlockDelta(index, { { "type", "text_delta" }, { "text", textMember(content, "text") } });
    } else {
        onBlockDelta(index,
            { { "type", "thinking_delta" }, { "thinking", textMember(content, "thinking") } });
    }
}

void MessagesAnswer::onBlockDelta(std::int64_t index, const Json &delta)
{
    const std::string_view type = textMember(delta, "type");
    Block *block = find(index);
    if (block == nullptr) {
        const std::string missing = blockTypeOf(type);
        if (missing.empty()) {
            return; // arguments of a call without a name cannot be run
        }
        onBlockStart(index, { { "type", missing } });
        block = find(index);
        if (block == nullptr) {
            return;
        }
    }
    if (type == "text_delta" && block->type == "text") {
        const std::string_view text = textMember(delta, "text");
        m_state.substance = m_state.substance || !text.empty();
        m_writer.text(text);
    } else if (type == "thinking_delta" && block->type == "thinking") {
        const std::string_view text = textMember(delta, "thinking");
        m_state.substance = m_state.substance || !text.empty();
        block->thinking += text;
        m_writer.reasoning(text);
    } else if (type == "signature_delta" && block->type == "thinking") {
        block->signature += textMember(delta, "signature");
    } else if (type == "input_json_delta" && block->call != nullptr) {
        m_writer.arguments(*block->call, textMember(delta, "partial_json"));
    }
}

void MessagesAnswer::onBlockStop(std::int64_t index)
{
    if (Block *block = find(index); block != nullptr) {
        closeBlock(*block);
    }
}

void MessagesAnswer::closeBlock(Block &block)
{
    block.closed = true;
    if (block.call != nullptr) {
        if (block.call->arguments.empty()) {
            m_writer.arguments(*block.call, block.startInput);
        }
        // Cut arguments wait for the stop reason: a cut call must not be run.
        if (block.call->arguments.empty() || isCompleteJson(block.call->arguments)) {
            m_writer.closeCall(*block.call);
        }
        return;
    }
    if (block.type == "thinking" && !block.signature.empty()) {
        std::string packed = packThinking(Json::array({ { { "type", "thinking" },
            { "thinking", block.thinking }, { "signature", block.signature } } }));
        if (block.thinking.empty()) {
            m_writer.encryptedReasoning(std::move(packed));
        } else {
            m_writer.setEncrypted(std::move(packed));
        }
    }
    m_writer.closeOpen();
}

void MessagesAnswer::onUsage(const Json *usage)
{
    if (usage == nullptr || !usage->is_object()) {
        return;
    }
    const auto take = [&](const char *key, std::int64_t &value) {
        if (const std::optional<std::int64_t> number = countMember(*usage, key)) {
            value = *number;
            m_anyUsage = true;
        }
    };
    take("input_tokens", m_input);
    take("cache_read_input_tokens", m_cacheRead);
    take("cache_creation_input_tokens", m_cacheWrite);
    take("output_tokens", m_output);
    if (m_anyUsage) {
        m_state.usage = TokenUsage { m_input + m_cacheRead + m_cacheWrite, m_cacheRead, m_output };
    }
}

void MessagesAnswer::onEof()
{
    if (m_stopReason.empty()) {
        fail(kServerError, "the provider's stream ended before the answer was complete");
        return;
    }
    conclude();
}

void MessagesAnswer::conclude()
{
    ensureBegun();
    if (m_stopReason.empty() && !m_anyBlock) {
        fail(kServerError, "the provider's stream ended without an answer");
        return;
    }
    if (!m_anyBlock && m_output > 0) {
        fail(kServerError, "the provider counted output but sent none");
        return;
    }
    std::string_view reason;
    if (m_stopReason == "max_tokens" || m_stopReason == "model_context_window_exceeded") {
        reason = "max_output_tokens";
    } else if (m_stopReason == "refusal") {
        reason = "content_filter";
    }
    for (Block &block : m_blocks) {
        if (!block.closed && block.type == "thinking") {
            closeBlock(block);
        } else if (!block.closed && block.call != nullptr && block.call->arguments.empty()
            && !block.startInput.empty()) {
            m_writer.arguments(*block.call, block.startInput);
        }
    }
    std::optional<ReportedUsage> usage;
    if (m_anyUsage) {
        usage = ReportedUsage {};
        usage->input = m_input + m_cacheRead + m_cacheWrite;
        usage->cached = m_cacheRead;
        usage->cacheWrite = m_cacheWrite;
        usage->output = m_output;
    }
    m_writer.end(reason, usage);
    m_state.calls = m_writer.finishedCalls();
    m_state.end = reason.empty() ? AnswerEnd::Completed : AnswerEnd::Incomplete;
}

void MessagesAnswer::writeFailure(const ProviderError &error)
{
    m_writer.begin({}, m_model);
    m_writer.fail(error);
}

} // namespace deskhand::modelproxy
