// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/linuxrun.h"

#include "executor/common/ids.h"
#include "executor/process/sessionprocesses.h"
#include "executor/sandbox/environment.h"
#include "executor/sandbox/pathfacts.h"
#include "executor/sandbox/preflight.h"
#include "executor/sandbox/tools.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

// Where things of ours lie inside the wall: below the private /run, out of every writable root.
const std::string kHelperInside = "/run/deskhand/sandbox-init";
const std::string kProxyInside = "/run/deskhand/proxy";
constexpr char kRunMark[] = "DESKHAND_RUN";
constexpr int kProxyPort = 3128; // of the run's own loopback, where every port is free
constexpr int kFirstGroupDescriptor = 5; // the launcher's descriptors for control groups: 5, 6
constexpr int kMaxCommandBytes = 2 * 1024 * 1024;
constexpr qint64 kRunBytes = 16LL * 1024 * 1024;

std::string bytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

QByteArray array(const std::string &text)
{
    return QByteArray::fromStdString(text);
}

QString shown(const std::string &path)
{
    return QFile::decodeName(array(path));
}

} // namespace

LinuxRun::LinuxRun(
    const SandboxRequest &request, process::RunControl &control, const SandboxHooks &hooks)
    : m_request(request)
    , m_control(control)
    , m_hooks(hooks)
    , m_profile(request.profile)
{ }

SandboxResult LinuxRun::run()
{
    if (Result<> prepared = prepare(); !prepared) {
        return refuse(prepared.error());
    }
    execute();
    conclude();
    return std::move(m_result);
}

Result<> LinuxRun::prepare()
{
    if (Result<> step = checkRequest(); !step) {
        return step;
    }
    if (Result<> step = chooseBackend(); !step) {
        return step;
    }
    {
        const FileRights rights(m_identity);
        if (Result<> step = resolvePolicy(); !step) {
            return step;
        }
    }
    if (Result<> step = setLimits(); !step) {
        return step;
    }
    if (Result<> step = startProxy(); !step) {
        return step;
    }
    buildEnvironment();
    return buildWall();
}

Result<> LinuxRun::checkRequest()
{
    if (m_request.command.isEmpty() || m_request.command.first().isEmpty()) {
        return failure(ErrorKind::Usage, u"there is no command to run"_s);
    }
    qsizetype total = 0;
    for (const QByteArray &argument : m_request.command) {
        total += argument.size() + 1;
        if (argument.contains('\0')) {
            return failure(ErrorKind::Usage, u"an argument contains a NUL character"_s);
        }
    }
    if (total > kMaxCommandBytes) {
        return failure(ErrorKind::Usage, u"the command is longer than 2 MiB"_s,
            u"put long input into a file"_s);
    }
    m_directory = paths::canonical(paths::clean(bytes(m_request.directory)));
    if (!m_request.directory.startsWith(u'/')
        || paths::kindOf(m_directory) != PathKind::Directory) {
        return failure(ErrorKind::NotFound,
            u"the working directory %1 does not exist"_s.arg(m_request.directory));
    }
    if (m_profile.limits.wall > LimitPolicy::kWallCeiling) {
        return failure(ErrorKind::Policy, u"the time limit is over the ceiling of one hour"_s);
    }
    const std::string workspace = m_request.workspaceRoots.isEmpty()
        ? m_directory
        : paths::canonical(paths::clean(bytes(m_request.workspaceRoots.first())));
    if (m_profile.enforcement != Enforcement::External) {
        Result<std::optional<Identity>> identity = Identity::forWorkspace(workspace);
        if (!identity) {
            return tl::unexpected(identity.error());
        }
        m_identity = *identity;
    }
    return {};
}

