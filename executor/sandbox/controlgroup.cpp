// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/controlgroup.h"

#include "executor/common/ids.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr std::chrono::milliseconds kRemoveLimit { 2'000 };

QByteArray readSmall(const QString &file)
{
    QFile source(file);
    return source.open(QIODevice::ReadOnly) ? source.readAll() : QByteArray();
}

bool writeSmall(const QString &file, const QByteArray &text)
{
    const int fd = open(QFile::encodeName(file).constData(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool done
        = ::write(fd, text.constData(), static_cast<size_t>(text.size())) == text.size();
    close(fd);
    return done;
}

bool writable(const QString &directory)
{
    return access(QFile::encodeName(directory).constData(), W_OK) == 0
        && access(QFile::encodeName(directory + u"/cgroup.procs"_s).constData(), W_OK) == 0;
}

/// A line "oom_kill 3" or "max 2" of an events file.
qint64 counter(const QByteArray &text, const QByteArray &name)
{
    for (const QByteArray &line : text.split('\n')) {
        const QList<QByteArray> words = line.simplified().split(' ');
        if (words.size() == 2 && words[0] == name) {
            return words[1].toLongLong();
        }
    }
    return 0;
}

bool hasBoth(const QByteArray &controllers)
{
    const QList<QByteArray> names = controllers.simplified().split(' ');
    return names.contains("memory") && names.contains("pids");
}

/// Version 2: our group or its parent, where children get the two controllers. A group with
/// processes in it (like ours) cannot hand them down, but the parent often does already.
std::optional<QString> findV2(const QString &root, const QString &own)
{
    for (const QString &path : { own, own.left(own.lastIndexOf(u'/')) }) {
        const QString directory = root + path;
        if (writable(directory) && hasBoth(readSmall(directory + u"/cgroup.controllers"_s))
            && (hasBoth(readSmall(directory + u"/cgroup.subtree_control"_s))
                || writeSmall(directory + u"/cgroup.subtree_control"_s, "+memory +pids"))) {
            return directory;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<ControlGroupPlace> findControlGroupPlace(
    const QString &mountRoot, const QString &membership, QString *why)
{
    QString v2;
    QString memory;
    QString pids;
    for (const QByteArray &line : readSmall(membership).split('\n')) {
        const qsizetype first = line.indexOf(':');
        const qsizetype second = line.indexOf(':', first + 1);
        if (first < 0 || second < 0) {
            continue;
        }
        const QList<QByteArray> controllers = line.mid(first + 1, second - first - 1).split(',');
        const QString path = QFile::decodeName(line.mid(second + 1));
        if (line.startsWith("0::")) {
            v2 = path;
        }
        if (controllers.contains("memory")) {
            memory = path;
        }
        if (controllers.contains("pids")) {
            pids = path;
        }
    }
    if (!v2.isNull()) {
        const QString unified = mountRoot + u"/unified"_s;
        const QString root
            = QFileInfo::exists(mountRoot + u"/cgroup.controllers"_s) ? mountRoot : unified;
        if (const std::optional<QString> parent = findV2(root, v2)) {
            return ControlGroupPlace { ControlGroupPlace::Version::V2, *parent, *parent };
        }
    }
    if (!memory.isNull() && !pids.isNull()) {
        const ControlGroupPlace place { ControlGroupPlace::Version::V1,
            mountRoot + u"/memory"_s + memory, mountRoot + u"/pids"_s + pids };
        if (writable(place.memoryParent) && writable(place.pidsParent)) {
            return place;
        }
    }
    *why = v2.isNull() && memory.isNull() ? u"this system has no control groups"_s
                                          : u"no control group here may be written"_s;
    return std::nullopt;
}

Result<std::unique_ptr<ControlGroup>> ControlGroup::create(const LimitPolicy &limits)
{
    QString why;
    const std::optional<ControlGroupPlace> place
        = findControlGroupPlace(u"/sys/fs/cgroup"_s, u"/proc/self/cgroup"_s, &why);
    if (!place) {
        return failure(ErrorKind::Unavailable, why);
    }
    std::unique_ptr<ControlGroup> group(new ControlGroup(place->version));
    if (Result<> made = group->make(*place, limits); !made) {
        return tl::unexpected(made.error());
    }
    return group;
}

Result<> ControlGroup::make(const ControlGroupPlace &place, const LimitPolicy &limits)
{
    const QString name = u"/deskhand-%1"_s.arg(randomHex(8));
    const bool v2 = m_version == ControlGroupPlace::Version::V2;
    const auto makeOne = [](const QString &directory) {
        return mkdir(QFile::encodeName(directory).constData(), 0755) == 0;
    };
    const auto failed = [](const QString &what) {
        return failure(
            ErrorKind::Unavailable, u"control group: %1: %2"_s.arg(what, qt_error_string(errno)));
    };
    if (!makeOne(place.memoryParent + name)) {
        return failed(place.memoryParent);
    }
    m_memory = place.memoryParent + name;
    if (!v2) {
        if (!makeOne(place.pidsParent + name)) {
            return failed(place.pidsParent);
        }
        m_pids = place.pidsParent + name;
    } else {
        m_pids = m_memory;
    }
    if (limits.processes > 0
        && !writeSmall(m_pids + u"/pids.max"_s, QByteArray::number(limits.processes))) {
        return failed(u"pids.max"_s);
    }
    if (limits.memoryBytes > 0) {
        const QByteArray bytes = QByteArray::number(limits.memoryBytes);
        if (!writeSmall(m_memory + (v2 ? u"/memory.max"_s : u"/memory.limit_in_bytes"_s), bytes)) {
            return failed(u"memory limit"_s);
        }
        // Swap would only make the host slow; kernels without swap accounting lack the file.
        (void)writeSmall(
            m_memory + (v2 ? u"/memory.swap.max"_s : u"/memory.memsw.limit_in_bytes"_s),
            v2 ? QByteArray("0") : bytes);
    }
    if (v2) {
        (void)writeSmall(m_memory + u"/cpu.weight"_s, "50");
    }
    for (const QString &directory :
        v2 ? QList<QString> { m_memory } : QList<QString> { m_memory, m_pids }) {
        const int fd = open(
            QFile::encodeName(directory + u"/cgroup.procs"_s).constData(), O_WRONLY | O_CLOEXEC);
        if (fd < 0) {
            return failed(u"cgroup.procs"_s);
        }
        m_descriptors.append(fd);
    }
    return {};
}

std::unique_ptr<ControlGroup> ControlGroup::ofSystemd(const QString &directory)
{
    std::unique_ptr<ControlGroup> group(new ControlGroup(ControlGroupPlace::Version::V2));
    group->m_systemd = true;
    group->m_memory = group->m_pids = directory;
    return group;
}

/// Nobody may be left in it; the group itself is systemd's to remove.
void ControlGroup::waitForSystemd()
{
    const auto deadline = std::chrono::steady_clock::now() + kRemoveLimit;
    while (counter(readSmall(m_memory + u"/cgroup.events"_s), "populated") > 0
        && std::chrono::steady_clock::now() < deadline) {
        kill();
        poll(nullptr, 0, 1);
    }
}

ControlGroup::~ControlGroup()
{
    for (const int fd : m_descriptors) {
        close(fd);
    }
    if (m_systemd) {
        waitForSystemd();
        return;
    }
    const auto deadline = std::chrono::steady_clock::now() + kRemoveLimit;
    for (const QString &directory : { m_memory, m_pids }) {
        if (directory.isEmpty()) {
            continue;
        }
        // The last process may still be on its way out; the kernel says so by EBUSY.
        while (rmdir(QFile::encodeName(directory).constData()) != 0 && errno == EBUSY
            && std::chrono::steady_clock::now() < deadline) {
            kill();
            poll(nullptr, 0, 1);
        }
    }
}

QString ControlGroup::kind() const
{
    if (m_systemd) {
        return u"systemd-scope"_s;
    }
    return m_version == ControlGroupPlace::Version::V2 ? u"cgroup2"_s : u"cgroup1"_s;
}

QList<qint64> ControlGroup::processes() const
{
    QList<qint64> result;
    for (const QByteArray &line : readSmall(m_pids + u"/cgroup.procs"_s).split('\n')) {
        if (const qint64 pid = line.toLongLong(); pid > 0) {
            result.append(pid);
        }
    }
    return result;
}

void ControlGroup::kill()
{
    if (m_version == ControlGroupPlace::Version::V2
        && writeSmall(m_memory + u"/cgroup.kill"_s, "1")) {
        return;
    }
    // Whoever forks meanwhile is found in the next round; the limit of processes bounds the rounds.
    for (int round = 0; round < 16; ++round) {
        const QList<qint64> pids = processes();
        if (pids.isEmpty()) {
            return;
        }
        for (const qint64 pid : pids) {
            ::kill(static_cast<pid_t>(pid), SIGKILL);
        }
    }
}

QString ControlGroup::readEvents() const
{
    const bool v2 = m_version == ControlGroupPlace::Version::V2;
    if (counter(
            readSmall(m_memory + (v2 ? u"/memory.events"_s : u"/memory.oom_control"_s)), "oom_kill")
        > 0) {
        return u"memory"_s;
    }
    if (counter(readSmall(m_pids + u"/pids.events"_s), "max") > 0) {
        return u"processes"_s;
    }
    return {};
}

} // namespace deskhand::sandbox
