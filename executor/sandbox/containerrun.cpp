// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/containerrun.h"

#include "executor/common/ids.h"
#include "executor/sandbox/bubblewrapchoice.h"
#include "executor/sandbox/environment.h"
#include "executor/sandbox/pathfacts.h"
#include "executor/sandbox/policyresolver.h"
#include "executor/sandbox/runsteps.h"
#include "executor/sandbox/tools.h"

#include <QDir>
#include <QFile>
#include <QMutex>
#include <QSet>

#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr std::chrono::milliseconds kStartLimit { 30'000 }; // half a second when nothing is busy
constexpr std::chrono::milliseconds kAskLimit { 15'000 };
constexpr qint64 kRunBytes = 16LL * 1024 * 1024;
constexpr char kHelperInside[] = "/run/deskhand/sandbox-init";
constexpr char kFolderInside[] = "/run/deskhand/run";

QMutex s_mutex; // guards the set
QSet<QString> s_swept; ///< programs whose containers of dead engines were looked for

std::string bytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

/// When a process started, in ticks since the system did; 0 when it is gone.
qint64 startTime(qint64 pid)
{
    QFile stat(u"/proc/%1/stat"_s.arg(pid));
    if (!stat.open(QIODevice::ReadOnly)) {
        return 0;
    }
    const QByteArray line = stat.readAll();
    constexpr int kField = 19; // counted from the state, which follows the name in brackets
    return line.mid(line.lastIndexOf(')') + 2).split(' ').value(kField).toLongLong();
}

/// A file system mounted inside what is shown read-only would stay writable there.
Result<> checkNothingMountedIn(const std::vector<std::string> &readOnly)
{
    QFile table(u"/proc/self/mountinfo"_s);
    if (!table.open(QIODevice::ReadOnly)) {
        return failure(ErrorKind::Unavailable, u"the mounts of this system cannot be read"_s);
    }
    for (const QByteArray &line : table.readAll().split('\n')) {
        const std::string place = line.split(' ').value(4).toStdString();
        for (const std::string &top : readOnly) {
            if (place != top && !place.empty() && paths::isWithin(place, top)) {
                return failure(ErrorKind::Policy,
                    u"a container engine cannot hold this rule: %1 read-only, with a file system mounted at %2"_s
                        .arg(QString::fromStdString(top), QString::fromStdString(place)));
            }
        }
    }
    return {};
}

} // namespace

ContainerRun::ContainerRun(
    const SandboxRequest &request, process::RunControl &control, const SandboxHooks &hooks)
    : m_request(request)
    , m_control(control)
    , m_hooks(hooks)
    , m_profile(request.profile)
{ }

ContainerRun::~ContainerRun()
{
    if (m_listener >= 0) {
        close(m_listener);
    }
}

SandboxResult ContainerRun::run()
{
    m_result.backend = engineName();
    if (Result<> prepared = prepare(); !prepared) {
        return refuse(prepared.error());
    }
    m_result.outcome = process::runBounded(m_spec, m_control, m_hooks.output);
    if (m_result.outcome.end != process::RunEnd::Exited) {
        remove(); // by itself it goes with its process 1
    }
    conclude();
    return std::move(m_result);
}

QString ContainerRun::engineName() const
{
    return m_request.container->engine == ContainerChoice::Engine::Docker ? u"docker"_s
                                                                          : u"podman"_s;
}

std::string ContainerRun::inFolder(const char *name) const
{
    return bytes(m_folder->filePath(QString::fromLatin1(name)));
}

Result<> ContainerRun::prepare()
{
    if (Result<> step = checkChoice(); !step) {
        return step;
    }
    if (Result<> step = findEngine(); !step) {
        return step;
    }
    {
        const FileRights rights(m_identity);
        if (Result<> step = resolvePolicy(); !step) {
            return step;
        }
    }
    if (Result<> step = makeFolder(); !step) {
        return step;
    }
    if (Result<> step = writeEnvironment(); !step) {
        return step;
    }
    if (Result<> step = buildCommand(); !step) {
        return step;
    }
    return sweep();
}

