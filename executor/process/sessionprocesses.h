// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>

#include <sys/types.h>

namespace deskhand::process {

/// Processes of the session that `leader` opened (its id is the leader's pid). Where the system
/// does not list processes: none. Any thread.
[[nodiscard]] QList<pid_t> processesOfSession(pid_t leader);

/// All processes below `ancestor`, without itself. Any thread.
[[nodiscard]] QList<pid_t> descendantsOf(pid_t ancestor);

/// KILL to the leader's process group and to everything else in its session.
void killSession(pid_t leader);

} // namespace deskhand::process
