// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/conversation.h"

#include "executor/modelproxy/wireids.h"

#include <algorithm>
#include <unordered_set>

namespace deskhand::modelproxy {
namespace {

std::string takeText(Json &object, std::string_view key)
{
    Json *value = member(object, key);
    return value != nullptr && value->is_string() ? std::move(value->get_ref<std::string &>())
                                                  : std::string();
}

ContentPart textPart(std::string text)
{
    ContentPart part;
    part.text = std::move(text);
    return part;
}

/// The text of a reasoning item: its content if there is any, else its summary.
std::string reasoningText(const Json &item)
{
    std::string text;
    for (const char *list : { "content", "summary" }) {
        const Json *parts = member(item, list);
        if (parts == nullptr || !parts->is_array()) {
            continue;
        }
        for (const Json &part : *parts) {
            joinParagraph(text, textMember(part, "text"));
        }
        if (!text.empty()) {
            break;
        }
    }
    return text;
}

/// The reasoning that an assistant's message carries in a field of its own; the first that is
/// there.
std::string reasoningFields(const Json &item)
{
    for (const char *key : { "reasoning_content", "reasoning", "reasoning_text" }) {
        const std::string_view text = textMember(item, key);
        if (!text.empty()) {
            return std::string(text);
        }
    }
    std::string text;
    const Json *details = member(item, "reasoning_details");
    if (details != nullptr && details->is_array()) {
        for (const Json &detail : *details) {
            text += textMember(detail, "text");
        }
    }
    return text;
}

std::string argumentsText(Json &item, const char *key)
{
    Json *value = member(item, key);
    if (value == nullptr || value->is_null()) {
        return "{}";
    }
    if (value->is_string()) {
        std::string text = std::move(value->get_ref<std::string &>());
        return isBlank(text) ? std::string("{}") : text;
    }
    return dumpJson(*value);
}

std::string shellArguments(const Json &item)
{
    Json arguments = Json::object();
    const Json *action = member(item, "action");
    if (action != nullptr) {
        for (const char *key : { "command", "working_directory", "timeout_ms" }) {
            const Json *value = member(*action, key);
            if (value != nullptr && !value->is_null()) {
                arguments[key] = *value;
            }
        }
    }
    return dumpJson(arguments);
}

class Reader final
{
public:
    explicit Reader(Conversation &conversation)
        : m_conversation(conversation)
    { }

    void take(Json &item);
    void finish() { attachPendingReasoning(); }

private:
    void takeMessage(Json &item);
    void takeAssistant(Json &item);
    void takeReasoning(Json &item);
    void takeCall(Json &item, ToolIdentity identity, std::string arguments);
    void takeOutput(Json &item);
    void takeSearchOutput(Json &item);
    void addResult(const std::string &callId, std::vector<ContentPart> parts);

    /// The assistant's turn that is still open. System texts are no boundary: they mostly move to
    /// the front.
    Turn *lastAssistant()
    {
        for (auto turn = m_conversation.turns.rbegin(); turn != m_conversation.turns.rend();
             ++turn) {
            if (turn->role == Turn::Role::Assistant) {
                return &*turn;
            }
            if (turn->role == Turn::Role::User) {
                return nullptr;
            }
        }
        return nullptr;
    }
    [[nodiscard]] size_t indexOf(const Turn &turn) const
    {
        return static_cast<size_t>(&turn - m_conversation.turns.data());
    }
    Turn &add(Turn::Role role)
    {
        m_conversation.turns.emplace_back();
        m_conversation.turns.back().role = role;
        return m_conversation.turns.back();
    }
    void movePendingInto(Turn &turn)
    {
        std::move(m_pending.begin(), m_pending.end(), std::back_inserter(turn.blocks));
        m_pending.clear();
    }
    /// Reasoning that nothing of the assistant followed belongs to what was directly before it.
    void attachPendingReasoning()
    {
        if (Turn *assistant = lastAssistant(); assistant != nullptr) {
            auto at = std::find_if(assistant->blocks.begin(), assistant->blocks.end(),
                [](const AssistantBlock &block) {
                    return block.kind == AssistantBlock::Kind::Call;
                });
            assistant->blocks.insert(at, std::make_move_iterator(m_pending.begin()),
                std::make_move_iterator(m_pending.end()));
        }
        m_pending.clear();
    }

    struct Place
    {
        size_t turn;
        size_t block;
    };

