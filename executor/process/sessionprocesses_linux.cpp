// SPDX-License-Identifier: Apache-2.0
#include "executor/process/sessionprocesses.h"

#include <QFile>

#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <memory>

namespace deskhand::process {

namespace {

struct Entry
{
    pid_t pid;
    pid_t parent;
    pid_t session;
};

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
        if (fields.size() > 3) {
            table.append({ pid, fields[1].toInt(), fields[3].toInt() });
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

QList<pid_t> processesWithVariable(const QByteArray &assignment)
{
    QList<pid_t> result;
    for (const Entry &entry : processTable()) {
        QFile environment(QStringLiteral("/proc/%1/environ").arg(entry.pid));
        if (environment.open(QIODevice::ReadOnly)
            && ('\0' + environment.readAll()).contains('\0' + assignment + '\0')) {
            result.append(entry.pid);
        }
    }
    return result;
}

void killProcessesWithVariable(const QByteArray &assignment)
{
    constexpr int kMaxRounds = 50; // whoever forks meanwhile is found in the next round
    for (int round = 0; round < kMaxRounds; ++round) {
        const QList<pid_t> pids = processesWithVariable(assignment);
        if (pids.isEmpty()) {
            return;
        }
        for (const pid_t pid : pids) {
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

} // namespace deskhand::process
