// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/toolhistory.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace deskhand::modelproxy {
namespace {

constexpr size_t kMostAnswers = 512;
constexpr size_t kMostBytes = size_t(32) * 1024 * 1024;
constexpr size_t kMostExtras = 2048;
constexpr size_t kLargestExtras = size_t(64) * 1024;

bool isOutput(const Json &item)
{
    const std::string_view type = textMember(item, "type");
    return type == "function_call_output" || type == "custom_tool_call_output"
        || type == "tool_search_output" || type == "local_shell_call_output";
}

bool isCall(const Json &item)
{
    const std::string_view type = textMember(item, "type");
    return type == "function_call" || type == "custom_tool_call" || type == "tool_search_call"
        || type == "local_shell_call";
}

bool isBlankValue(const Json *value)
{
    return value == nullptr || value->is_null()
        || (value->is_string() && isBlank(value->get_ref<const std::string &>()));
}

/// Fills blank fields of a call from what was recorded.
bool complete(Json &call, const Json &recorded)
{
    static constexpr std::array<const char *, 6> kFields { "name", "namespace", "arguments",
        "input", "status", "execution" };
    bool changed = false;
    for (const char *field : kFields) {
        const Json *known = member(recorded, field);
        if (isBlankValue(member(call, field)) && !isBlankValue(known)) {
            call[field] = *known;
            changed = true;
        }
    }
    return changed;
}

bool contains(std::string_view text, std::string_view word)
{
    return text.find(word) != std::string_view::npos;
}

} // namespace

void ToolHistory::record(const std::string &responseId, const Json &items)
{
    if (responseId.empty() || std::none_of(items.begin(), items.end(), isCall)) {
        return;
    }
    std::erase_if(m_answers, [&](const Answer &old) {
        if (old.responseId != responseId) {
            return false;
        }
        m_bytes -= old.bytes;
        return true;
    });
    m_answers.push_back({ responseId, items, dumpJson(items).size() });
    m_bytes += m_answers.back().bytes;
    while (m_answers.size() > kMostAnswers || (m_bytes > kMostBytes && m_answers.size() > 1)) {
        m_bytes -= m_answers.front().bytes;
        m_answers.pop_front();
    }
}

void ToolHistory::recordExtras(const Json &callExtras)
{
    for (const auto &[callId, fields] : callExtras.get_ref<const Json::object_t &>()) {
        if (dumpJson(fields).size() > kLargestExtras) {
            continue;
        }
        if (m_extras.insert_or_assign(callId, fields).second) {
            m_extrasOrder.push_back(callId);
        }
    }
    while (m_extrasOrder.size() > kMostExtras) {
        m_extras.erase(m_extrasOrder.front());
        m_extrasOrder.pop_front();
    }
}

const Json *ToolHistory::extrasOf(const std::string &callId) const
{
    const auto found = m_extras.find(callId);
    return found != m_extras.end() ? &found->second : nullptr;
}

ToolHistory::Index ToolHistory::index(std::string_view previousResponseId) const
{
    Index index;
    const auto eachCall = [](const Answer &answer, const auto &take) {
        for (const Json &item : answer.items) {
            if (isCall(item)) {
                take(textMember(item, "call_id"), item);
            }
        }
    };
    // Some providers use the same call ids again and again: only an id of one answer is sure,
    // unless the request says which answer it means.
    for (const Answer &answer : m_answers) {
        eachCall(answer, [&index](std::string_view callId, const Json &call) {
            const auto [entry, fresh] = index.try_emplace(callId, &call);
            entry->second = fresh ? &call : nullptr;
        });
    }
    for (const Answer &answer : m_answers) {
        if (!previousResponseId.empty() && answer.responseId == previousResponseId) {
            eachCall(answer,
                [&index](std::string_view callId, const Json &call) { index[callId] = &call; });
        }
    }
    return index;
}

