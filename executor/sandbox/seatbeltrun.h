// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/allowlistproxy.h"
#include "executor/sandbox/identity.h"
#include "executor/sandbox/probe.h"
#include "executor/sandbox/sandboxedrun.h"
#include "executor/sandbox/seatbelt.h"
#include "executor/sandbox/treewatch.h"
#include "executor/sandbox/workspacechanges.h"

#include <QTemporaryDir>

#include <memory>
#include <optional>

namespace deskhand::sandbox {

/// What a run under Seatbelt is made with. Tests put programs of their own here.
struct SeatbeltTools
{
    QString sandboxExec; ///< /usr/bin/sandbox-exec, never one from PATH
    QString launcher; ///< deskhand-sandbox-launch

    /// This system's; Unavailable names what is missing.
    [[nodiscard]] static Result<SeatbeltTools> find();
};

/// One run on macOS: the policy as a Seatbelt text, sandbox-exec around the command, a process
/// group and resource limits by deskhand-sandbox-launch. POSIX throughout: on Linux, tests run it
/// with a sandbox-exec of their own. Lives on the stack of its caller, on the run's thread.
class SeatbeltRun final
{
public:
    SeatbeltRun(const SandboxRequest &request, process::RunControl &control,
        const SandboxHooks &hooks, const SeatbeltTools &tools);

    [[nodiscard]] SandboxResult run();

private:
    enum class Backend { Seatbelt, None, External };

    [[nodiscard]] Result<> prepare();
    [[nodiscard]] Result<> chooseBackend();
    [[nodiscard]] Result<> makeScratch();
    [[nodiscard]] Result<> resolvePolicy();
    [[nodiscard]] Result<> startProxy();
    [[nodiscard]] SeatbeltPlan plan() const;
    void setLimits();
    void buildEnvironment();
    void buildCommand();
    [[nodiscard]] QString backendName() const;

    const SandboxRequest &m_request;
    process::RunControl &m_control;
    const SandboxHooks &m_hooks;
    const SeatbeltTools &m_tools;
    PermissionProfile m_profile;
    SandboxResult m_result;

    Backend m_backend = Backend::Seatbelt;
    std::string m_directory;
    std::optional<Identity> m_identity;
    std::optional<QTemporaryDir> m_scratch; ///< the run's own TMPDIR
    std::optional<ResolvedPolicy> m_policy;
    std::unique_ptr<AllowListProxy> m_proxy;
    std::unique_ptr<TreeWatch> m_tree;
    std::unique_ptr<WorkspaceChanges> m_changes;
    process::RunSpec m_spec;
    QByteArray m_mark; ///< value of a variable that every process of the run has
};

/// Cause and next step from what sandbox-exec said. Pure.
[[nodiscard]] Error explainSeatbeltFailure(const Error &raw);

/// Builds the wall, lets a command try to write outside of it, and looks. Blocking.
[[nodiscard]] SandboxStatus probeSeatbelt(
    const ProbeOptions &options, process::RunControl &control, const Result<SeatbeltTools> &tools);

} // namespace deskhand::sandbox