Result<> ContainerRun::checkChoice()
{
    Result<RunPlace> place = runPlace(m_request, m_profile);
    if (!place) {
        return tl::unexpected(place.error());
    }
    m_directory = place->directory;
    m_identity = place->identity;
    if (m_profile.enforcement != Enforcement::Managed) {
        return failure(ErrorKind::Policy,
            u"the profile %1 asks for no wall of ours; a container would be one"_s.arg(
                m_profile.id));
    }
    if (m_request.terminal) {
        return failure(ErrorKind::Policy, u"a container engine cannot hold this rule: terminal"_s);
    }
    if (m_request.cgroupRequired && !engineLimits()) {
        return failure(ErrorKind::Unavailable,
            u"limits must be counted by the kernel here, but %1 without root cannot have it with version 1 of control groups"_s
                .arg(engineName()));
    }
    return {};
}

Result<> ContainerRun::findEngine()
{
    Result<QString> helper = findHelper();
    if (!helper) {
        return tl::unexpected(helper.error());
    }
    m_helper = *helper;
    const QString name = engineName();
    const QString only = m_request.container->program.isEmpty()
        ? qEnvironmentVariable("DESKHAND_CONTAINER_ENGINE")
        : m_request.container->program;
    const QStringList candidates = only.isEmpty()
        ? QStringList { u"/usr/bin/"_s + name, u"/usr/local/bin/"_s + name, u"/bin/"_s + name }
        : QStringList { only };
    const Result<QString> program = findBubblewrap(candidates,
        m_request.workspaceRoots + QStringList(m_request.directory) + m_request.grantedWritable);
    if (!program) {
        return failure(ErrorKind::Unavailable,
            u"%1 is not installed, or lies where commands may write"_s.arg(name),
            u"install %1, or leave out --backend container"_s.arg(name));
    }
    m_program = *program;
    m_name = containerName(getpid(), startTime(getpid()), randomHex(8));
    return {};
}

Result<> ContainerRun::resolvePolicy()
{
    m_grantedFiles = std::make_unique<GrantedFiles>();
    m_grantedFiles->stand(m_request.grantedWritable);
    Result<ResolvedPolicy> policy
        = ResolvedPolicy::resolve(m_profile, policyContext(m_request, m_identity));
    if (!policy) {
        return tl::unexpected(policy.error());
    }
    m_policy = std::move(*policy);
    m_result.notes.append(m_policy->notes());
    if (Result<> visible = checkVisible(*m_policy, m_directory, m_profile); !visible) {
        return visible;
    }
    m_changes = std::make_unique<WorkspaceChanges>(*m_policy, m_profile.files.watchedNames);
    m_guards = std::make_unique<GuardSet>();
    if (Result<> stood = m_guards->stand(*m_policy); !stood) {
        return stood;
    }
    m_createWatch = std::make_unique<CreateWatch>(*m_policy);
    return {};
}

