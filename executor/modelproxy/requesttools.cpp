// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/requesttools.h"

#include "executor/modelproxy/tooldefinitions.h"

#include <algorithm>
#include <set>

namespace deskhand::modelproxy {
namespace {

PlainTool functionTool(std::string wireName, const Json &tool, const ProviderProfile &profile)
{
    PlainTool plain;
    plain.name = std::move(wireName);
    if (const Json *description = member(tool, "description");
        description != nullptr && description->is_string()) {
        plain.description = description->get<std::string>();
    }
    plain.parameters = objectSchema(member(tool, "parameters"));
    if (profile.typedAnyOf) {
        moveTypesIntoAnyOf(plain.parameters);
    }
    if (const Json *strict = member(tool, "strict"); strict != nullptr && strict->is_boolean()) {
        plain.strict = strict->get<bool>();
    }
    return plain;
}

PlainTool freeformTool(std::string wireName, const Json &tool)
{
    return { std::move(wireName), freeformDescription(tool), freeformParameters(), std::nullopt };
}

void readChoice(RequestTools &result, const Json &choice)
{
    using Choice = RequestTools::Choice;
    if (choice.is_string()) {
        const auto word = choice.get<std::string>();
        result.choice = word == "none" ? Choice::None
            : word == "required"       ? Choice::Required
                                       : Choice::Auto;
        return;
    }
    const std::string_view type = textMember(choice, "type");
    if (type == "function" || type == "custom") {
        const std::string wire
            = result.names.wireNameOf(textMember(choice, "namespace"), textMember(choice, "name"));
        const bool sent = std::any_of(result.tools.begin(), result.tools.end(),
            [&wire](const PlainTool &tool) { return tool.name == wire; });
        if (sent) {
            result.choice = Choice::Named;
            result.chosen = wire;
        }
    } else if (type == "allowed_tools") {
        std::set<std::string> allowed;
        if (const Json *list = member(choice, "tools"); list != nullptr && list->is_array()) {
            for (const Json &tool : *list) {
                allowed.insert(result.names.wireNameOf(
                    textMember(tool, "namespace"), textMember(tool, "name")));
                if (textMember(tool, "type") == "local_shell") {
                    allowed.insert(std::string(kLocalShellWireName));
                }
            }
        }
        std::erase_if(result.tools,
            [&allowed](const PlainTool &tool) { return !allowed.contains(tool.name); });
        readChoice(result, Json(std::string(textMember(choice, "mode"))));
    }
}

} // namespace

RequestTools RequestTools::fromResponses(Json &request, const ProviderProfile &profile)
{
    RequestTools result;
    Json tools = Json::array();
    if (Json *own = member(request, "tools"); own != nullptr && own->is_array()) {
        tools = std::move(*own);
    }
    if (const Json *input = member(request, "input"); input != nullptr) {
        mergeFoundTools(tools, *input);
    }
    result.names = ToolNames::fromTools(tools);
    for (const Json &tool : tools) {
        const std::string_view type = textMember(tool, "type");
        const std::string name(textMember(tool, "name"));
        if (type == "function" && !name.empty()) {
            result.tools.push_back(functionTool(
                result.names.wireName({ ToolKind::Function, {}, name }), tool, profile));
        } else if (type == "custom" && !name.empty()) {
            result.tools.push_back(
                freeformTool(result.names.wireName({ ToolKind::Custom, {}, name }), tool));
        } else if (type == "local_shell") {
            result.tools.push_back({ std::string(kLocalShellWireName), localShellDescription(),
                localShellParameters(), std::nullopt });
        } else if (type == "tool_search") {
            result.tools.push_back({ std::string(kToolSearchWireName), toolSearchDescription(tool),
                toolSearchParameters(tool), std::nullopt });
        } else if (type == "namespace") {
            const Json *inner = member(tool, "tools");
            if (inner == nullptr || !inner->is_array()) {
                continue;
            }
            for (const Json &function : *inner) {
                const std::string innerName(textMember(function, "name"));
                if (innerName.empty()) {
                    continue;
                }
                if (textMember(function, "type") == "custom") {
                    result.tools.push_back(freeformTool(
                        result.names.wireName({ ToolKind::Custom, name, innerName }), function));
                } else {
                    result.tools.push_back(
                        functionTool(result.names.wireName({ ToolKind::Function, name, innerName }),
                            function, profile));
                }
            }
        }
    }
    // The same tool twice would be refused.
    std::set<std::string> seen;
    std::erase_if(
        result.tools, [&seen](const PlainTool &tool) { return !seen.insert(tool.name).second; });
    if (const Json *choice = member(request, "tool_choice"); choice != nullptr) {
        readChoice(result, *choice);
    }
    if (result.tools.empty()) {
        result.choice = Choice::Auto;
    }
    return result;
}

std::optional<std::int64_t> outputLimit(
    const Json &request, std::optional<std::int64_t> configured, const ProviderProfile &profile)
{
    std::optional<std::int64_t> limit;
    for (const char *key : { "max_output_tokens", "max_completion_tokens", "max_tokens" }) {
        if (!limit) {
            limit = intMember(request, key);
        }
    }
    if (!limit) {
        limit = configured ? configured : profile.maxOutputTokens;
    }
    if (limit && profile.outputCap) {
        limit = std::min(*limit, *profile.outputCap);
    }
    return limit;
}

std::string requestedEffort(const Json &request)
{
    const Json *reasoning = member(request, "reasoning");
    return reasoning != nullptr ? std::string(textMember(*reasoning, "effort")) : std::string();
}

bool isEffortOff(std::string_view effort)
{
    return effort == "none" || effort == "off" || effort == "disabled";
}

} // namespace deskhand::modelproxy
