// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"

#include <optional>
#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// Signed thinking travels through Codex as the opaque `encrypted_content` of a reasoning item:
/// "wa1:" and base64url of a JSON list of the original blocks.
[[nodiscard]] std::string packThinking(const Json &blocks);
/// The blocks, or nothing when the text is of another origin or broken.
[[nodiscard]] std::optional<Json> unpackThinking(std::string_view encrypted);

} // namespace deskhand::modelproxy
