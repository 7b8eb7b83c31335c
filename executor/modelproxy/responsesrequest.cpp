// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/responsesrequest.h"

#include "executor/modelproxy/modelswitch.h"
#include "executor/modelproxy/tooldefinitions.h"
#include "executor/modelproxy/visionsidecars.h"
#include "executor/modelproxy/wireids.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace deskhand::modelproxy {
namespace {

/// Replaced, removed and added members of the top level, applied to the text at the end.
class Edits final
{
public:
    void replace(const std::string &key, std::string json) { m_replaced[key] = std::move(json); }
    void remove(const std::string &key) { m_removed.insert(key); }
    [[nodiscard]] bool empty() const { return m_replaced.empty() && m_removed.empty(); }

    [[nodiscard]] std::string applyTo(std::string_view body) const
    {
        const std::vector<TopLevelMember> members = topLevelMembers(body);
        std::string out;
        out.reserve(body.size() + 256);
        std::map<std::string, std::string> added = m_replaced;
        if (m_removed.empty()) {
            size_t copied = 0;
            for (const TopLevelMember &found : members) {
                added.erase(found.key);
                const auto replaced = m_replaced.find(found.key);
                if (replaced != m_replaced.end()) {
                    out.append(body.substr(copied, found.valueBegin - copied));
                    out.append(replaced->second);
                    copied = found.valueEnd;
                }
            }
            const size_t end = members.empty() ? body.find('{') + 1 : members.back().valueEnd;
            if (end > copied) {
                out.append(body.substr(copied, end - copied));
                copied = end;
            }
            appendMembers(out, added, members.empty());
            out.append(body.substr(copied));
            return out;
        }
        out.push_back('{');
        bool first = true;
        for (const TopLevelMember &found : members) {
            added.erase(found.key);
            if (m_removed.contains(found.key)) {
                continue;
            }
            if (!first) {
                out.push_back(',');
            }
            first = false;
            out.append(body.substr(found.keyBegin, found.valueBegin - found.keyBegin));
            const auto replaced = m_replaced.find(found.key);
            out.append(replaced != m_replaced.end()
                    ? std::string_view(replaced->second)
                    : body.substr(found.valueBegin, found.valueEnd - found.valueBegin));
        }
        appendMembers(out, added, first);
        out.push_back('}');
        return out;
    }

private:
    static void appendMembers(
        std::string &out, const std::map<std::string, std::string> &members, bool first)
    {
        for (const auto &[key, json] : members) {
            if (!first) {
                out.push_back(',');
            }
            first = false;
            appendJsonString(out, key);
            out.push_back(':');
            out.append(json);
        }
    }

    std::map<std::string, std::string> m_replaced;
    std::set<std::string> m_removed;
};

/// Which tools a provider does not know and gets as functions.
struct Bridges
{
    bool namespaces = false;
    bool toolSearch = false;
    bool freeform = false;

