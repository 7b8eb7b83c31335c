// SPDX-License-Identifier: Apache-2.0
#include "executor/process/exitwatch.h"

#include <fcntl.h>
#include <sys/event.h>
#include <unistd.h>

namespace deskhand::process {

ExitWatch::ExitWatch(pid_t child)
    : m_descriptor(kqueue())
{
    if (m_descriptor < 0) {
        return;
    }
    fcntl(m_descriptor, F_SETFD, FD_CLOEXEC);
    struct kevent change;
    EV_SET(&change, static_cast<uintptr_t>(child), EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, 0,
        nullptr);
    if (kevent(m_descriptor, &change, 1, nullptr, 0, nullptr) != 0) {
        close(m_descriptor); // already gone: waitpid will tell
        m_descriptor = -1;
    }
}

ExitWatch::~ExitWatch()
{
    if (m_descriptor >= 0) {
        close(m_descriptor);
    }
}

} // namespace deskhand::process
