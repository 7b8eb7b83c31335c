// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/tooldefinitions.h"

#include <algorithm>
#include <array>

namespace deskhand::modelproxy {
namespace {

constexpr std::string_view kPatchRules
    = "The input is one patch: it starts with the line `*** Begin Patch` and ends with the line "
      "`*** End Patch`. In between, each file has one header: `*** Add File: PATH` (every "
      "following "
      "line starts with `+`), `*** Update File: PATH` (hunks that start with `@@`, with ` `, `-` "
      "and `+` lines), or `*** Delete File: PATH`. Example:\n"
      "*** Begin Patch\n*** Update File: src/app.py\n@@ def greet():\n-    print(\"Hi\")\n"
      "+    print(\"Hello\")\n*** End Patch";

bool isLiteralKey(std::string_view key)
{
    static constexpr std::array<std::string_view, 5> kLiteral { "const", "default", "enum",
        "example", "examples" };
    return std::find(kLiteral.begin(), kLiteral.end(), key) != kLiteral.end();
}

void moveTypes(Json &schema, bool root)
{
    if (schema.is_array()) {
        for (Json &element : schema) {
            moveTypes(element, false);
        }
        return;
    }
    if (!schema.is_object()) {
        return;
    }
    for (auto &[key, value] : schema.get_ref<Json::object_t &>()) {
        if (!isLiteralKey(key) && value.is_structured()) {
            moveTypes(value, false);
        }
    }
    Json *branches = member(schema, "anyOf");
    if (branches == nullptr || !branches->is_array()) {
        return;
    }
    if (root) {
        // The root must stay an object.
        Json alternatives { { "anyOf", std::move(*branches) } };
        schema.erase("anyOf");
        Json *all = member(schema, "allOf");
        if (all != nullptr && all->is_array()) {
            all->push_back(std::move(alternatives));
        } else {
            schema["allOf"] = Json::array({ std::move(alternatives) });
        }
        return;
    }
    const Json *type = member(schema, "type");
    if (type == nullptr) {
        return;
    }
    const bool fits = std::all_of(branches->begin(), branches->end(), [type](const Json &branch) {
        const Json *own = member(branch, "type");
        return branch.is_object() && (own == nullptr || *own == *type);
    });
    if (fits) {
        const Json moved = *type;
        for (Json &branch : *branches) {
            if (member(branch, "type") == nullptr) {
                branch["type"] = moved;
            }
        }
        schema.erase("type");
    }
}

} // namespace

Json freeformParameters()
{
    return { { "type", "object" },
        { "properties",
            { { "input",
                { { "type", "string" },
                    { "description", "The raw input of the tool, as plain text." } } } } },
        { "required", Json::array({ "input" }) }, { "additionalProperties", false } };
}

std::string freeformDescription(const Json &tool)
{
    std::string text(textMember(tool, "description"));
    const auto add = [&text](std::string_view part) {
        if (!text.empty()) {
            text += "\n\n";
        }
        text += part;
    };
    if (textMember(tool, "name") == "apply_patch") {
        add(kPatchRules);
    }
    if (const Json *format = member(tool, "format"); format != nullptr) {
        const std::string_view definition = textMember(*format, "definition");
        if (!definition.empty()) {
            std::string grammar = "The input must match this grammar";
            if (const std::string_view syntax = textMember(*format, "syntax"); !syntax.empty()) {
                grammar.append(" (").append(syntax).append(")");
            }
            add(grammar.append(":\n").append(definition));
        }
    }
    add("Put only the raw input into `input`: no code fences, no JSON around it, no comments.");
    return text;
}

Json localShellParameters()
{
    return { { "type", "object" },
        { "properties",
            { { "command", { { "type", "array" }, { "items", { { "type", "string" } } } } },
                { "working_directory", { { "type", "string" } } },
                { "timeout_ms", { { "type", "integer" } } } } },
        { "required", Json::array({ "command" }) } };
}

std::string localShellDescription()
{
    return "Runs a program on this computer. `command` is the program and its arguments.";
}

Json toolSearchParameters(const Json &tool)
{
    const Json *own = member(tool, "parameters");
    if (own != nullptr) {
        const Json *properties = member(*own, "properties");
        if (properties != nullptr && properties->is_object() && !properties->empty()) {
            return *own;
        }
    }
    return { { "type", "object" },
        { "properties",
            { { "query", { { "type", "string" } } },
                { "limit", { { "type", "integer" }, { "minimum", 1 } } } } },
        { "required", Json::array({ "query" }) } };
}

std::string toolSearchDescription(const Json &tool)
{
    const std::string_view own = textMember(tool, "description");
    return own.empty() ? std::string("Finds further tools by what they do. The tools found can be "
                                     "called afterwards.")
                       : std::string(own);
}

Json objectSchema(const Json *schema)
{
    Json result = schema != nullptr && schema->is_object() ? *schema : Json::object();
    if (textMember(result, "type") != "object") {
        if (member(result, "type") == nullptr) {
            // In front, where it usually stands.
            Json typed { { "type", "object" } };
            for (auto &[key, value] : result.get_ref<Json::object_t &>()) {
                typed[key] = std::move(value);
            }
            result = std::move(typed);
        } else {
            result["type"] = "object";
        }
    }
    const Json *properties = member(result, "properties");
    if (properties == nullptr || !properties->is_object()) {
        result["properties"] = Json::object();
    }
    return result;
}

void moveTypesIntoAnyOf(Json &schema)
{
    moveTypes(schema, true);
}

bool mergeFoundTools(Json &tools, const Json &input)
{
    if (!input.is_array()) {
        return false;
    }
    bool changed = false;
    for (const Json &item : input) {
        const Json *found = member(item, "tools");
        if (textMember(item, "type") != "tool_search_output" || found == nullptr
            || !found->is_array()) {
            continue;
        }
        if (!tools.is_array()) {
            tools = Json::array();
        }
        for (const Json &tool : *found) {
            const auto same = std::find_if(tools.begin(), tools.end(), [&tool](const Json &known) {
                return textMember(known, "type") == textMember(tool, "type")
                    && textMember(known, "name") == textMember(tool, "name");
            });
            if (same == tools.end()) {
                tools.push_back(tool);
                changed = true;
                continue;
            }
            Json *known = member(*same, "tools");
            const Json *inner = member(tool, "tools");
            if (textMember(tool, "type") != "namespace" || known == nullptr || inner == nullptr
                || !known->is_array() || !inner->is_array()) {
                continue;
            }
            for (const Json &function : *inner) {
                const bool there
                    = std::any_of(known->begin(), known->end(), [&function](const Json &other) {
                          return textMember(other, "name") == textMember(function, "name");
                      });
                if (!there) {
                    known->push_back(function);
                    changed = true;
                }
            }
        }
    }
    return changed;
}

} // namespace deskhand::modelproxy
