// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/toolnames.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <tuple>

namespace deskhand::modelproxy {
namespace {

constexpr size_t kLongestName = 64;
constexpr size_t kKeptOfLongName = 46;

std::uint64_t fnv1a64(std::string_view text)
{
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 1099511628211ULL;
    }
    return hash;
}

std::string shortened(const std::string &name)
{
    if (name.size() <= kLongestName) {
        return name;
    }
    std::array<char, 17> hex {};
    std::snprintf(
        hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(fnv1a64(name)));
    return name.substr(0, kKeptOfLongName) + "__" + hex.data();
}

} // namespace

bool ToolIdentity::operator<(const ToolIdentity &other) const
{
    return std::tie(kind, space, name) < std::tie(other.kind, other.space, other.name);
}

std::string flatToolName(std::string_view space, std::string_view name)
{
    std::string flat(space);
    if (!space.empty() && !space.ends_with('_') && !name.starts_with('_')) {
        flat += "__";
    }
    flat += name;
    std::replace_if(
        flat.begin(), flat.end(),
        [](char c) {
            return !((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')
                || c == '_' || c == '-');
        },
        '_');
    return shortened(flat);
}

ToolNames ToolNames::fromTools(const Json &tools)
{
    ToolNames names;
    names.add(tools);
    return names;
}

void ToolNames::add(const Json &tools)
{
    if (!tools.is_array()) {
        return;
    }
    for (const Json &tool : tools) {
        const std::string_view type = textMember(tool, "type");
        const std::string name(textMember(tool, "name"));
        if (type == "function" && !name.empty()) {
            claim({ ToolKind::Function, {}, name });
        } else if (type == "custom" && !name.empty()) {
            claim({ ToolKind::Custom, {}, name });
        } else if (type == "local_shell") {
            claim({ ToolKind::LocalShell, {}, std::string(kLocalShellWireName) });
        } else if (type == "tool_search") {
            claim({ ToolKind::ToolSearch, {}, std::string(kToolSearchWireName) });
        }
    }
    for (const Json &tool : tools) {
        const Json *inner = member(tool, "tools");
        if (textMember(tool, "type") != "namespace" || inner == nullptr || !inner->is_array()) {
            continue;
        }
        const std::string space(textMember(tool, "name"));
        for (const Json &function : *inner) {
            const std::string name(textMember(function, "name"));
            if (!name.empty()) {
                const bool custom = textMember(function, "type") == "custom";
                claim({ custom ? ToolKind::Custom : ToolKind::Function, space, name });
            }
        }
    }
}

void ToolNames::claim(const ToolIdentity &identity)
{
    if (m_byIdentity.contains(identity)) {
        return;
    }
    const std::string wanted = flatToolName(identity.space, identity.name);
    std::string wire = wanted;
    for (int n = 2; m_byWire.contains(wire); ++n) {
        const std::string suffix = "__" + std::to_string(n);
        wire = wanted.substr(0, kLongestName - suffix.size()) + suffix;
    }
    m_byWire.emplace(wire, identity);
    m_byIdentity.emplace(identity, wire);
}

std::string ToolNames::wireName(const ToolIdentity &identity) const
{
    const auto found = m_byIdentity.find(identity);
    return found != m_byIdentity.end() ? found->second
                                       : flatToolName(identity.space, identity.name);
}

std::string ToolNames::wireNameOf(std::string_view space, std::string_view name) const
{
    for (const ToolKind kind : { ToolKind::Function, ToolKind::Custom }) {
        const auto found = m_byIdentity.find({ kind, std::string(space), std::string(name) });
        if (found != m_byIdentity.end()) {
            return found->second;
        }
    }
    return flatToolName(space, name);
}

const ToolIdentity *ToolNames::identity(std::string_view wireName) const
{
    const auto found = m_byWire.find(std::string(wireName));
    return found != m_byWire.end() ? &found->second : nullptr;
}

} // namespace deskhand::modelproxy
