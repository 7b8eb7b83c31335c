// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/policy.h"

#include <QList>
#include <QString>

#include <memory>
#include <optional>

namespace deskhand::sandbox {

/// Where the kernel would count a tree's memory and processes.
struct ControlGroupPlace
{
    enum class Version { V1, V2 };
    Version version = Version::V2;
    QString memoryParent; ///< directory in which we may make a group
    QString pidsParent; ///< the same one with version 2
};

/// Reads what is real here instead of assuming: hybrid hierarchies bind a controller to either
/// version. `mountRoot` and `membership` are parameters for tests ("/sys/fs/cgroup",
/// "/proc/self/cgroup"). Nothing when no place is writable; `why` says so.
[[nodiscard]] std::optional<ControlGroupPlace> findControlGroupPlace(
    const QString &mountRoot, const QString &membership, QString *why);

/// The control groups of one run: made before it, joined by its first process before that gives up
/// its rights, removed after it. Owned by the run; one thread.
class ControlGroup final
{
public:
    /// Unavailable when there is no place or a limit cannot be set.
    [[nodiscard]] static Result<std::unique_ptr<ControlGroup>> create(const LimitPolicy &limits);
    /// A version 2 group that belongs to systemd and already holds the run's first process; it
    /// takes it away when the last one is gone.
    [[nodiscard]] static std::unique_ptr<ControlGroup> ofSystemd(const QString &directory);
    ~ControlGroup();
    ControlGroup(const ControlGroup &) = delete;
    ControlGroup &operator=(const ControlGroup &) = delete;

    [[nodiscard]] QString kind() const; ///< "cgroup2", "cgroup1" or "systemd-scope"
    /// Open cgroup.procs files for the launcher, close-on-exec.
    [[nodiscard]] QList<int> joinDescriptors() const { return m_descriptors; }
    /// Ends every process in it.
    void kill();
    [[nodiscard]] QList<qint64> processes() const;
    /// Remembers what firedLimit() says: a group that is not ours goes with its last process.
    void noteEvents() { m_fired = readEvents(); }
    /// "memory" or "processes" when the kernel enforced that limit during the run.
    [[nodiscard]] QString firedLimit() const { return m_fired.isEmpty() ? readEvents() : m_fired; }

private:
    explicit ControlGroup(ControlGroupPlace::Version version)
        : m_version(version)
    { }
    [[nodiscard]] Result<> make(const ControlGroupPlace &place, const LimitPolicy &limits);

    [[nodiscard]] QString readEvents() const;
    void waitForSystemd();

    ControlGroupPlace::Version m_version;
    bool m_systemd = false;
    QString m_fired;
    QString m_memory;
    QString m_pids;
    QList<int> m_descriptors;
};

} // namespace deskhand::sandbox
