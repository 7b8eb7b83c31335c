// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/process/boundedrun.h"

#include <sys/types.h>

namespace deskhand::process {

/// Our ends of a started child. All close-on-exec; the owner closes them.
struct SpawnedChild
{
    pid_t pid = -1;
    int output = -1; ///< stdout, or the terminal's master
    int error = -1; ///< -1 with a terminal
    int input = -1; ///< -1 when closed; the master again (a duplicate) with a terminal
    int supervisor = -1; ///< our end of the socket of a supervised child
};

/// Starts the child of `spec` in a session of its own, by posix_spawn: no copy of this process is
/// made, and no descriptor but the named ones goes over. Any thread.
[[nodiscard]] Result<SpawnedChild> spawnChild(const RunSpec &spec);

void closeDescriptor(int &descriptor);

} // namespace deskhand::process
