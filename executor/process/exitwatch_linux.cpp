// SPDX-License-Identifier: Apache-2.0
#include "executor/process/exitwatch.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace deskhand::process {

ExitWatch::ExitWatch(pid_t child)
    : m_descriptor(static_cast<int>(syscall(SYS_pidfd_open, child, 0))) // close-on-exec by itself
{ }

ExitWatch::~ExitWatch()
{
    if (m_descriptor >= 0) {
        close(m_descriptor);
    }
}

} // namespace deskhand::process