    Conversation &m_conversation;
    std::vector<AssistantBlock> m_pending; // reasoning waiting for its message
    std::unordered_map<std::string, std::vector<Place>> m_calls; // by safe call id
    std::unordered_set<std::string> m_usedIds;
    size_t m_resultCount = 0;
};

void Reader::take(Json &item)
{
    if (item.is_string()) {
        Turn &turn = add(Turn::Role::User);
        turn.parts.push_back(textPart(item.get<std::string>()));
        return;
    }
    const std::string type(textMember(item, "type"));
    if (type == "message" || (type.empty() && member(item, "role") != nullptr)) {
        takeMessage(item);
    } else if (type == "reasoning") {
        takeReasoning(item);
    } else if (type == "function_call") {
        ToolIdentity identity { ToolKind::Function, takeText(item, "namespace"),
            takeText(item, "name") };
        takeCall(item, std::move(identity), argumentsText(item, "arguments"));
    } else if (type == "custom_tool_call") {
        ToolIdentity identity { ToolKind::Custom, takeText(item, "namespace"),
            takeText(item, "name") };
        const Json *input = member(item, "input");
        takeCall(item, std::move(identity),
            dumpJson({ { "input", input != nullptr ? *input : Json("") } }));
    } else if (type == "local_shell_call") {
        takeCall(item, { ToolKind::LocalShell, {}, std::string(kLocalShellWireName) },
            shellArguments(item));
    } else if (type == "tool_search_call") {
        takeCall(item, { ToolKind::ToolSearch, {}, std::string(kToolSearchWireName) },
            argumentsText(item, "arguments"));
    } else if (type == "function_call_output" || type == "custom_tool_call_output"
        || type == "local_shell_call_output") {
        takeOutput(item);
    } else if (type == "tool_search_output") {
        takeSearchOutput(item);
    }
    // Everything else has no form in these protocols.
}

void Reader::takeMessage(Json &item)
{
    const std::string role(textMember(item, "role"));
    if (role == "assistant") {
        takeAssistant(item);
        return;
    }
    Json *content = member(item, "content");
    std::vector<ContentPart> parts
        = content != nullptr ? contentParts(std::move(*content)) : std::vector<ContentPart>();
    if (role == "system" || role == "developer") {
        add(role == "system" ? Turn::Role::System : Turn::Role::Developer).parts = std::move(parts);
        return;
    }
    attachPendingReasoning();
    if (!parts.empty()) {
        add(Turn::Role::User).parts = std::move(parts);
    }
}

void Reader::takeAssistant(Json &item)
{
    std::string text;
    if (Json *content = member(item, "content"); content != nullptr) {
        for (ContentPart &part : contentParts(std::move(*content))) {
            if (part.kind == ContentPart::Kind::Text) {
                joinParagraph(text, part.text);
            }
        }
    }
    if (std::string reasoning = reasoningFields(item); !reasoning.empty()) {
        AssistantBlock block;
        block.kind = AssistantBlock::Kind::Reasoning;
        block.text = std::move(reasoning);
        m_pending.push_back(std::move(block));
    }
    if (text.empty()) {
        return;
    }
    Turn *open = lastAssistant();
    if (open == nullptr || !open->hasCalls() || open->hasResults()) {
        open = &add(Turn::Role::Assistant);
    }
    movePendingInto(*open);
    AssistantBlock block;
    block.text = std::move(text);
    open->blocks.push_back(std::move(block));
}

void Reader::takeReasoning(Json &item)
{
    AssistantBlock block;
    block.kind = AssistantBlock::Kind::Reasoning;
    block.text = reasoningText(item);
    block.encrypted = takeText(item, "encrypted_content");
    if (!block.text.empty() || !block.encrypted.empty()) {
        m_pending.push_back(std::move(block));
    }
}

void Reader::takeCall(Json &item, ToolIdentity identity, std::string arguments)
{
    const std::string id = safeId(textMember(item, "call_id"));
    Turn *open = lastAssistant();
    if (open == nullptr || open->hasResults()) {
        open = &add(Turn::Role::Assistant);
    }
    movePendingInto(*open);
    AssistantBlock block;
    block.kind = AssistantBlock::Kind::Call;
    block.call.identity = std::move(identity);
    block.call.arguments = std::move(arguments);
    // Some providers use the same id in every turn; on the wire each is used once.
    block.call.callId = id;
    for (int n = 2; !m_usedIds.insert(block.call.callId).second; ++n) {
        block.call.callId = safeId(id + '_' + std::to_string(n));
    }
    open->blocks.push_back(std::move(block));
    m_calls[id].push_back({ indexOf(*open), open->blocks.size() - 1 });
}

void Reader::addResult(const std::string &callId, std::vector<ContentPart> parts)
{
    const std::string id = safeId(callId);
    const auto found = m_calls.find(id);
    if (found == m_calls.end()) {
        // Never a bare tool message: providers refuse those.
        Turn &turn = add(Turn::Role::User);
        turn.parts.push_back(textPart("Output of an earlier tool call:"));
        std::move(parts.begin(), parts.end(), std::back_inserter(turn.parts));
        return;
    }
    // An id that was used again: the newest turn that waits, there the first call that does.
    ToolCall *waiting = nullptr;
    size_t turn = 0;
    for (auto place = found->second.rbegin(); place != found->second.rend(); ++place) {
        ToolCall &call = m_conversation.turns[place->turn].blocks[place->block].call;
        if (call.result.missing && (waiting == nullptr || place->turn == turn)) {
            waiting = &call;
            turn = place->turn;
        }
    }
    if (waiting != nullptr) { // a second output for a call is dropped
        waiting->result.missing = false;
        waiting->result.parts = std::move(parts);
        waiting->resultOrder = ++m_resultCount;
    }
}

void Reader::takeOutput(Json &item)
{
    std::vector<ContentPart> parts;
    Json *output = member(item, "output");
    if (output != nullptr && output->is_object()) {
        // The result of an MCP server: structured content says more than its text form.
        Json *structured = member(*output, "structuredContent");
        Json *content = member(*output, "content");
        if (structured != nullptr && !structured->is_null()) {
            parts.push_back(textPart(dumpJson(*structured)));
        } else if (content != nullptr && content->is_array()) {
            parts = contentParts(std::move(*content));
        } else {
            parts.push_back(textPart(dumpJson(*output)));
        }
    } else if (output != nullptr && !output->is_null()) {
        parts = contentParts(std::move(*output));
    }
    addResult(std::string(textMember(item, "call_id")), std::move(parts));
}

void Reader::takeSearchOutput(Json &item)
{
    const Json *tools = member(item, "tools");
    std::vector<ContentPart> parts;
    parts.push_back(textPart(dumpJson({ { "tools", tools != nullptr ? *tools : Json::array() } })));
    addResult(std::string(textMember(item, "call_id")), std::move(parts));
}

} // namespace

std::string ToolResult::text() const
{
    std::string joined;
    bool first = true;
    for (const ContentPart &part : parts) {
        if (part.kind == ContentPart::Kind::Text) {
            joined += first ? "" : "\n";
            joined += part.text;
            first = false;
        }
    }
    return joined;
}

bool ToolResult::hasImages() const
{
    return std::any_of(parts.begin(), parts.end(),
        [](const ContentPart &part) { return part.kind == ContentPart::Kind::Image; });
}

bool Turn::hasCalls() const
{
    return std::any_of(blocks.begin(), blocks.end(),
        [](const AssistantBlock &block) { return block.kind == AssistantBlock::Kind::Call; });
}

bool Turn::hasResults() const
{
    return std::any_of(blocks.begin(), blocks.end(), [](const AssistantBlock &block) {
        return block.kind == AssistantBlock::Kind::Call && !block.call.result.missing;
    });
}

void joinParagraph(std::string &text, std::string_view more)
{
    if (!more.empty()) {
        text += text.empty() ? "" : "\n\n";
        text += more;
    }
}

std::vector<ContentPart> contentParts(Json &&content)
{
    std::vector<ContentPart> parts;
    if (content.is_string()) {
        parts.push_back(textPart(std::move(content.get_ref<std::string &>())));
        return parts;
    }
    if (content.is_object()) {
        Json list = Json::array();
        list.push_back(std::move(content));
        return contentParts(std::move(list));
    }
    if (!content.is_array()) {
        return parts;
    }
    for (Json &entry : content) {
        if (entry.is_string()) {
            parts.push_back(textPart(std::move(entry.get_ref<std::string &>())));
            continue;
        }
        const std::string type(textMember(entry, "type"));
        if (type == "input_text" || type == "output_text" || type == "text") {
            parts.push_back(textPart(takeText(entry, "text")));
        } else if (type == "refusal") {
            parts.push_back(textPart(takeText(entry, "refusal")));
        } else if (type == "input_image") {
            ContentPart part;
            part.kind = ContentPart::Kind::Image;
            part.text = takeText(entry, "image_url");
            part.detail = takeText(entry, "detail");
            parts.push_back(std::move(part));
        } else if (type == "image" && member(entry, "data") != nullptr) {
            // An MCP image.
            ContentPart part;
            part.kind = ContentPart::Kind::Image;
            const std::string_view mime = textMember(entry, "mimeType");
            part.text = "data:" + (mime.empty() ? std::string("image/png") : std::string(mime))
                + ";base64," + takeText(entry, "data");
            parts.push_back(std::move(part));
        } else if (type == "input_file" || type == "input_audio") {
            ContentPart part;
            part.kind = type == "input_file" ? ContentPart::Kind::File : ContentPart::Kind::Audio;
            part.raw = std::move(entry);
            parts.push_back(std::move(part));
        } else if (entry.is_object()) {
            parts.push_back(textPart(dumpJson(entry)));
        }
    }
    return parts;
}

Conversation Conversation::fromResponses(Json &&input, std::string instructions)
{
    Conversation conversation;
    conversation.instructions = std::move(instructions);
    Reader reader(conversation);
    if (input.is_array()) {
        conversation.turns.reserve(input.size());
        for (Json &item : input) {
            reader.take(item);
        }
    } else if (!input.is_null()) {
        reader.take(input);
    }
    reader.finish();
    return conversation;
}

} // namespace deskhand::modelproxy
