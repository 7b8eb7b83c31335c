// SPDX-License-Identifier: Apache-2.0
#include "executor/process/sessionprocesses.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <libproc.h>
#include <sys/resource.h>
#include <sys/sysctl.h>
#include <unistd.h>
#include <vector>

namespace deskhand::process {

namespace {

struct Entry
{
    pid_t pid;
    pid_t parent;
};

QList<Entry> processTable()
{
    int name[] = { CTL_KERN, KERN_PROC, KERN_PROC_ALL, 0 };
    constexpr int kMaxTries = 5; // the table may grow between the two questions
    for (int tried = 0; tried < kMaxTries; ++tried) {
        size_t size = 0;
        if (sysctl(name, 3, nullptr, &size, nullptr, 0) != 0) {
            return {};
        }
        std::vector<kinfo_proc> table(size / sizeof(kinfo_proc) + 32);
        size = table.size() * sizeof(kinfo_proc);
        if (sysctl(name, 3, table.data(), &size, nullptr, 0) != 0) {
            if (errno == ENOMEM) {
                continue;
            }
            return {};
        }
        table.resize(size / sizeof(kinfo_proc));
        QList<Entry> result;
        for (const kinfo_proc &process : table) {
            if (process.kp_proc.p_pid > 0) {
                result.append({ process.kp_proc.p_pid, process.kp_eproc.e_ppid });
            }
        }
        return result;
    }
    return {};
}

/// The environment as it was at the start, each entry after a NUL. Only of our own processes.
QByteArray environmentOf(pid_t pid)
{
    int name[] = { CTL_KERN, KERN_PROCARGS2, pid };
    size_t size = 0;
    if (sysctl(name, 3, nullptr, &size, nullptr, 0) != 0 || size == 0) {
        return {};
    }
    QByteArray area(static_cast<qsizetype>(size), '\0');
    if (sysctl(name, 3, area.data(), &size, nullptr, 0) != 0) {
        return {};
    }
    // The count of arguments, the program, the arguments, the environment: all ended by NUL. What
    // an argument says cannot be told from the environment here, which is harmless: the mark is
    // random and known to the run alone.
    area.truncate(static_cast<qsizetype>(size));
    return area;
}

} // namespace

QList<pid_t> processesOfSession(pid_t leader)
{
    QList<pid_t> result;
    for (const Entry &entry : processTable()) {
        if (getsid(entry.pid) == leader) {
            result.append(entry.pid);
        }
    }
    return result;
}

QList<pid_t> descendantsOf(pid_t ancestor)
{
    const QList<Entry> table = processTable();
    QList<pid_t> result { ancestor };
    for (qsizetype i = 0; i < result.size(); ++i) {
        for (const Entry &entry : table) {
            if (entry.parent == result[i] && !result.contains(entry.pid)) {
                result.append(entry.pid);
            }
        }
    }
    result.removeFirst();
    return result;
}

QList<pid_t> processesWithVariable(const QByteArray &assignment)
{
    QList<pid_t> result;
    for (const Entry &entry : processTable()) {
        if (environmentOf(entry.pid).contains('\0' + assignment + '\0')) {
            result.append(entry.pid);
        }
    }
    return result;
}

void killProcessesWithVariable(const QByteArray &assignment)
{
    constexpr int kMaxRounds = 50; // whoever forks meanwhile is found in the next round
    for (int round = 0; round < kMaxRounds; ++round) {
        const QList<pid_t> found = processesWithVariable(assignment);
        if (found.isEmpty()) {
            return;
        }
        for (const pid_t pid : found) {
            kill(pid, SIGKILL);
        }
    }
}

void killSession(pid_t leader)
{
    kill(-leader, SIGKILL);
    for (const pid_t pid : processesOfSession(leader)) {
        kill(pid, SIGKILL);
    }
}

ProcessUse useOf(pid_t process)
{
    ProcessUse use;
    proc_taskinfo task {};
    if (proc_pidinfo(process, PROC_PIDTASKINFO, 0, &task, sizeof task)
        == static_cast<int>(sizeof task)) {
        use.threads = task.pti_threadnum;
    }
    rusage_info_v0 resources {};
    if (proc_pid_rusage(process, RUSAGE_INFO_V0, reinterpret_cast<rusage_info_t *>(&resources))
        == 0) {
        use.memoryBytes = static_cast<qint64>(resources.ri_phys_footprint);
    }
    return use;
}

} // namespace deskhand::process
