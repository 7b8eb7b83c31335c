// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/messagesrequest.h"

#include "executor/modelproxy/conversation.h"
#include "executor/modelproxy/packedthinking.h"
#include "executor/modelproxy/requesttools.h"

#include <algorithm>

namespace deskhand::modelproxy {
namespace {

constexpr std::int64_t kDefaultMaxTokens = 32000;
constexpr std::int64_t kLeastBudget = 1024;

Json textBlock(std::string text)
{
    return { { "type", "text" }, { "text", std::move(text) } };
}

/// Null when the address cannot be sent.
Json imageBlock(const std::string &url)
{
    constexpr std::string_view kData = "data:";
    constexpr std::string_view kBase64 = ";base64,";
    if (url.empty()) {
        return nullptr;
    }
    if (url.starts_with(kData)) {
        const size_t mark = url.find(kBase64);
        if (mark == std::string::npos) {
            return nullptr;
        }
        return { { "type", "image" },
            { "source",
                { { "type", "base64" },
                    { "media_type", url.substr(kData.size(), mark - kData.size()) },
                    { "data", url.substr(mark + kBase64.size()) } } } };
    }
    return { { "type", "image" }, { "source", { { "type", "url" }, { "url", url } } } };
}

Json partBlock(const ContentPart &part, const ProviderProfile &profile)
{
    switch (part.kind) {
    case ContentPart::Kind::Text:
        return isBlank(part.text) ? Json(nullptr) : textBlock(part.text);
    case ContentPart::Kind::Image: {
        Json block = profile.images ? imageBlock(part.text) : Json(nullptr);
        return block.is_null() ? textBlock("[An image was left out.]") : block;
    }
    case ContentPart::Kind::File:
        return textBlock(
            "[The file " + std::string(textMember(part.raw, "filename")) + " was left out.]");
    case ContentPart::Kind::Audio:
        return textBlock("[Audio was left out.]");
    }
    return nullptr;
}

Json callInput(const std::string &arguments)
{
    Result<Json> parsed = parseJson(arguments);
    if (parsed && parsed->is_object()) {
        return std::move(*parsed);
    }
    return { { "_raw_arguments", arguments } };
}

class Renderer final
{
public:
    Renderer(const ProviderProfile &profile, const ToolNames &names)
        : m_profile(profile)
        , m_names(names)
    { }

    [[nodiscard]] Json messages(const Conversation &conversation, std::string &system);

private:
    void add(const char *role, Json &&blocks);
    void addAssistant(const Turn &turn);
    [[nodiscard]] Json assistantBlocks(const Turn &turn) const;
    [[nodiscard]] Json result(const ToolCall &call, Json &movedImages) const;
    void addThinking(const AssistantBlock &block, Json &blocks) const;

