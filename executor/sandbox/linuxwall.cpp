// SPDX-License-Identifier: Apache-2.0
// The wall of one run: what the helper and bubblewrap are told.
#include "executor/sandbox/linuxrun.h"
#include "executor/sandbox/pathfacts.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

// Where things of ours lie inside the wall: below the private /run, out of every writable root.
const std::string kHelperInside = "/run/deskhand/sandbox-init";
const std::string kProxyInside = "/run/deskhand/proxy";
constexpr int kFirstGroupDescriptor = 5; // the launcher's descriptors for control groups: 5, 6
constexpr qint64 kRunBytes = 16LL * 1024 * 1024;

std::string bytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

QByteArray array(const std::string &text)
{
    return QByteArray::fromStdString(text);
}

} // namespace

QList<QByteArray> LinuxRun::launcherArguments() const
{
    QList<QByteArray> arguments { "launch", "--control",
        QByteArray::number(process::kSupervisorDescriptor) };
    if (m_backend == Backend::Bubblewrap) {
        arguments.append({ "--parent", QByteArray::number(getpid()) });
    }
    arguments.append(scopeArguments());
    if (m_group) {
        for (int i = 0; i < m_group->joinDescriptors().size(); ++i) {
            arguments.append({ "--cgroup", QByteArray::number(kFirstGroupDescriptor + i) });
        }
    }
    if (m_identity) {
        arguments.append({ "--uid", QByteArray::number(m_identity->uid), "--gid",
            QByteArray::number(m_identity->gid) });
        for (const gid_t group : m_identity->groups) {
            arguments.append({ "--group", QByteArray::number(group) });
        }
    }
    arguments.append("--");
    return arguments;
}

QList<QByteArray> LinuxRun::initArguments(const QString &helper) const
{
    QList<QByteArray> arguments { QFile::encodeName(helper), "init", "--control",
        QByteArray::number(process::kSupervisorDescriptor), "--rlimit", "core=0" };
    const LimitPolicy &limits = m_profile.limits;
    const auto limit = [&arguments](const char *name, qint64 value) {
        if (value > 0) {
            arguments.append({ "--rlimit", QByteArray(name) + '=' + QByteArray::number(value) });
        }
    };
    if (limits.niceness > 0) {
        arguments.append({ "--nice", QByteArray::number(limits.niceness) });
    }
    limit("fsize", limits.fileBytes);
    limit("nofile", limits.openFiles);
    if (m_backend == Backend::Bubblewrap) {
        limit("nproc", limits.processes); // counted for this user namespace only
    }
    if (!kernelCounts()) {
        limit("data", limits.memoryBytes);
    }
    if (m_backend == Backend::Bubblewrap || m_backend == Backend::Landlock
        || m_backend == Backend::External) {
        const bool fullUnix = m_profile.network.mode == NetworkMode::Full
            && !m_profile.network.unixSockets.isEmpty();
        arguments.append({ "--filter",
            fullUnix ? QByteArray("full_unix")
                     : networkModeName(m_profile.network.mode).toLatin1() });
    }
    if (m_backend == Backend::Bubblewrap || m_backend == Backend::Landlock) {
        arguments.append("--scopes");
    }
    if (m_backend == Backend::Landlock) {
        arguments.append("--read-only-files");
    }
    if (m_backend != Backend::Bubblewrap) {
        arguments.append("--subreaper");
    }
    if (m_proxy) {
        arguments.append({ "--bridge",
            array(paths::join(kProxyInside, AllowListProxy::kSocketName.toStdString())),
            "--bridge-port", QByteArray::number(kBridgePort) });
    }
    if (m_request.terminal) {
        arguments.append("--terminal");
    }
    if (m_scope) {
        arguments.append("--linger");
    }
    arguments.append({ "--pwd", array(paths::clean(bytes(m_request.directory))), "--" });
    return arguments + m_request.command;
}

Result<> LinuxRun::buildWall()
{
    m_spec.supervised = true;
    m_spec.program = QFile::encodeName(m_helper);
    m_spec.arguments = launcherArguments();
    goThroughSystemd();
    m_spec.descriptors.clear();
    if (m_group) {
        for (int i = 0; i < m_group->joinDescriptors().size(); ++i) {
            m_spec.descriptors.append({ m_group->joinDescriptors()[i], kFirstGroupDescriptor + i });
        }
    }
    if (m_backend != Backend::Bubblewrap) {
        m_spec.directory = array(m_directory);
        m_spec.arguments.append(initArguments(m_helper));
        return {};
    }
    m_spec.directory = "/";
    const BwrapPlan plan = bwrapPlan();
    m_maskedSockets = plan.maskedSockets;
    Result<BwrapCommand> command = buildBwrapCommand(plan);
    if (!command) {
        return tl::unexpected(command.error());
    }
    Result<int> file = argumentsFile(command->options);
    if (!file) {
        return tl::unexpected(file.error());
    }
    m_ownDescriptors.append(*file);
    m_spec.descriptors.append({ *file, kArgumentsDescriptor });
    if (command->dataDescriptors > 0) {
        const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
        m_ownDescriptors.append(empty);
        for (int i = 0; i < command->dataDescriptors; ++i) {
            m_spec.descriptors.append({ empty, kFirstDataDescriptor + i });
        }
    }
    m_spec.arguments.append({ QFile::encodeName(m_bubblewrap.path), "--args",
        QByteArray::number(kArgumentsDescriptor), "--" });
    m_spec.arguments.append(command->command);
    return {};
}