Result<> LinuxRun::chooseBackend()
{
    Result<QString> helper = findHelper();
    if (!helper) {
        return tl::unexpected(helper.error());
    }
    m_helper = *helper;
    switch (m_profile.enforcement) {
    case Enforcement::None:
        m_backend = Backend::None;
        return {};
    case Enforcement::External:
        if (m_profile.network.mode == NetworkMode::Local
            || m_profile.network.mode == NetworkMode::Proxy) {
            return failure(
                ErrorKind::Policy, u"inside another sandbox the network can only be off or full"_s);
        }
        m_backend = Backend::External;
        return {};
    case Enforcement::Managed:
        break;
    }
    const QStringList candidates = m_request.bubblewrapCandidates.isEmpty()
        ? bubblewrapCandidates()
        : m_request.bubblewrapCandidates;
    Result<QString> bubblewrap = findBubblewrap(candidates,
        m_request.workspaceRoots + QStringList(m_request.directory) + m_request.grantedWritable);
    if (!bubblewrap) {
        return chooseLandlock(bubblewrap.error());
    }
    Result<BwrapFeatures> features = bubblewrapFeatures(*bubblewrap);
    if (!features) {
        return chooseLandlock(features.error());
    }
    if (!features->sufficient()) {
        return chooseLandlock(
            Error { ErrorKind::Unavailable, u"the bubblewrap at %1 is too old"_s.arg(*bubblewrap),
                u"install bubblewrap 0.8.0 or later"_s });
    }
    m_bubblewrap = *bubblewrap;
    m_features = *features;
    return {};
}

/// Landlock alone serves read-only work without denials, and only where the owner accepted that.
Result<> LinuxRun::chooseLandlock(const Error &because)
{
    if (!m_request.allowDegraded || m_profile.network.mode != NetworkMode::Off
        || landlockAbi() < 3) {
        return tl::unexpected(because);
    }
    m_backend = Backend::Landlock;
    m_result.notes.append(
        u"degraded: %1; modes and times of files outside can still be changed"_s.arg(
            because.message));
    return {};
}

Result<> LinuxRun::resolvePolicy()
{
    PolicyContext context;
    context.workspaceRoots = m_request.workspaceRoots.isEmpty() ? QStringList(m_request.directory)
                                                                : m_request.workspaceRoots;
    context.home = qEnvironmentVariable("HOME");
    if (m_identity && !m_identity->home.isEmpty()) {
        struct stat info
        { };
        if (stat(QFile::encodeName(context.home).constData(), &info) != 0
            || info.st_uid != m_identity->uid) {
            context.home = QFile::decodeName(m_identity->home);
        }
    }
    context.temporaryFolder = qEnvironmentVariable("TMPDIR");
    context.extraWritable = m_request.grantedWritable;
    context.extraReadable = m_request.grantedReadable;
    Result<ResolvedPolicy> policy = ResolvedPolicy::resolve(m_profile, context);
    if (!policy) {
        return tl::unexpected(policy.error());
    }
    m_policy = std::move(*policy);
    m_result.notes.append(m_policy->notes());
    if (m_backend == Backend::Landlock) {
        for (const PolicyEntry &entry : m_policy->entries()) {
            const bool hides = entry.access == Access::Deny && entry.path != "/"
                && faccessat(AT_FDCWD, entry.path.c_str(), R_OK, AT_EACCESS) == 0;
            const bool writes
                = entry.access == Access::Write && entry.origin != Origin::PrivatePlace;
            if (hides || writes) {
                return failure(ErrorKind::Unavailable,
                    u"without bubblewrap the rule for %1 cannot be held"_s.arg(shown(entry.path)),
                    u"install the package \"bubblewrap\""_s);
            }
        }
    }
    if (m_backend != Backend::Bubblewrap) {
        return {};
    }
    if (!m_policy->verdict(shown(m_directory), Access::Read).allowed
        || m_policy->decide(m_directory).origin == Origin::PrivatePlace) {
        return failure(ErrorKind::Policy,
            u"the working directory is not visible under the profile %1: %2"_s.arg(
                m_profile.id, m_policy->verdict(shown(m_directory), Access::Read).reason));
    }
    for (const std::string &root : m_policy->writableRoots()) {
        if (root != "/" && paths::isWithin(bytes(m_helper), root)) {
            // Bound read-only inside, but a run without a wall could have replaced it meanwhile.
            m_result.notes.append(
                u"the sandbox helper lies inside the writable root %1"_s.arg(shown(root)));
        }
    }
    m_changes = std::make_unique<WorkspaceChanges>(*m_policy, m_profile.files.watchedNames);
    m_guards = std::make_unique<GuardSet>();
    if (Result<> stood = m_guards->stand(*m_policy); !stood) {
        return stood;
    }
    m_createWatch = std::make_unique<CreateWatch>(*m_policy);
    return {};
}