    const ProviderProfile &m_profile;
    const ToolNames &m_names;
    Json m_messages = Json::array();
};

void Renderer::add(const char *role, Json &&blocks)
{
    if (blocks.empty()) {
        return;
    }
    if (m_messages.empty() && std::string_view(role) == "assistant") {
        m_messages.push_back(
            { { "role", "user" }, { "content", Json::array({ textBlock("(continued)") }) } });
    }
    if (!m_messages.empty() && textMember(m_messages.back(), "role") == role) {
        Json &content = m_messages.back()["content"];
        for (Json &block : blocks) {
            content.push_back(std::move(block));
        }
        return;
    }
    m_messages.push_back({ { "role", role }, { "content", std::move(blocks) } });
}

void Renderer::addThinking(const AssistantBlock &block, Json &blocks) const
{
    if (const std::optional<Json> packed = unpackThinking(block.encrypted)) {
        for (const Json &original : *packed) {
            blocks.push_back(original);
        }
    } else if (m_profile.unsignedThinking && !isBlank(block.text)) {
        blocks.push_back(
            { { "type", "thinking" }, { "thinking", block.text }, { "signature", "" } });
    }
}

Json Renderer::assistantBlocks(const Turn &turn) const
{
    Json before = Json::array(); // texts stand in front of the calls
    Json calls = Json::array();
    for (const AssistantBlock &block : turn.blocks) {
        switch (block.kind) {
        case AssistantBlock::Kind::Reasoning:
            addThinking(block, calls.empty() ? before : calls);
            break;
        case AssistantBlock::Kind::Text:
            if (!isBlank(block.text)) {
                before.push_back(textBlock(block.text));
            }
            break;
        case AssistantBlock::Kind::Call:
            calls.push_back({ { "type", "tool_use" }, { "id", block.call.callId },
                { "name", m_names.wireName(block.call.identity) },
                { "input", callInput(block.call.arguments) } });
            break;
        }
    }
    for (Json &call : calls) {
        before.push_back(std::move(call));
    }
    return before;
}

Json Renderer::result(const ToolCall &call, Json &movedImages) const
{
    Json block { { "type", "tool_result" }, { "tool_use_id", call.callId } };
    if (call.result.missing) {
        block["content"] = "aborted";
        block["is_error"] = true;
        return block;
    }
    if (!call.result.hasImages()) {
        std::string text = call.result.text();
        if (!text.empty()) {
            block["content"] = std::move(text);
        }
        return block;
    }
    Json content = Json::array();
    for (const ContentPart &part : call.result.parts) {
        Json converted = partBlock(part, m_profile);
        if (converted.is_null()) {
            continue;
        }
        if (textMember(converted, "type") == "image" && !m_profile.imagesInToolOutput) {
            movedImages.push_back(std::move(converted));
        } else {
            content.push_back(std::move(converted));
        }
    }
    if (content.empty()) {
        content.push_back(textBlock("(the image follows the results)"));
    }
    block["content"] = std::move(content);
    return block;
}

void Renderer::addAssistant(const Turn &turn)
{
    add("assistant", assistantBlocks(turn));
    // All results of the turn, in the order of the calls, head the next user turn.
    Json results = Json::array();
    Json images = Json::array();
    for (const AssistantBlock &block : turn.blocks) {
        if (block.kind == AssistantBlock::Kind::Call) {
            results.push_back(result(block.call, images));
        }
    }
    for (Json &image : images) {
        results.push_back(std::move(image));
    }
    add("user", std::move(results));
}

Json Renderer::messages(const Conversation &conversation, std::string &system)
{
    system = conversation.instructions;
    for (const Turn &turn : conversation.turns) {
        if (turn.role == Turn::Role::Assistant) {
            addAssistant(turn);
            continue;
        }
        if (turn.role != Turn::Role::User) {
            for (const ContentPart &part : turn.parts) {
                joinParagraph(system, part.text);
            }
            continue;
        }
        Json blocks = Json::array();
        for (const ContentPart &part : turn.parts) {
            if (Json block = partBlock(part, m_profile); !block.is_null()) {
                blocks.push_back(std::move(block));
            }
        }
        add("user", std::move(blocks));
    }
    if (!m_messages.empty() && textMember(m_messages.back(), "role") == "assistant") {
        // White space at the end of a prefilled answer is refused.
        Json &last = m_messages.back()["content"].back();
        if (Json *text = member(last, "text"); text != nullptr && text->is_string()) {
            auto &value = text->get_ref<std::string &>();
            value.erase(value.find_last_not_of(" \t\r\n") + 1);
        }
    }
    return std::move(m_messages);
}

/// Whether thinking can be switched on: the provider wants it to lead a turn with calls.
bool lastCallTurnHasThinking(const Json &messages)
{
    for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
        if (textMember(*message, "role") != "assistant") {
            continue;
        }
        bool calls = false;
        bool thinks = false;
        for (const Json &block : (*message)["content"]) {
            const std::string_view type = textMember(block, "type");
            calls = calls || type == "tool_use";
            thinks = thinks || type == "thinking" || type == "redacted_thinking";
        }
        if (calls) {
            return thinks;
        }
    }
    return true;
}

/// True when thinking was switched on.
bool addThinkingMode(
    Json &body, const std::string &effort, const ProviderProfile &profile, std::int64_t maxTokens)
{
    if (profile.thinking == MessagesThinking::None || effort.empty() || isEffortOff(effort)
        || !lastCallTurnHasThinking(body["messages"])) {
        return false;
    }
    if (profile.thinking == MessagesThinking::Adaptive) {
        const bool low = effort == "minimal" || effort == "low";
        body["thinking"] = { { "type", "adaptive" } };
        body["output_config"] = { { "effort",
            low                      ? "low"
                : effort == "medium" ? "medium"
                                     : "high" } };
        return true;
    }
    std::int64_t budget = effort == "minimal"  ? 1024
        : effort == "low"                      ? 4096
        : effort == "high"                     ? 24000
        : effort == "xhigh" || effort == "max" ? 32000
                                               : 10000;
    budget = std::min(budget, maxTokens - 1);
    if (budget < kLeastBudget) {
        return false;
    }
    body["thinking"] = { { "type", "enabled" }, { "budget_tokens", budget } };
    return true;
}

void addTools(Json &body, RequestTools &tools, const Json &request, bool thinking)
{
    if (tools.tools.empty()) {
        return;
    }
    Json list = Json::array();
    for (PlainTool &tool : tools.tools) {
        Json entry { { "name", tool.name } };
        if (tool.description) {
            entry["description"] = std::move(*tool.description);
        }
        entry["input_schema"] = std::move(tool.parameters);
        list.push_back(std::move(entry));
    }
    body["tools"] = std::move(list);
    using Choice = RequestTools::Choice;
    Json choice;
    if (tools.choice == Choice::None) {
        choice = { { "type", "none" } };
    } else if (tools.choice == Choice::Required && !thinking) {
        choice = { { "type", "any" } };
    } else if (tools.choice == Choice::Named && !thinking) {
        choice = { { "type", "tool" }, { "name", tools.chosen } };
    }
    const Json *parallel = member(request, "parallel_tool_calls");
    if (parallel != nullptr && *parallel == false && tools.choice != Choice::None) {
        if (choice.is_null()) {
            choice = { { "type", "auto" } };
        }
        choice["disable_parallel_tool_use"] = true;
    }
    if (!choice.is_null()) {
        body["tool_choice"] = std::move(choice);
    }
}

void addCacheMark(Json &body)
{
    Json &messages = body["messages"];
    if (messages.empty()) {
        return;
    }
    Json &block = messages.back()["content"].back();
    const std::string_view type = textMember(block, "type");
    if (type != "thinking" && type != "redacted_thinking") {
        block["cache_control"] = { { "type", "ephemeral" } };
    }
}

} // namespace