BwrapPlan LinuxRun::bwrapPlan() const
{
    BwrapPlan plan;
    plan.features = m_bubblewrap.features;
    plan.network = m_profile.network.mode;
    plan.root = m_policy->decide("/").access;
    plan.entries = m_policy->entries();
    plan.directory = m_directory;
    addPrivatePlaces(plan);
    plan.maskedSockets = socketsToMask();
    plan.command = initArguments(QString::fromStdString(kHelperInside));
    return plan;
}

void LinuxRun::addPrivatePlaces(BwrapPlan &plan) const
{
    // The total is shared out: half for /tmp, a quarter each for the other two.
    const qint64 total = m_profile.files.scratchBytes;
    plan.sharedMemoryBytes = total / 4;
    bool haveRun = false;
    for (const std::string &path : m_policy->privatePlaces()) {
        BwrapPlan::PrivatePlace place;
        place.path = path;
        haveRun = haveRun || path == "/run";
        place.bytes = path == "/run" ? kRunBytes : (path == "/tmp" ? total / 2 : total / 4);
        place.readOnly = m_profile.files.scratch == Scratch::None;
        plan.privatePlaces.push_back(place);
    }
    if (!haveRun) {
        // With the host's scratch our own things still need a place that nobody else can write.
        plan.privatePlaces.push_back({ "/run", kRunBytes, false });
    }
    plan.binds.push_back({ bytes(m_helper), kHelperInside });
    if (m_proxy) {
        plan.binds.push_back({ bytes(m_proxy->folder()), kProxyInside });
    }
    if (m_profile.network.mode == NetworkMode::Full) {
        const std::string resolver = paths::canonical("/etc/resolv.conf");
        if (paths::isWithin(resolver, "/run") && paths::kindOf(resolver) == PathKind::File) {
            plan.binds.push_back({ resolver, resolver });
        }
        for (const QString &socket : m_profile.network.unixSockets) {
            const std::string path = paths::canonical(paths::clean(bytes(socket)));
            const bool hidden = std::any_of(plan.privatePlaces.begin(), plan.privatePlaces.end(),
                [&path](const auto &place) { return paths::isWithin(path, place.path); });
            if (hidden && paths::kindOf(path) == PathKind::Other) {
                plan.binds.push_back({ path, path });
            }
        }
    }
}

/// Path sockets of the host that the command could see. A read-only mount does not keep anyone from
/// connecting. With the network off only datagram sockets matter: the filter stops connect, but a
/// datagram can be sent to a path without it.
std::vector<std::string> LinuxRun::socketsToMask() const
{
    std::vector<std::string> result;
    const NetworkMode mode = m_profile.network.mode;
    if (mode != NetworkMode::Local && mode != NetworkMode::Off) {
        return result;
    }
    QFile table(u"/proc/net/unix"_s);
    if (!table.open(QIODevice::ReadOnly)) {
        return result;
    }
    const QList<QByteArray> lines = table.readAll().split('\n');
    for (const QByteArray &line : lines) {
        const qsizetype start = line.indexOf(" /");
        const QList<QByteArray> fields = line.simplified().split(' ');
        if (start < 0 || fields.size() < 8 || (mode == NetworkMode::Off && fields[4] != "0002")) {
            continue;
        }
        const std::string path = paths::canonical(line.mid(start + 1).toStdString());
        const PolicyEntry &entry = m_policy->decide(path);
        if (entry.access == Access::Deny || entry.origin == Origin::PrivatePlace
            || paths::kindOf(path) != PathKind::Other
            || std::find(result.begin(), result.end(), path) != result.end()) {
            continue;
        }
        result.push_back(path);
    }
    return result;
}

Result<int> LinuxRun::argumentsFile(const QList<QByteArray> &options) const
{
    QByteArray content;
    for (const QByteArray &option : options) {
        content.append(option).append('\0');
    }
    const int fd = memfd_create("deskhand-sandbox", MFD_CLOEXEC);
    if (fd < 0
        || ::write(fd, content.constData(), static_cast<size_t>(content.size())) != content.size()
        || lseek(fd, 0, SEEK_SET) != 0) {
        const int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return failure(ErrorKind::Process,
            u"the arguments of the sandbox could not be stored: %1"_s.arg(qt_error_string(error)));
    }
    return fd;
}

} // namespace deskhand::sandbox