/// The environment outside of what is shown; inside the socket to us, and what a hidden file is.
Result<> ContainerRun::makeFolder()
{
    m_folder.emplace(QDir::temp().filePath(u"deskhand-run-XXXXXX"_s));
    const std::string shown = inFolder("shown");
    sockaddr_un address {};
    address.sun_family = AF_UNIX;
    const std::string socketPath = inFolder("shown/control");
    if (socketPath.size() >= sizeof address.sun_path) {
        return failure(ErrorKind::Unavailable,
            u"the folder for temporary files has too long a name: %1"_s.arg(m_folder->path()),
            u"set TMPDIR to a shorter one"_s);
    }
    std::memcpy(address.sun_path, socketPath.data(), socketPath.size());
    m_listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    QFile empty(m_folder->filePath(u"shown/empty"_s));
    const bool made = m_folder->isValid() && mkdir(shown.c_str(), 0711) == 0
        && chmod(shown.c_str(), 0711) == 0 && m_listener >= 0
        && bind(m_listener, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0
        && listen(m_listener, 1) == 0 && chmod(socketPath.c_str(), 0666) == 0
        && empty.open(QIODevice::WriteOnly) && fchmod(empty.handle(), 0) == 0;
    if (!made) {
        return failure(ErrorKind::Io,
            u"no folder for the run could be made: %1"_s.arg(qt_error_string(errno)),
            u"free some disk space"_s);
    }
    return {};
}

/// A file, because arguments can be read by everyone.
Result<> ContainerRun::writeEnvironment() const
{
    QList<QByteArray> environment = runEnvironment(m_request, m_profile, m_identity, engineName());
    if (m_profile.files.scratch == Scratch::Private
        && !m_request.environment.contains(u"TMPDIR"_s)) {
        setVariable(environment, "TMPDIR", "/tmp");
    }
    QFile file(m_folder->filePath(u"environment"_s));
    if (!file.open(QIODevice::WriteOnly)) {
        return failure(
            ErrorKind::Io, u"the environment could not be written: %1"_s.arg(file.errorString()));
    }
    for (const QByteArray &variable : environment) {
        if (variable.contains('\n')) {
            return failure(ErrorKind::Policy,
                u"a container engine takes no line ends in a variable: %1"_s.arg(
                    QString::fromUtf8(variable.left(variable.indexOf('=')))));
        }
        file.write(variable + '\n');
    }
    return {};
}

/// Without root podman has no say over version 1 groups, and would leave the limits out.
bool ContainerRun::engineLimits() const
{
    return m_request.container->engine == ContainerChoice::Engine::Docker || geteuid() == 0
        || QFile::exists(u"/sys/fs/cgroup/cgroup.controllers"_s);
}

ContainerPlan ContainerRun::plan() const
{
    ContainerPlan plan;
    plan.engine = m_request.container->engine;
    const bool podman = plan.engine == ContainerChoice::Engine::Podman;
    plan.keepId = podman && geteuid() != 0;
    plan.engineLimits = engineLimits();
    plan.image = m_request.container->image.toStdString();
    plan.name = m_name.toStdString();
    plan.root = m_policy->decide("/").access;
    plan.scratch = m_profile.files.scratch;
    plan.network = m_profile.network;
    plan.limits = m_profile.limits;
    plan.uid = m_identity ? m_identity->uid : geteuid();
    plan.gid = m_identity ? m_identity->gid : getegid();
    plan.entries = m_policy->entries();
    plan.shown = m_policy->workspaceRoots();
    plan.shown.push_back(m_directory);
    plan.imagesOwn = minimalRoots();
    const qint64 total = m_profile.files.scratchBytes;
    plan.sharedMemoryBytes = total / 4;
    bool haveRun = false;
    for (const std::string &path : m_policy->privatePlaces()) {
        haveRun = haveRun || path == "/run";
        plan.privatePlaces.push_back(
            { path, path == "/run" ? kRunBytes : (path == "/tmp" ? total / 2 : total / 4),
                m_profile.files.scratch == Scratch::None && path != "/run" });
    }
    if (!haveRun) {
        plan.privatePlaces.push_back({ "/run", kRunBytes, false });
    }
    plan.binds = { { bytes(m_helper), kHelperInside }, { inFolder("shown"), kFolderInside } };
    plan.emptyFile = inFolder("shown/empty");
    plan.environmentFile = inFolder("environment");
    plan.directory = m_directory;
    plan.openInput = m_request.openInput;
    plan.command = initArguments();
    return plan;
}

QList<QByteArray> ContainerRun::initArguments() const
{
    const LimitPolicy &limits = m_profile.limits;
    QList<QByteArray> arguments { kHelperInside, "init", "--control-path",
        QByteArray(kFolderInside) + "/control", "--rlimit", "core=0" };
    if (!engineLimits() && limits.memoryBytes > 0) {
        arguments.append({ "--rlimit", "data=" + QByteArray::number(limits.memoryBytes) });
    }
    if (limits.niceness > 0) {
        arguments.append({ "--nice", QByteArray::number(limits.niceness) });
    }
    arguments.append(
        { "--filter", networkModeName(m_profile.network.mode).toLatin1(), "--subreaper", "--pwd",
            QByteArray::fromStdString(paths::clean(bytes(m_request.directory))), "--" });
    return arguments + m_request.command;
}

Result<> ContainerRun::buildCommand()
{
    const ContainerPlan planned = plan();
    Result<ContainerCommand> command = buildContainerCommand(planned);
    if (!command) {
        return tl::unexpected(command.error());
    }
    if (Result<> flat = checkNothingMountedIn(command->readOnly); !flat) {
        return flat;
    }
    m_result.limitsBy = planned.engineLimits ? engineName() : u"rlimit"_s;
    m_result.notes.append(u"in a container of %1, image %2; of this computer it sees %3"_s.arg(
        engineName(), m_request.container->image, command->mounts.join(u", "_s)));
    setRunLimits(m_spec, m_request, m_profile);
    m_tree = std::make_unique<TreeWatch>(m_profile.limits, m_policy->writableRoots(), false);
    m_spec.watch = [this](qint64 pid) {
        return m_tree->check(pid);
    };
    if (m_createWatch->descriptor() >= 0) {
        m_spec.watchedDescriptor = m_createWatch->descriptor();
        m_spec.watchedReady = [this] {
            const FileRights rights(m_identity);
            m_createWatch->check();
        };
    }
    m_spec.program = QFile::encodeName(m_program);
    m_spec.arguments = command->arguments;
    m_spec.environment = currentEnvironment();
    m_spec.directory = "/";
    m_spec.supervised = true;
    m_spec.supervisorListener = m_listener;
    m_spec.readyLimit = kStartLimit;
    return {};
}

process::RunOutcome ContainerRun::ask(const QList<QByteArray> &arguments) const
{
    process::RunSpec spec;
    spec.program = QFile::encodeName(m_program);
    spec.arguments = arguments;
    spec.environment = currentEnvironment();
    spec.directory = "/";
    spec.wallLimit = kAskLimit;
    spec.grace = std::chrono::milliseconds(0);
    process::RunControl control;
    return process::runBounded(spec, control);
}

/// Containers of programs that were killed before theirs had started; once for each engine.
Result<> ContainerRun::sweep() const
{
    {
        const QMutexLocker lock(&s_mutex);
        if (s_swept.contains(m_program)) {
            return {};
        }
    }
    const process::RunOutcome listed = ask({ "ps", "--all", "--filter",
        QByteArray("label=") + kContainerLabel, "--format", "{{.Names}}" });
    if (listed.shellStatus() != 0) {
        const QString said = QString::fromUtf8(listed.error.retained.joined()).trimmed();
        return failure(ErrorKind::Unavailable,
            u"%1 does not work here: %2"_s.arg(
                engineName(), said.isEmpty() ? u"status %1"_s.arg(listed.shellStatus()) : said),
            u"leave out --backend container"_s);
    }
    for (const QByteArray &name : listed.output.retained.joined().split('\n')) {
        const std::optional<ContainerOwner> owner = containerOwner(name.trimmed());
        if (owner && startTime(owner->pid) != owner->startTime) {
            (void)ask({ "rm", "--force", name.trimmed() });
        }
    }
    const QMutexLocker lock(&s_mutex);
    s_swept.insert(m_program);
    return {};
}

void ContainerRun::remove() const
{
    (void)ask({ "rm", "--force", m_name }); // it may be gone already, or never have been
}

void ContainerRun::conclude()
{
    {
        const FileRights rights(m_identity);
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
        m_grantedFiles.reset();
        m_result.grewMuch = m_tree->grewMuch();
    }
    judgeEnd(m_result, {}, [this](const Error &raw) {
        return Error { ErrorKind::Unavailable,
            u"%1 started no container: %2"_s.arg(engineName(), raw.message),
            raw.hint.isEmpty() ? u"check the image and the engine by hand"_s : raw.hint };
    });
    if (m_result.endedBy != EndedBy::Refused && m_result.endedBy != EndedBy::Unavailable) {
        gatherDenials(m_result, m_request, m_profile, m_directory, &*m_policy, nullptr);
    }
}

SandboxResult ContainerRun::refuse(const Error &error)
{
    {
        const FileRights rights(m_identity);
        m_createWatch.reset();
        m_guards.reset();
        m_grantedFiles.reset();
    }
    setRefused(m_result, error);
    return std::move(m_result);
}

} // namespace deskhand::sandbox
