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
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr char kRunMark[] = "DESKHAND_RUN";
constexpr int kMaxCommandBytes = 2 * 1024 * 1024;

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
    if (m_backend == Backend::Bubblewrap) {
        m_grantedFiles = std::make_unique<GrantedFiles>();
        m_grantedFiles->stand(m_request.grantedWritable);
    }
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
        const QString address = u"127.0.0.1:%1"_s.arg(kBridgePort);
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

void LinuxRun::execute()
{
    constexpr int kMaxTries = 3;
    m_result.backend = backendName();
    for (int tried = 1;; ++tried) {
        m_result.outcome = process::runBounded(m_spec, m_control, m_hooks.output);
        closeOwnDescriptors();
        // Sockets of the host come and go; one that went cannot be mounted over. Nothing of the
        // command ran, so the wall is built again from what is there now.
        const bool again = m_result.outcome.end == process::RunEnd::NotStarted && tried < kMaxTries
            && std::any_of(m_maskedSockets.begin(), m_maskedSockets.end(),
                [](const std::string &path) { return paths::kindOf(path) == PathKind::Missing; });
        if (!again || !buildWall()) {
            break;
        }
    }
    closeOwnDescriptors();
}

void LinuxRun::closeOwnDescriptors()
{
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
        m_grantedFiles.reset();
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
    closeOwnDescriptors();
    {
        const FileRights rights(m_identity);
        m_createWatch.reset();
        m_guards.reset();
        m_grantedFiles.reset();
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
