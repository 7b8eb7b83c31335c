// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/systemdscope.h"

#include "executor/common/ids.h"
#include "executor/sandbox/tools.h"

#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QMutex>

#include <optional>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kAskAgain { 60 };

struct Failure
{
    Clock::time_point when;
    QString because;
};

QMutex s_mutex; // guards the table
QHash<QByteArray, Failure> s_failures; ///< by the socket of a systemd

/// A systemd that was started anew is another one.
QByteArray socketOf(const QByteArray &runtimeFolder)
{
    const QByteArray path = runtimeFolder + "/systemd/private";
    const QByteArray stamp = fileStamp(QFile::decodeName(path));
    return stamp.isEmpty() ? QByteArray() : path + '\n' + stamp;
}

QString findSystemdRun(const QString &given)
{
    // Never from PATH: it starts our jailer. The variable is for tests.
    const QString only = given.isEmpty() ? qEnvironmentVariable("DESKHAND_SYSTEMD_RUN") : given;
    for (const QString &path : only.isEmpty()
            ? QStringList { u"/usr/bin/systemd-run"_s, u"/bin/systemd-run"_s,
                u"/run/current-system/sw/bin/systemd-run"_s }
            : QStringList { only }) {
        if (QFileInfo(path).isExecutable()) {
            return path;
        }
    }
    return {};
}

std::optional<QByteArray> read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? std::optional(file.readAll().trimmed()) : std::nullopt;
}

} // namespace

Result<std::unique_ptr<SystemdScope>> SystemdScope::plan(
    const LimitPolicy &limits, const SystemdAccess &access)
{
    const QString program = findSystemdRun(access.program);
    const QByteArray folder = qgetenv(kVariable);
    const QByteArray socket = folder.startsWith('/') ? socketOf(folder) : QByteArray();
    if (program.isEmpty() || socket.isEmpty()) {
        return failure(ErrorKind::NotFound, u"this user has no systemd"_s);
    }
    {
        const QMutexLocker lock(&s_mutex);
        const auto failed = s_failures.constFind(socket);
        if (failed != s_failures.constEnd() && Clock::now() < failed->when + kAskAgain) {
            return failure(ErrorKind::Unavailable, failed->because);
        }
    }
    std::unique_ptr<SystemdScope> scope(new SystemdScope);
    scope->m_program = program;
    scope->m_unit = u"deskhand-%1.scope"_s.arg(randomHex(8));
    scope->m_runtimeFolder = folder;
    scope->m_access = access;
    scope->m_memoryBytes = limits.memoryBytes;
    scope->m_processes = limits.processes;
    return scope;
}

QList<QByteArray> SystemdScope::arguments() const
{
    QList<QByteArray> result { "--user", "--scope", "--quiet", "--collect", "--no-ask-password",
        "--unit=" + m_unit.toLatin1(), "--description=Command run by Deskhand", "--property",
        "CPUWeight=50" };
    if (m_memoryBytes > 0) {
        result.append({ "--property", "MemoryMax=" + QByteArray::number(m_memoryBytes),
            "--property", "MemorySwapMax=0" });
    }
    if (m_processes > 0) {
        result.append({ "--property", "TasksMax=" + QByteArray::number(m_processes) });
    }
    result.append("--");
    return result;
}

Result<std::unique_ptr<ControlGroup>> SystemdScope::check(qint64 pid)
{
    QString path;
    const QList<QByteArray> lines
        = read(u"%1/%2/cgroup"_s.arg(m_access.processes).arg(pid)).value_or("").split('\n');
    for (const QByteArray &line : lines) {
        if (line.startsWith("0::/")) {
            path = QFile::decodeName(line.mid(3));
        }
    }
    if (!path.endsWith(u'/' + m_unit)) {
        return failure(ErrorKind::Unavailable, u"it did not put the command into its scope"_s);
    }
    const QString unified = m_access.groups + u"/unified"_s;
    const QString group
        = (QFileInfo::exists(m_access.groups + u"/cgroup.controllers"_s) ? m_access.groups
                                                                         : unified)
        + path;
    const auto isReal = [&group](const QString &name, qint64 wanted, qint64 rounding) {
        const QString file = group + u'/' + name;
        const std::optional<QByteArray> value = read(file);
        if (!value || access(QFile::encodeName(file).constData(), W_OK) != 0) {
            return false;
        }
        bool isNumber = false;
        const qint64 found = value->toLongLong(&isNumber);
        return isNumber && found <= wanted && found > wanted - rounding;
    };
    QStringList missing;
    if (m_memoryBytes > 0 && !isReal(u"memory.max"_s, m_memoryBytes, sysconf(_SC_PAGESIZE))) {
        missing.append(u"memory"_s);
    }
    if (m_processes > 0 && !isReal(u"pids.max"_s, m_processes, 1)) {
        missing.append(u"processes"_s);
    }
    if (!missing.isEmpty()) {
        return failure(ErrorKind::Unavailable,
            u"it does not limit: %1"_s.arg(missing.join(u", "_s)));
    }
    m_placed = true;
    return ControlGroup::ofSystemd(group);
}

void SystemdScope::rememberFailure(const QString &because) const
{
    const QMutexLocker lock(&s_mutex);
    s_failures.insert(socketOf(m_runtimeFolder), { Clock::now(), because });
}

} // namespace deskhand::sandbox
