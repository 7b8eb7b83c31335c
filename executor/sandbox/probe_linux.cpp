// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/bubblewrapchoice.h"
#include "executor/sandbox/controlgroup.h"
#include "executor/sandbox/probe.h"
#include "executor/sandbox/sandboxedrun.h"
#include "executor/sandbox/tools.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

bool runsInContainer()
{
    if (QFile::exists(u"/.dockerenv"_s) || QFile::exists(u"/run/.containerenv"_s)) {
        return true;
    }
    return !qEnvironmentVariable("container").isEmpty();
}

/// What the test command has to show: it may write here, what it writes beside must not reach the
/// host, and the filter is on.
constexpr char kTestCommand[]
    = ": > inside || exit 10; (: > ../outside) 2>/dev/null;"
      "while read -r name value; do"
      " [ \"$name\" = Seccomp: ] && filter=$value; done < /proc/self/status;"
      "[ \"$filter\" = 2 ] || exit 12; exit 42";
constexpr int kHeld = 42;

} // namespace

SandboxStatus probeOnThisSystem(const ProbeOptions &options, process::RunControl &control)
{
    QElapsedTimer timer;
    timer.start();
    SandboxStatus status;
    status.kind = u"none"_s;
    status.asRoot = geteuid() == 0;
    status.inContainer = runsInContainer();
    status.landlockAbi = landlockAbi();
    QString noGroup;
    const std::optional<ControlGroupPlace> place
        = findControlGroupPlace(u"/sys/fs/cgroup"_s, u"/proc/self/cgroup"_s, &noGroup);
    status.limits = !place
        ? u"rlimit"_s
        : (place->version == ControlGroupPlace::Version::V2 ? u"cgroup2"_s : u"cgroup1"_s);
    const auto done
        = [&status, &timer](SandboxState state, const QString &cause, const QString &fix) {
              status.state = state;
              status.cause = cause;
              status.fix = fix;
              status.took = std::chrono::milliseconds(timer.elapsed());
              return status;
          };
    if (const Result<QString> helper = findHelper()) {
        status.helperPath = *helper;
    } else {
        return done(SandboxState::Unavailable, helper.error().message, helper.error().hint);
    }
    const auto useBubblewrap = [&status](const QString &path, const QString &note) {
        status.bwrapPath = path;
        status.bwrapNote = note;
        const Result<Bubblewrap> bundled = bundledBubblewrap({});
        status.bundled = bundled && bundled->path == path;
    };
    if (const auto choice = chooseBubblewrap(options.bubblewrapCandidates, {})) {
        useBubblewrap(choice->usable.first().path, choice->passedOver);
    }

    const QTemporaryDir folder;
    const QString workspace = folder.filePath(u"workspace"_s);
    if (!folder.isValid() || !QDir().mkpath(workspace)) {
        return done(SandboxState::Unavailable,
            u"no folder for the test could be made: %1"_s.arg(folder.errorString()),
            u"free some disk space"_s);
    }
    SandboxRequest request;
    request.command = { "/bin/sh", "-c", kTestCommand };
    request.directory = workspace;
    request.bubblewrapCandidates = options.bubblewrapCandidates;
    request.profile.limits.wall = options.deadline;
    request.profile.limits.grace = std::chrono::milliseconds(0);
    const SandboxResult result = runSandboxed(request, control);
    const bool escaped = QFile::exists(folder.filePath(u"outside"_s));
    const int exit = result.outcome.exitCode;
    if (result.endedBy == EndedBy::Command && exit == kHeld && !escaped) {
        status.kind = u"bwrap"_s;
        useBubblewrap(result.bubblewrap, result.bubblewrapNote);
        status.limits = result.limitsBy;
        status.limitsNote = result.limitsNote;
        return done(SandboxState::Protected, {}, {});
    }
    if (options.containerIsSandbox) {
        status.kind = u"container"_s;
        return done(
            SandboxState::External, u"the container around this program is its sandbox"_s, {});
    }
    if (alreadySandboxed()) {
        status.kind = u"container"_s;
        return done(SandboxState::External, u"this program already runs inside a sandbox"_s, {});
    }
    if (escaped) {
        return done(SandboxState::Unavailable,
            u"a command in the sandbox could write outside of it"_s,
            u"report this computer's kernel and bubblewrap versions"_s);
    }
    if (result.endedBy == EndedBy::Timeout) {
        return done(SandboxState::Unavailable,
            u"the sandbox did not answer within %1 s"_s.arg(options.deadline.count() / 1000.0),
            u"try again"_s);
    }
    const QString cause = result.error.message.isEmpty()
        ? u"the test command ended with status %1"_s.arg(result.exitStatus())
        : result.error.message;
    if (options.allowDegraded && status.landlockAbi >= 3) {
        status.kind = u"landlock"_s;
        return done(SandboxState::Reduced, cause + u"; read-only work is held by Landlock alone"_s,
            result.error.hint);
    }
    return done(SandboxState::Unavailable, cause, result.error.hint);
}

} // namespace deskhand::sandbox
