// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/linuxrun.h"

#include "executor/common/ids.h"
#include "executor/process/sessionprocesses.h"
#include "executor/sandbox/environment.h"
#include "executor/sandbox/pathfacts.h"
#include "executor/sandbox/preflight.h"
#include "executor/sandbox/runsteps.h"
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

std::string bytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

QString shown(const std::string &path)
{
    return QFile::decodeName(QByteArray::fromStdString(path));
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
    Result<RunPlace> place = runPlace(m_request, m_profile);
    if (!place) {
        return tl::unexpected(place.error());
    }
    m_directory = place->directory;
    m_identity = place->identity;
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
    Result<BubblewrapChoice> choice
        = chooseBubblewrap(m_request.bubblewrapCandidates, placesOfCommands());
    if (!choice) {
        return chooseLandlock(choice.error());
    }
    m_bubblewrap = choice->usable.takeFirst();
    m_otherBubblewraps = choice->usable;
    m_result.bubblewrapNote = choice->passedOver;
    return {};
}

/// Where a command might have put a program of its own.
QStringList LinuxRun::placesOfCommands() const
{
    return m_request.workspaceRoots + QStringList(m_request.directory) + m_request.grantedWritable;
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
    const PolicyContext context = policyContext(m_request, m_identity);
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
    if (Result<> visible = checkVisible(*m_policy, m_directory, m_profile); !visible) {
        return visible;
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

Result<> LinuxRun::startProxy()
{
    if (m_profile.network.mode != NetworkMode::Proxy || m_backend != Backend::Bubblewrap) {
        return {};
    }
    AllowListProxy::Options options;
    options.identity = m_identity;
    Result<std::unique_ptr<AllowListProxy>> proxy
        = startRunProxy(m_request, m_profile, m_hooks, std::move(options));
    if (!proxy) {
        return tl::unexpected(proxy.error());
    }
    m_proxy = std::move(*proxy);
    return {};
}

void LinuxRun::buildEnvironment()
{
    m_spec.environment = runEnvironment(m_request, m_profile, m_identity, backendName());
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
    if (m_backend != Backend::Bubblewrap) {
        // No namespace holds this tree together; should its supervisor be killed, this finds it.
        const QByteArray value = randomHex(16).toLatin1();
        setVariable(m_spec.environment, kRunMark, value);
        m_mark = QByteArray(kRunMark) + '=' + value;
    }
    m_environment = m_spec.environment;
}

void LinuxRun::execute()
{
    m_result.backend = backendName();
    for (int tried = 1;; ++tried) {
        m_result.outcome = process::runBounded(m_spec, m_control, m_hooks.output);
        closeOwnDescriptors();
        if (m_result.outcome.end != process::RunEnd::NotStarted || !mayTryAgain(tried)) {
            break;
        }
        Result<> again = renewCounter();
        if (again) {
            again = buildWall();
        }
        if (!again) {
            m_result.outcome.startError = again.error();
            break;
        }
    }
    closeOwnDescriptors();
    if (m_backend != Backend::Bubblewrap) {
        return;
    }
    if (m_result.outcome.end != process::RunEnd::NotStarted) {
        m_result.bubblewrap = m_bubblewrap.path;
        if (m_firstFailed && m_bubblewrap.bundled) {
            rememberFailing(m_firstFailed->path, m_result.bubblewrapNote);
        }
    } else if (m_firstFailed) {
        m_result.outcome.startError = m_firstFailure; // the other one's words add nothing
        m_result.bubblewrapNote.clear();
    }
}

/// Nothing of the command ran, so the wall may be built again where that can help.
bool LinuxRun::mayTryAgain(int tried)
{
    constexpr int kMaxTries = 3;
    if (m_scope && !m_scope->isPlaced()) {
        return true; // without it
    }
    // Sockets of the host come and go; one that went cannot be mounted over.
    if (tried < kMaxTries
        && std::any_of(m_maskedSockets.begin(), m_maskedSockets.end(),
            [](const std::string &path) { return paths::kindOf(path) == PathKind::Missing; })) {
        return true;
    }
    return m_backend == Backend::Bubblewrap && useNextBubblewrap();
}

/// As strong as the one that failed, or named in the result: a set-user-id one bounds no scratch.
bool LinuxRun::useNextBubblewrap()
{
    const Error failed = m_result.outcome.startError;
    if (!m_firstFailed && !m_bubblewrap.bundled && hasBundledBubblewrap()) {
        if (Result<Bubblewrap> bundled = bundledBubblewrap(placesOfCommands())) {
            m_otherBubblewraps.append(*bundled);
        }
    }
    if (m_otherBubblewraps.isEmpty()) {
        return false;
    }
    if (!m_firstFailed) {
        m_firstFailed = m_bubblewrap;
        m_firstFailure = failed;
    }
    m_result.bubblewrapNote = u"the bubblewrap at %1 built no wall: %2"_s.arg(
        m_bubblewrap.path, explainWallFailure(failed).message);
    m_bubblewrap = m_otherBubblewraps.takeFirst();
    return true;
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
    judgeEnd(m_result, m_group ? m_group->firedLimit() : QString(), explainWallFailure);
    if (m_result.endedBy != EndedBy::Refused && m_result.endedBy != EndedBy::Unavailable) {
        gatherDenials(m_result, m_request, m_profile, m_directory,
            m_backend == Backend::None ? nullptr : &*m_policy, m_proxy.get());
    }
    m_group.reset();
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
    setRefused(m_result, error);
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