Result<> LinuxRun::setLimits()
{
    const LimitPolicy &limits = m_profile.limits;
    m_spec.wallLimit = limits.wall;
    m_spec.grace = limits.grace;
    m_spec.retainedBytes = limits.outputBytes;
    m_spec.spoolFolder = m_request.spoolFolder;
    const bool wanted = limits.memoryBytes > 0 || limits.processes > 0;
    m_result.limitsBy = u"none"_s;
    if (wanted) {
        Result<std::unique_ptr<ControlGroup>> group = ControlGroup::create(limits);
        if (group) {
            m_group = std::move(*group);
            m_result.limitsBy = m_group->kind();
        } else if (m_request.cgroupRequired) {
            return failure(ErrorKind::Unavailable,
                u"limits must be counted by the kernel here, but %1"_s.arg(group.error().message));
        } else {
            m_result.limitsBy = u"rlimit"_s;
        }
    }
    m_tree = std::make_unique<TreeWatch>(limits,
        m_backend == Backend::Bubblewrap ? m_policy->writableRoots() : std::vector<std::string> {},
        wanted && !m_group);
    m_spec.watch = [this](qint64 pid) {
        return m_tree->check(pid);
    };
    if (m_createWatch && m_createWatch->descriptor() >= 0) {
        m_spec.watchedDescriptor = m_createWatch->descriptor();
        m_spec.watchedReady = [this] {
            const FileRights rights(m_identity);
            m_createWatch->check();
        };
    }
    m_spec.killTree = [this] {
        if (m_group) {
            m_group->kill();
        }
        if (m_backend != Backend::Bubblewrap) {
            process::killProcessesWithVariable(m_mark);
        }
    };
    if (m_group) {
        m_spec.survivors = [this] {
            return m_group->processes();
        };
    }
    return {};
}

/// Without a live proxy there is no run: the command would only find a network that is off.
Result<> LinuxRun::startProxy()
{
    if (m_profile.network.mode != NetworkMode::Proxy || m_backend != Backend::Bubblewrap) {
        return {};
    }
    AllowListProxy::Options options;
    options.policy = m_profile.network;
    options.callId = m_request.callId;
    options.broker = m_hooks.broker;
    options.journal = m_hooks.journal;
    options.identity = m_identity;
    Result<std::unique_ptr<AllowListProxy>> proxy = AllowListProxy::start(std::move(options));
    if (!proxy) {
        return tl::unexpected(proxy.error());
    }
    m_proxy = std::move(*proxy);
    return {};
}

