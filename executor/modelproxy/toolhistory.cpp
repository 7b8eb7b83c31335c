// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/toolhistory.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace deskhand::modelproxy {
namespace {

constexpr size_t kMostAnswers = 512;
constexpr size_t kMostExtras = 2048;

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

void ToolHistory::record(const std::string &responseId, const Json &calls)
{
    if (responseId.empty() || calls.empty()) {
        return;
    }
    std::erase_if(m_answers, [&](const Answer &old) { return old.responseId == responseId; });
    m_answers.push_back({ responseId, calls });
    if (m_answers.size() > kMostAnswers) {
        m_answers.pop_front();
    }
}

void ToolHistory::recordExtras(const Json &callExtras)
{
    for (const auto &[callId, fields] : callExtras.get_ref<const Json::object_t &>()) {
        m_extras[callId] = fields;
    }
    while (m_extras.size() > kMostExtras) {
        m_extras.erase(m_extras.begin());
    }
}

void ToolHistory::clear()
{
    m_answers.clear();
    m_extras = Json::object();
}

const Json *ToolHistory::callOf(std::string_view callId, const Answer *named) const
{
    const auto find = [callId](const Answer &answer) -> const Json * {
        for (const Json &call : answer.calls) {
            if (textMember(call, "call_id") == callId) {
                return &call;
            }
        }
        return nullptr;
    };
    if (named != nullptr) {
        if (const Json *call = find(*named); call != nullptr) {
            return call;
        }
    }
    // Some providers use the same call ids again and again: only an id of one answer is sure.
    const Json *only = nullptr;
    for (const Answer &answer : m_answers) {
        if (const Json *call = find(answer); call != nullptr) {
            if (only != nullptr) {
                return nullptr;
            }
            only = call;
        }
    }
    return only;
}

bool ToolHistory::restore(Json &input, std::string_view previousResponseId) const
{
    if (!input.is_array() || m_answers.empty()) {
        return false;
    }
    const auto answer = std::find_if(m_answers.begin(), m_answers.end(), [&](const Answer &known) {
        return !previousResponseId.empty() && known.responseId == previousResponseId;
    });
    const Answer *named = answer != m_answers.end() ? &*answer : nullptr;

    bool changed = false;
    std::unordered_set<std::string> present;
    for (Json &item : input) {
        if (!isCall(item)) {
            continue;
        }
        const std::string callId(textMember(item, "call_id"));
        present.insert(callId);
        if (const Json *recorded = callOf(callId, named); recorded != nullptr) {
            changed = complete(item, *recorded) || changed;
        }
    }
    Json missing = Json::array();
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
    if (wanted.empty()) {
        return changed;
    }
    // In the order in which the model made them.
    const auto take = [&](const Json &call) {
        const std::string callId(textMember(call, "call_id"));
        if (wanted.contains(callId) && callOf(callId, named) == &call) {
            wanted.erase(callId);
            missing.push_back(call);
        }
    };
    if (named != nullptr) {
        std::for_each(named->calls.begin(), named->calls.end(), take);
    }
    for (const Answer &known : m_answers) {
        std::for_each(known.calls.begin(), known.calls.end(), take);
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
