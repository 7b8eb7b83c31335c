// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/modelswitch.h"

#include <algorithm>
#include <array>

namespace deskhand::modelproxy {
namespace {

constexpr std::string_view kOpaque = "encrypted_content";

bool isModelState(const Json &item)
{
    static constexpr std::array<std::string_view, 5> kTypes { "reasoning", "compaction",
        "compaction_summary", "context_compaction", "agent_message" };
    return std::find(kTypes.begin(), kTypes.end(), textMember(item, "type")) != kTypes.end();
}

bool holdsOpaque(const Json &item)
{
    if (!textMember(item, kOpaque).empty()) {
        return true;
    }
    const Json *content = member(item, "content");
    return content != nullptr && content->is_array()
        && std::any_of(content->begin(), content->end(),
            [](const Json &part) { return !textMember(part, kOpaque).empty(); });
}

bool eraseOpaque(Json &value)
{
    bool changed = false;
    if (value.is_object()) {
        changed = value.erase(std::string(kOpaque)) > 0;
    }
    if (value.is_structured()) {
        for (Json &inner : value) {
            changed = eraseOpaque(inner) || changed;
        }
    }
    return changed;
}

} // namespace

bool dropForeignState(Json &input)
{
    if (!input.is_array()) {
        return false;
    }
    auto &items = input.get_ref<Json::array_t &>();
    return std::erase_if(items, [](const Json &item) {
        return isModelState(item) && holdsOpaque(item);
    }) > 0;
}

bool stripForkedState(Json &input)
{
    bool changed = false;
    if (input.is_array()) {
        for (Json &item : input) {
            changed = (isModelState(item) && eraseOpaque(item)) || changed;
        }
    }
    return changed;
}

bool isForked(std::string_view turnMetadata)
{
    const Result<Json> metadata = parseJson(turnMetadata);
    return metadata && !isBlank(textMember(*metadata, "forked_from_thread_id"));
}

} // namespace deskhand::modelproxy
