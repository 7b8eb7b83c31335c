// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/probe.h"
#include "executor/sandbox/sandboxedrun.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

SandboxStatus probeOnThisSystem(const ProbeOptions &options, process::RunControl &control)
{
    QElapsedTimer timer;
    timer.start();
    SandboxStatus status;
    status.kind = u"none"_s;
    status.limits = u"job"_s;
    const auto done = [&](SandboxState state, const QString &cause, const QString &fix) {
        status.state = state;
        status.cause = cause;
        status.fix = fix;
        status.took = std::chrono::milliseconds(timer.elapsed());
        return status;
    };
    const QTemporaryDir folder;
    const QString workspace = folder.filePath(u"workspace"_s);
    if (!folder.isValid() || !QDir().mkpath(workspace)) {
        return done(SandboxState::Unavailable,
            u"no folder for the test could be made: %1"_s.arg(folder.errorString()),
            u"free some disk space"_s);
    }
    constexpr int kHeld = 42;
    SandboxRequest request;
    request.command = { "cmd.exe", "/d", "/c",
        "(type nul > inside) || exit 10 & (type nul > ..\\outside) 2> nul & exit 42" };
    request.directory = workspace;
    request.profile.limits.wall = options.deadline;
    request.profile.limits.grace = std::chrono::milliseconds(0);
    const SandboxResult result = runSandboxed(request, control);
    if (QFile::exists(folder.filePath(u"outside"_s))) {
        return done(SandboxState::Unavailable,
            u"a command in the sandbox could write outside of it"_s,
            u"report the version of this Windows"_s);
    }
    if (result.endedBy == EndedBy::Command && result.outcome.exitCode == kHeld) {
        status.kind = result.backend;
        return done(SandboxState::Protected, {}, {});
    }
    if (options.containerIsSandbox) {
        status.kind = u"container"_s;
        return done(
            SandboxState::External, u"the container around this program is its sandbox"_s, {});
    }
    return done(SandboxState::Unavailable,
        result.error.message.isEmpty()
            ? u"the test command ended with status %1"_s.arg(result.exitStatus())
            : result.error.message,
        result.error.hint);
}

} // namespace deskhand::sandbox
