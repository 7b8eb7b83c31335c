// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"
#include "executor/modelproxy/toolnames.h"

#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// The freeform input out of a function's arguments: the field `input`, else the text itself.
/// For apply_patch the envelope is repaired.
[[nodiscard]] std::string customInput(std::string_view toolName, std::string_view arguments);
/// Strips fences and chatter around a patch, or adds the missing envelope; never touches its lines.
[[nodiscard]] std::string repairedPatch(std::string_view text);

/// The item of a finished or just opened call as Codex knows it. `arguments` is the provider's
/// text; with `status` "in_progress" it is empty.
[[nodiscard]] Json callItem(const ToolIdentity &identity, std::string_view itemId,
    std::string_view callId, std::string_view arguments, std::string_view status);

/// Whether the text is one complete JSON value; blank text is not.
[[nodiscard]] bool isCompleteJson(std::string_view text);

} // namespace deskhand::modelproxy
