// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"

#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// `event: TYPE`, `data: JSON`, empty line. `json` has no line break.
void appendEvent(std::string &out, std::string_view type, std::string_view json);

/// Whether a type from outside can be written as an event's name: not empty, no line break.
[[nodiscard]] bool isEventName(std::string_view type);

/// Makes the usage of a Responses object fit what Codex insists on: counters as whole numbers,
/// details with their counter, a total. Usage without any token number becomes null.
void normaliseUsage(Json &response);

} // namespace deskhand::modelproxy
