// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// What must be known of a Responses request before it is decided whether it needs rewriting.
/// Gathered by one pass of the parser over the text, nothing is built.
struct RequestFacts
{
    std::string model;
    std::string threadId;
    std::string parentThreadId;
    std::string previousResponseId;
    bool wholeAnswer = false; ///< "stream": false
    bool hasOutputLimit = false; ///< any of the three spellings
    bool unsafeIds = false; ///< in input[].id or input[].call_id
    bool namespaceTools = false; ///< in the list or the history
    bool toolSearch = false;
    bool customTools = false;
    bool images = false; ///< in the input
    bool toolOutputImages = false;
    bool modelSwitchText = false; ///< "<model_switch>" in the input
    bool encryptedState = false; ///< any encrypted_content
    bool patchFailureHint = false; ///< an output that may be a failed apply_patch
};

/// The body must be a JSON object of limited depth; the error says what it is instead.
[[nodiscard]] Result<RequestFacts> readRequestFacts(std::string_view body);

} // namespace deskhand::modelproxy
