// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/allowlistproxy.h"
#include "executor/sandbox/identity.h"
#include "executor/sandbox/sandboxedrun.h"

#include <functional>
#include <optional>
#include <string>

namespace deskhand::sandbox {

// The steps of a run that do not depend on what the wall is made of: Linux and macOS share them.
// All on the run's thread.

/// The canonical working directory. Usage, NotFound or Policy errors refuse the run.
[[nodiscard]] Result<std::string> checkRequest(
    const SandboxRequest &request, const PermissionProfile &profile);

/// Who the command runs as, where that is not this process's user.
[[nodiscard]] Result<std::optional<Identity>> identityFor(
    const SandboxRequest &request, const PermissionProfile &profile, const std::string &directory);

[[nodiscard]] PolicyContext policyContext(
    const SandboxRequest &request, const std::optional<Identity> &identity);

/// Refuses a directory that the profile hides.
[[nodiscard]] Result<> checkVisible(
    const ResolvedPolicy &policy, const std::string &directory, const PermissionProfile &profile);

/// The whole environment but what belongs to one wall (proxy, private places, marks).
[[nodiscard]] QList<QByteArray> runEnvironment(const SandboxRequest &request,
    const PermissionProfile &profile, const std::optional<Identity> &identity,
    const QString &backend);

/// Times, retention and streams.
void setRunLimits(
    process::RunSpec &spec, const SandboxRequest &request, const PermissionProfile &profile);

/// Who ended it, from the outcome that `result` holds. `firedLimit` is what the kernel counted;
/// `explain` turns what a wall said that did not stand up into cause and next step.
void judgeEnd(SandboxResult &result, const QString &firedLimit,
    const std::function<Error(const Error &)> &explain);

/// What was refused: by the watch on protected names, by the proxy (which it stops), by the wall.
/// `policy` is null where there was no wall.
void gatherDenials(SandboxResult &result, const SandboxRequest &request,
    const PermissionProfile &profile, const std::string &directory, const ResolvedPolicy *policy,
    AllowListProxy *proxy);

/// A run that did not come to start.
void setRefused(SandboxResult &result, const Error &error);

} // namespace deskhand::sandbox
