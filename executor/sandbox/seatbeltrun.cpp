// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/seatbeltrun.h"

#include "executor/common/ids.h"
#include "executor/process/sessionprocesses.h"
#include "executor/sandbox/environment.h"
#include "executor/sandbox/pathfacts.h"
#include "executor/sandbox/runsteps.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>

#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr char kRunMark[] = "DESKHAND_RUN";

std::string bytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

} // namespace

Result<SeatbeltTools> SeatbeltTools::find()
{
    SeatbeltTools tools;
    tools.sandboxExec = u"/usr/bin/sandbox-exec"_s;
    if (!QFileInfo(tools.sandboxExec).isExecutable()) {
        return failure(ErrorKind::Unavailable, u"this system has no %1"_s.arg(tools.sandboxExec),
            u"update macOS, or let another sandbox be the wall"_s);
    }
    const QString name = u"deskhand-sandbox-launch"_s;
    const QDir beside(QCoreApplication::applicationDirPath());
    for (const QString &place : { name, u"../libexec/deskhand/"_s + name,
             u"../lib/deskhand/"_s + name, u"../Resources/"_s + name }) {
        const QFileInfo file(beside.filePath(place));
        if (file.isFile() && file.isExecutable()) {
            tools.launcher = file.canonicalFilePath();
            return tools;
        }
    }
    return failure(ErrorKind::Unavailable, u"%1 is missing beside the program"_s.arg(name),
        u"install Deskhand again"_s);
}

SeatbeltRun::SeatbeltRun(const SandboxRequest &request, process::RunControl &control,
    const SandboxHooks &hooks, const SeatbeltTools &tools)
    : m_request(request)
    , m_control(control)
    , m_hooks(hooks)
    , m_tools(tools)
    , m_profile(request.profile)
{ }

SandboxResult SeatbeltRun::run()
{
    Result<> prepared = prepare();
    m_result.backend = backendName();
    if (!prepared) {
        setRefused(m_result, prepared.error());
        return std::move(m_result);
    }
    m_result.outcome = process::runBounded(m_spec, m_control, m_hooks.output);
    if (m_changes) {
        const FileRights rights(m_identity);
        const WorkspaceChanges::Report changes = m_changes->compare();
        m_result.watchedChanged = changes.watchedChanged;
        m_result.newRepositories = changes.newRepositories;
        m_result.linkedOutside = changes.linkedOutside;
    }
    m_result.grewMuch = m_tree->grewMuch();
    judgeEnd(m_result, {}, explainSeatbeltFailure);
    if (m_result.endedBy != EndedBy::Unavailable) {
        gatherDenials(m_result, m_request, m_profile, m_directory,
            m_backend == Backend::None ? nullptr : &*m_policy, m_proxy.get());
    }
    return std::move(m_result);
}

Result<> SeatbeltRun::prepare()
{
    Result<RunPlace> place = runPlace(m_request, m_profile);
    if (!place) {
        return tl::unexpected(place.error());
    }
    m_directory = place->directory;
    m_identity = place->identity;
    if (Result<> step = chooseBackend(); !step) {
        return step;
    }
    if (Result<> step = makeScratch(); !step) {
        return step;
    }
    {
        const FileRights rights(m_identity);
        if (Result<> step = resolvePolicy(); !step) {
            return step;
        }
    }
    if (Result<> step = startProxy(); !step) {
        return step;
    }
    setLimits();
    buildEnvironment();
    buildCommand();
    return {};
}

Result<> SeatbeltRun::chooseBackend()
{
    switch (m_profile.enforcement) {
    case Enforcement::None:
        m_backend = Backend::None;
        return {};
    case Enforcement::External:
        // No filter of ours works inside another sandbox here, so nothing could be closed.
        if (m_profile.network.mode != NetworkMode::Full) {
            return failure(ErrorKind::Policy,
                u"inside another sandbox the network can only be full on this system"_s);
        }
        m_backend = Backend::External;
        return {};
    case Enforcement::Managed:
        break;
    }
    if (m_request.cgroupRequired) {
        return failure(ErrorKind::Unavailable,
            u"limits must be counted by the kernel, but this system has no control groups"_s);
    }
    return {};
}

/// There are no mounts to hide the host's /tmp with: it stays closed for writing, and the run gets
/// a folder of its own.
Result<> SeatbeltRun::makeScratch()
{
    if (m_backend != Backend::Seatbelt || m_profile.files.scratch != Scratch::Private) {
        return {};
    }
    m_scratch.emplace(QDir(QDir::tempPath()).filePath(u"deskhand-run-XXXXXX"_s));
    const QByteArray path = QFile::encodeName(m_scratch->path());
    if (!m_scratch->isValid()
        || (m_identity && chown(path.constData(), m_identity->uid, m_identity->gid) != 0)) {
        return failure(ErrorKind::Io,
            u"no folder for temporary files could be made: %1"_s.arg(m_scratch->errorString()),
            u"free some disk space"_s);
    }
    return {};
}

