// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace deskhand::process {

/// A descriptor that becomes readable when a child of ours ends, for use in poll(). The child is
/// still to be waited for. Owned by one run; one thread.
class ExitWatch final
{
public:
    explicit ExitWatch(pid_t child);
    ~ExitWatch();
    ExitWatch(const ExitWatch &) = delete;
    ExitWatch &operator=(const ExitWatch &) = delete;

    /// -1 when the system has no such thing: then ask waitpid from time to time.
    [[nodiscard]] int descriptor() const { return m_descriptor; }

private:
    int m_descriptor;
};

} // namespace deskhand::process
