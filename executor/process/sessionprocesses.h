// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>

#include <sys/types.h>

namespace deskhand::process {

/// Processes of the session that `leader` opened (its id is the leader's pid). Where the system
/// does not list processes: none. Any thread.
[[nodiscard]] QList<pid_t> processesOfSession(pid_t leader);

/// All processes below `ancestor`, without itself. Any thread.
[[nodiscard]] QList<pid_t> descendantsOf(pid_t ancestor);

/// Processes whose environment, as it was at their start, has exactly this "NAME=value". For trees
/// that no namespace and no control group holds together. Any thread.
[[nodiscard]] QList<pid_t> processesWithVariable(const QByteArray &assignment);

/// KILL to all of them, until none is found.
void killProcessesWithVariable(const QByteArray &assignment);

/// What one process takes, for limits that no control group counts. Zeros when it is gone or where
/// the system does not tell. Shared pages are left out: counted once for each process they would
/// add up to nonsense. Any thread.
struct ProcessUse
{
    qint64 memoryBytes = 0;
    int threads = 0;
};
[[nodiscard]] ProcessUse useOf(pid_t process);

/// KILL to the leader's process group and to everything else in its session.
void killSession(pid_t leader);

} // namespace deskhand::process
