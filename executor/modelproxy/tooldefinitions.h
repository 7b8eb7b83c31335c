// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"

#include <string>

namespace deskhand::modelproxy {

/// `parameters` of the function that stands for a freeform tool: one string, `input`.
[[nodiscard]] Json freeformParameters();
/// Its description: the tool's own, the grammar, and how the input must look.
[[nodiscard]] std::string freeformDescription(const Json &tool);

[[nodiscard]] Json localShellParameters();
[[nodiscard]] std::string localShellDescription();

/// The tool's own parameters if they have properties, else a query and a limit.
[[nodiscard]] Json toolSearchParameters(const Json &tool);
[[nodiscard]] std::string toolSearchDescription(const Json &tool);

/// A schema every provider takes: an object at the root, with properties.
[[nodiscard]] Json objectSchema(const Json *schema);
/// Moves a type beside anyOf into the branches, and a root anyOf into allOf. Literal data (const,
/// default, enum, examples) is left alone.
void moveTypesIntoAnyOf(Json &schema);

/// Adds the tools that earlier search results listed: into their namespace if it is there already,
/// otherwise once by type and name. True when `tools` changed.
bool mergeFoundTools(Json &tools, const Json &input);

} // namespace deskhand::modelproxy
