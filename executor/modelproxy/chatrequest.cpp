// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/chatrequest.h"

#include "executor/modelproxy/conversation.h"
#include "executor/modelproxy/requesttools.h"
#include "executor/modelproxy/wireids.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace deskhand::modelproxy {
namespace {

constexpr std::string_view kReasoningPlaceholder = "(reasoning not recorded)";
constexpr std::string_view kAborted = "aborted"; // the word Codex itself uses

std::string fileName(const Json &raw)
{
    const std::string_view name = textMember(raw, "filename");
    return name.empty() ? std::string("without a name") : std::string(name);
}

class Renderer final
{
public:
    Renderer(const ProviderProfile &profile, const ToolNames &names, const ToolHistory *history)
        : m_profile(profile)
        , m_names(names)
        , m_history(history)
    { }

    [[nodiscard]] Json messages(Conversation &&conversation);

private:
    void push(Json message);
    [[nodiscard]] Json content(std::vector<ContentPart> &parts) const;
    [[nodiscard]] Json image(ContentPart &part) const;
    [[nodiscard]] std::string noteFor(const ContentPart &part) const;
    void addAssistant(Turn &turn);
    void addResults(std::vector<ToolCall *> calls);
    [[nodiscard]] std::string wireId(const std::string &callId);

    const ProviderProfile &m_profile;
    const ToolNames &m_names;
    const ToolHistory *m_history;
    Json m_messages = Json::array();
    std::unordered_map<std::string, std::string> m_shortIds;
    std::set<std::string> m_takenIds;
};

std::string Renderer::wireId(const std::string &callId)
{
    if (!m_profile.nineCharacterIds) {
        return callId;
    }
    const auto known = m_shortIds.find(callId);
    if (known != m_shortIds.end()) {
        return known->second;
    }
    std::string wire;
    int attempt = 0;
    do {
        wire = nineCharacterId(callId, attempt++);
    } while (!m_takenIds.insert(wire).second);
    return m_shortIds.emplace(callId, wire).first->second;
}

std::string Renderer::noteFor(const ContentPart &part) const
{
    switch (part.kind) {
    case ContentPart::Kind::Text:
        return part.text;
    case ContentPart::Kind::Image:
        return part.text.empty() ? "[An image without an address was left out.]"
                                 : "[An image was left out: this model does not read images.]";
    case ContentPart::Kind::File:
        return "[The file " + fileName(part.raw) + " was left out.]";
    case ContentPart::Kind::Audio:
        return "[Audio was left out.]";
    }
    return {};
}

Json Renderer::image(ContentPart &part) const
{
    Json url { { "url", std::move(part.text) } };
    if (part.detail == "original") {
        url["detail"] = "high";
    } else if (!part.detail.empty()) {
        url["detail"] = part.detail;
    }
    return { { "type", "image_url" }, { "image_url", std::move(url) } };
}

Json Renderer::content(std::vector<ContentPart> &parts) const
{
    const auto isNative = [this](const ContentPart &part) {
        return (part.kind == ContentPart::Kind::Image && m_profile.images && !part.text.empty())
            || (m_profile.openaiFields
                && (part.kind == ContentPart::Kind::File || part.kind == ContentPart::Kind::Audio));
    };
    if (std::none_of(parts.begin(), parts.end(), isNative)) {
        // One string: lists of texts break several servers.
        if (parts.size() == 1 && parts.front().kind == ContentPart::Kind::Text) {
            return std::move(parts.front().text);
        }
        std::string text;
        for (const ContentPart &part : parts) {
            joinParagraph(text, noteFor(part));
        }
        return text;
    }
    Json list = Json::array();
    for (ContentPart &part : parts) {
        if (!isNative(part)) {
            list.push_back({ { "type", "text" }, { "text", noteFor(part) } });
        } else if (part.kind == ContentPart::Kind::Image) {
            list.push_back(image(part));
        } else if (part.kind == ContentPart::Kind::File) {
            Json file = Json::object();
            for (const char *key : { "filename", "file_data", "file_id" }) {
                if (const Json *value = member(part.raw, key); value != nullptr) {
                    file[key] = *value;
                }
            }
            list.push_back({ { "type", "file" }, { "file", std::move(file) } });
        } else {
            const Json *audio = member(part.raw, "input_audio");
            list.push_back({ { "type", "input_audio" },
                { "input_audio", audio != nullptr ? *audio : Json::object() } });
        }
    }
    return list;
}

void Renderer::push(Json message)
{
    if (!m_messages.empty()) {
        Json &last = m_messages.back();
        const bool user = textMember(message, "role") == "user";
        if (m_profile.mergeNeighbours && user && textMember(last, "role") == "user"
            && last["content"].is_string() && message["content"].is_string()) {
            joinParagraph(last["content"].get_ref<std::string &>(), textMember(message, "content"));
            return;
        }
        if (m_profile.assistantAfterTool && user && textMember(last, "role") == "tool") {
            m_messages.push_back({ { "role", "assistant" }, { "content", "Understood." } });
        }
    }
    m_messages.push_back(std::move(message));
}

void Renderer::addAssistant(Turn &turn)
{
    std::string text;
    std::string reasoning;
    std::vector<ToolCall *> calls;
    for (AssistantBlock &block : turn.blocks) {
        switch (block.kind) {
        case AssistantBlock::Kind::Reasoning:
            joinParagraph(reasoning, block.text);
            break;
        case AssistantBlock::Kind::Text:
            joinParagraph(text, block.text);
            break;
        case AssistantBlock::Kind::Call:
            calls.push_back(&block.call);
            break;
        }
    }
    if (text.empty() && calls.empty()) {
        return;
    }
    if (m_profile.reasoningEcho == ReasoningEcho::InlineThink && !isBlank(reasoning)) {
        text = "<think>\n" + reasoning + "\n</think>\n\n" + text;
    }
    Json message { { "role", "assistant" } };
    message["content"]
        = text.empty() && !m_profile.emptyContent ? Json(nullptr) : Json(std::move(text));
    const bool echoes = m_profile.reasoningEcho == ReasoningEcho::WhenPresent
        || m_profile.reasoningEcho == ReasoningEcho::Required;
    if (echoes && !isBlank(reasoning)) {
        message["reasoning_content"] = std::move(reasoning);
    } else if (m_profile.reasoningEcho == ReasoningEcho::Required && !calls.empty()) {
        message["reasoning_content"] = kReasoningPlaceholder;
    }
    if (!calls.empty()) {
        Json list = Json::array();
        for (ToolCall *call : calls) {
            Json entry { { "id", wireId(call->callId) }, { "type", "function" },
                { "function",
                    { { "name", m_names.wireName(call->identity) },
                        { "arguments", std::move(call->arguments) } } } };
            // E.g. a thought signature: the provider wants its own fields back.
            const Json *extra = m_history != nullptr ? m_history->extrasOf(call->callId) : nullptr;
            if (extra != nullptr) {
                for (const auto &[key, value] : extra->get_ref<const Json::object_t &>()) {
                    entry[key] = value;
                }
            }
            list.push_back(std::move(entry));
        }
        message["tool_calls"] = std::move(list);
    }
    push(std::move(message));
    addResults(std::move(calls));
}

void Renderer::addResults(std::vector<ToolCall *> calls)
{
    // In the order in which they arrived, missing ones last.
    std::stable_sort(calls.begin(), calls.end(), [](const ToolCall *a, const ToolCall *b) {
        return !a->result.missing && (b->result.missing || a->resultOrder < b->resultOrder);
    });
    std::vector<ContentPart> images;
    for (ToolCall *call : calls) {
        std::string text = call->result.missing ? std::string(kAborted) : call->result.text();
        if (call->result.hasImages()) {
            ContentPart label;
            label.text = "Image returned by the tool " + call->identity.name + ":";
            images.push_back(std::move(label));
            for (ContentPart &part : call->result.parts) {
                if (part.kind == ContentPart::Kind::Image) {
                    images.push_back(std::move(part));
                }
            }
            if (text.empty()) {
                text = "(the image follows in a message)";
            }
        }
        push({ { "role", "tool" }, { "tool_call_id", wireId(call->callId) },
            { "content", std::move(text) } });
    }
    if (!images.empty()) {
        push({ { "role", "user" }, { "content", content(images) } });
    }
}

Json Renderer::messages(Conversation &&conversation)
{
    const bool leading = m_profile.systemRole == SystemRole::Leading;
    const char *inlineRole
        = m_profile.systemRole == SystemRole::InlineDeveloper ? "developer" : "system";
    std::string system = std::move(conversation.instructions);
    const auto isSystem = [](const Turn &turn) {
        return turn.role == Turn::Role::System || turn.role == Turn::Role::Developer;
    };
    if (leading) {
        for (Turn &turn : conversation.turns) {
            if (isSystem(turn)) {
                for (const ContentPart &part : turn.parts) {
                    joinParagraph(system, noteFor(part));
                }
            }
        }
    }
    if (!system.empty()) {
        m_messages.push_back(
            { { "role", leading ? "system" : inlineRole }, { "content", std::move(system) } });
    }
    for (Turn &turn : conversation.turns) {
        if (turn.role == Turn::Role::Assistant) {
            addAssistant(turn);
        } else if (!isSystem(turn)) {
            push({ { "role", "user" }, { "content", content(turn.parts) } });
        } else if (!leading) {
            std::string text;
            for (const ContentPart &part : turn.parts) {
                joinParagraph(text, noteFor(part));
            }
            if (!text.empty()) {
                push({ { "role", inlineRole }, { "content", std::move(text) } });
            }
        }
    }
    return std::move(m_messages);
}

void addEffort(Json &body, const std::string &effort, const ProviderProfile &profile)
{
    if (effort.empty()) {
        return;
    }
    const bool off = isEffortOff(effort);
    switch (profile.effort) {
    case EffortField::Dropped:
        break;
    case EffortField::ReasoningEffort:
        body["reasoning_effort"] = effort;
        break;
    case EffortField::ThinkingAndEffort:
        body["thinking"] = { { "type", off ? "disabled" : "enabled" } };
        if (!off) {
            body["reasoning_effort"] = effort;
        }
        break;
    case EffortField::ThinkingSwitch:
        body["thinking"] = { { "type", off ? "disabled" : "enabled" } };
        break;
    case EffortField::EnableThinking:
        body["enable_thinking"] = !off;
        break;
    case EffortField::ReasoningObject:
        body["reasoning"] = { { "effort", effort } };
        break;
    }
}

/// The text of a wanted schema, for providers that cannot be given one.
std::string schemaInstruction(const Json &schema)
{
    return "Answer with one JSON object, and nothing else, that matches this JSON schema:\n"
        + dumpJson(schema);
}

/// `response_format`; what must be said in words instead goes into `system`.
void addResponseFormat(
    Json &body, const Json &request, const ProviderProfile &profile, std::string &system)
{
    const Json *text = member(request, "text");
    const Json *format = text != nullptr ? member(*text, "format") : nullptr;
    if (format == nullptr) {
        return;
    }
    const std::string_view type = textMember(*format, "type");
    const Json *schema = member(*format, "schema");
    if (type == "json_object") {
        if (profile.jsonSchema != SchemaSupport::Dropped) {
            body["response_format"] = { { "type", "json_object" } };
        }
    } else if (type == "json_schema" && schema != nullptr) {
        if (profile.jsonSchema == SchemaSupport::Full) {
            const std::string_view name = textMember(*format, "name");
            Json inner { { "name", name.empty() ? std::string_view("answer") : name },
                { "schema", *schema } };
            for (const char *key : { "strict", "description" }) {
                const Json *value = member(*format, key);
                if (value != nullptr && !value->is_null()) {
                    inner[key] = *value;
                }
            }
            body["response_format"]
                = { { "type", "json_schema" }, { "json_schema", std::move(inner) } };
            return;
        }
        if (profile.jsonSchema == SchemaSupport::JsonObject) {
            body["response_format"] = { { "type", "json_object" } };
        }
        joinParagraph(system, schemaInstruction(*schema));
    }
}

void addTools(Json &body, RequestTools &tools, const Json &request, const ProviderProfile &profile,
    bool thinking)
{
    if (tools.tools.empty()) {
        return;
    }
    Json list = Json::array();
    for (PlainTool &tool : tools.tools) {
        Json function { { "name", tool.name } };
        if (tool.description) {
            function["description"] = std::move(*tool.description);
        }
        function["parameters"] = std::move(tool.parameters);
        if (tool.strict) {
            function["strict"] = *tool.strict;
        }
        list.push_back({ { "type", "function" }, { "function", std::move(function) } });
    }
    body["tools"] = std::move(list);
    using Choice = RequestTools::Choice;
    const bool forced = tools.choice == Choice::Required || tools.choice == Choice::Named;
    const bool refused
        = profile.toolChoiceAutoOnly || (forced && thinking && !profile.forcedChoiceWhileThinking);
    if (!refused) {
        if (tools.choice == Choice::None) {
            body["tool_choice"] = "none";
        } else if (tools.choice == Choice::Required) {
            body["tool_choice"] = profile.requiredWord;
        } else if (tools.choice == Choice::Named) {
            body["tool_choice"]
                = { { "type", "function" }, { "function", { { "name", tools.chosen } } } };
        }
    }
    const Json *parallel = member(request, "parallel_tool_calls");
    if (profile.parallelFlag && parallel != nullptr && parallel->is_boolean()) {
        body["parallel_tool_calls"] = *parallel;
    }
}

void copyFields(Json &body, const Json &request, std::initializer_list<const char *> keys)
{
    for (const char *key : keys) {
        const Json *value = member(request, key);
        if (value != nullptr && !value->is_null()) {
            body[key] = *value;
        }
    }
}

} // namespace

