// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/runsteps.h"

#include "executor/sandbox/environment.h"
#include "executor/sandbox/pathfacts.h"

#include <QFile>

#include <cerrno>
#include <csignal>
#include <sys/stat.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr int kMaxCommandBytes = 2 * 1024 * 1024;

std::string bytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

QString shown(const std::string &path)
{
    return QFile::decodeName(QByteArray::fromStdString(path));
}

bool belongsTo(const QByteArray &path, uid_t uid)
{
    struct stat info
    { };
    return stat(path.constData(), &info) == 0 && info.st_uid == uid;
}

/// A command that runs as somebody else must not look for its files in root's home.
void adoptIdentity(QList<QByteArray> &environment, const std::optional<Identity> &identity)
{
    if (!identity || identity->name.isEmpty()) {
        return;
    }
    setVariable(environment, "USER", identity->name);
    setVariable(environment, "LOGNAME", identity->name);
    if (!belongsTo(variable(environment, "HOME"), identity->uid)) {
        setVariable(environment, "HOME", identity->home);
    }
}

/// The canonical working directory.
Result<std::string> checkedDirectory(
    const SandboxRequest &request, const PermissionProfile &profile)
{
    if (request.command.isEmpty() || request.command.first().isEmpty()) {
        return failure(ErrorKind::Usage, u"there is no command to run"_s);
    }
    qsizetype total = 0;
    for (const QByteArray &argument : request.command) {
        total += argument.size() + 1;
        if (argument.contains('\0')) {
            return failure(ErrorKind::Usage, u"an argument contains a NUL character"_s);
        }
    }
    if (total > kMaxCommandBytes) {
        return failure(ErrorKind::Usage, u"the command is longer than 2 MiB"_s,
            u"put long input into a file"_s);
    }
    const std::string directory = paths::canonical(paths::clean(bytes(request.directory)));
    if (!request.directory.startsWith(u'/') || paths::kindOf(directory) != PathKind::Directory) {
        return failure(ErrorKind::NotFound,
            u"the working directory %1 does not exist"_s.arg(request.directory));
    }
    if (profile.limits.wall > LimitPolicy::kWallCeiling) {
        return failure(ErrorKind::Policy, u"the time limit is over the ceiling of one hour"_s);
    }
    return directory;
}

Result<std::optional<Identity>> identityFor(
    const SandboxRequest &request, const PermissionProfile &profile, const std::string &directory)
{
    if (profile.enforcement == Enforcement::External) {
        return std::nullopt;
    }
    return Identity::forWorkspace(request.workspaceRoots.isEmpty()
            ? directory
            : paths::canonical(paths::clean(bytes(request.workspaceRoots.first()))));
}

} // namespace

Result<RunPlace> runPlace(const SandboxRequest &request, const PermissionProfile &profile)
{
    Result<std::string> directory = checkedDirectory(request, profile);
    if (!directory) {
        return tl::unexpected(directory.error());
    }
    Result<std::optional<Identity>> identity = identityFor(request, profile, *directory);
    if (!identity) {
        return tl::unexpected(identity.error());
    }
    return RunPlace { *std::move(directory), *std::move(identity) };
}

Result<std::unique_ptr<AllowListProxy>> startRunProxy(const SandboxRequest &request,
    const PermissionProfile &profile, const SandboxHooks &hooks, AllowListProxy::Options options)
{
    options.policy = profile.network;
    options.callId = request.callId;
    options.broker = hooks.broker;
    options.journal = hooks.journal;
    return AllowListProxy::start(std::move(options));
}

PolicyContext policyContext(const SandboxRequest &request, const std::optional<Identity> &identity)
{
    PolicyContext context;
    context.workspaceRoots = request.workspaceRoots.isEmpty() ? QStringList(request.directory)
                                                              : request.workspaceRoots;
    context.home = qEnvironmentVariable("HOME");
    if (identity && !identity->home.isEmpty()
        && !belongsTo(QFile::encodeName(context.home), identity->uid)) {
        context.home = QFile::decodeName(identity->home);
    }
    context.temporaryFolder = qEnvironmentVariable("TMPDIR");
    context.extraWritable = request.grantedWritable;
    context.extraReadable = request.grantedReadable;
    return context;
}

Result<> checkVisible(
    const ResolvedPolicy &policy, const std::string &directory, const PermissionProfile &profile)
{
    const ResolvedPolicy::Verdict verdict = policy.verdict(shown(directory), Access::Read);
    if (!verdict.allowed || policy.decide(directory).origin == Origin::PrivatePlace) {
        return failure(ErrorKind::Policy,
            u"the working directory is not visible under the profile %1: %2"_s.arg(
                profile.id, verdict.reason));
    }
    return {};
}

