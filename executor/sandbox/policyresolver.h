// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/resolvedpolicy.h"

#include <chrono>
#include <functional>

namespace deskhand::sandbox {

/// Builds a ResolvedPolicy: expands the rules, looks at the disk, refuses what cannot be held. Used
/// once, on the thread of its run.
class PolicyResolver final
{
public:
    PolicyResolver(const PermissionProfile &profile, const PolicyContext &context);

    [[nodiscard]] Result<ResolvedPolicy> resolve();

private:
    struct Expanded
    {
        std::string path; ///< clean, links not resolved
        const FileRule *rule;
    };

    [[nodiscard]] Result<> resolveWorkspaceRoots();
    [[nodiscard]] Result<> expandRules();
    void expandRule(const FileRule &rule);
    void addPrivatePlaces();
    [[nodiscard]] Result<> addRules();
    [[nodiscard]] Result<> addRule(const Expanded &expanded);
    void keepWorkspacesVisible();
    void addGrants();
    void addSecrets();
    void addSecret(const std::string &path, Origin origin);
    /// False when a folder is too large to be searched for a pattern.
    bool eachSecret(
        const QStringList &patterns, const std::function<void(const std::string &path)> &visit);
    [[nodiscard]] Result<> sealOwnerSecrets();
    [[nodiscard]] Result<> addProtectedNames();
    [[nodiscard]] Result<> addProtectedName(const std::string &root, const std::string &name);
    void followGitFile(const std::string &gitFile, const std::string &root);
    void addNestedRepositories();
    [[nodiscard]] Result<> addGlobs();
    [[nodiscard]] Result<> checkNoWritableLinks();
    void insert(PolicyEntry entry);
    [[nodiscard]] bool hasExplicitWrite(const std::string &path) const;

    const PermissionProfile &m_profile;
    const PolicyContext &m_context;
    std::string m_home;
    std::vector<Expanded> m_expanded;
    std::vector<std::pair<std::string, std::string>>
        m_spellings; ///< typed, canonical, of read and deny rules
    ResolvedPolicy m_result;
};

/// What programs need to start: the target `minimal`.
[[nodiscard]] std::vector<std::string> minimalRoots();

/// Calls `visit` for each entry below `directory` (depth 1 for its children) until it answers
/// Stop; Skip does not descend. Links are not followed. False when `maxEntries` or the time ran
/// out.
enum class Visit { Descend, Skip, Stop };
[[nodiscard]] bool walkTree(const std::string &directory, int maxEntries,
    std::chrono::milliseconds maxTime,
    const std::function<Visit(const std::string &path, const char *name, PathKind kind, int depth)>
        &visit);

} // namespace deskhand::sandbox
