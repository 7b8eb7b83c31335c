// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/allowlistproxy.h"
#include "executor/sandbox/identity.h"
#include "executor/sandbox/sandboxedrun.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace deskhand::sandbox {

// The steps of a run that do not depend on what the wall is made of: Linux and macOS share them.
// All on the run's thread.

/// Where and as whom a command runs.
struct RunPlace
{
    std::string directory; ///< canonical
    std::optional<Identity> identity; ///< where that is not this process's user
};

/// Usage, NotFound or Policy errors refuse the run.
[[nodiscard]] Result<RunPlace> runPlace(
    const SandboxRequest &request, const PermissionProfile &profile);

[[nodiscard]] PolicyContext policyContext(
    const SandboxRequest &request, const std::optional<Identity> &identity);

/// Refuses a directory that the profile hides.
[[nodiscard]] Result<> checkVisible(
    const ResolvedPolicy &policy, const std::string &directory, const PermissionProfile &profile);

/// The whole environment but what belongs to one wall (proxy, private places, marks).
[[nodiscard]] QList<QByteArray> runEnvironment(const SandboxRequest &request,
    const PermissionProfile &profile, const std::optional<Identity> &identity,
    const QString &backend);

/// The proxy of a profile whose network is a proxy's; the wall says in `options` where it listens
/// and as whom. Without a live one there is no run: the command would only find a network that is
/// off.
[[nodiscard]] Result<std::unique_ptr<AllowListProxy>> startRunProxy(const SandboxRequest &request,
    const PermissionProfile &profile, const SandboxHooks &hooks, AllowListProxy::Options options);

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
