// SPDX-License-Identifier: Apache-2.0
#include "executor/process/childprocess_p.h"
#include "executor/process/sessionprocesses.h"

#include <QProcess>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

#ifdef Q_OS_LINUX
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace deskhand::process::platform {

namespace {

// Runs between fork and exec: only calls that are safe there. Descriptors are marked rather than
// closed, because QProcess still reports a failing exec over one of them.
void closeOnExecFrom(unsigned first)
{
#if defined(Q_OS_LINUX) && defined(SYS_close_range)
    constexpr unsigned kCloseRangeCloexec = 4; // linux/close_range.h, Linux 5.11
    if (::syscall(SYS_close_range, first, ~0U, kCloseRangeCloexec) == 0) {
        return;
    }
#endif
    constexpr long kMost = 65'536;
    const long limit = ::sysconf(_SC_OPEN_MAX);
    const int end = static_cast<int>(limit > 0 && limit < kMost ? limit : kMost);
    for (int fd = static_cast<int>(first); fd < end; ++fd) {
        const int flags = ::fcntl(fd, F_GETFD);
        if (flags >= 0) {
            ::fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
        }
    }
}

} // namespace

void prepare(QProcess &process)
{
    const pid_t parent = ::getpid();
    process.setChildProcessModifier([parent] {
        ::setpgid(0, 0);
#ifdef Q_OS_LINUX
        // Holds for the thread that forks; ours lives as long as the program's work does.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            ::_exit(127); // the parent died before the line above could take effect
        }
#else
        (void)parent;
#endif
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        closeOnExecFrom(3);
    });
}

void adopt(qint64) { }

void terminate(qint64 pid)
{
    if (pid > 0) {
        ::kill(static_cast<pid_t>(pid), SIGTERM);
    }
}

void killTree(qint64 pid)
{
    if (pid <= 0) {
        return;
    }
    // Listed before: afterwards nothing says any more whose they were.
    const QList<pid_t> below = descendantsOf(static_cast<pid_t>(pid));
    killGroup(pid);
    for (const pid_t descendant : below) {
        ::kill(descendant, SIGKILL);
    }
}

void killGroup(qint64 pid)
{
    if (pid > 0) {
        ::kill(-static_cast<pid_t>(pid), SIGKILL);
    }
}

} // namespace deskhand::process::platform
