// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/policy.h"
#include "executor/sandbox/resolvedpolicy.h"

#include <QByteArray>
#include <QList>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace deskhand::sandbox {

/// Everything a macOS policy text depends on. Value type.
struct SeatbeltPlan
{
    std::vector<PolicyEntry> entries; ///< "/" included; aliases are ignored
    std::vector<std::string> denyGlobs;
    NetworkPolicy network;
    std::vector<int> proxyPorts; ///< of our own proxy on the loopback
    bool allowLocalBinding = false;
    /// Resolves links ("/tmp" is "/private/tmp" there); the system's unless a test says otherwise.
    std::function<std::string(const std::string &)> canonical;
};

/// What sandbox-exec is given: the text names paths only as parameters, so no spelling of a path
/// can become a part of the policy.
struct SeatbeltProfile
{
    QByteArray text;
    QList<std::pair<QByteArray, QByteArray>> parameters;

    /// The whole vector: /usr/bin/sandbox-exec, never one from PATH.
    [[nodiscard]] QList<QByteArray> arguments(const QList<QByteArray> &command) const;
};

/// Pure apart from `canonical`.
[[nodiscard]] SeatbeltProfile buildSeatbeltProfile(const SeatbeltPlan &plan);

/// A deny pattern as an anchored regular expression. Characters that could mean something to the
/// policy's reader become "any character": for a denial, to match more is the safe side.
[[nodiscard]] std::string seatbeltRegex(const std::string &glob);

} // namespace deskhand::sandbox