void LinuxRun::buildEnvironment()
{
    QList<QByteArray> inherited = m_request.inheritedEnvironment.isEmpty()
        ? currentEnvironment()
        : m_request.inheritedEnvironment;
    adoptIdentity(inherited);
    EnvironmentMarkers markers;
    markers.sandbox = backendName();
    markers.network = m_profile.network.mode;
    markers.profile = m_profile.id;
    m_spec.environment
        = commandEnvironment(inherited, m_profile.environment, m_request.environment, markers);
    if (m_proxy) {
        const QString address = u"127.0.0.1:%1"_s.arg(kProxyPort);
        const QMap<QString, QString> variables
            = proxyVariables(u"http://"_s + address, u"socks5h://"_s + address);
        for (auto it = variables.begin(); it != variables.end(); ++it) {
            setVariable(m_spec.environment, it.key().toLatin1(), it.value().toLatin1());
        }
    }
    if (m_backend == Backend::Bubblewrap && m_profile.files.scratch == Scratch::Private
        && !m_request.environment.contains(u"TMPDIR"_s)) {
        setVariable(m_spec.environment, "TMPDIR", "/tmp");
    }
    if (variable(m_spec.environment, "PATH").isEmpty()) {
        setVariable(m_spec.environment, "PATH", "/usr/local/bin:/usr/bin:/bin");
    }
    if (m_backend != Backend::Bubblewrap) {
        // No namespace holds this tree together; should its supervisor be killed, this finds it.
        const QByteArray value = randomHex(16).toLatin1();
        setVariable(m_spec.environment, kRunMark, value);
        m_mark = QByteArray(kRunMark) + '=' + value;
    }
    setVariable(m_spec.environment, "PWD", array(paths::clean(bytes(m_request.directory))));
    if (m_request.terminal && variable(m_spec.environment, "TERM").isEmpty()) {
        setVariable(m_spec.environment, "TERM", "xterm-256color");
    }
}

/// A command that runs as somebody else must not look for its files in root's home.
void LinuxRun::adoptIdentity(QList<QByteArray> &environment) const
{
    if (!m_identity || m_identity->name.isEmpty()) {
        return;
    }
    setVariable(environment, "USER", m_identity->name);
    setVariable(environment, "LOGNAME", m_identity->name);
    struct stat info
    { };
    if (stat(variable(environment, "HOME").constData(), &info) != 0
        || info.st_uid != m_identity->uid) {
        setVariable(environment, "HOME", m_identity->home);
    }
}

QList<QByteArray> LinuxRun::launcherArguments() const
{
    QList<QByteArray> arguments { "launch", "--control",
        QByteArray::number(process::kSupervisorDescriptor) };
    if (m_backend == Backend::Bubblewrap) {
        arguments.append({ "--parent", QByteArray::number(getpid()) });
    }
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
    if (!m_group) {
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
            "--bridge-port", QByteArray::number(kProxyPort) });
    }
    if (m_request.terminal) {
        arguments.append("--terminal");
    }
    arguments.append({ "--pwd", array(paths::clean(bytes(m_request.directory))), "--" });
    return arguments + m_request.command;
}

Result<> LinuxRun::buildWall()
{
    m_spec.supervised = true;
    m_spec.program = QFile::encodeName(m_helper);
    m_spec.arguments = launcherArguments();
    m_spec.terminal = m_request.terminal;
    m_spec.openInput = m_request.openInput;
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
    Result<BwrapCommand> command = buildBwrapCommand(bwrapPlan());
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
    m_spec.arguments.append({ QFile::encodeName(m_bubblewrap), "--args",
        QByteArray::number(kArgumentsDescriptor), "--" });
    m_spec.arguments.append(command->command);
    return {};
}

