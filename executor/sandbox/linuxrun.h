// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/allowlistproxy.h"
#include "executor/sandbox/bubblewrapchoice.h"
#include "executor/sandbox/bwraparguments.h"
#include "executor/sandbox/controlgroup.h"
#include "executor/sandbox/grantedfiles.h"
#include "executor/sandbox/guards.h"
#include "executor/sandbox/identity.h"
#include "executor/sandbox/sandboxedrun.h"
#include "executor/sandbox/systemdscope.h"
#include "executor/sandbox/treewatch.h"
#include "executor/sandbox/workspacechanges.h"

#include <memory>
#include <optional>

namespace deskhand::sandbox {

/// One run on Linux, step by step: who, what, guards, limits, wall, command, clean-up, report.
/// Lives on the stack of runSandboxed, on the run's thread.
class LinuxRun final
{
public:
    LinuxRun(
        const SandboxRequest &request, process::RunControl &control, const SandboxHooks &hooks);

    [[nodiscard]] SandboxResult run();

private:
    static constexpr int kBridgePort
        = 3128; ///< of the run's own loopback, where every port is free

    enum class Backend { Bubblewrap, Landlock, None, External };

    [[nodiscard]] Result<> prepare();
    [[nodiscard]] Result<> chooseBackend();
    [[nodiscard]] Result<> chooseLandlock(const Error &because);
    [[nodiscard]] Result<> resolvePolicy();
    [[nodiscard]] Result<> setLimits();
    [[nodiscard]] Result<> chooseCounter();
    [[nodiscard]] Result<> renewCounter();
    [[nodiscard]] bool kernelCounts() const { return m_group || m_scope; }
    void goThroughSystemd();
    [[nodiscard]] QList<QByteArray> scopeArguments() const;
    [[nodiscard]] Result<> startProxy();
    [[nodiscard]] Result<> buildWall();
    [[nodiscard]] BwrapPlan bwrapPlan() const;
    void addPrivatePlaces(BwrapPlan &plan) const;
    [[nodiscard]] std::vector<std::string> socketsToMask() const;
    [[nodiscard]] QList<QByteArray> launcherArguments() const;
    [[nodiscard]] QList<QByteArray> initArguments(const QString &helper) const;
    void buildEnvironment();
    [[nodiscard]] Result<int> argumentsFile(const QList<QByteArray> &options) const;

    void execute();
    [[nodiscard]] bool mayTryAgain(int tried);
    [[nodiscard]] bool useNextBubblewrap();
    [[nodiscard]] QStringList placesOfCommands() const;
    void closeOwnDescriptors();
    void conclude();
    [[nodiscard]] SandboxResult refuse(const Error &error);
    [[nodiscard]] QString backendName() const;

    const SandboxRequest &m_request;
    process::RunControl &m_control;
    const SandboxHooks &m_hooks;
    PermissionProfile m_profile;
    SandboxResult m_result;

    Backend m_backend = Backend::Bubblewrap;
    QString m_helper;
    Bubblewrap m_bubblewrap; ///< builds the wall
    QList<Bubblewrap> m_otherBubblewraps; ///< that may build it when that one fails
    std::optional<Bubblewrap> m_firstFailed;
    Error m_firstFailure; ///< what it said
    std::string m_directory;
    std::optional<Identity> m_identity;
    std::optional<ResolvedPolicy> m_policy;
    std::unique_ptr<SystemdScope> m_scope; ///< asked for; its group follows when it is real
    std::unique_ptr<ControlGroup> m_group;
    std::unique_ptr<TreeWatch> m_tree;
    std::unique_ptr<AllowListProxy> m_proxy;
    std::unique_ptr<GrantedFiles> m_grantedFiles;
    std::unique_ptr<GuardSet> m_guards;
    std::unique_ptr<CreateWatch> m_createWatch;
    std::unique_ptr<WorkspaceChanges> m_changes;
    process::RunSpec m_spec;
    QList<QByteArray> m_environment; ///< the command's
    QByteArray m_mark; ///< "NAME=value" that every process of a run without namespaces has
    std::vector<std::string> m_maskedSockets; ///< mounted over in the wall as built last
    QList<int> m_ownDescriptors; ///< closed when the run is over
};

} // namespace deskhand::sandbox
