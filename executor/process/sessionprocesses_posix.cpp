// SPDX-License-Identifier: Apache-2.0
#include "executor/process/sessionprocesses.h"

#include <csignal>

namespace deskhand::process {

QList<pid_t> processesOfSession(pid_t)
{
    return {};
}

QList<pid_t> descendantsOf(pid_t)
{
    return {};
}

QList<pid_t> processesWithVariable(const QByteArray &)
{
    return {};
}

void killProcessesWithVariable(const QByteArray &) { }

void killSession(pid_t leader)
{
    kill(-leader, SIGKILL);
}

ProcessUse useOf(pid_t)
{
    return {};
}

} // namespace deskhand::process