BwrapPlan LinuxRun::bwrapPlan() const
{
    BwrapPlan plan;
    plan.features = m_features;
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

void LinuxRun::execute()
{
    m_result.backend = backendName();
    m_result.outcome = process::runBounded(m_spec, m_control, m_hooks.output);
    for (const int fd : std::as_const(m_ownDescriptors)) {
        close(fd);
    }
    m_ownDescriptors.clear();
}

void LinuxRun::conclude()
{
    {
        const FileRights rights(m_identity);
        if (m_guards) {
            m_result.violations = m_createWatch->finish();
            for (const QString &lost : m_guards->release()) {
                if (!m_result.violations.contains(lost)) {
                    m_result.violations.append(lost);
                }
            }
            const WorkspaceChanges::Report changes = m_changes->compare();
            m_result.watchedChanged = changes.watchedChanged;
            m_result.newRepositories = changes.newRepositories;
            m_result.linkedOutside = changes.linkedOutside;
        }
        m_result.grewMuch = m_tree->grewMuch();
    }
    judgeEnd();
    if (m_result.endedBy != EndedBy::Refused && m_result.endedBy != EndedBy::Unavailable) {
        gatherDenials();
    }
    m_group.reset();
}

void LinuxRun::judgeEnd()
{
    process::RunOutcome &outcome = m_result.outcome;
    switch (outcome.end) {
    case process::RunEnd::TimedOut:
        m_result.endedBy = EndedBy::Timeout;
        outcome.limit = u"wall-time"_s;
        return;
    case process::RunEnd::Cancelled:
        m_result.endedBy = EndedBy::Cancel;
        return;
    case process::RunEnd::Limit:
        m_result.endedBy = EndedBy::Limit;
        return;
    case process::RunEnd::NotStarted:
        m_result.endedBy = EndedBy::Unavailable;
        m_result.error = explainWallFailure(outcome.startError);
        return;
    case process::RunEnd::Exited:
        break;
    }
    m_result.endedBy = EndedBy::Command;
    const int status = outcome.shellStatus();
    if (status == 128 + SIGXFSZ) {
        outcome.limit = u"file-size"_s;
        m_result.endedBy = EndedBy::Limit;
        return;
    }
    if (m_group) {
        outcome.limit = m_group->firedLimit();
        if (outcome.limit == u"memory"_s && status == 128 + SIGKILL) {
            m_result.endedBy = EndedBy::Limit;
        }
    }
}

void LinuxRun::gatherDenials()
{
    for (const QString &path : std::as_const(m_result.violations)) {
        m_result.denials.append({ DenialGrade::Certain, Denial::Kind::Write, path,
            u"write denied: %1 is protected and was removed"_s.arg(path) });
    }
    if (m_proxy) {
        m_proxy->stop();
        for (const ProxyDecision &decision : m_proxy->refused()) {
            const Denial denial { DenialGrade::Certain, Denial::Kind::Network, decision.host,
                u"network denied: %1 port %2 (%3)"_s.arg(decision.host)
                    .arg(decision.port)
                    .arg(decision.reason) };
            if (!m_result.denials.contains(denial)) {
                m_result.denials.append(denial);
            }
        }
    }
    if (m_backend == Backend::None) {
        return;
    }
    DenialInput input;
    input.shellStatus = m_result.outcome.shellStatus();
    input.output = m_result.outcome.merged.joined();
    input.policy = &*m_policy;
    input.directory = shown(m_directory);
    input.networkRestricted = m_profile.network.mode != NetworkMode::Full;
    if (m_result.outcome.execError == EACCES || m_result.outcome.execError == EPERM) {
        const QString program = QFile::decodeName(m_request.command.first());
        const ResolvedPolicy::Verdict verdict = m_policy->verdict(program, Access::Read);
        if (program.startsWith(u'/') && !verdict.allowed) {
            m_result.denials.append(
                { DenialGrade::Certain, Denial::Kind::Read, program, verdict.reason });
        }
    }
    m_result.denials.append(findDenials(input));
}

SandboxResult LinuxRun::refuse(const Error &error)
{
    for (const int fd : std::as_const(m_ownDescriptors)) {
        close(fd);
    }
    {
        const FileRights rights(m_identity);
        m_createWatch.reset();
        m_guards.reset();
    }
    m_result.backend = backendName();
    m_result.error = error;
    m_result.endedBy
        = error.kind == ErrorKind::Unavailable ? EndedBy::Unavailable : EndedBy::Refused;
    m_result.outcome.end = process::RunEnd::NotStarted;
    m_result.outcome.startError = error;
    return std::move(m_result);
}

QString LinuxRun::backendName() const
{
    switch (m_backend) {
    case Backend::Bubblewrap:
        return u"bwrap"_s;
    case Backend::Landlock:
        return u"landlock"_s;
    case Backend::None:
        return u"none"_s;
    case Backend::External:
        return u"container"_s;
    }
    return {};
}

} // namespace deskhand::sandbox
