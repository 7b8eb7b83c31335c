// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/paths.h"
#include "executor/common/result.h"

#include <QString>

namespace deskhand::control {

// Where the control endpoint of a home listens. Normally `$H/control.sock`; a home whose path is
// too long for a socket address gets a short one in a folder of the user, and `$H/control.path`
// says where. On Windows it is a pipe named after the home. All blocking file calls; any thread.

/// For the one who listens: the address, with its folder made and checked (owner only) and the
/// pointer file written or removed.
[[nodiscard]] Result<QString> prepareEndpoint(const ExecutorHome &home);

/// For a client: the address to try.
[[nodiscard]] QString findEndpoint(const ExecutorHome &home);

/// Removes the pointer file; the socket itself goes with its server.
void forgetEndpoint(const ExecutorHome &home);

/// Whether the process at the other end of this connected socket belongs to the same user (or to
/// the superuser). Socket descriptor of the platform.
[[nodiscard]] bool isOwnUser(qintptr socketDescriptor);

} // namespace deskhand::control
