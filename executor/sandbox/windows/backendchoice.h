// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace deskhand::sandbox::windows {

/// What a run wants and what this Windows offers.
struct Wish
{
    bool hidesPaths = false; ///< deny rules for reading, secret paths
    bool networkOff = true;
    bool needsLocalNetwork = false;
    bool appContainerWorks = true;
    bool toolNeedsFullToken = false; ///< known not to live in an AppContainer
    bool userAcceptsOpenNetwork = false;
};

enum class Backend { AppContainer, RestrictedToken, Refuse };

struct Choice
{
    Backend backend = Backend::Refuse;
    std::string reason; ///< for Refuse: what cannot be held
    bool networkIsOpen = false; ///< shown to the owner: this back end does not hold it
};

/// AppContainer first: there the platform enforces files and network. A restricted token checks its
/// extra identities for writes only, so it can neither hide a path nor close the network. Pure.
[[nodiscard]] Choice chooseBackend(const Wish &wish);

} // namespace deskhand::sandbox::windows
