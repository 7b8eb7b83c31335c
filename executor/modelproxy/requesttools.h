// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"
#include "executor/modelproxy/providerprofile.h"
#include "executor/modelproxy/toolnames.h"

#include <optional>
#include <string>
#include <vector>

namespace deskhand::modelproxy {

/// A tool as every stateless protocol knows it: a named function with a schema.
struct PlainTool
{
    std::string name; ///< on the wire
    std::optional<std::string> description;
    Json parameters;
    std::optional<bool> strict;
};

/// What a request says about tools, in the provider's names.
struct RequestTools
{
    enum class Choice { Auto, None, Required, Named };

    ToolNames names;
    std::vector<PlainTool> tools;
    Choice choice = Choice::Auto;
    std::string chosen; ///< of Named

    /// Reads `tools` and `tool_choice`, adds tools that earlier searches found, drops hosted tools
    /// and applies a list of allowed ones.
    [[nodiscard]] static RequestTools fromResponses(Json &request, const ProviderProfile &profile);
};

/// A piece of a request that has to go along with every translation.
/// `max_output_tokens` in any spelling, or the configured or the profile's cap.
[[nodiscard]] std::optional<std::int64_t> outputLimit(
    const Json &request, std::optional<std::int64_t> configured, const ProviderProfile &profile);
/// `reasoning.effort`; empty when none is asked for.
[[nodiscard]] std::string requestedEffort(const Json &request);
/// none, off, disabled.
[[nodiscard]] bool isEffortOff(std::string_view effort);

} // namespace deskhand::modelproxy