Result<> SeatbeltRun::resolvePolicy()
{
    PolicyContext context = policyContext(m_request, m_identity);
    if (m_scratch) {
        context.extraWritable.append(m_scratch->path());
    }
    context.extraReadable.append(m_tools.launcher);
    Result<ResolvedPolicy> policy = ResolvedPolicy::resolve(m_profile, context);
    if (!policy) {
        return tl::unexpected(policy.error());
    }
    m_policy = std::move(*policy);
    m_result.notes.append(m_policy->notes());
    if (m_backend != Backend::Seatbelt) {
        return {};
    }
    if (Result<> visible = checkVisible(*m_policy, m_directory, m_profile); !visible) {
        return visible;
    }
    for (const std::string &root : m_policy->writableRoots()) {
        if (root == "/" || paths::isWithin(bytes(m_tools.launcher), root)
            || paths::isWithin(bytes(m_tools.sandboxExec), root)) {
            // Whoever can write them chooses the next run's wall.
            return failure(ErrorKind::Policy,
                u"the programs of the sandbox lie inside the writable root %1"_s.arg(
                    QFile::decodeName(QByteArray::fromStdString(root))),
                u"install Deskhand outside of the workspace"_s);
        }
    }
    m_changes = std::make_unique<WorkspaceChanges>(*m_policy, m_profile.files.watchedNames);
    return {};
}

/// The wall can let one port of the loopback through, but has no loopback of the run's own.
Result<> SeatbeltRun::startProxy()
{
    if (m_profile.network.mode != NetworkMode::Proxy || m_backend != Backend::Seatbelt) {
        return {};
    }
    AllowListProxy::Options options;
    options.onLoopback = true;
    Result<std::unique_ptr<AllowListProxy>> proxy
        = startRunProxy(m_request, m_profile, m_hooks, std::move(options));
    if (!proxy) {
        return tl::unexpected(proxy.error());
    }
    m_proxy = std::move(*proxy);
    return {};
}

void SeatbeltRun::setLimits()
{
    setRunLimits(m_spec, m_request, m_profile);
    const LimitPolicy &limits = m_profile.limits;
    const bool counted = limits.memoryBytes > 0 || limits.processes > 0;
    m_result.limitsBy = counted ? u"rlimit"_s : u"none"_s;
    m_tree = std::make_unique<TreeWatch>(limits,
        m_backend == Backend::Seatbelt ? m_policy->writableRoots() : std::vector<std::string> {},
        counted);
    m_spec.watch = [this](qint64 pid) {
        return m_tree->check(pid);
    };
    // What left the group has no namespace around it; its environment still tells whose it is.
    m_mark = randomHex(16).toLatin1();
    const QByteArray assignment = QByteArray(kRunMark) + '=' + m_mark;
    m_spec.killTree = [assignment] {
        process::killProcessesWithVariable(assignment);
    };
    m_spec.survivors = [assignment] {
        QList<qint64> living;
        process::killProcessesWithVariable(assignment);
        for (const pid_t pid : process::processesWithVariable(assignment)) {
            living.append(pid);
        }
        return living;
    };
}

void SeatbeltRun::buildEnvironment()
{
    QList<QByteArray> &environment = m_spec.environment;
    environment = runEnvironment(m_request, m_profile, m_identity, backendName());
    if (m_proxy) {
        const QString address = u"127.0.0.1:%1"_s.arg(m_proxy->port());
        const QMap<QString, QString> variables
            = proxyVariables(u"http://"_s + address, u"socks5h://"_s + address);
        for (auto it = variables.begin(); it != variables.end(); ++it) {
            setVariable(environment, it.key().toLatin1(), it.value().toLatin1());
        }
    }
    if (m_scratch && !m_request.environment.contains(u"TMPDIR"_s)) {
        setVariable(environment, "TMPDIR", QFile::encodeName(m_scratch->path()));
    }
}

SeatbeltPlan SeatbeltRun::plan() const
{
    SeatbeltPlan result;
    result.entries = m_policy->entries();
    result.network = m_profile.network;
    if (m_proxy) {
        result.proxyPorts = { m_proxy->port() };
    }
    result.denyGlobs = m_policy->denyGlobs();
    return result;
}

