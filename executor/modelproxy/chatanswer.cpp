// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/chatanswer.h"

#include "executor/modelproxy/toolcalls.h"
#include "executor/modelproxy/wireids.h"

#include <algorithm>
#include <array>

namespace deskhand::modelproxy {
namespace {

// More parallel calls than any model makes; a stream of them would only cost memory.
constexpr size_t kMostCalls = 512;

bool isAny(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string reasoningText(const Json &payload)
{
    for (const char *key : { "reasoning_content", "reasoning", "reasoning_text" }) {
        const std::string_view text = textMember(payload, key);
        if (!text.empty()) {
            return std::string(text);
        }
    }
    std::string text;
    const Json *details = member(payload, "reasoning_details");
    if (details != nullptr && details->is_array()) {
        for (const Json &detail : *details) {
            text += textMember(detail, "text");
        }
    }
    return text;
}

/// Text of a message's content: a string, or a list of parts.
std::string contentText(const Json &content)
{
    if (content.is_string()) {
        return content.get<std::string>();
    }
    std::string text;
    if (content.is_array()) {
        for (const Json &part : content) {
            text += part.is_string() ? part.get<std::string>()
                                     : std::string(textMember(part, "text"));
        }
    }
    return text;
}

} // namespace

ChatAnswer::ChatAnswer(ToolNames names, const ProviderProfile &profile, std::string model)
    : m_names(std::move(names))
    , m_writer(m_out)
    , m_think(profile.inlineThink, profile.thinkOpensItself)
    , m_model(std::move(model))
{ }

std::string ChatAnswer::keepAlive()
{
    return ended() ? std::string() : m_writer.keepAlive();
}

void ChatAnswer::onEvent(std::string_view event, std::string_view data, bool complete)
{
    if (isBlank(data)) {
        return;
    }
    if (data == "[DONE]") {
        conclude();
        return;
    }
    const Result<Json> parsed = parseJson(data);
    if (!parsed || !parsed->is_object()) {
        if (complete) {
            fail(kServerError, "the provider sent an event that is not a JSON object");
        }
        return; // a cut last event does not undo a finished answer
    }
    if (event == "error" || carriesError(*parsed)) {
        m_writer.begin(textMember(*parsed, "id"), m_model);
        failWith(providerError(*parsed, 0));
        return;
    }
    onChunk(*parsed);
}

void ChatAnswer::onJson(Json &&body)
{
    if (carriesError(body)) {
        failWith(providerError(body, 0));
        return;
    }
    onChunk(body);
    if (!ended()) {
        conclude();
    }
}

void ChatAnswer::onChunk(const Json &chunk)
{
    const Json *choices = member(chunk, "choices");
    const Json *choice = nullptr;
    if (choices != nullptr && choices->is_array()) {
        for (const Json &candidate : *choices) {
            if (candidate.is_object() && intMember(candidate, "index").value_or(0) == 0) {
                choice = &candidate;
                break;
            }
        }
    }
    onUsage(member(chunk, "usage"));
    if (choice == nullptr) {
        return;
    }
    m_sawChoice = true;
    if (!m_writer.begun()) {
        const std::string_view model = textMember(chunk, "model");
        m_state.model = model.empty() ? m_model : std::string(model);
        m_writer.begin(textMember(chunk, "id"), m_state.model);
        m_state.responseId = m_writer.responseId();
    }
    onUsage(member(*choice, "usage"));
    const Json *delta = member(*choice, "delta");
    const Json *message = member(*choice, "message");
    if (delta != nullptr && delta->is_object() && !delta->empty()) {
        onPayload(*delta, false);
    } else if (message != nullptr && message->is_object()) {
        onPayload(*message, true);
    }
    if (ended()) {
        return;
    }
    const std::string_view finish = textMember(*choice, "finish_reason");
    if (m_finish.empty() && !finish.empty()) {
        m_finish = finish;
        m_state.finishing = true;
    }
}

void ChatAnswer::onPayload(const Json &payload, bool snapshot)
{
    std::string reasoning = reasoningText(payload);
    if (snapshot && reasoning.starts_with(m_receivedReasoning)) {
        reasoning.erase(0, m_receivedReasoning.size());
    }
    m_receivedReasoning += reasoning;
    if (!reasoning.empty()) {
        m_state.substance = true;
        m_writer.reasoning(reasoning);
    }
    if (const Json *content = member(payload, "content"); content != nullptr) {
        onContent(*content, snapshot);
    }
    if (const std::string_view refusal = textMember(payload, "refusal"); !refusal.empty()) {
        onText(refusal);
    }
    const Json *calls = member(payload, "tool_calls");
    if (calls != nullptr && calls->is_array()) {
        for (const Json &call : *calls) {
            onToolCall(call, snapshot);
        }
    }
    if (const Json *call = member(payload, "function_call");
        call != nullptr && call->is_object() && !call->empty()) {
        onToolCall({ { "index", 0 }, { "function", *call } }, snapshot);
    }
}

void ChatAnswer::onContent(const Json &content, bool snapshot)
{
    std::string text = contentText(content);
    if (snapshot && text.starts_with(m_received)) {
        text.erase(0, m_received.size());
    }
    m_received += text;
    const InlineThink::Split split = m_think.feed(text);
    if (!split.reasoning.empty()) {
        m_state.substance = true;
        m_writer.reasoning(split.reasoning);
    }
    onText(split.text);
}

void ChatAnswer::onText(std::string_view text)
{
    if (!text.empty()) {
        m_state.substance = true;
        m_writer.text(text);
    }
}

ChatAnswer::Slot *ChatAnswer::slotFor(const Json &delta, std::string_view id, std::string_view name)
{
    const auto add = [this](std::optional<std::int64_t> index) -> Slot * {
        if (m_slots.size() >= kMostCalls) {
            return nullptr;
        }
        m_slots.emplace_back();
        m_slots.back().index = index;
        return &m_slots.back();
    };
    // A different name on a call that is complete begins another one, whatever its index and id.
    const auto isAnother = [name](const Slot &slot) {
        return !name.empty() && !slot.name.empty() && name != slot.name
            && isCompleteJson(slot.arguments());
    };
    // The newest of that id: some servers give several calls the same one.
    const auto byId = [this, id]() -> Slot * {
        const auto found = std::find_if(
            m_slots.rbegin(), m_slots.rend(), [id](const Slot &slot) { return slot.id == id; });
        return found != m_slots.rend() ? &*found : nullptr;
    };
    const std::optional<std::int64_t> index = intMember(delta, "index");
    if (index) {
        // The newest of that index: some servers give every call the index 0.
        const auto found = std::find_if(m_slots.rbegin(), m_slots.rend(),
            [&](const Slot &slot) { return slot.index == index; });
        if (found == m_slots.rend()) {
            return add(index);
        }
        if (!found->id.empty() && !id.empty() && id != found->id && !name.empty()) {
            Slot *same = byId();
            return same != nullptr && !isAnother(*same) ? same : add(index);
        }
        return isAnother(*found) ? add(index) : &*found;
    }
    if (!id.empty()) {
        Slot *same = byId();
        return same != nullptr && !isAnother(*same) ? same : add({});
    }
    if (m_slots.empty() || (!name.empty() && !m_slots.back().name.empty())) {
        return add({});
    }
    return &m_slots.back();
}

void ChatAnswer::onToolCall(const Json &delta, bool snapshot)
{
    if (!delta.is_object()) {
        return;
    }
    static const Json kNothing = Json::object();
    const Json *function = member(delta, "function");
    if (function == nullptr || !function->is_object()) {
        function = &kNothing;
    }
    const std::string_view id = textMember(delta, "id");
    const std::string_view name = textMember(*function, "name");
    Slot *slot = slotFor(delta, id, name);
    if (slot == nullptr) {
        fail(kServerError, "the provider made more tool calls than are served");
        return;
    }
    if (slot->id.empty()) {
        slot->id = id;
    }
    for (const auto &[key, value] : delta.get_ref<const Json::object_t &>()) {
        if (key != "index" && key != "id" && key != "type" && key != "function"
            && !value.is_null()) {
            slot->extra[key] = value;
        }
    }
    if (slot->name.empty() && !name.empty()) {
        slot->name = name;
        const ToolIdentity *identity = m_names.identity(name);
        m_state.substance = true;
        slot->call = &m_writer.openCall(identity != nullptr
                ? *identity
                : ToolIdentity { ToolKind::Function, {}, std::string(name) },
            slot->id);
        m_writer.arguments(*slot->call, std::exchange(slot->early, {}));
    }
    if (slot->call != nullptr && !slot->extra.empty()) {
        m_state.callExtras[slot->call->callId] = slot->extra;
    }
    onArguments(*slot, member(*function, "arguments"), snapshot);
}

void ChatAnswer::onArguments(Slot &slot, const Json *arguments, bool snapshot)
{
    if (arguments == nullptr || arguments->is_null()) {
        return;
    }
    std::string text
        = arguments->is_string() ? arguments->get<std::string>() : dumpJson(*arguments);
    // Some servers end with the whole arguments once more.
    if (text == slot.arguments() && isCompleteJson(text) && text.front() == '{') {
        return;
    }
    if (snapshot && text.starts_with(slot.arguments())) {
        text.erase(0, slot.arguments().size());
    }
    if (text.empty()) {
        return;
    }
    if (slot.call != nullptr) {
        m_writer.arguments(*slot.call, text);
    } else {
        slot.early += text;
    }
}

void ChatAnswer::onUsage(const Json *usage)
{
    if (usage == nullptr || !usage->is_object()) {
        return;
    }
    const auto prompt = countMember(*usage, "prompt_tokens");
    const auto completion = countMember(*usage, "completion_tokens");
    const auto total = countMember(*usage, "total_tokens");
    if (!prompt && !completion && !total) {
        return;
    }
    ReportedUsage read;
    read.input = prompt.value_or(0);
    read.output = completion.value_or(0);
    read.total = total;
    const Json *details = member(*usage, "prompt_tokens_details");
    std::optional<std::int64_t> cached
        = details != nullptr ? countMember(*details, "cached_tokens") : std::nullopt;
    for (const char *key : { "prompt_cache_hit_tokens", "cached_tokens" }) {
        if (!cached) {
            cached = countMember(*usage, key);
        }
    }
    read.cached = cached.value_or(0);
    if (const Json *output = member(*usage, "completion_tokens_details"); output != nullptr) {
        read.reasoning = countMember(*output, "reasoning_tokens").value_or(0);
    }
    m_usage = read;
    m_state.usage = TokenUsage { read.input, read.cached, read.output };
}

void ChatAnswer::onEof()
{
    if (m_finish.empty()) {
        fail(kServerError,
            m_sawChoice ? "the provider's stream ended before the answer was complete"
                        : "the provider's stream ended without an answer");
        return;
    }
    conclude();
}

void ChatAnswer::conclude()
{
    if (!m_sawChoice) {
        fail(kServerError, "the provider's stream ended without an answer");
        return;
    }
    if (m_finish == "insufficient_system_resource") {
        fail(kServerOverloaded, "the provider is out of resources");
        return;
    }
    if (isAny(m_finish, { "error", "network_error", "abort" })) {
        fail(kServerError, "the provider stopped with \"" + m_finish + '"');
        return;
    }
    const InlineThink::Split rest = m_think.finish();
    m_writer.reasoning(rest.reasoning);
    onText(rest.text);
    std::string_view reason;
    if (isAny(m_finish, { "length", "model_length", "model_context_window_exceeded" })) {
        reason = "max_output_tokens";
    } else if (isAny(m_finish, { "content_filter", "sensitive" })) {
        reason = "content_filter";
    }
    if (!m_writer.hasItems() && reason.empty() && m_usage && m_usage->output > 0) {
        fail(kServerError, "the provider counted output but sent none");
        return;
    }
    m_writer.end(reason, m_usage);
    m_state.calls = m_writer.finishedCalls();
    m_state.end = reason.empty() ? AnswerEnd::Completed : AnswerEnd::Incomplete;
}

void ChatAnswer::writeFailure(const ProviderError &error)
{
    m_writer.begin({}, m_model);
    m_writer.fail(error);
}

} // namespace deskhand::modelproxy
