// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/responseswriter.h"

#include "executor/modelproxy/eventwriter.h"
#include "executor/modelproxy/toolcalls.h"
#include "executor/modelproxy/wireids.h"

#include <QDateTime>

#include <algorithm>

namespace deskhand::modelproxy {
namespace {

std::string position(std::string_view itemId, std::int64_t index)
{
    std::string text = "\"item_id\":";
    appendJsonString(text, itemId);
    text += ",\"output_index\":" + std::to_string(index);
    return text;
}

std::string jsonText(std::string_view text)
{
    std::string json;
    json.reserve(text.size() + 16);
    appendJsonString(json, text);
    return json;
}

std::string indexed(std::int64_t index, const Json &item)
{
    return "\"output_index\":" + std::to_string(index) + ",\"item\":" + dumpJson(item);
}

} // namespace

ResponsesWriter::ResponsesWriter(std::string &out)
    : m_out(out)
{ }

void ResponsesWriter::event(std::string_view type, std::string_view fields)
{
    m_out.append("event: ").append(type).append("\ndata: {\"type\":\"").append(type);
    m_out.append("\",\"sequence_number\":").append(std::to_string(m_sequence++));
    m_out.append(",").append(fields).append("}\n\n");
}

void ResponsesWriter::delta(std::string_view type, std::string_view place, std::string_view text)
{
    // Written piece by piece: this is what nearly every event is.
    m_out.append("event: ").append(type).append("\ndata: {\"type\":\"").append(type);
    m_out.append("\",\"sequence_number\":").append(std::to_string(m_sequence++));
    m_out.append(",").append(place).append(",\"delta\":");
    appendJsonString(m_out, text);
    m_out.append("}\n\n");
}

std::string ResponsesWriter::itemId(std::string_view prefix) const
{
    return safeId(std::string(prefix) + m_base + '_' + std::to_string(m_nextIndex));
}

Json ResponsesWriter::response(std::string_view status) const
{
    return { { "id", m_responseId }, { "object", "response" }, { "created_at", m_createdAt },
        { "status", status }, { "model", m_model }, { "output", Json::array() },
        { "usage", nullptr }, { "error", nullptr }, { "incomplete_details", nullptr } };
}

void ResponsesWriter::begin(std::string_view providerId, std::string_view model)
{
    if (begun()) {
        return;
    }
    constexpr std::string_view kChatPrefix = "chatcmpl-";
    if (providerId.starts_with(kChatPrefix)) {
        providerId.remove_prefix(kChatPrefix.size());
    }
    m_base = providerId.empty() ? freshId("") : std::string(providerId);
    m_responseId = safeId("resp_" + m_base);
    m_model = model;
    m_createdAt = QDateTime::currentSecsSinceEpoch();
    const std::string fields = "\"response\":" + dumpJson(response("in_progress"));
    event("response.created", fields);
    event("response.in_progress", fields);
}

Json ResponsesWriter::reasoningItem() const
{
    Json item { { "id", m_openId }, { "type", "reasoning" }, { "summary", Json::array() } };
    if (!m_openText.empty()) {
        item["summary"].push_back({ { "type", "summary_text" }, { "text", m_openText } });
    }
    if (!m_encrypted.empty()) {
        item["encrypted_content"] = m_encrypted;
    }
    return item;
}

Json ResponsesWriter::messageItem(std::string_view status) const
{
    return { { "id", m_openId }, { "type", "message" }, { "role", "assistant" },
        { "status", status },
        { "content",
            Json::array({ { { "type", "output_text" }, { "text", m_openText },
                { "annotations", Json::array() } } }) } };
}

void ResponsesWriter::reasoning(std::string_view text)
{
    if (text.empty()) {
        return;
    }
    if (m_open != Open::Reasoning) {
        closeOpen();
        m_openId = itemId("rs_");
        m_openIndex = m_nextIndex++;
        m_open = Open::Reasoning;
        event("response.output_item.added", indexed(m_openIndex, reasoningItem()));
        event("response.reasoning_summary_part.added",
            position(m_openId, m_openIndex)
                + ",\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":\"\"}");
    }
    m_openText += text;
    delta("response.reasoning_summary_text.delta",
        position(m_openId, m_openIndex) + ",\"summary_index\":0", text);
}

void ResponsesWriter::text(std::string_view text)
{
    if (text.empty()) {
        return;
    }
    if (m_open != Open::Message) {
        closeOpen();
        m_openId = itemId("msg_");
        m_openIndex = m_nextIndex++;
        m_open = Open::Message;
        Json item = messageItem("in_progress");
        item["content"] = Json::array();
        event("response.output_item.added", indexed(m_openIndex, item));
        event("response.content_part.added",
            position(m_openId, m_openIndex)
                + ",\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"\","
                  "\"annotations\":[]}");
    }
    m_openText += text;
    delta("response.output_text.delta", position(m_openId, m_openIndex) + ",\"content_index\":0",
        text);
}

void ResponsesWriter::setEncrypted(std::string encrypted)
{
    m_encrypted = std::move(encrypted);
}

void ResponsesWriter::encryptedReasoning(std::string encrypted)
{
    closeOpen();
    m_openId = itemId("rs_");
    const std::int64_t index = m_nextIndex++;
    Json item = reasoningItem();
    event("response.output_item.added", indexed(index, item));
    item["encrypted_content"] = std::move(encrypted);
    event("response.output_item.done", indexed(index, item));
    m_done.emplace_back(index, std::move(item));
}

void ResponsesWriter::closeOpen(std::string_view messageStatus)
{
    if (m_open == Open::None) {
        return;
    }
    const std::string place = position(m_openId, m_openIndex);
    const std::string json = jsonText(m_openText);
    Json item;
    if (m_open == Open::Reasoning) {
        item = reasoningItem();
        event("response.reasoning_summary_text.done",
            place + ",\"summary_index\":0,\"text\":" + json);
        event("response.reasoning_summary_part.done",
            place + ",\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":" + json
                + "}");
    } else {
        item = messageItem(messageStatus);
        event("response.output_text.done", place + ",\"content_index\":0,\"text\":" + json);
        event("response.content_part.done",
            place + ",\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":" + json
                + ",\"annotations\":[]}");
    }
    event("response.output_item.done", indexed(m_openIndex, item));
    m_done.emplace_back(m_openIndex, std::move(item));
    m_open = Open::None;
    m_openText.clear();
    m_encrypted.clear();
}

/// Two calls of one id could not be told apart by their results.
std::string ResponsesWriter::uniqueCallId(std::string_view providerId)
{
    const std::string wanted = providerId.empty() ? freshId("call_") : safeId(providerId);
    std::string id = wanted;
    for (int n = 2; !m_callIds.insert(id).second; ++n) {
        id = safeId(wanted + '_' + std::to_string(n));
    }
    return id;
}

ResponsesWriter::Call &ResponsesWriter::openCall(
    const ToolIdentity &identity, std::string_view callId)
{
    closeOpen();
    Call call;
    call.identity = identity;
    call.callId = uniqueCallId(callId);
    call.itemId = itemId("fc_");
    call.outputIndex = m_nextIndex++;
    m_calls.push_back(std::move(call));
    Call &opened = m_calls.back();
    event("response.output_item.added",
        indexed(opened.outputIndex,
            callItem(identity, opened.itemId, opened.callId, {}, "in_progress")));
    return opened;
}

void ResponsesWriter::arguments(Call &call, std::string_view text)
{
    if (text.empty()) {
        return;
    }
    call.arguments += text;
    if (call.identity.kind == ToolKind::Function) {
        delta("response.function_call_arguments.delta", position(call.itemId, call.outputIndex),
            text);
    }
}

void ResponsesWriter::closeCall(Call &call)
{
    if (call.done) {
        return;
    }
    call.done = true;
    if (isBlank(call.arguments)) {
        call.arguments = "{}";
    }
    Json item = callItem(call.identity, call.itemId, call.callId, call.arguments, "completed");
    const std::string place = position(call.itemId, call.outputIndex);
    if (call.identity.kind == ToolKind::Function) {
        event("response.function_call_arguments.done",
            place + ",\"arguments\":" + jsonText(call.arguments));
    } else if (call.identity.kind == ToolKind::Custom) {
        const std::string input = jsonText(textMember(item, "input"));
        event("response.custom_tool_call_input.delta", place + ",\"delta\":" + input);
        event("response.custom_tool_call_input.done", place + ",\"input\":" + input);
    }
    event("response.output_item.done", indexed(call.outputIndex, item));
    m_done.emplace_back(call.outputIndex, std::move(item));
}

void ResponsesWriter::closeAllCalls(bool incomplete)
{
    for (Call &call : m_calls) { // in order of opening, which is by output index
        if (call.done) {
            continue;
        }
        if (incomplete && !isCompleteJson(call.arguments)) {
            Json item
                = callItem(call.identity, call.itemId, call.callId, call.arguments, "incomplete");
            m_done.emplace_back(call.outputIndex, std::move(item));
            call.done = true;
            continue;
        }
        closeCall(call);
    }
}

void ResponsesWriter::end(
    std::string_view incompleteReason, const std::optional<ReportedUsage> &usage)
{
    const bool incomplete = !incompleteReason.empty();
    begin({}, {});
    closeOpen(incomplete ? "incomplete" : "completed");
    closeAllCalls(incomplete);
    std::sort(m_done.begin(), m_done.end(),
        [](const auto &a, const auto &b) { return a.first < b.first; });
    Json final = response(incomplete ? "incomplete" : "completed");
    for (auto &[index, item] : m_done) {
        final["output"].push_back(item);
    }
    if (usage) {
        Json input { { "cached_tokens", usage->cached } };
        if (usage->cacheWrite) {
            input["cache_write_tokens"] = *usage->cacheWrite;
        }
        final["usage"] = { { "input_tokens", usage->input },
            { "input_tokens_details", std::move(input) }, { "output_tokens", usage->output },
            { "output_tokens_details", { { "reasoning_tokens", usage->reasoning } } },
            { "total_tokens", usage->total.value_or(usage->input + usage->output) } };
    }
    if (incomplete) {
        final["incomplete_details"] = { { "reason", incompleteReason } };
    }
    event(incomplete ? "response.incomplete" : "response.completed",
        "\"response\":" + dumpJson(final));
}

void ResponsesWriter::fail(const ProviderError &error)
{
    begin({}, {});
    Json final = response("failed");
    for (const auto &[index, item] : m_done) {
        final["output"].push_back(item);
    }
    final["error"] = { { "code", error.code }, { "message", error.message } };
    event("response.failed", "\"response\":" + dumpJson(final));
}

std::string ResponsesWriter::keepAlive()
{
    if (!begun()) {
        return {};
    }
    std::string text;
    appendEvent(text, "response.in_progress",
        dumpJson({ { "type", "response.in_progress" }, { "sequence_number", m_sequence++ },
            { "response", response("in_progress") } }));
    return text;
}

Json ResponsesWriter::finishedCalls() const
{
    Json calls = Json::array();
    for (const auto &[index, item] : m_done) {
        const bool call
            = member(item, "call_id") != nullptr && textMember(item, "status") == "completed";
        if (call || textMember(item, "type") == "reasoning") {
            calls.push_back(item);
        }
    }
    return calls;
}

} // namespace deskhand::modelproxy
