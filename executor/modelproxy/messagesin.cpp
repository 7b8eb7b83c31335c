// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/messagesin.h"

#include "executor/modelproxy/eventwriter.h"
#include "executor/modelproxy/wireids.h"

#include <algorithm>
#include <set>
#include <vector>

namespace deskhand::modelproxy {
namespace {

std::string blocksText(const Json &content)
{
    if (content.is_string()) {
        return content.get<std::string>();
    }
    std::string text;
    if (content.is_array()) {
        for (const Json &block : content) {
            const std::string_view piece = textMember(block, "text");
            if (!piece.empty()) {
                text += text.empty() ? "" : "\n";
                text += piece;
            }
        }
    }
    return text;
}

/// Null when it is no image that can be sent.
Json imagePart(const Json &block)
{
    const Json *source = member(block, "source");
    if (textMember(block, "type") != "image" || source == nullptr) {
        return nullptr;
    }
    std::string url(textMember(*source, "url"));
    if (textMember(*source, "type") == "base64") {
        url = "data:" + std::string(textMember(*source, "media_type")) + ";base64,"
            + std::string(textMember(*source, "data"));
    }
    return url.empty() ? Json(nullptr) : Json { { "type", "input_image" }, { "image_url", url } };
}

Json resultOutput(const Json &block)
{
    const Json *content = member(block, "content");
    const Json *isError = member(block, "is_error");
    const std::string prefix = isError != nullptr && *isError == true ? "Error: " : "";
    if (content == nullptr || content->is_null()) {
        return prefix;
    }
    Json parts = Json::array();
    bool images = false;
    if (content->is_array()) {
        for (const Json &part : *content) {
            if (Json image = imagePart(part); !image.is_null()) {
                images = true;
                parts.push_back(std::move(image));
            } else if (textMember(part, "type") == "text") {
                parts.push_back({ { "type", "input_text" },
                    { "text",
                        (parts.empty() ? prefix : std::string())
                            + std::string(textMember(part, "text")) } });
            }
        }
    }
    return images ? parts : Json(prefix + blocksText(*content));
}

void addUser(Json &input, const Json &content)
{
    Json outputs = Json::array();
    Json parts = Json::array();
    if (content.is_string()) {
        parts.push_back({ { "type", "input_text" }, { "text", content } });
    } else if (content.is_array()) {
        for (const Json &block : content) {
            const std::string_view type = textMember(block, "type");
            if (type == "tool_result") {
                outputs.push_back({ { "type", "function_call_output" },
                    { "call_id", textMember(block, "tool_use_id") },
                    { "output", resultOutput(block) } });
            } else if (type == "text") {
                parts.push_back(
                    { { "type", "input_text" }, { "text", textMember(block, "text") } });
            } else if (Json image = imagePart(block); !image.is_null()) {
                parts.push_back(std::move(image));
            }
        }
    }
    // Results first: nothing may stand between a call and its result.
    for (Json &output : outputs) {
        input.push_back(std::move(output));
    }
    if (!parts.empty()) {
        input.push_back(
            { { "type", "message" }, { "role", "user" }, { "content", std::move(parts) } });
    }
}

void addAssistant(Json &input, const Json &content)
{
    const auto addText = [&input](std::string_view text) {
        if (!isBlank(text)) {
            Json parts = Json::array({ { { "type", "output_text" }, { "text", text } } });
            input.push_back({ { "type", "message" }, { "role", "assistant" },
                { "content", std::move(parts) } });
        }
    };
    if (content.is_string()) {
        addText(content.get_ref<const std::string &>());
        return;
    }
    if (!content.is_array()) {
        return;
    }
    for (const Json &block : content) {
        const std::string_view type = textMember(block, "type");
        if (type == "text") {
            addText(textMember(block, "text"));
        } else if (type == "tool_use") {
            const Json *arguments = member(block, "input");
            input.push_back({ { "type", "function_call" }, { "call_id", textMember(block, "id") },
                { "name", textMember(block, "name") },
                { "arguments", arguments != nullptr ? dumpJson(*arguments) : "{}" } });
        }
    }
}

std::set<std::string> answeredCalls(const Json &messages)
{
    std::set<std::string> answered;
    for (const Json &message : messages) {
        const Json *content = member(message, "content");
        if (content != nullptr && content->is_array()) {
            for (const Json &block : *content) {
                if (textMember(block, "type") == "tool_result") {
                    answered.emplace(textMember(block, "tool_use_id"));
                }
            }
        }
    }
    return answered;
}

std::string stopReasonOf(std::string_view incompleteReason, bool incomplete, bool toolUsed)
{
    if (incomplete) {
        return incompleteReason == "content_filter" ? "refusal" : "max_tokens";
    }
    return toolUsed ? "tool_use" : "end_turn";
}

std::string_view errorType(std::string_view code)
{
    return code == kRateLimitExceeded    ? "rate_limit_error"
        : code == kServerOverloaded      ? "overloaded_error"
        : code == kContextLengthExceeded ? "invalid_request_error"
                                         : "api_error";
}

/// Calls `take` with each event's JSON.
template <typename Function> void eachEvent(const std::string &events, Function take)
{
    constexpr std::string_view kData = "data: ";
    size_t at = 0;
    while (at < events.size()) {
        const size_t end = std::min(events.find('\n', at), events.size());
        const std::string_view line = std::string_view(events).substr(at, end - at);
        at = end + 1;
        if (line.starts_with(kData)) {
            if (const Result<Json> json = parseJson(line.substr(kData.size())); json) {
                take(*json);
            }
        }
    }
}

} // namespace

Json responsesRequestFromMessages(Json &&request)
{
    Json result { { "model", textMember(request, "model") }, { "stream", true },
        { "store", false } };
    if (const Json *system = member(request, "system"); system != nullptr) {
        std::string text = blocksText(*system);
        if (!text.empty()) {
            result["instructions"] = std::move(text);
        }
    }
    Json input = Json::array();
    static const Json kNone = Json::array();
    const Json *found = member(request, "messages");
    const Json &messages = found != nullptr && found->is_array() ? *found : kNone;
    const std::set<std::string> answered = answeredCalls(messages);
    for (const Json &message : messages) {
        const Json *content = member(message, "content");
        if (content == nullptr) {
            continue;
        }
        if (textMember(message, "role") == "assistant") {
            const size_t before = input.size();
            addAssistant(input, *content);
            const size_t after = input.size();
            for (size_t i = before; i < after; ++i) {
                const std::string callId(textMember(input[i], "call_id"));
                if (textMember(input[i], "type") == "function_call" && !answered.contains(callId)) {
                    input.push_back({ { "type", "function_call_output" }, { "call_id", callId },
                        { "output", "Error: the call was not carried out." } });
                }
            }
        } else {
            addUser(input, *content);
        }
    }
    result["input"] = std::move(input);
    if (const auto limit = intMember(request, "max_tokens")) {
        result["max_output_tokens"] = *limit;
    }
    for (const char *key : { "temperature", "top_p" }) {
        if (const Json *value = member(request, key); value != nullptr && value->is_number()) {
            result[key] = *value;
        }
    }
    if (const Json *stop = member(request, "stop_sequences");
        stop != nullptr && stop->is_array() && !stop->empty()) {
        result["stop"] = *stop;
    }
    if (const Json *tools = member(request, "tools"); tools != nullptr && tools->is_array()) {
        Json list = Json::array();
        for (const Json &tool : *tools) {
            const Json *schema = member(tool, "input_schema");
            if (schema == nullptr) {
                continue; // a tool that the provider itself runs
            }
            Json function { { "type", "function" }, { "name", textMember(tool, "name") } };
            if (const std::string_view text = textMember(tool, "description"); !text.empty()) {
                function["description"] = text;
            }
            function["parameters"] = *schema;
            list.push_back(std::move(function));
        }
        if (!list.empty()) {
            result["tools"] = std::move(list);
        }
    }
    if (const Json *choice = member(request, "tool_choice"); choice != nullptr) {
        const std::string_view type = textMember(*choice, "type");
        if (type == "any") {
            result["tool_choice"] = "required";
        } else if (type == "none") {
            result["tool_choice"] = "none";
        } else if (type == "tool") {
            result["tool_choice"]
                = { { "type", "function" }, { "name", textMember(*choice, "name") } };
        }
        if (const Json *single = member(*choice, "disable_parallel_tool_use");
            single != nullptr && *single == true) {
            result["parallel_tool_calls"] = false;
        }
    }
    return result;
}

std::string MessagesPassage::keepAlive()
{
    return ended() ? std::string() : "event: ping\ndata: {\"type\":\"ping\"}\n\n";
}

void MessagesPassage::noteUsage(const Json *usage)
{
    if (usage == nullptr || !usage->is_object()) {
        return;
    }
    TokenUsage tokens = m_state.usage.value_or(TokenUsage {});
    const auto input = countMember(*usage, "input_tokens");
    if (input) {
        tokens.cached = countMember(*usage, "cache_read_input_tokens").value_or(tokens.cached);
        tokens.input = *input + tokens.cached
            + countMember(*usage, "cache_creation_input_tokens").value_or(0);
    }
    tokens.output = countMember(*usage, "output_tokens").value_or(tokens.output);
    m_state.usage = tokens;
}

void MessagesPassage::onEvent(std::string_view event, std::string_view data, bool complete)
{
    const Result<Json> parsed = parseJson(data);
    if (!parsed || !parsed->is_object()) {
        if (!complete) {
            return;
        }
        fail(kServerError, "the provider sent an event that is not a JSON object");
        return;
    }
    const std::string_view own = textMember(*parsed, "type");
    const std::string type(own.empty() ? event : own);
    if (type == "error") {
        failWith(providerError(*parsed, 0));
        return;
    }
    if (!isEventName(type)) {
        return;
    }
    std::string line(data);
    std::replace(line.begin(), line.end(), '\n', ' ');
    appendEvent(m_out, type, line);
    if (type == "message_start") {
        if (const Json *message = member(*parsed, "message"); message != nullptr) {
            noteUsage(member(*message, "usage"));
        }
    } else if (type == "content_block_start") {
        m_state.substance = true;
    } else if (type == "message_delta") {
        noteUsage(member(*parsed, "usage"));
        const Json *delta = member(*parsed, "delta");
        m_stopped = m_stopped || (delta != nullptr && !textMember(*delta, "stop_reason").empty());
        m_state.finishing = m_stopped;
    } else if (type == "message_stop") {
        m_state.end = AnswerEnd::Completed;
    }
}

void MessagesPassage::onJson(Json &&body)
{
    if (carriesError(body) || textMember(body, "type") == "error") {
        failWith(providerError(body, 0));
        return;
    }
    // A client that asked for a stream gets one.
    noteUsage(member(body, "usage"));
    const Json content = body.contains("content") ? body["content"] : Json::array();
    const Json reason = body.contains("stop_reason") ? body["stop_reason"] : Json(nullptr);
    const Json usage = body.contains("usage") ? body["usage"] : Json::object();
    body["content"] = Json::array();
    body["stop_reason"] = nullptr;
    appendEvent(
        m_out, "message_start", dumpJson({ { "type", "message_start" }, { "message", body } }));
    std::int64_t index = 0;
    for (const Json &block : content) {
        Json start = block;
        std::vector<Json> deltas;
        const std::string_view type = textMember(block, "type");
        if (type == "text") {
            start["text"] = "";
            deltas.push_back({ { "type", "text_delta" }, { "text", textMember(block, "text") } });
        } else if (type == "thinking") {
            start["thinking"] = "";
            start["signature"] = "";
            deltas.push_back(
                { { "type", "thinking_delta" }, { "thinking", textMember(block, "thinking") } });
            deltas.push_back(
                { { "type", "signature_delta" }, { "signature", textMember(block, "signature") } });
        } else if (type == "tool_use") {
            start["input"] = Json::object();
            const Json *input = member(block, "input");
            deltas.push_back({ { "type", "input_json_delta" },
                { "partial_json", input != nullptr ? dumpJson(*input) : "{}" } });
        }
        appendEvent(m_out, "content_block_start",
            dumpJson({ { "type", "content_block_start" }, { "index", index },
                { "content_block", start } }));
        for (const Json &delta : deltas) {
            appendEvent(m_out, "content_block_delta",
                dumpJson(
                    { { "type", "content_block_delta" }, { "index", index }, { "delta", delta } }));
        }
        appendEvent(m_out, "content_block_stop",
            dumpJson({ { "type", "content_block_stop" }, { "index", index } }));
        ++index;
    }
    appendEvent(m_out, "message_delta",
        dumpJson({ { "type", "message_delta" },
            { "delta", { { "stop_reason", reason }, { "stop_sequence", nullptr } } },
            { "usage", usage } }));
    appendEvent(m_out, "message_stop", "{\"type\":\"message_stop\"}");
    m_state.end = AnswerEnd::Completed;
}

void MessagesPassage::onEof()
{
    if (m_stopped) {
        // Some compatible servers end without it, and clients wait for it.
        appendEvent(m_out, "message_stop", "{\"type\":\"message_stop\"}");
        m_state.end = AnswerEnd::Completed;
        return;
    }
    fail(kServerError, "the provider's stream ended before the answer was complete");
}

void MessagesPassage::writeFailure(const ProviderError &error)
{
    appendEvent(m_out, "error",
        dumpJson({ { "type", "error" },
            { "error", { { "type", errorType(error.code) }, { "message", error.message } } } }));
}

MessagesFromResponses::MessagesFromResponses(std::unique_ptr<AnswerTranslator> inner)
    : m_inner(std::move(inner))
{ }

std::string MessagesFromResponses::keepAlive()
{
    return m_started && !ended() ? "event: ping\ndata: {\"type\":\"ping\"}\n\n" : std::string();
}

void MessagesFromResponses::feed(std::string_view bytes)
{
    m_inner->feed(bytes);
    pump();
}

void MessagesFromResponses::finish()
{
    m_inner->finish();
    pump();
}

void MessagesFromResponses::fail(std::string_view code, std::string_view message)
{
    m_inner->fail(code, message);
    pump();
}

void MessagesFromResponses::pump()
{
    eachEvent(m_inner->takeOutput(), [this](const Json &json) {
        if (ended()) {
            return;
        }
        onEvent(textMember(json, "type"), dumpJson(json), true);
    });
    const AnswerState &inner = m_inner->state();
    m_state.responseId = inner.responseId;
    m_state.model = inner.model;
    m_state.usage = inner.usage;
    m_state.substance = inner.substance;
    m_state.finishing = inner.finishing;
}

void MessagesFromResponses::event(std::string_view type, const Json &fields)
{
    Json json { { "type", type } };
    for (const auto &[key, value] : fields.get_ref<const Json::object_t &>()) {
        json[key] = value;
    }
    appendEvent(m_out, type, dumpJson(json));
}

void MessagesFromResponses::openBlock(std::string_view kind, Json content)
{
    if (m_openKind == kind) {
        return;
    }
    closeBlock();
    m_openKind = kind;
    event(
        "content_block_start", { { "index", ++m_index }, { "content_block", std::move(content) } });
}

void MessagesFromResponses::closeBlock()
{
    if (!m_openKind.empty()) {
        event("content_block_stop", { { "index", m_index } });
        m_openKind.clear();
    }
}

void MessagesFromResponses::onEvent(std::string_view type, std::string_view data, bool)
{
    const Json json = parseJson(data).value_or(Json::object());
    if (type == "response.created") {
        const Json *response = member(json, "response");
        m_started = true;
        Json message { { "id", response != nullptr ? textMember(*response, "id") : "" },
            { "type", "message" }, { "role", "assistant" },
            { "model", response != nullptr ? textMember(*response, "model") : "" },
            { "content", Json::array() }, { "stop_reason", nullptr }, { "stop_sequence", nullptr },
            { "usage", { { "input_tokens", 0 }, { "output_tokens", 0 } } } };
        event("message_start", { { "message", std::move(message) } });
    } else if (type == "response.output_text.delta") {
        m_heard.emplace(textMember(json, "item_id"));
        say("text", textMember(json, "delta"));
    } else if (type == "response.reasoning_summary_text.delta"
        || type == "response.reasoning_text.delta") {
        m_heard.emplace(textMember(json, "item_id"));
        say("thinking", textMember(json, "delta"));
    } else if (type == "response.output_item.done") {
        if (const Json *item = member(json, "item"); item != nullptr) {
            onItemDone(*item);
        }
    } else if (type == "response.completed" || type == "response.incomplete") {
        const Json *response = member(json, "response");
        onEnd(response != nullptr ? *response : json, type == "response.incomplete");
    } else if (type == "response.failed") {
        failWith(m_inner->state().error);
    }
}

void MessagesFromResponses::say(std::string_view kind, std::string_view text)
{
    if (text.empty()) {
        return;
    }
    const bool thinking = kind == "thinking";
    Json start { { "type", kind }, { kind, "" } };
    if (thinking) {
        start["signature"] = "";
    }
    openBlock(kind, std::move(start));
    event("content_block_delta",
        { { "index", m_index },
            { "delta", { { "type", std::string(kind) + "_delta" }, { kind, text } } } });
}

void MessagesFromResponses::onItemDone(const Json &item)
{
    const std::string_view type = textMember(item, "type");
    if (type == "function_call") {
        onCallDone(item);
        return;
    }
    if (!m_heard.contains(std::string(textMember(item, "id")))) {
        // The provider sent it whole.
        const bool thought = type == "reasoning";
        const Json *parts = member(item, thought ? "summary" : "content");
        if ((thought || type == "message") && parts != nullptr && parts->is_array()) {
            for (const Json &part : *parts) {
                say(thought ? "thinking" : "text", textMember(part, "text"));
            }
        }
    }
    closeBlock();
}

void MessagesFromResponses::onCallDone(const Json &item)
{
    closeBlock();
    m_toolUsed = true;
    openBlock("tool_use",
        { { "type", "tool_use" }, { "id", textMember(item, "call_id") },
            { "name", textMember(item, "name") }, { "input", Json::object() } });
    event("content_block_delta",
        { { "index", m_index },
            { "delta",
                { { "type", "input_json_delta" },
                    { "partial_json", textMember(item, "arguments") } } } });
    closeBlock();
}

void MessagesFromResponses::onEnd(const Json &response, bool incomplete)
{
    closeBlock();
    const Json *details = member(response, "incomplete_details");
    const std::string reason
        = stopReasonOf(details != nullptr ? textMember(*details, "reason") : std::string_view(),
            incomplete, m_toolUsed);
    Json usage { { "input_tokens", 0 }, { "output_tokens", 0 } };
    if (const std::optional<TokenUsage> &tokens = m_inner->state().usage) {
        usage["input_tokens"] = tokens->input - tokens->cached;
        usage["cache_read_input_tokens"] = tokens->cached;
        usage["output_tokens"] = tokens->output;
    }
    event("message_delta",
        { { "delta", { { "stop_reason", reason }, { "stop_sequence", nullptr } } },
            { "usage", std::move(usage) } });
    event("message_stop", Json::object());
    m_state.end = incomplete ? AnswerEnd::Incomplete : AnswerEnd::Completed;
}

// The inner translator reads the provider's bytes; of these three only events come here.
void MessagesFromResponses::onJson(Json &&) { }

void MessagesFromResponses::onEof() { }

void MessagesFromResponses::writeFailure(const ProviderError &error)
{
    event("error",
        { { "error", { { "type", errorType(error.code) }, { "message", error.message } } } });
}

std::string wholeMessage(const std::string &events)
{
    Json message = Json::object();
    Json content = Json::array();
    Json failure;
    std::string arguments;
    eachEvent(events, [&](const Json &event) {
        const std::string_view type = textMember(event, "type");
        // Passed events are the provider's: any member may be of any kind.
        const auto object = [&event](std::string_view key) {
            const Json *value = member(event, key);
            return value != nullptr && value->is_object() ? *value : Json::object();
        };
        if (type == "message_start") {
            message = object("message");
        } else if (type == "content_block_start") {
            content.push_back(object("content_block"));
            arguments.clear();
        } else if (type == "content_block_delta" && !content.empty()) {
            const Json delta = object("delta");
            for (const char *key : { "text", "thinking", "signature" }) {
                if (member(delta, key) != nullptr) {
                    content.back()[key] = std::string(textMember(content.back(), key))
                        + std::string(textMember(delta, key));
                }
            }
            arguments += textMember(delta, "partial_json");
        } else if (type == "content_block_stop" && !content.empty()
            && textMember(content.back(), "type") == "tool_use") {
            content.back()["input"] = parseJson(arguments).value_or(Json::object());
        } else if (type == "message_delta") {
            const Json delta = object("delta");
            for (const char *key : { "stop_reason", "stop_sequence" }) {
                if (const Json *value = member(delta, key); value != nullptr) {
                    message[key] = *value;
                }
            }
            // What only the start told stays: most providers repeat no input tokens here.
            Json usage = message.contains("usage") && message["usage"].is_object()
                ? message["usage"]
                : Json::object();
            const Json more = object("usage");
            for (const auto &[key, value] : more.get_ref<const Json::object_t &>()) {
                usage[key] = value;
            }
            message["usage"] = std::move(usage);
        } else if (type == "error") {
            failure = event;
        }
    });
    message["content"] = std::move(content);
    return dumpJson(failure.is_null() ? message : failure);
}

std::string wholeResponse(const std::string &events)
{
    Json last = Json::object();
    eachEvent(events, [&last](const Json &event) {
        const std::string_view type = textMember(event, "type");
        if (type == "response.completed" || type == "response.incomplete"
            || type == "response.failed") {
            const Json *response = member(event, "response");
            last = response != nullptr ? *response : Json::object();
        }
    });
    if (textMember(last, "status") == "failed") {
        return errorBody(providerError(last, 0));
    }
    return dumpJson(last);
}

} // namespace deskhand::modelproxy
