// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/containerarguments.h"
#include "executor/sandbox/grantedfiles.h"
#include "executor/sandbox/guards.h"
#include "executor/sandbox/identity.h"
#include "executor/sandbox/sandboxedrun.h"
#include "executor/sandbox/treewatch.h"
#include "executor/sandbox/workspacechanges.h"

#include <QTemporaryDir>

#include <memory>
#include <optional>

namespace deskhand::sandbox {

/// One run behind the container engine that the owner chose; never chosen by itself. Our helper is
/// process 1 of the container and connects to us: it ends everything when we are gone, and --rm
/// removes what is left. Lives on the stack of runSandboxed, on the run's thread.
class ContainerRun final
{
public:
    ContainerRun(
        const SandboxRequest &request, process::RunControl &control, const SandboxHooks &hooks);
    ~ContainerRun();
    ContainerRun(const ContainerRun &) = delete;
    ContainerRun &operator=(const ContainerRun &) = delete;

    [[nodiscard]] SandboxResult run();

private:
    [[nodiscard]] Result<> prepare();
    [[nodiscard]] Result<> checkChoice();
    [[nodiscard]] Result<> findEngine();
    [[nodiscard]] Result<> resolvePolicy();
    [[nodiscard]] Result<> makeFolder();
    [[nodiscard]] Result<> writeEnvironment() const;
    [[nodiscard]] Result<> buildCommand();
    [[nodiscard]] bool engineLimits() const;
    [[nodiscard]] ContainerPlan plan() const;
    [[nodiscard]] QList<QByteArray> initArguments() const;
    [[nodiscard]] Result<> sweep() const;
    void remove() const;
    void conclude();
    [[nodiscard]] SandboxResult refuse(const Error &error);
    [[nodiscard]] process::RunOutcome ask(const QList<QByteArray> &arguments) const;
    [[nodiscard]] QString engineName() const;
    [[nodiscard]] std::string inFolder(const char *name) const;

    const SandboxRequest &m_request;
    process::RunControl &m_control;
    const SandboxHooks &m_hooks;
    const PermissionProfile &m_profile;
    SandboxResult m_result;
    QString m_program;
    QString m_helper;
    QByteArray m_name;
    std::string m_directory;
    std::optional<Identity> m_identity;
    std::optional<ResolvedPolicy> m_policy;
    std::optional<QTemporaryDir> m_folder; ///< for the environment; its "shown" is seen inside
    std::unique_ptr<GrantedFiles> m_grantedFiles;
    std::unique_ptr<GuardSet> m_guards;
    std::unique_ptr<CreateWatch> m_createWatch;
    std::unique_ptr<WorkspaceChanges> m_changes;
    std::unique_ptr<TreeWatch> m_tree;
    process::RunSpec m_spec;
    int m_listener = -1;
};

} // namespace deskhand::sandbox