bool ToolHistory::restore(Json &input, std::string_view previousResponseId) const
{
    if (!input.is_array() || m_answers.empty()) {
        return false;
    }
    const Index known = index(previousResponseId);
    const auto callOf = [&known](std::string_view callId) -> const Json * {
        const auto found = known.find(callId);
        return found != known.end() ? found->second : nullptr;
    };
    bool changed = false;
    std::unordered_set<std::string> present;
    for (Json &item : input) {
        if (!isCall(item)) {
            continue;
        }
        const std::string callId(textMember(item, "call_id"));
        present.insert(callId);
        if (const Json *recorded = callOf(callId); recorded != nullptr) {
            changed = complete(item, *recorded) || changed;
        }
    }
    size_t firstOutput = input.size();
    std::unordered_set<std::string> wanted;
    for (size_t i = 0; i < input.size(); ++i) {
        if (!isOutput(input[i])) {
            continue;
        }
        firstOutput = std::min(firstOutput, i);
        const std::string callId(textMember(input[i], "call_id"));
        if (!present.contains(callId)) {
            wanted.insert(callId);
        }
    }
    // In the order in which the model made them.
    Json missing = Json::array();
    for (const Answer &answer : m_answers) {
        Json thoughts = Json::array();
        for (const Json &item : answer.items) {
            if (!isCall(item)) {
                thoughts.push_back(item);
                continue;
            }
            const std::string callId(textMember(item, "call_id"));
            if (wanted.contains(callId) && callOf(callId) == &item) {
                wanted.erase(callId);
                missing.insert(missing.end(), thoughts.begin(), thoughts.end());
                missing.push_back(item);
                thoughts.clear();
            }
        }
    }
    if (missing.empty()) {
        return changed;
    }
    auto &items = input.get_ref<Json::array_t &>();
    items.insert(
        items.begin() + static_cast<std::ptrdiff_t>(firstOutput), missing.begin(), missing.end());
    return true;
}

std::string patchAdvice(std::string_view output)
{
    const bool failed = contains(output, "apply_patch")
        && (contains(output, "verification failed") || contains(output, "error")
            || contains(output, "Error") || contains(output, "Failed") || contains(output, "failed")
            || contains(output, "invalid") || contains(output, "Invalid"));
    if (!failed) {
        return {};
    }
    std::string advice = "\n\nHow to correct the patch: ";
    if (contains(output, "Failed to find") || contains(output, "context")) {
        advice
            += "the lines with a leading blank or `-` must stand in the file exactly as written. "
               "Read the file again and copy them.";
    } else if (contains(output, "Begin Patch") || contains(output, "End Patch")
        || contains(output, "boundary")) {
        advice += "the first line must be `*** Begin Patch` and the last one `*** End Patch`.";
    } else if (contains(output, "Add File") || contains(output, "must start with '+'")) {
        advice += "below `*** Add File:` every line must start with `+`, empty lines too.";
    } else if (contains(output, "hunk")) {
        advice += "a hunk starts with `@@` and has only lines that start with a blank, `-` or `+`.";
    } else {
        advice += "check the markers, the path and each line's first character.";
    }
    advice
        += "\nTo change a file:\n*** Begin Patch\n*** Update File: path/file.txt\n@@\n unchanged "
           "line\n-old line\n+new line\n*** End Patch\nTo add a file:\n*** Begin Patch\n*** Add "
           "File: path/new.txt\n+first line\n*** End Patch\nCall apply_patch again with the "
           "corrected patch; do not edit files through the shell instead.";
    return advice;
}

bool addPatchAdvice(Json &input)
{
    if (!input.is_array()) {
        return false;
    }
    std::unordered_set<std::string> patchCalls;
    bool changed = false;
    for (Json &item : input) {
        const std::string callId(textMember(item, "call_id"));
        if (isCall(item)) {
            if (textMember(item, "name") == "apply_patch") {
                patchCalls.insert(callId);
            }
            continue;
        }
        if (!isOutput(item) || !patchCalls.contains(callId)) {
            continue;
        }
        Json *output = member(item, "output");
        if (output != nullptr && output->is_string()) {
            auto &text = output->get_ref<std::string &>();
            const std::string advice = patchAdvice(text);
            if (!advice.empty() && text.find(advice) == std::string::npos) {
                text += advice;
                changed = true;
            }
        }
    }
    return changed;
}

} // namespace deskhand::modelproxy