Result<PreparedRequest> messagesRequestFromResponses(Json &&request, const RequestContext &context)
{
    const ProviderProfile &profile = context.profile;
    PreparedRequest prepared;
    prepared.model = context.upstream.modelId.isEmpty() ? std::string(textMember(request, "model"))
                                                        : context.upstream.modelId.toStdString();
    RequestTools tools = RequestTools::fromResponses(request, profile);
    const std::int64_t maxTokens = outputLimit(request, context.upstream.maxOutputTokens, profile)
                                       .value_or(kDefaultMaxTokens);

    Json body { { "model", prepared.model }, { "max_tokens", maxTokens }, { "stream", true } };
    Json input = request.contains("input") ? std::move(request["input"]) : Json(nullptr);
    const Conversation conversation = Conversation::fromResponses(
        std::move(input), std::string(textMember(request, "instructions")));
    std::string system;
    Renderer renderer(profile, tools.names);
    Json messages = renderer.messages(conversation, system);
    if (messages.empty()) {
        return failure(
            ErrorKind::Protocol, QStringLiteral("the request has no message for the model"));
    }
    const Json *text = member(request, "text");
    const Json *format = text != nullptr ? member(*text, "format") : nullptr;
    if (format != nullptr && textMember(*format, "type") == "json_schema") {
        const Json *schema = member(*format, "schema");
        joinParagraph(system,
            "Answer with one JSON object, and nothing else, that matches this JSON schema:\n"
                + dumpJson(schema != nullptr ? *schema : Json::object()));
    }
    if (!system.empty()) {
        if (profile.cacheControl) {
            Json block = textBlock(std::move(system));
            block["cache_control"] = { { "type", "ephemeral" } };
            body["system"] = Json::array({ std::move(block) });
        } else {
            body["system"] = std::move(system);
        }
    }
    body["messages"] = std::move(messages);
    if (profile.cacheControl) {
        addCacheMark(body);
    }
    const bool thinking = addThinkingMode(body, requestedEffort(request), profile, maxTokens);
    if (!thinking) {
        if (const Json *temperature = member(request, "temperature");
            temperature != nullptr && temperature->is_number()) {
            body["temperature"] = temperature->get<double>() > 1.0 ? Json(1) : *temperature;
        }
        if (const Json *top = member(request, "top_p"); top != nullptr && top->is_number()) {
            body["top_p"] = *top;
        }
    }
    if (const Json *stop = member(request, "stop"); stop != nullptr) {
        if (stop->is_string()) {
            body["stop_sequences"] = Json::array({ *stop });
        } else if (stop->is_array()) {
            body["stop_sequences"] = *stop;
        }
    }
    addTools(body, tools, request, thinking);
    prepared.body = std::make_shared<const std::string>(dumpJson(body));
    prepared.names = std::move(tools.names);
    return prepared;
}

} // namespace deskhand::modelproxy
