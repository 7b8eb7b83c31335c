// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"

#include <deque>
#include <string>
#include <unordered_map>

namespace deskhand::modelproxy {

/// The calls of a route's last answers. Codex may send only a response id and the outputs; a
/// stateless protocol needs the calls too. Lives with its route, used on the proxy thread only.
class ToolHistory final
{
public:
    /// Remembers the calls of one answer and the reasoning between them, in their order; the
    /// oldest answers go when there are too many or they are too large.
    void record(const std::string &responseId, const Json &items);
    /// Fields of a call that its provider wants to see again, e.g. a thought signature.
    void recordExtras(const Json &callExtras);

    /// Inserts calls that `input` lacks, and the reasoning that led to them, in front of the first
    /// output, and completes calls that are there with blank fields. True when `input` changed.
    bool restore(Json &input, std::string_view previousResponseId) const;
    /// The fields recorded for a call; null when there are none.
    [[nodiscard]] const Json *extrasOf(const std::string &callId) const;

private:
    struct Answer
    {
        std::string responseId;
        Json items;
        size_t bytes = 0;
    };
    /// Call id -> the call that is surely meant; null when that is not sure.
    using Index = std::unordered_map<std::string_view, const Json *>;
    [[nodiscard]] Index index(std::string_view previousResponseId) const;

    std::deque<Answer> m_answers; // oldest first
    size_t m_bytes = 0;
    std::unordered_map<std::string, Json> m_extras;
    std::deque<std::string> m_extrasOrder; // oldest first
};

/// Advice appended to the output of a failed apply_patch, by cause; empty when the output does not
/// look like such a failure.
[[nodiscard]] std::string patchAdvice(std::string_view output);
/// Appends it where the output's call is apply_patch. True when `input` changed.
bool addPatchAdvice(Json &input);

} // namespace deskhand::modelproxy