    [[nodiscard]] bool any() const { return namespaces || toolSearch || freeform; }
};

void bridgeHistory(Json &input, const Bridges &bridges, const ToolNames &names)
{
    std::set<std::string, std::less<>> freeformCalls;
    for (Json &item : input) {
        const std::string type(textMember(item, "type"));
        const std::string callId(textMember(item, "call_id"));
        const std::string space(textMember(item, "namespace"));
        if (type == "function_call" && bridges.namespaces && !space.empty()) {
            item["name"] = names.wireNameOf(space, textMember(item, "name"));
            item.erase("namespace");
        } else if (type == "custom_tool_call" && bridges.freeform) {
            freeformCalls.insert(callId);
            item["type"] = "function_call";
            item["name"] = names.wireName(
                { ToolKind::Custom, space, std::string(textMember(item, "name")) });
            item["arguments"] = dumpJson({ { "input", textMember(item, "input") } });
            item.erase("input");
            item.erase("namespace");
        } else if (type == "custom_tool_call_output" && freeformCalls.contains(callId)) {
            item["type"] = "function_call_output";
        } else if (type == "tool_search_call" && bridges.toolSearch) {
            item["type"] = "function_call";
            item["name"] = kToolSearchWireName;
            const Json *arguments = member(item, "arguments");
            item["arguments"] = arguments == nullptr ? std::string("{}")
                : arguments->is_string()             ? arguments->get<std::string>()
                                                     : dumpJson(*arguments);
            item.erase("id");
            item.erase("execution");
        } else if (type == "tool_search_output" && bridges.toolSearch) {
            item["type"] = "function_call_output";
            const Json *found = member(item, "tools");
            item["output"] = dumpJson({ { "tools", found != nullptr ? *found : Json::array() } });
            for (const char *key : { "id", "execution", "tools" }) {
                item.erase(key);
            }
        }
    }
}

Json bridgedTools(const Json &tools, const Bridges &bridges, const ToolNames &names)
{
    Json result = Json::array();
    const auto freeform = [&names](const Json &tool, const std::string &space) {
        return Json { { "type", "function" },
            { "name",
                names.wireName(
                    { ToolKind::Custom, space, std::string(textMember(tool, "name")) }) },
            { "description", freeformDescription(tool) }, { "parameters", freeformParameters() } };
    };
    for (const Json &tool : tools) {
        const std::string_view type = textMember(tool, "type");
        const std::string space(textMember(tool, "name"));
        const Json *inner = member(tool, "tools");
        if (type == "namespace" && bridges.namespaces && inner != nullptr && inner->is_array()) {
            for (const Json &function : *inner) {
                if (!function.is_object()) {
                    continue; // nothing that has a name
                }
                if (textMember(function, "type") == "custom" && bridges.freeform) {
                    result.push_back(freeform(function, space));
                    continue;
                }
                Json flat = function;
                flat["name"] = names.wireNameOf(space, textMember(function, "name"));
                result.push_back(std::move(flat));
            }
        } else if (type == "tool_search" && bridges.toolSearch) {
            result.push_back({ { "type", "function" }, { "name", kToolSearchWireName },
                { "description", toolSearchDescription(tool) },
                { "parameters", toolSearchParameters(tool) } });
        } else if (type == "custom" && bridges.freeform) {
            result.push_back(freeform(tool, {}));
        } else {
            result.push_back(tool);
        }
    }
    return result;
}

bool bridgeChoice(Json &choice, const Bridges &bridges, const ToolNames &names)
{
    const auto rename = [&](Json &entry) {
        const std::string space(textMember(entry, "namespace"));
        const bool custom = textMember(entry, "type") == "custom" && bridges.freeform;
        if (custom) {
            entry["type"] = "function";
        }
        if (!space.empty() && bridges.namespaces) {
            entry["name"] = names.wireNameOf(space, textMember(entry, "name"));
            entry.erase("namespace");
            return true;
        }
        return custom;
    };
    if (!choice.is_object()) {
        return false;
    }
    bool changed = rename(choice);
    if (Json *allowed = member(choice, "tools"); allowed != nullptr && allowed->is_array()) {
        for (Json &entry : *allowed) {
            changed = (entry.is_object() && rename(entry)) || changed;
        }
    }
    return changed;
}

/// Images of tool outputs go into one user message after the last output of the run.
bool moveToolImages(Json &input)
{
    if (!input.is_array()) {
        return false;
    }
    Json result = Json::array();
    Json images = Json::array();
    std::unordered_map<std::string, std::string> toolNames;
    bool changed = false;
    const auto flush = [&] {
        if (!images.empty()) {
            result.push_back(
                { { "type", "message" }, { "role", "user" }, { "content", std::move(images) } });
            images = Json::array();
        }
    };
    for (Json &item : input) {
        const std::string_view type = textMember(item, "type");
        if (type == "function_call" || type == "custom_tool_call") {
            toolNames[std::string(textMember(item, "call_id"))] = textMember(item, "name");
        }
        const bool isOutput = type == "function_call_output" || type == "custom_tool_call_output";
        if (!isOutput) {
            flush();
            result.push_back(std::move(item));
            continue;
        }
        Json *output = member(item, "output");
        if (output != nullptr && output->is_array()) {
            Json kept = Json::array();
            size_t moved = 0;
            for (Json &part : *output) {
                if (textMember(part, "type") == "input_image") {
                    if (moved++ == 0) {
                        const auto name = toolNames.find(std::string(textMember(item, "call_id")));
                        images.push_back({ { "type", "input_text" },
                            { "text",
                                "Image returned by the tool "
                                    + (name != toolNames.end() ? name->second : std::string("call"))
                                    + ":" } });
                    }
                    images.push_back(std::move(part));
                } else {
                    kept.push_back(std::move(part));
                }
            }
            if (moved > 0) {
                changed = true;
                if (kept.empty()) {
                    kept.push_back({ { "type", "input_text" },
                        { "text", "(the image follows in the next message)" } });
                }
            }
            *output = std::move(kept);
        }
        result.push_back(std::move(item));
    }
    flush();
    input = std::move(result);
    return changed;
}

/// "reasoning.summary" is one field of an object, "store" a whole member.
void strip(const std::string &field, const Json &root, Edits &edits)
{
    const size_t dot = field.find('.');
    const std::string key = field.substr(0, dot);
    const Json *value = member(root, key);
    if (value == nullptr) {
        return;
    }
    if (dot == std::string::npos) {
        edits.remove(key);
    } else if (member(*value, field.substr(dot + 1)) != nullptr) {
        Json reduced = *value;
        reduced.erase(field.substr(dot + 1));
        edits.replace(key, dumpJson(reduced));
    }
}

} // namespace