void SeatbeltRun::buildCommand()
{
    m_spec.supervised = true;
    m_spec.program = QFile::encodeName(m_tools.launcher);
    m_spec.directory = QByteArray::fromStdString(m_directory);
    QList<QByteArray> arguments { "supervise", "--control",
        QByteArray::number(process::kSupervisorDescriptor), "--rlimit", "core=0" };
    const LimitPolicy &limits = m_profile.limits;
    const auto limit = [&arguments](const char *name, qint64 value) {
        if (value > 0) {
            arguments.append({ "--rlimit", QByteArray(name) + '=' + QByteArray::number(value) });
        }
    };
    limit("fsize", limits.fileBytes);
    limit("nofile", limits.openFiles);
    limit("data", limits.memoryBytes);
    if (limits.niceness > 0) {
        arguments.append({ "--nice", QByteArray::number(limits.niceness) });
    }
    if (m_request.terminal) {
        arguments.append("--terminal");
    }
    if (m_identity) {
        arguments.append({ "--uid", QByteArray::number(m_identity->uid), "--gid",
            QByteArray::number(m_identity->gid) });
        for (const gid_t group : m_identity->groups) {
            arguments.append({ "--group", QByteArray::number(group) });
        }
    }
    // The launcher gives it to what it starts: it must outlive those that are found by it.
    arguments.append({ "--mark", m_mark, "--" });
    const bool walled = m_backend == Backend::Seatbelt;
    QList<QByteArray> inner { m_spec.program, "enter", walled ? "walled" : "open",
        QByteArray::fromStdString(paths::clean(bytes(m_request.directory))), "--" };
    inner += m_request.command;
    if (walled) {
        QList<QByteArray> vector = buildSeatbeltProfile(plan()).arguments(inner);
        vector.first() = QFile::encodeName(m_tools.sandboxExec);
        inner = vector;
    }
    m_spec.arguments = arguments + inner;
}

QString SeatbeltRun::backendName() const
{
    switch (m_backend) {
    case Backend::Seatbelt:
        return u"seatbelt"_s;
    case Backend::None:
        return u"none"_s;
    case Backend::External:
        return u"container"_s;
    }
    return {};
}

Error explainSeatbeltFailure(const Error &raw)
{
    Error error = raw;
    error.kind = ErrorKind::Unavailable;
    const auto says = [&raw](QLatin1StringView part) {
        return raw.message.contains(part, Qt::CaseInsensitive);
    };
    if (says("sandbox_apply: Operation not permitted"_L1)) {
        error.message
            = u"this program already runs inside a sandbox, and another one cannot be built there: %1"_s
                  .arg(raw.message);
        error.hint = u"use the outer sandbox (profile enforcement \"external\")"_s;
    } else if (says("not-sandboxed"_L1)) {
        error.message = u"sandbox-exec started the command's stage without a wall around it"_s;
        error.hint = u"report the version of this macOS"_s;
    } else if (says("sandbox-exec: <input string>"_L1)) {
        error.message = u"this macOS does not understand the policy text: %1"_s.arg(raw.message);
        error.hint = u"report the version of this macOS"_s;
    } else if (error.hint.isEmpty()) {
        error.hint = u"run \"deskhand-executor sandbox probe\" for details"_s;
    }
    return error;
}

SandboxStatus probeSeatbelt(
    const ProbeOptions &options, process::RunControl &control, const Result<SeatbeltTools> &tools)
{
    QElapsedTimer timer;
    timer.start();
    SandboxStatus status;
    status.kind = u"none"_s;
    status.limits = u"rlimit"_s;
    status.asRoot = geteuid() == 0;
    const auto done = [&](SandboxState state, const QString &cause, const QString &fix) {
        status.state = state;
        status.cause = cause;
        status.fix = fix;
        status.took = std::chrono::milliseconds(timer.elapsed());
        return status;
    };
    if (!tools) {
        return done(SandboxState::Unavailable, tools.error().message, tools.error().hint);
    }
    status.helperPath = tools->launcher;
    const QTemporaryDir folder;
    const QString workspace = folder.filePath(u"workspace"_s);
    if (!folder.isValid() || !QDir().mkpath(workspace)) {
        return done(SandboxState::Unavailable,
            u"no folder for the test could be made: %1"_s.arg(folder.errorString()),
            u"free some disk space"_s);
    }
    SandboxRequest request;
    request.command
        = { "/bin/sh", "-c", ": > inside || exit 10; (: > ../outside) 2>/dev/null; exit 42" };
    constexpr int kHeld = 42;
    request.directory = workspace;
    request.profile.limits.wall = options.deadline;
    request.profile.limits.grace = std::chrono::milliseconds(0);
    const SandboxHooks hooks;
    const SandboxResult result = SeatbeltRun(request, control, hooks, *tools).run();
    if (QFile::exists(folder.filePath(u"outside"_s))) {
        return done(SandboxState::Unavailable,
            u"a command in the sandbox could write outside of it"_s,
            u"report the version of this macOS"_s);
    }
    if (result.endedBy == EndedBy::Command && result.outcome.exitCode == kHeld) {
        status.kind = u"seatbelt"_s;
        return done(SandboxState::Protected, {}, {});
    }
    if (options.containerIsSandbox
        || result.error.message.contains(u"already runs inside a sandbox"_s)) {
        status.kind = u"container"_s;
        return done(SandboxState::External,
            options.containerIsSandbox ? u"the sandbox around this program is its wall"_s
                                       : result.error.message,
            result.error.hint);
    }
    if (result.endedBy == EndedBy::Timeout) {
        return done(SandboxState::Unavailable,
            u"the sandbox did not answer within %1 s"_s.arg(options.deadline.count() / 1000.0),
            u"try again"_s);
    }
    return done(SandboxState::Unavailable,
        result.error.message.isEmpty()
            ? u"the test command ended with status %1"_s.arg(result.exitStatus())
            : result.error.message,
        result.error.hint);
}

} // namespace deskhand::sandbox
