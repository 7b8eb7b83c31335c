// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/globmatcher.h"
#include "executor/sandbox/policy.h"

#include <QStringList>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deskhand::sandbox {

/// Where the policy is applied.
struct PolicyContext
{
    QStringList workspaceRoots; ///< as given; may be symlinks
    QString home;
    QString temporaryFolder; ///< $TMPDIR, may be empty
    QStringList extraWritable; ///< grants of this call
    QStringList extraReadable; ///< grants that lift a secret path or a deny rule's parent
};

/// Why a path has its access.
enum class Origin {
    Default,
    Rule,
    Grant,
    ProtectedName,
    GitIndirection,
    NestedRepository,
    Secret,
    OwnerSecret,
    Glob,
    PrivatePlace
};

enum class PathKind { Missing, File, Directory, Symlink, Other };

/// One path of the policy with what holds for it and everything below, up to the next entry.
struct PolicyEntry
{
    std::string path; ///< absolute, clean
    Access access = Access::Deny;
    Origin origin = Origin::Default;
    std::string subject; ///< the protected name, the glob, an alias's canonical path
    std::string root; ///< for protected names: the writable root it lies in
    PathKind kind = PathKind::Missing;
    bool alias = false; ///< another spelling (through a symlink) of an entry; not mounted
    bool guard = false; ///< does not exist and must not come into being
    bool watchOnly = false; ///< a guard would hide a parent repository: removed on sight instead
};

/// The policy of one run: flat, canonical, checked against the disk once. Immutable afterwards; all
/// questions are pure, and any thread may ask.
class ResolvedPolicy final
{
public:
    /// Reads the disk (blocking): canonical forms, git's indirections, existing nested
    /// repositories, matches of deny globs. Errors refuse the run: Policy or NotFound, naming the
    /// path.
    [[nodiscard]] static Result<ResolvedPolicy> resolve(
        const PermissionProfile &profile, const PolicyContext &context);

    struct Verdict
    {
        bool allowed = false;
        Access effective = Access::Deny;
        bool privateView = false; ///< works, but in a place of the run's own, not the host's
        QString reason; ///< "write denied: .git is protected in /x"
    };
    /// `path` as typed; compared literally and in its canonical form, the stricter counts. Looks at
    /// the disk for links.
    [[nodiscard]] Verdict verdict(const QString &path, Access wanted) const;

    /// The entry that decides for a clean absolute path, by its spelling alone. Never null.
    [[nodiscard]] const PolicyEntry &decide(std::string_view cleanPath) const;

    [[nodiscard]] const std::vector<PolicyEntry> &entries() const { return m_entries; }
    [[nodiscard]] const std::vector<std::string> &privatePlaces() const { return m_privatePlaces; }
    [[nodiscard]] const std::vector<std::string> &workspaceRoots() const
    {
        return m_workspaceRoots;
    }
    [[nodiscard]] std::vector<std::string> writableRoots() const;
    [[nodiscard]] const std::vector<std::string> &nestedRepositories() const { return m_nested; }
    /// The patterns that deny, absolute; their matches are among the entries too.
    [[nodiscard]] std::vector<std::string> denyGlobs() const;
    /// What was skipped or not understood, for people.
    [[nodiscard]] const QStringList &notes() const { return m_notes; }

private:
    friend class PolicyResolver;
    struct Hash
    {
        using is_transparent = void;
        size_t operator()(std::string_view text) const
        {
            return std::hash<std::string_view> {}(text);
        }
    };

    [[nodiscard]] const PolicyEntry *entryAt(std::string_view path) const;
    [[nodiscard]] QString explain(const PolicyEntry &entry, Access wanted, bool allowed) const;

    std::vector<PolicyEntry> m_entries;
    std::unordered_map<std::string, size_t, Hash, std::equal_to<>> m_index;
    std::vector<PathGlob> m_globs;
    std::vector<PolicyEntry> m_globEntries; ///< one for each glob: the answer when it matches
    std::vector<std::string> m_privatePlaces;
    std::vector<std::string> m_workspaceRoots;
    std::vector<std::string> m_nested;
    QStringList m_notes;
};

} // namespace deskhand::sandbox
