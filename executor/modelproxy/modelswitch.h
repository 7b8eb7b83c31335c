// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"

namespace deskhand::modelproxy {

/// Removes history items whose content only the former model can read. True when `input` changed.
bool dropForeignState(Json &input);
/// For a forked thread: removes the opaque content inside such items and keeps the items.
bool stripForkedState(Json &input);
/// Whether the header `x-codex-turn-metadata` says that the thread was forked from another.
[[nodiscard]] bool isForked(std::string_view turnMetadata);

} // namespace deskhand::modelproxy
