// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/windows/backendchoice.h"

namespace deskhand::sandbox::windows {

Choice chooseBackend(const Wish &wish)
{
    if (wish.needsLocalNetwork) {
        return { Backend::Refuse, "a loopback network of its own is not offered on Windows",
            false };
    }
    if (wish.appContainerWorks && !wish.toolNeedsFullToken) {
        return { Backend::AppContainer, {}, false };
    }
    if (wish.hidesPaths) {
        return { Backend::Refuse, "a restricted token cannot hide files from being read", false };
    }
    if (wish.networkOff && !wish.userAcceptsOpenNetwork) {
        return { Backend::Refuse, "a restricted token cannot close the network", false };
    }
    return { Backend::RestrictedToken, {}, true };
}

} // namespace deskhand::sandbox::windows