std::string withMember(std::string_view body, const std::string &key, std::string json)
{
    Edits edits;
    edits.replace(key, std::move(json));
    return edits.applyTo(body);
}

bool rewriteUnsafeIds(Json &input)
{
    bool changed = false;
    if (!input.is_array()) {
        return false;
    }
    for (Json &item : input) {
        for (const char *key : { "id", "call_id" }) {
            Json *id = member(item, key);
            if (id != nullptr && id->is_string() && !isSafeId(id->get_ref<const std::string &>())) {
                *id = safeId(id->get_ref<const std::string &>());
                changed = true;
            }
        }
    }
    return changed;
}

Result<PreparedRequest> prepareResponsesRequest(
    std::string body, const RequestFacts &facts, const RequestContext &context)
{
    const Upstream &upstream = context.upstream;
    const ProviderProfile &profile = context.profile;
    PreparedRequest prepared;
    Edits edits;
    prepared.model = facts.model;
    if (!upstream.modelId.isEmpty()) {
        prepared.model = upstream.modelId.toStdString();
        if (prepared.model != facts.model) {
            std::string json;
            appendJsonString(json, prepared.model);
            edits.replace("model", std::move(json));
        }
    }
    if (upstream.maxOutputTokens && !facts.hasOutputLimit) {
        edits.replace("max_output_tokens", std::to_string(*upstream.maxOutputTokens));
    }
    const Bridges bridges { facts.namespaceTools && !upstream.nativeNamespaceTools,
        facts.toolSearch && !upstream.nativeToolSearch,
        facts.customTools && upstream.functionToolsOnly };
    // Only a long body can hold too much of images.
    const bool manyImages = facts.images && body.size() > kMaxImageBytes;
    const bool needsTree = manyImages || facts.unsafeIds || bridges.any()
        || !profile.stripFields.empty() || (facts.toolOutputImages && !profile.imagesInToolOutput)
        || facts.patchFailureHint || context.switching || (context.forked && facts.encryptedState);
    if (needsTree) {
        Result<Json> parsed = parseJson(body);
        if (!parsed) {
            return tl::unexpected(parsed.error());
        }
        Json &root = *parsed;
        Json none;
        Json *found = member(root, "input");
        Json &input = found != nullptr ? *found : none;
        bool inputChanged = false;
        if (context.switching) {
            if (member(root, "previous_response_id") != nullptr) {
                edits.remove("previous_response_id");
            }
            inputChanged = dropForeignState(input);
        }
        if (context.forked) {
            inputChanged = stripForkedState(input) || inputChanged;
        }
        inputChanged = rewriteUnsafeIds(input) || inputChanged;
        if (manyImages) {
            inputChanged = limitImages(input) || inputChanged;
        }
        inputChanged = addPatchAdvice(input) || inputChanged;
        if (bridges.any()) {
            prepared.bridging = true;
            Json tools = root.contains("tools") ? root["tools"] : Json::array();
            if (bridges.namespaces || bridges.toolSearch) {
                mergeFoundTools(tools, input); // so that the model can call them
            }
            prepared.names = ToolNames::fromTools(tools);
            if (input.is_array()) {
                bridgeHistory(input, bridges, prepared.names);
                inputChanged = true;
            }
            if (tools.is_array() && (!tools.empty() || root.contains("tools"))) {
                edits.replace("tools", dumpJson(bridgedTools(tools, bridges, prepared.names)));
            }
            if (Json *choice = member(root, "tool_choice");
                choice != nullptr && bridgeChoice(*choice, bridges, prepared.names)) {
                edits.replace("tool_choice", dumpJson(*choice));
            }
        }
        if (!profile.imagesInToolOutput && facts.toolOutputImages) {
            inputChanged = moveToolImages(input) || inputChanged;
        }
        if (inputChanged) {
            edits.replace("input", dumpJson(input));
        }
        for (const std::string &field : profile.stripFields) {
            strip(field, root, edits);
        }
    }
    prepared.body = std::make_shared<const std::string>(
        edits.empty() ? std::move(body) : edits.applyTo(body));
    return prepared;
}

} // namespace deskhand::modelproxy
