// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/process/boundedrun.h"
#include "executor/sandbox/denial.h"
#include "executor/sandbox/policy.h"
#include "executor/sandbox/resolvedpolicy.h"

#include <QMap>
#include <QStringList>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace deskhand::sandbox {

/// How the user's systemd is asked and looked at; other values are for tests.
struct SystemdAccess
{
    QString program; ///< systemd-run; empty: what `DESKHAND_SYSTEMD_RUN` names, or the usual places
    QString groups = QStringLiteral("/sys/fs/cgroup");
    QString processes = QStringLiteral("/proc");
    std::chrono::milliseconds deadline { 5'000 }; ///< for its answer
};

/// The container engine that the owner chose as the wall. Value type.
struct ContainerChoice
{
    enum class Engine { Podman, Docker };
    Engine engine = Engine::Podman;
    QString image; ///< must be there already; nothing is fetched
    QString program; ///< empty: what `DESKHAND_CONTAINER_ENGINE` names (tests), or the usual places
};

/// A command to be run under a profile. Value type.
struct SandboxRequest
{
    QList<QByteArray> command; ///< argument vector; never a shell string
    QString directory; ///< as typed; the command sees this spelling in PWD
    QStringList workspaceRoots; ///< empty: the directory
    PermissionProfile profile = PermissionProfile::workspace();
    QStringList grantedWritable; ///< one-path grants of this call
    QStringList grantedReadable;
    QMap<QString, QString> environment; ///< additions; secrets are the caller's decision here
    QList<QByteArray> inheritedEnvironment; ///< empty: this process's
    std::optional<process::TerminalSize> terminal;
    bool openInput = false;
    QString callId;
    QString spoolFolder; ///< empty: no spool; must lie outside every writable root
    bool cgroupRequired = false; ///< refuse when the limits cannot be counted by the kernel
    bool allowDegraded = false; ///< Landlock alone may serve, see SandboxStatus
    QStringList bubblewrapCandidates; ///< empty: the system's
    SystemdAccess systemd;
    std::optional<ContainerChoice> container; ///< the wall, instead of one of ours
};

/// Who ended the run; `Command` is the only one that is not ours.
enum class EndedBy { Command, Timeout, Cancel, Limit, Refused, Unavailable };
[[nodiscard]] QString endedByName(EndedBy endedBy);

struct SandboxResult
{
    process::RunOutcome outcome;
    EndedBy endedBy = EndedBy::Command;
    Error error; ///< for Refused and Unavailable
    /// bwrap, landlock, seatbelt, appcontainer, wintoken, podman, docker, container (an outer one),
    /// none
    QString backend;
    QString bubblewrap; ///< the one that built the wall; empty without one
    QString bubblewrapNote; ///< why it is not the system's usual one; empty when it is
    QString limitsBy; ///< systemd-scope, cgroup2, cgroup1, rlimit, job, none
    QString limitsNote; ///< why not the systemd that is there; else empty
    QList<Denial> denials;
    QStringList watchedChanged; ///< watched names that are new or different
    QStringList violations; ///< protected names that appeared, and what was done
    QStringList newRepositories; ///< nested .git made by the run: not to be trusted by git work
    QStringList linkedOutside; ///< changed files that have other names (hard links) elsewhere
    QStringList notes;
    bool grewMuch = false; ///< over the reporting threshold

    /// The exit status of `deskhand-executor sandbox`.
    [[nodiscard]] int exitStatus() const;
};

/// Asked by the proxy for a host that no pattern allows; the answer may take its time. Called on
/// the proxy's thread.
struct HostQuestion
{
    QString host;
    int port = 0;
    QString callId;
};
enum class HostAnswer { Deny, Allow };
using HostBroker = std::function<void(const HostQuestion &, std::function<void(HostAnswer)>)>;
struct ProxyDecision
{
    QString host;
    int port = 0;
    bool allowed = false;
    QString reason; ///< allowed, not-listed, denied, private-address, method, port, limit, lookup
    QString callId;
};
using ProxyJournal = std::function<void(const ProxyDecision &)>;

/// What a run may be given from outside. All optional.
struct SandboxHooks
{
    process::OutputSink output;
    HostBroker broker;
    ProxyJournal journal;
};

/// Runs one command under its profile from start to end, blocking the calling thread: resolves the
/// policy, stands guards, builds the wall, runs, cleans up, tells what was refused. Everything a
/// run leaves behind is removed before it returns. Call it on a worker thread.
[[nodiscard]] SandboxResult runSandboxed(
    const SandboxRequest &request, process::RunControl &control, const SandboxHooks &hooks = {});

} // namespace deskhand::sandbox
