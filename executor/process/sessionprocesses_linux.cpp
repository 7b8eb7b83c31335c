// SPDX-License-Identifier: Apache-2.0
#include "executor/process/sessionprocesses.h"

#include <QFile>

#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <memory>
#include <poll.h>
#include <unistd.h>

namespace deskhand::process {

namespace {

struct Entry
{
    pid_t pid;
    pid_t parent;
    pid_t session;
    char state;
    unsigned flags;
};

constexpr unsigned kKernelThread = 0x00200000; // PF_KTHREAD, proc(5) "flags"

/// The process table. Read by readdir, because /proc may hold thousands and names are all we need.
QList<Entry> processTable()
{
    QList<Entry> table;
    const std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir("/proc"), closedir);
    if (!directory) {
        return table;
    }
    while (const dirent *entry = readdir(directory.get())) {
        const pid_t pid = std::atoi(entry->d_name);
        if (pid <= 0) {
            continue;
        }
        QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
        if (!stat.open(QIODevice::ReadOnly)) {
            continue; // ended meanwhile
        }
        const QByteArray line = stat.readAll();
        // The name in parentheses may hold anything; the fields are counted from its end.
        const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
        if (fields.size() > 6) {
            table.append({ pid, fields[1].toInt(), fields[3].toInt(), fields[0].front(),
                fields[6].toUInt() });
        }
    }
    return table;
}

} // namespace

QList<pid_t> processesOfSession(pid_t leader)
{
    QList<pid_t> result;
    for (const Entry &entry : processTable()) {
        if (entry.session == leader) {
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

namespace {

struct Marked
{
    QList<pid_t> pids;
    /// Somebody shows an empty environment: in the middle of an exec it is not there yet.
    bool unsettled = false;
};

Marked findMarked(const QByteArray &assignment)
{
    Marked result;
    for (const Entry &entry : processTable()) {
        QFile file(QStringLiteral("/proc/%1/environ").arg(entry.pid));
        if (!file.open(QIODevice::ReadOnly)) {
            continue; // somebody else's, or gone
        }
        const QByteArray environment = file.readAll();
        if (('\0' + environment).contains('\0' + assignment + '\0')) {
            result.pids.append(entry.pid);
        } else if (environment.isEmpty() && entry.state != 'Z' && entry.state != 'X'
            && (entry.flags & kKernelThread) == 0) {
            result.unsettled = true;
        }
    }
    return result;
}

} // namespace

QList<pid_t> processesWithVariable(const QByteArray &assignment)
{
    return findMarked(assignment).pids;
}

void killProcessesWithVariable(const QByteArray &assignment)
{
    constexpr int kMaxRounds = 50; // whoever forks meanwhile is found in the next round
    // A program started with an empty environment looks unsettled for ever; an exec takes less.
    constexpr int kMaxUnsettledRounds = 10;
    constexpr int kPauseMs = 2;
    int unsettled = 0;
    for (int round = 0; round < kMaxRounds; ++round) {
        const Marked found = findMarked(assignment);
        for (const pid_t pid : found.pids) {
            kill(pid, SIGKILL);
        }
        if (found.pids.isEmpty()) {
            if (!found.unsettled || ++unsettled == kMaxUnsettledRounds) {
                return;
            }
            poll(nullptr, 0, kPauseMs);
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
    QFile statm(QStringLiteral("/proc/%1/statm").arg(process));
    if (statm.open(QIODevice::ReadOnly)) {
        const QList<QByteArray> fields = statm.readAll().split(' ');
        if (fields.size() > 2) {
            use.memoryBytes
                = (fields[1].toLongLong() - fields[2].toLongLong()) * sysconf(_SC_PAGE_SIZE);
        }
    }
    QFile stat(QStringLiteral("/proc/%1/stat").arg(process));
    if (stat.open(QIODevice::ReadOnly)) {
        const QByteArray line = stat.readAll();
        use.threads = line.mid(line.lastIndexOf(')') + 2).split(' ').value(17).toInt();
    }
    return use;
}

} // namespace deskhand::process
