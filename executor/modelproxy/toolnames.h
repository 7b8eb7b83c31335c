// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace deskhand::modelproxy {

enum class ToolKind { Function, Custom, LocalShell, ToolSearch };

/// What a tool is called by Codex.
struct ToolIdentity
{
    ToolKind kind = ToolKind::Function;
    std::string space; ///< namespace, mostly empty
    std::string name;

    [[nodiscard]] bool operator<(const ToolIdentity &other) const;
};

inline constexpr std::string_view kToolSearchWireName = "search_deferred_tools";
inline constexpr std::string_view kLocalShellWireName = "local_shell";

/// The names of one request's tools as a provider sees them: flat, safe, at most 64 characters,
/// all different. Made for one request, used for its history and for the answer.
class ToolNames final
{
public:
    /// Reads a Responses `tools` list. Plain tools claim their names before namespaced ones.
    [[nodiscard]] static ToolNames fromTools(const Json &tools);
    /// Adds what fromTools() would have added, after the names that exist.
    void add(const Json &tools);

    /// The wire name; of a tool that is not in the list, the name it would have had.
    [[nodiscard]] std::string wireName(const ToolIdentity &identity) const;
    /// By name and namespace, whatever the kind.
    [[nodiscard]] std::string wireNameOf(std::string_view space, std::string_view name) const;
    /// Null for a name the provider made up.
    [[nodiscard]] const ToolIdentity *identity(std::string_view wireName) const;

private:
    void claim(const ToolIdentity &identity);

    std::unordered_map<std::string, ToolIdentity> m_byWire;
    std::map<ToolIdentity, std::string> m_byIdentity;
};

/// `space__name`, made safe and short.
[[nodiscard]] std::string flatToolName(std::string_view space, std::string_view name);

} // namespace deskhand::modelproxy
