// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/resolvedpolicy.h"

#include <QStringList>

#include <string>
#include <vector>

namespace deskhand::sandbox {

/// Empty directories that stand in for protected names which do not exist, so that bubblewrap has a
/// place to mount its mask and nobody can create the name meanwhile.
///
/// Several runs, also of other programs and users, may need the same one. Each holds a shared lock
/// on the directory; whoever can turn his into an exclusive lock is the last and removes it. Locks
/// die with their process, so no count can be wrong after a crash. That a directory is ours is
/// written into its time of change: a fixed moment that no other program sets. Making and removing
/// happen under a lock on the parent. Owned by one run; one thread.
class GuardSet final
{
public:
    GuardSet() = default;
    ~GuardSet(); ///< releases
    GuardSet(const GuardSet &) = delete;
    GuardSet &operator=(const GuardSet &) = delete;

    /// Io error when a guard cannot be made although its parent is writable.
    [[nodiscard]] Result<> stand(const ResolvedPolicy &policy);
    /// Removes what nobody else uses. Returns protected names that had content: the mask was lost.
    [[nodiscard]] QStringList release();

    [[nodiscard]] qsizetype count() const { return static_cast<qsizetype>(m_guards.size()); }

    /// What lies at a protected name, other runs' guards counted as nothing: whoever finds one has
    /// to share it, not to take it for the owner's. Looks under the parent's lock, because a guard
    /// is marked only a moment after it was made.
    [[nodiscard]] static PathKind kindWithoutGuards(const std::string &path);

    /// Removes guards that killed runs left in these roots and that nobody uses.
    static void sweep(const QStringList &roots, const QStringList &names);

private:
    struct Guard
    {
        std::string path;
        int descriptor = -1; ///< holds the shared lock
    };

    [[nodiscard]] Result<> standOne(const std::string &path);

    std::vector<Guard> m_guards;
};

/// Watches the parents of protected names that could not be guarded (or whose guard somebody else
/// removed) and takes what appears away at once. Owned by one run; one thread.
class CreateWatch final
{
public:
    explicit CreateWatch(const ResolvedPolicy &policy);
    ~CreateWatch();
    CreateWatch(const CreateWatch &) = delete;
    CreateWatch &operator=(const CreateWatch &) = delete;

    /// To be polled; -1 when there is nothing to watch.
    [[nodiscard]] int descriptor() const { return m_descriptor; }
    /// Reads events and removes what must not be.
    void check();
    /// A last look without events; then the names removed so far.
    [[nodiscard]] QStringList finish();

private:
    struct Name
    {
        std::string path;
        bool guarded; ///< an empty directory there is our own guard
    };
    void removeIfThere(const Name &name);
    void forgetEvents() const;

    int m_descriptor = -1;
    std::vector<int> m_watches;
    std::vector<Name> m_names;
    QStringList m_removed;
};

} // namespace deskhand::sandbox
