// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/toolcalls.h"

namespace deskhand::modelproxy {
namespace {

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";

std::string_view trimmed(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Without a Markdown fence around the whole text.
std::string_view unfenced(std::string_view text)
{
    constexpr std::string_view kFence = "```";
    if (!text.starts_with(kFence)) {
        return text;
    }
    const size_t lineEnd = text.find('\n');
    if (lineEnd == std::string_view::npos) {
        return text;
    }
    const std::string_view language = trimmed(text.substr(kFence.size(), lineEnd - kFence.size()));
    if (!language.empty() && language != "diff" && language != "patch") {
        return text;
    }
    text.remove_prefix(lineEnd + 1);
    text = trimmed(text);
    if (text.ends_with(kFence)) {
        text.remove_suffix(kFence.size());
    }
    return trimmed(text);
}

bool hasFileDirective(std::string_view text)
{
    for (const std::string_view directive :
        { "*** Add File: ", "*** Update File: ", "*** Delete File: " }) {
        if (text.starts_with(directive)
            || text.find('\n' + std::string(directive)) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

Json shellAction(const Json &arguments)
{
    Json action { { "type", "exec" } };
    const Json *command = member(arguments, "command");
    if (command != nullptr && command->is_array()) {
        action["command"] = *command;
    } else if (command != nullptr && command->is_string()) {
        action["command"] = Json::array({ "bash", "-lc", *command });
    } else {
        action["command"] = Json::array();
    }
    action["env"] = Json::object();
    for (const char *key : { "working_directory", "timeout_ms" }) {
        if (const Json *value = member(arguments, key); value != nullptr && !value->is_null()) {
            action[key] = *value;
        }
    }
    return action;
}

} // namespace

std::string repairedPatch(std::string_view text)
{
    text = unfenced(trimmed(text));
    const size_t begin = text.find(kBegin);
    const size_t end = text.rfind(kEnd);
    if (begin != std::string_view::npos && end != std::string_view::npos && end > begin) {
        return std::string(text.substr(begin, end + kEnd.size() - begin));
    }
    if (begin != std::string_view::npos) {
        return std::string(text.substr(begin)); // cut short: Codex reports that to the model
    }
    if (hasFileDirective(text)) {
        std::string wrapped(kBegin);
        wrapped.append("\n").append(text);
        if (end == std::string_view::npos) {
            wrapped.append("\n").append(kEnd);
        }
        return wrapped;
    }
    return std::string(text);
}

std::string customInput(std::string_view toolName, std::string_view arguments)
{
    std::string input(arguments);
    if (const Result<Json> parsed = parseJson(arguments); parsed) {
        for (const std::string_view key : { "input", "patch", "content" }) {
            // Only the first is what was asked for; models fall back to the others.
            const Json *value = member(*parsed, key);
            if (value != nullptr && value->is_string()) {
                input = value->get<std::string>();
                break;
            }
        }
    }
    return toolName == "apply_patch" ? repairedPatch(input) : input;
}

Json callItem(const ToolIdentity &identity, std::string_view itemId, std::string_view callId,
    std::string_view arguments, std::string_view status)
{
    const bool opening = status == "in_progress";
    Json item { { "id", itemId }, { "type", "function_call" }, { "status", status },
        { "call_id", callId } };
    const auto object = [&] {
        Result<Json> parsed = parseJson(arguments);
        return parsed && parsed->is_object() ? std::move(*parsed) : Json::object();
    };
    switch (identity.kind) {
    case ToolKind::Function:
        item["name"] = identity.name;
        item["arguments"] = opening ? std::string() : std::string(arguments);
        break;
    case ToolKind::Custom:
        item["type"] = "custom_tool_call";
        item["name"] = identity.name;
        item["input"] = opening ? std::string() : customInput(identity.name, arguments);
        break;
    case ToolKind::LocalShell:
        item["type"] = "local_shell_call";
        item["action"] = shellAction(opening ? Json::object() : object());
        break;
    case ToolKind::ToolSearch:
        item["type"] = "tool_search_call";
        item["execution"] = "client";
        item["arguments"] = opening ? Json::object() : object();
        break;
    }
    if (!identity.space.empty()) {
        item["namespace"] = identity.space;
    }
    return item;
}

bool isCompleteJson(std::string_view text)
{
    return isJsonText(text);
}

} // namespace deskhand::modelproxy