Result<PreparedRequest> chatRequestFromResponses(Json &&request, const RequestContext &context)
{
    const ProviderProfile &profile = context.profile;
    PreparedRequest prepared;
    prepared.model = context.upstream.modelId.isEmpty() ? std::string(textMember(request, "model"))
                                                        : context.upstream.modelId.toStdString();
    RequestTools tools = RequestTools::fromResponses(request, profile);
    const std::string effort = requestedEffort(request);

    Json body { { "model", prepared.model } };
    std::string instructions(textMember(request, "instructions"));
    Json tail = Json::object(); // what follows the messages
    addResponseFormat(tail, request, profile, instructions);
    Json input = request.contains("input") ? std::move(request["input"]) : Json(nullptr);
    Renderer renderer(profile, tools.names, context.history);
    body["messages"]
        = renderer.messages(Conversation::fromResponses(std::move(input), std::move(instructions)));
    if (const auto limit = outputLimit(request, context.upstream.maxOutputTokens, profile)) {
        body[profile.outputField] = *limit;
    }
    copyFields(
        body, request, { "temperature", "top_p", "stop", "presence_penalty", "frequency_penalty" });
    body["stream"] = true;
    if (profile.streamOptions) {
        body["stream_options"] = { { "include_usage", true } };
    }
    addEffort(body, effort, profile);
    const bool thinking = !isEffortOff(effort);
    addTools(body, tools, request, profile, thinking);
    for (auto &[key, value] : tail.get_ref<Json::object_t &>()) {
        body[key] = std::move(value);
    }
    if (profile.openaiFields) {
        copyFields(body, request, { "service_tier", "user", "metadata", "safety_identifier" });
        if (const Json *text = member(request, "text"); text != nullptr) {
            copyFields(body, *text, { "verbosity" });
        }
    }
    if (profile.promptCacheKey) {
        copyFields(body, request, { "prompt_cache_key" });
    }
    const std::string fault = pairingFault(body["messages"]);
    if (!fault.empty()) {
        return failure(ErrorKind::Internal,
            QStringLiteral("the history could not be translated: %1")
                .arg(QString::fromStdString(fault)));
    }
    prepared.body = std::make_shared<const std::string>(dumpJson(body));
    prepared.names = std::move(tools.names);
    return prepared;
}

std::string pairingFault(const Json &messages)
{
    std::set<std::string> open;
    for (const Json &message : messages) {
        const std::string_view role = textMember(message, "role");
        if (role == "tool") {
            const std::string id(textMember(message, "tool_call_id"));
            if (open.erase(id) == 0) {
                return "a tool message without its call: " + id;
            }
            continue;
        }
        if (!open.empty()) {
            return "a call without its tool message: " + *open.begin();
        }
        if (const Json *calls = member(message, "tool_calls"); calls != nullptr) {
            for (const Json &call : *calls) {
                if (!open.insert(std::string(textMember(call, "id"))).second) {
                    return "two calls with one id";
                }
            }
        }
    }
    return open.empty() ? std::string() : "a call without its tool message: " + *open.begin();
}

} // namespace deskhand::modelproxy
