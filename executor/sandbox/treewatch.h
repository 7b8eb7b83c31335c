// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/policy.h"

#include <QString>

#include <chrono>
#include <string>
#include <vector>

namespace deskhand::sandbox {

/// Looks after what the kernel does not count for us: growth of the writable roots, free space and
/// new files always; memory and processes of the tree when no control group counts them. Asked
/// every quarter of a second by the run; owned by it, on its thread.
class TreeWatch final
{
public:
    TreeWatch(
        const LimitPolicy &limits, std::vector<std::string> writableRoots, bool countProcesses);

    /// Name of the limit that is passed now ("memory", "processes", "disk-growth", "free-space",
    /// "new-files"); empty when none.
    [[nodiscard]] QString check(qint64 pid);
    /// The roots grew over the threshold that is reported.
    [[nodiscard]] bool grewMuch() const { return m_grewMuch; }
    /// One last look at the disk, for runs that end between two checks.
    [[nodiscard]] QString lastLook();

private:
    struct Volume
    {
        std::string root;
        qint64 freeBytes = 0;
        qint64 freeFiles = 0;
    };
    struct Growth
    {
        qint64 bytes = 0;
        qint64 files = 0;
    };

    [[nodiscard]] QString checkTree(qint64 pid) const;
    [[nodiscard]] QString checkDisk();
    [[nodiscard]] Growth measure(const std::string &root) const;

    LimitPolicy m_limits;
    std::vector<Volume> m_volumes;
    bool m_countProcesses;
    bool m_grewMuch = false;
    std::chrono::steady_clock::time_point m_nextDisk;
    qint64 m_startSeconds; ///< wall clock, as files carry it
};

} // namespace deskhand::sandbox
