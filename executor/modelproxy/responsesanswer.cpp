// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/responsesanswer.h"

#include "executor/logging/log.h"
#include "executor/logging/masking.h"
#include "executor/modelproxy/eventwriter.h"
#include "executor/modelproxy/toolcalls.h"
#include "executor/modelproxy/wireids.h"

#include <algorithm>

namespace deskhand::modelproxy {
namespace {

bool isTerminal(std::string_view type)
{
    return type == "response.completed" || type == "response.done" || type == "response.incomplete"
        || type == "response.failed" || type == "response.cancelled";
}

// More parts than any model's answer has; a stream of them would only cost memory.
constexpr size_t kMostItems = 4096;

/// A position that can be one.
std::optional<std::int64_t> indexMember(const Json &event)
{
    constexpr std::int64_t kLargest = 1'000'000;
    const std::optional<std::int64_t> index = intMember(event, "output_index");
    return index && *index >= 0 && *index <= kLargest ? index : std::nullopt;
}

bool isCall(std::string_view type)
{
    return type == "function_call" || type == "custom_tool_call" || type == "tool_search_call";
}

/// What kind of item a delta without an announced item belongs to.
std::string_view itemTypeOf(std::string_view eventType)
{
    if (eventType.starts_with("response.reasoning")) {
        return "reasoning";
    }
    if (eventType.starts_with("response.output_text")
        || eventType.starts_with("response.content_part")
        || eventType.starts_with("response.refusal")) {
        return "message";
    }
    if (eventType.starts_with("response.function_call_arguments")) {
        return "function_call";
    }
    if (eventType.starts_with("response.custom_tool_call_input")) {
        return "custom_tool_call";
    }
    return {};
}

Json emptyItem(std::string_view type, const std::string &id)
{
    if (type == "reasoning") {
        return { { "id", id }, { "type", "reasoning" }, { "summary", Json::array() } };
    }
    return { { "id", id }, { "type", "message" }, { "role", "assistant" },
        { "status", "in_progress" }, { "content", Json::array() } };
}

/// Text of a message item, to see whether it is empty.
bool hasText(const Json &item)
{
    for (const char *list : { "content", "summary" }) {
        const Json *parts = member(item, list);
        if (parts == nullptr || !parts->is_array()) {
            continue;
        }
        for (const Json &part : *parts) {
            if (!textMember(part, "text").empty() || !textMember(part, "refusal").empty()) {
                return true;
            }
        }
    }
    return false;
}

} // namespace

ResponsesAnswer::ResponsesAnswer(ToolNames bridged, bool bridging)
    : m_names(std::move(bridged))
    , m_bridging(bridging)
{ }

std::string ResponsesAnswer::keepAlive()
{
    std::string event;
    if (m_created && !ended()) {
        Json response = m_createdResponse;
        response["status"] = "in_progress";
        appendEvent(event, "response.in_progress",
            dumpJson({ { "type", "response.in_progress" }, { "response", response } }));
    }
    return event;
}

void ResponsesAnswer::onEvent(std::string_view event, std::string_view data, bool complete)
{
    if (isBlank(data) || data == "[DONE]") {
        return;
    }
    Result<Json> parsed = parseJson(data);
    if (!parsed || !parsed->is_object()) {
        if (!complete) {
            return; // cut by the end of the stream, which fails it
        }
        logging::logger("modelproxy")
            ->warn("dropped a stream event that is not a JSON object "
                   "({} bytes)",
                data.size());
        if (isTerminal(event) || event == "error") {
            fail(kServerError, "the provider's last event cannot be read");
        }
        return;
    }
    Json &json = *parsed;
    // In valid JSON a line break is only a blank, and one line is what clients are sure to read.
    std::string flattened;
    if (data.find('\n') != std::string_view::npos) {
        flattened = data;
        std::replace(flattened.begin(), flattened.end(), '\n', ' ');
        data = flattened;
    }
    std::string type(textMember(json, "type"));
    std::string typed;
    if (type.empty() && !event.empty()) {
        type = event;
        json["type"] = type;
        typed = dumpJson(json);
        data = typed;
    }
    if (type == "error" || (!type.starts_with("response.") && carriesError(json))) {
        failWith(providerError(json, 0));
        return;
    }
    if (!isEventName(type)) {
        return;
    }
    if (isTerminal(type)) {
        onTerminal(type, json, data);
    } else if (type == "response.output_item.added") {
        onItemAdded(json, data);
    } else if (type == "response.output_item.done") {
        onItemDone(json, data);
    } else if (type == "response.created" || type == "response.in_progress"
        || type == "response.queued") {
        onStart(type, json, data);
    } else {
        onItemEvent(type, json, data);
    }
}

void ResponsesAnswer::onStart(std::string_view type, Json &event, std::string_view data)
{
    Json *response = member(event, "response");
    if (response != nullptr && response->is_object()) {
        if (const std::string_view id = textMember(*response, "id"); !id.empty()) {
            m_state.responseId = id;
        }
        m_state.model = textMember(*response, "model");
        m_createdResponse = *response;
    }
    if (type != "response.created") {
        ensureCreated();
        pass(type, data);
        return;
    }
    if (m_created) {
        return;
    }
    if (response == nullptr || textMember(*response, "id").empty()) {
        ensureCreated(); // one that says which answer it is
        return;
    }
    m_created = true;
    pass(type, data);
}

void ResponsesAnswer::ensureCreated()
{
    if (m_created) {
        return;
    }
    m_created = true;
    if (m_state.responseId.empty()) {
        m_state.responseId = freshId("resp_");
    }
    m_createdResponse["id"] = m_state.responseId;
    m_createdResponse["object"] = "response";
    m_createdResponse["status"] = "in_progress";
    if (member(m_createdResponse, "output") == nullptr) {
        m_createdResponse["output"] = Json::array();
    }
    pass("response.created",
        Json { { "type", "response.created" }, { "response", m_createdResponse } });
}

void ResponsesAnswer::pass(std::string_view type, std::string_view data)
{
    appendEvent(m_out, type, data);
}

void ResponsesAnswer::pass(std::string_view type, const Json &event)
{
    appendEvent(m_out, type, dumpJson(event));
}

ResponsesAnswer::Item *ResponsesAnswer::find(
    std::string_view id, std::optional<std::int64_t> outputIndex)
{
    if (!id.empty()) {
        if (const auto found = m_byId.find(std::string(id)); found != m_byId.end()) {
            return &m_items[found->second];
        }
    }
    // The newest one: an index may be used again by a careless server. One with an id of its own
    // is no other one's item.
    const auto found = outputIndex ? m_byIndex.find(*outputIndex) : m_byIndex.end();
    Item *item = found != m_byIndex.end() ? &m_items[found->second] : nullptr;
    return item != nullptr && (id.empty() || item->originalId.empty()) ? item : nullptr;
}

ResponsesAnswer::Item *ResponsesAnswer::findFor(const Json &event)
{
    return find(textMember(event, "item_id"), indexMember(event));
}

ResponsesAnswer::Item *ResponsesAnswer::track(
    std::string_view originalId, std::optional<std::int64_t> outputIndex, std::string_view type)
{
    if (m_items.size() >= kMostItems) {
        fail(kServerError, "the provider's answer has more parts than are served");
        return nullptr;
    }
    Item item;
    item.originalId = originalId;
    item.id = originalId.empty() ? freshId(type == "message" ? "msg_"
                      : type == "reasoning"                  ? "rs_"
                                                             : "fc_")
                                 : safeId(originalId);
    item.outputIndex = outputIndex.value_or(m_nextIndex);
    item.type = type;
    m_nextIndex = std::max(m_nextIndex, item.outputIndex + 1);
    const size_t place = m_items.size();
    m_byId[item.id] = place;
    if (!originalId.empty()) {
        m_byId[item.originalId] = place;
    }
    m_byIndex[item.outputIndex] = place;
    m_items.push_back(std::move(item));
    return &m_items.back();
}

bool ResponsesAnswer::repairItem(Json &value, Item &item) const
{
    bool changed = false;
    if (textMember(value, "id") != item.id) {
        value["id"] = item.id;
        changed = true;
    }
    if (Json *callId = member(value, "call_id"); callId != nullptr && callId->is_string()
        && !isSafeId(callId->get_ref<const std::string &>())) {
        *callId = safeId(callId->get_ref<const std::string &>());
        changed = true;
    } else if (callId == nullptr && isCall(item.type)) {
        value["call_id"] = "call_" + item.id;
        changed = true;
    }
    if (Json *arguments = member(value, "arguments");
        arguments != nullptr && arguments->is_object() && item.type == "function_call") {
        *arguments = dumpJson(*arguments);
        changed = true;
    }
    // An item with a refusal part is lost on Codex; as text it is shown.
    if (Json *parts = member(value, "content"); parts != nullptr && parts->is_array()) {
        for (Json &part : *parts) {
            if (textMember(part, "type") == "refusal") {
                part = { { "type", "output_text" }, { "text", textMember(part, "refusal") },
                    { "annotations", Json::array() } };
                changed = true;
            }
        }
    }
    if (m_bridging && item.type == "function_call") {
        const ToolIdentity *identity = m_names.identity(textMember(value, "name"));
        if (identity != nullptr
            && (identity->kind != ToolKind::Function || !identity->space.empty())) {
            item.bridge = identity;
            value = callItem(*identity, item.id, textMember(value, "call_id"),
                textMember(value, "arguments"), textMember(value, "status"));
            if (textMember(value, "status").empty()) {
                value["status"] = "completed";
            }
            changed = true;
        }
    }
    return changed;
}

void ResponsesAnswer::announce(Item &item, const Json &value)
{
    ensureCreated();
    item.announced = true;
    pass("response.output_item.added",
        Json { { "type", "response.output_item.added" }, { "output_index", item.outputIndex },
            { "item", value } });
    if (!item.held.empty()) {
        m_out += std::exchange(item.held, {});
    }
}

void ResponsesAnswer::onItemAdded(Json &event, std::string_view data)
{
    Json *value = member(event, "item");
    if (value == nullptr || !value->is_object()) {
        ensureCreated();
        pass("response.output_item.added", data);
        return;
    }
    m_state.substance = true;
    const std::string originalId(textMember(*value, "id"));
    const std::optional<std::int64_t> index = indexMember(event);
    Item *item = find(originalId, index);
    if (item != nullptr && item->announced) {
        return; // announced already, by the provider or by us
    }
    if (item == nullptr) {
        item = track(originalId, index, textMember(*value, "type"));
        if (item == nullptr) {
            return;
        }
    }
    item->type = textMember(*value, "type");
    bool changed = repairItem(*value, *item);
    if (!index) {
        event["output_index"] = item->outputIndex;
        value = member(event, "item"); // a new key may move the others
        changed = true;
    }
    if (item->bridge != nullptr) {
        (*value)["status"] = "in_progress";
    }
    if (!changed && m_created && item->held.empty()) {
        item->announced = true;
        pass("response.output_item.added", data);
        return;
    }
    announce(*item, *value);
}

void ResponsesAnswer::onItemEvent(std::string_view type, Json &event, std::string_view data)
{
    const std::string_view itemType = itemTypeOf(type);
    if (itemType.empty()) {
        pass(type, data); // unknown events pass
        return;
    }
    m_state.substance = true;
    Item *item = findFor(event);
    if (item == nullptr) {
        item = track(textMember(event, "item_id"), indexMember(event), itemType);
        if (item == nullptr) {
            return;
        }
        if (!isCall(itemType)) {
            announce(*item, emptyItem(itemType, item->id));
        }
    }
    ensureCreated();
    std::string changed;
    if (textMember(event, "item_id") != item->id) {
        event["item_id"] = item->id;
        changed = dumpJson(event);
        data = changed;
    }
    if (type.ends_with(".delta")) {
        item->text += textMember(event, "delta");
    }
    if (item->bridge != nullptr && type.starts_with("response.function_call_arguments")
        && item->bridge->kind != ToolKind::Function) {
        return; // such a call has no argument events; its input follows when it is complete
    }
    appendEvent(item->announced ? m_out : item->held, type, data);
}

void ResponsesAnswer::onItemDone(Json &event, std::string_view data)
{
    Json *value = member(event, "item");
    if (value == nullptr || !value->is_object()) {
        ensureCreated();
        pass("response.output_item.done", data);
        return;
    }
    m_state.substance = true;
    const std::string originalId(textMember(*value, "id"));
    const std::optional<std::int64_t> index = indexMember(event);
    Item *item = find(originalId, index);
    if (item == nullptr) {
        item = track(originalId, index, textMember(*value, "type"));
        if (item == nullptr) {
            return;
        }
    }
    if (item->done) {
        return; // a second end would run the tool twice
    }
    bool changed = !index;
    event["output_index"] = item->outputIndex;
    value = member(event, "item"); // a new key may move the others
    item->type = textMember(*value, "type");
    finishItem(*item, *value, event, changed, data);
}

void ResponsesAnswer::finishItem(
    Item &item, Json &value, Json &event, bool changed, std::string_view data)
{
    // Fill what the provider only sent as deltas; a call with neither has no arguments.
    if (item.type == "function_call") {
        Json *arguments = member(value, "arguments");
        if (arguments == nullptr || arguments->is_null()
            || (arguments->is_string() && isBlank(arguments->get_ref<const std::string &>()))) {
            value["arguments"] = isBlank(item.text) ? std::string("{}") : item.text;
            changed = true;
        }
    } else if (item.type == "custom_tool_call") {
        if (textMember(value, "input").empty() && !item.text.empty()) {
            value["input"] = item.text;
            changed = true;
        }
    } else if (item.type == "message" && !hasText(value) && !item.text.empty()) {
        value["content"] = Json::array({ { { "type", "output_text" }, { "text", item.text },
            { "annotations", Json::array() } } });
        changed = true;
    } else if (item.type == "reasoning" && !hasText(value) && !item.text.empty()) {
        value["summary"] = Json::array({ { { "type", "summary_text" }, { "text", item.text } } });
        changed = true;
    }
    changed = repairItem(value, item) || changed;
    if (!item.announced) {
        Json opening = value;
        if (isCall(item.type) && item.bridge == nullptr && !item.held.empty()) {
            opening[item.type == "custom_tool_call" ? "input" : "arguments"] = "";
        }
        announce(item, opening);
    }
    item.done = true;
    if (item.bridge != nullptr && item.bridge->kind == ToolKind::Custom) {
        const Json common { { "item_id", item.id }, { "output_index", item.outputIndex } };
        Json delta { { "type", "response.custom_tool_call_input.delta" } };
        delta.update(common);
        delta["delta"] = value["input"];
        pass("response.custom_tool_call_input.delta", delta);
        Json end { { "type", "response.custom_tool_call_input.done" } };
        end.update(common);
        end["input"] = value["input"];
        pass("response.custom_tool_call_input.done", end);
    }
    if (isCall(textMember(value, "type"))) {
        m_state.calls.push_back(value);
    }
    if (changed || data.empty()) {
        pass("response.output_item.done", event);
    } else {
        pass("response.output_item.done", data);
    }
    if (const std::string_view callId = textMember(value, "call_id"); !callId.empty()) {
        m_endedCalls[std::string(callId)] = m_byId.at(item.id);
    }
    m_doneItems.push_back(std::move(value));
}

/// Gateways give the items of the last event other ids than those they streamed. What is the same
/// must not be run, or shown, once more.
ResponsesAnswer::Item *ResponsesAnswer::endedTwin(const Json &value, std::int64_t index)
{
    if (const std::string_view callId = textMember(value, "call_id"); !callId.empty()) {
        const auto found = m_endedCalls.find(safeId(callId));
        return found != m_endedCalls.end() ? &m_items[found->second] : nullptr;
    }
    const auto found = m_byIndex.find(index);
    Item *item = found != m_byIndex.end() ? &m_items[found->second] : nullptr;
    return item != nullptr && item->done && item->type == textMember(value, "type") ? item
                                                                                    : nullptr;
}

void ResponsesAnswer::recordUsage(const Json &response)
{
    const Json *usage = member(response, "usage");
    if (usage == nullptr || !usage->is_object()) {
        return;
    }
    TokenUsage tokens;
    tokens.input = countMember(*usage, "input_tokens").value_or(0);
    tokens.output = countMember(*usage, "output_tokens").value_or(0);
    if (const Json *details = member(*usage, "input_tokens_details"); details != nullptr) {
        tokens.cached = countMember(*details, "cached_tokens").value_or(0);
    }
    m_state.usage = tokens;
}

void ResponsesAnswer::onTerminal(std::string_view type, Json &event, std::string_view data)
{
    Json *response = member(event, "response");
    if (response == nullptr || !response->is_object()) {
        event["response"] = Json::object();
        response = member(event, "response");
        data = {};
    }
    if (const std::string_view id = textMember(*response, "id"); !id.empty()) {
        m_state.responseId = id;
    }
    if (const std::string_view model = textMember(*response, "model"); !model.empty()) {
        m_state.model = model;
    }
    const std::string_view status = textMember(*response, "status");
    if (type == "response.failed" || type == "response.cancelled" || status == "failed"
        || status == "cancelled" || carriesError(*response)) {
        ProviderError error = providerError(*response, 0);
        if (!carriesError(*response)) {
            error.message = type == "response.cancelled" ? "the provider cancelled the answer"
                                                         : "the provider's answer failed";
        }
        const Json *own = member(*response, "error");
        if (type == "response.failed" && textMember(*response, "id") == m_state.responseId
            && !data.empty() && own != nullptr && error.code == textMember(*own, "code")
            && logging::maskSecrets(data) == data) {
            ensureCreated();
            pass(type, data); // already as Codex wants it
            m_state.end = AnswerEnd::Failed;
            m_state.error = std::move(error);
            return;
        }
        failWith(error);
        return;
    }
    ensureCreated();
    const bool incomplete = type == "response.incomplete" || status == "incomplete";
    bool changed = data.empty() || type == "response.done";
    const std::string_view name = incomplete ? "response.incomplete" : "response.completed";
    changed = changed || type != name;
    event["type"] = name;
    response = member(event, "response"); // a new key may move the others
    if (textMember(*response, "id").empty()) {
        (*response)["id"] = m_state.responseId;
        changed = true;
    }
    Json *output = member(*response, "output");
    if (output != nullptr && output->is_array()) {
        // Codex never looks here: what was not ended as an event would be lost.
        for (size_t i = 0; i < output->size(); ++i) {
            if (!(*output)[i].is_object()) {
                continue;
            }
            Json value = (*output)[i];
            const std::string originalId(textMember(value, "id"));
            Item *item = find(originalId, static_cast<std::int64_t>(i));
            if (item == nullptr) {
                item = endedTwin(value, static_cast<std::int64_t>(i));
            }
            if (item == nullptr) {
                item = track(originalId, static_cast<std::int64_t>(i), textMember(value, "type"));
                if (item == nullptr) {
                    return;
                }
            }
            if (item->done) {
                changed = repairItem((*output)[i], *item) || changed;
                continue;
            }
            const bool cut = incomplete && isCall(textMember(value, "type"))
                && !isCompleteJson(textMember(value, "arguments"));
            if (!cut) {
                item->type = textMember(value, "type");
                m_state.substance = true;
                Json done { { "type", "response.output_item.done" },
                    { "output_index", item->outputIndex }, { "item", value } };
                finishItem(*item, done["item"], done, true, {});
                (*output)[i] = m_doneItems.back();
                changed = true;
            }
        }
    }
    if (output == nullptr || !output->is_array() || output->empty()) {
        if (!m_doneItems.empty() || output == nullptr || !output->is_array()) {
            (*response)["output"] = m_doneItems;
            changed = true;
        }
    }
    if (const Json *usage = member(*response, "usage"); usage != nullptr) {
        const Json before = *usage;
        normaliseUsage(*response);
        changed = changed || before != *member(*response, "usage");
    }
    recordUsage(*response);
    if (changed) {
        pass(name, event);
    } else {
        pass(name, data);
    }
    m_state.end = incomplete ? AnswerEnd::Incomplete : AnswerEnd::Completed;
}

void ResponsesAnswer::onJson(Json &&body)
{
    if (carriesError(body) && member(body, "output") == nullptr) {
        failWith(providerError(body, 0));
        return;
    }
    if (textMember(body, "object") != "response" && member(body, "output") == nullptr) {
        fail(kServerError, "the provider's answer is not a Responses object");
        return;
    }
    m_state.responseId = textMember(body, "id");
    m_createdResponse = body;
    m_createdResponse["output"] = Json::array();
    m_createdResponse["usage"] = nullptr;
    ensureCreated();
    Json event { { "type", "response.completed" }, { "response", std::move(body) } };
    onTerminal("response.completed", event, {});
}

void ResponsesAnswer::onEof()
{
    fail(kServerError, "the provider's stream ended before the answer was complete");
}

void ResponsesAnswer::writeFailure(const ProviderError &error)
{
    ensureCreated();
    Json response { { "id", m_state.responseId }, { "object", "response" }, { "status", "failed" },
        { "output", m_doneItems },
        { "error", { { "code", error.code }, { "message", error.message } } } };
    if (!m_state.model.empty()) {
        response["model"] = m_state.model;
    }
    pass("response.failed", Json { { "type", "response.failed" }, { "response", response } });
}

} // namespace deskhand::modelproxy