QList<QByteArray> runEnvironment(const SandboxRequest &request, const PermissionProfile &profile,
    const std::optional<Identity> &identity, const QString &backend)
{
    QList<QByteArray> inherited = request.inheritedEnvironment.isEmpty()
        ? currentEnvironment()
        : request.inheritedEnvironment;
    adoptIdentity(inherited, identity);
    EnvironmentMarkers markers;
    markers.sandbox = backend;
    markers.network = profile.network.mode;
    markers.profile = profile.id;
    QList<QByteArray> result
        = commandEnvironment(inherited, profile.environment, request.environment, markers);
    if (variable(result, "PATH").isEmpty()) {
        setVariable(result, "PATH", "/usr/local/bin:/usr/bin:/bin");
    }
    setVariable(result, "PWD", QByteArray::fromStdString(paths::clean(bytes(request.directory))));
    if (request.terminal && variable(result, "TERM").isEmpty()) {
        setVariable(result, "TERM", "xterm-256color");
    }
    return result;
}

void setRunLimits(
    process::RunSpec &spec, const SandboxRequest &request, const PermissionProfile &profile)
{
    spec.wallLimit = profile.limits.wall;
    spec.grace = profile.limits.grace;
    spec.retainedBytes = profile.limits.outputBytes;
    spec.spoolFolder = request.spoolFolder;
    spec.terminal = request.terminal;
    spec.openInput = request.openInput;
}

void judgeEnd(SandboxResult &result, const QString &firedLimit,
    const std::function<Error(const Error &)> &explain)
{
    process::RunOutcome &outcome = result.outcome;
    switch (outcome.end) {
    case process::RunEnd::TimedOut:
        result.endedBy = EndedBy::Timeout;
        outcome.limit = u"wall-time"_s;
        return;
    case process::RunEnd::Cancelled:
        result.endedBy = EndedBy::Cancel;
        return;
    case process::RunEnd::Limit:
        result.endedBy = EndedBy::Limit;
        return;
    case process::RunEnd::NotStarted:
        result.endedBy = EndedBy::Unavailable;
        result.error = explain(outcome.startError);
        return;
    case process::RunEnd::Exited:
        break;
    }
    result.endedBy = EndedBy::Command;
    const int status = outcome.shellStatus();
    if (status == 128 + SIGXFSZ) {
        outcome.limit = u"file-size"_s;
        result.endedBy = EndedBy::Limit;
        return;
    }
    if (!firedLimit.isEmpty()) {
        outcome.limit = firedLimit;
        if (firedLimit == u"memory"_s && status == 128 + SIGKILL) {
            result.endedBy = EndedBy::Limit;
        }
    }
}

void gatherDenials(SandboxResult &result, const SandboxRequest &request,
    const PermissionProfile &profile, const std::string &directory, const ResolvedPolicy *policy,
    AllowListProxy *proxy)
{
    for (const QString &path : std::as_const(result.violations)) {
        result.denials.append({ DenialGrade::Certain, Denial::Kind::Write, path,
            u"write denied: %1 is protected and was removed"_s.arg(path) });
    }
    if (proxy != nullptr) {
        proxy->stop();
        for (const ProxyDecision &decision : proxy->refused()) {
            const Denial denial { DenialGrade::Certain, Denial::Kind::Network, decision.host,
                u"network denied: %1 port %2 (%3)"_s.arg(decision.host)
                    .arg(decision.port)
                    .arg(decision.reason) };
            if (!result.denials.contains(denial)) {
                result.denials.append(denial);
            }
        }
    }
    if (policy == nullptr) {
        return;
    }
    DenialInput input;
    input.shellStatus = result.outcome.shellStatus();
    input.output = result.outcome.merged.joined();
    input.policy = policy;
    input.directory = shown(directory);
    input.networkRestricted = profile.network.mode != NetworkMode::Full;
    if (result.outcome.execError == EACCES || result.outcome.execError == EPERM) {
        const QString program = QFile::decodeName(request.command.first());
        const ResolvedPolicy::Verdict verdict = policy->verdict(program, Access::Read);
        if (program.startsWith(u'/') && !verdict.allowed) {
            result.denials.append(
                { DenialGrade::Certain, Denial::Kind::Read, program, verdict.reason });
        }
    }
    result.denials.append(findDenials(input));
}

void setRefused(SandboxResult &result, const Error &error)
{
    result.error = error;
    result.endedBy = error.kind == ErrorKind::Unavailable ? EndedBy::Unavailable : EndedBy::Refused;
    result.outcome.end = process::RunEnd::NotStarted;
    result.outcome.startError = error;
}

} // namespace deskhand::sandbox
