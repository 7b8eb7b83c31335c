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
    /// Remembers the calls of one answer; the oldest answer goes when there are too many.
    void record(const std::string &responseId, const Json &calls);
    /// Fields of a call that its provider wants to see again, e.g. a thought signature.
    void recordExtras(const Json &callExtras);

    /// Inserts calls that `input` lacks in front of the first output, and completes calls that are
    /// there with blank fields. True when `input` changed.
    bool restore(Json &input, std::string_view previousResponseId) const;
    /// Call id -> fields, or an empty object.
    [[nodiscard]] const Json &extras() const { return m_extras; }

    void clear();

private:
    struct Answer
    {
        std::string responseId;
        Json calls;
    };
    [[nodiscard]] const Json *callOf(std::string_view callId, const Answer *named) const;

    std::deque<Answer> m_answers; // oldest first
    Json m_extras = Json::object();
};

/// Advice appended to the output of a failed apply_patch, by cause; empty when the output does not
/// look like such a failure.
[[nodiscard]] std::string patchAdvice(std::string_view output);
/// Appends it where the output's call is apply_patch. True when `input` changed.
bool addPatchAdvice(Json &input);

} // namespace deskhand::modelproxy
