// SPDX-License-Identifier: Apache-2.0
// deskhand-sandbox-launch: the small program around every command on macOS.
//
//   supervise  runs outside of the wall: leaves root, starts sandbox-exec in a process group of its
//              own under the resource limits, passes signals on, ends the group with the command or
//              when the engine is gone, counts
//   enter      is what sandbox-exec starts inside of the wall: makes sure that there is one, says
//              so, becomes the command
//
// Outside it talks to the engine over one socket (--control), in the same words as the Linux
// helper: single bytes in (a signal number), lines out: "ready", "exec ERRNO",
// "exit STATUS UTIME_US STIME_US MAXRSS_KB", "fail WHAT ERRNO". The inner stage has only a pipe to
// the outer one, closed before the command starts.

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __APPLE__
extern "C" int sandbox_check(pid_t pid, const char *operation, int type, ...);
#endif

namespace {

constexpr int kStatusDescriptor = 3; // of the inner stage: its pipe to the outer one
constexpr int kCannotStart = 125;
constexpr int kEngineGone = 137;

int s_control = -1;
int s_signalPipe = -1;

void report(int descriptor, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report(int descriptor, const char *format, ...)
{
    char line[256];
    va_list list;
    va_start(list, format);
    const int length = std::vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (length > 0) {
        (void)!write(descriptor >= 0 ? descriptor : 2, line, static_cast<size_t>(length));
    }
}

[[noreturn]] void fail(int descriptor, const char *what, int error = errno)
{
    report(descriptor, "fail %s %d\n", what, error);
    _exit(kCannotStart);
}

[[noreturn]] void usage(const char *argument)
{
    report(s_control, "fail usage:%.100s %d\n", argument, EINVAL);
    _exit(kCannotStart);
}

long number(const char *text)
{
    char *end = nullptr;
    errno = 0;
    const long value = std::strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0') {
        usage(text);
    }
    return value;
}

struct Limit
{
    int resource;
    long value;
};

struct Outer
{
    long uid = -1;
    long gid = -1;
    gid_t groups[64];
    size_t groupCount = 0;
    Limit limits[8];
    size_t limitCount = 0;
    int niceness = 0;
    bool terminal = false;
    const char *mark = nullptr; ///< by which the engine finds what left the group
    char **program = nullptr;
};

void addLimit(Outer &outer, const char *assignment)
{
    struct Name
    {
        const char *name;
        int resource;
    };
    constexpr Name kNames[] = { { "fsize=", RLIMIT_FSIZE }, { "nofile=", RLIMIT_NOFILE },
        { "core=", RLIMIT_CORE }, { "data=", RLIMIT_DATA } };
    for (const Name &entry : kNames) {
        const size_t length = std::strlen(entry.name);
        if (std::strncmp(assignment, entry.name, length) == 0
            && outer.limitCount < sizeof outer.limits / sizeof outer.limits[0]) {
            outer.limits[outer.limitCount++] = { entry.resource, number(assignment + length) };
            return;
        }
    }
    usage(assignment);
}

Outer parseOuter(int argc, char **argv)
{
    Outer outer;
    for (int i = 2; i < argc; ++i) {
        const auto is = [&](const char *name) {
            return std::strcmp(argv[i], name) == 0;
        };
        const auto value = [&] {
            if (++i >= argc) {
                usage(argv[argc - 1]);
            }
            return argv[i];
        };
        if (is("--")) {
            if (i + 1 < argc) {
                outer.program = argv + i + 1;
                return outer;
            }
            break;
        }
        if (is("--control")) {
            s_control = static_cast<int>(number(value()));
        } else if (is("--uid")) {
            outer.uid = number(value());
        } else if (is("--gid")) {
            outer.gid = number(value());
        } else if (is("--group")) {
            if (outer.groupCount == sizeof outer.groups / sizeof outer.groups[0]) {
                usage("--group");
            }
            outer.groups[outer.groupCount++] = static_cast<gid_t>(number(value()));
        } else if (is("--rlimit")) {
            addLimit(outer, value());
        } else if (is("--nice")) {
            outer.niceness = static_cast<int>(number(value()));
        } else if (is("--mark")) {
            outer.mark = value();
        } else if (is("--terminal")) {
            outer.terminal = true;
        } else {
            usage(argv[i]);
        }
    }
    usage("missing program");
}

void leaveRoot(const Outer &outer)
{
    if (outer.uid < 0) {
        return;
    }
    const uid_t uid = static_cast<uid_t>(outer.uid);
    const gid_t gid = static_cast<gid_t>(outer.gid);
    // By root, both set the real, the effective and the saved one.
    if (setgroups(static_cast<int>(outer.groupCount), outer.groups) != 0 || setgid(gid) != 0
        || setuid(uid) != 0) {
        fail(s_control, "setuid");
    }
    if (uid != 0 && (setuid(0) == 0 || geteuid() == 0)) {
        fail(s_control, "privileges", EPERM); // they must be gone for good
    }
}

void setLimits(const Outer &outer, int status)
{
    for (size_t i = 0; i < outer.limitCount; ++i) {
        const Limit &limit = outer.limits[i];
        rlimit present {};
        rlimit wanted {};
        wanted.rlim_cur = wanted.rlim_max = static_cast<rlim_t>(limit.value);
        if (getrlimit(static_cast<decltype(RLIMIT_CORE)>(limit.resource), &present) == 0
            && present.rlim_max < wanted.rlim_max) {
            wanted.rlim_cur = wanted.rlim_max = present.rlim_max; // already stricter
        }
        if (setrlimit(static_cast<decltype(RLIMIT_CORE)>(limit.resource), &wanted) != 0) {
            fail(status, "rlimit");
        }
    }
}

void onSignal(int number)
{
    const int error = errno;
    const unsigned char byte = static_cast<unsigned char>(number);
    (void)!write(s_signalPipe, &byte, 1); // full means that enough of them wait
    errno = error;
}

constexpr int kCaught[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGWINCH, SIGCONT };

[[noreturn]] void startInner(const Outer &outer, int status)
{
    for (const int signal : kCaught) {
        std::signal(signal, SIG_DFL);
    }
    std::signal(SIGPIPE, SIG_DFL);
    if (outer.terminal) {
        // A session of its own with the terminal: job control works, and nobody else shares it.
        if (setsid() < 0 || ioctl(0, TIOCSCTTY, 0) != 0) {
            fail(status, "terminal");
        }
    } else {
        setpgid(0, 0);
    }
    if (outer.niceness > 0) {
        (void)!nice(outer.niceness);
    }
    setLimits(outer, status);
    if (outer.mark != nullptr && setenv("DESKHAND_RUN", outer.mark, 1) != 0) {
        fail(status, "environment");
    }
    // The engine's socket stays outside.
    if (dup2(status, kStatusDescriptor) < 0) {
        fail(status, "descriptors");
    }
    fcntl(kStatusDescriptor, F_SETFD, 0);
    execv(outer.program[0], outer.program);
    fail(kStatusDescriptor, "sandbox-exec");
}

bool makePipe(int (&ends)[2], bool nonBlocking)
{
    if (pipe(ends) != 0) {
        return false;
    }
    for (int &end : ends) {
        // Out of the way of the fixed number that the inner stage gets.
        const int moved = fcntl(end, F_DUPFD_CLOEXEC, 10);
        close(end);
        end = moved;
        if (moved < 0 || (nonBlocking && fcntl(moved, F_SETFL, O_NONBLOCK) != 0)) {
            return false;
        }
    }
    return true;
}

/// What the inner stage said, line by line, to the engine. Returns whether it was ready.
bool passReports(int status, bool ready)
{
    static char buffer[512];
    static size_t filled = 0;
    for (;;) {
        const ssize_t got = read(status, buffer + filled, sizeof buffer - filled);
        if (got <= 0) {
            return ready;
        }
        filled += static_cast<size_t>(got);
        while (const void *end = std::memchr(buffer, '\n', filled)) {
            const size_t length = static_cast<size_t>(static_cast<const char *>(end) - buffer) + 1;
            if (length == 6 && std::memcmp(buffer, "ready\n", 6) == 0) {
                ready = true;
            }
            (void)!write(s_control, buffer, length);
            filled -= length;
            std::memmove(buffer, buffer + length, filled);
        }
        if (filled == sizeof buffer) {
            filled = 0; // not our own inner stage
        }
    }
}

[[noreturn]] void finish(pid_t child, int childStatus, bool ready)
{
    kill(-child, SIGKILL); // what the command left in its group
    if (ready) {
        rusage usage {};
        getrusage(RUSAGE_CHILDREN, &usage);
#ifdef __APPLE__
        const long kilobytes = usage.ru_maxrss / 1024; // bytes there
#else
        const long kilobytes = usage.ru_maxrss;
#endif
        report(s_control, "exit %d %ld %ld %ld\n", childStatus,
            static_cast<long>(usage.ru_utime.tv_sec) * 1000000
                + static_cast<long>(usage.ru_utime.tv_usec),
            static_cast<long>(usage.ru_stime.tv_sec) * 1000000
                + static_cast<long>(usage.ru_stime.tv_usec),
            kilobytes);
    }
    _exit(WIFSIGNALED(childStatus) ? 128 + WTERMSIG(childStatus) : WEXITSTATUS(childStatus));
}

void obey(pid_t child, const unsigned char *orders, ssize_t count)
{
    for (ssize_t i = 0; i < count; ++i) {
        kill(-child, orders[i]);
        if (orders[i] == SIGTERM) {
            kill(-child, SIGCONT); // a stopped group must be able to act on it
        }
    }
}

[[noreturn]] void supervise(int argc, char **argv)
{
    std::signal(SIGPIPE, SIG_IGN);
    const Outer outer = parseOuter(argc, argv);
    leaveRoot(outer);
    fcntl(s_control, F_SETFD, FD_CLOEXEC);
    fcntl(s_control, F_SETFL, O_NONBLOCK);
    int signals[2];
    int status[2];
    if (!makePipe(signals, true) || !makePipe(status, false)) {
        fail(s_control, "pipe");
    }
    fcntl(status[0], F_SETFL, O_NONBLOCK);
    s_signalPipe = signals[1];
    struct sigaction action
    { };
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (const int signal : kCaught) {
        sigaction(signal, &action, nullptr);
    }
    const pid_t child = fork();
    if (child < 0) {
        fail(s_control, "fork");
    }
    if (child == 0) {
        startInner(outer, status[1]);
    }
    close(status[1]);
    if (!outer.terminal) {
        setpgid(child, child); // both sides, so that a signal never comes too early
    }
    bool ready = false;
    bool reporting = true;
    for (;;) {
        pollfd fds[3] = { { signals[0], POLLIN, 0 }, { s_control, POLLIN, 0 },
            { reporting ? status[0] : -1, POLLIN, 0 } };
        if (poll(fds, 3, -1) < 0 && errno != EINTR) {
            kill(-child, SIGKILL);
            _exit(kCannotStart);
        }
        if (fds[1].revents != 0) {
            unsigned char orders[16];
            const ssize_t got = recv(s_control, orders, sizeof orders, 0);
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
                kill(-child, SIGKILL); // the engine is gone: nothing may outlive it
                _exit(kEngineGone);
            }
            obey(child, orders, got);
        }
        if (fds[2].revents != 0) {
            ready = passReports(status[0], ready);
            reporting = (fds[2].revents & POLLHUP) == 0;
        }
        if (fds[0].revents != 0) {
            unsigned char caught[16];
            const ssize_t got = read(signals[0], caught, sizeof caught);
            for (ssize_t i = 0; i < got; ++i) {
                if (caught[i] != SIGCHLD) {
                    obey(child, caught + i, 1);
                }
            }
            int childStatus = 0;
            if (waitpid(child, &childStatus, WNOHANG) == child) {
                finish(child, childStatus, passReports(status[0], ready));
            }
        }
    }
}

/// A directory of PATH that may not be searched makes execvp say "not permitted" for a name that
/// is nowhere.
bool isInPath(const char *name)
{
    if (std::strchr(name, '/') != nullptr) {
        return true;
    }
    const char *path = std::getenv("PATH");
    while (path != nullptr && *path != '\0') {
        const size_t length = std::strcspn(path, ":");
        char file[4096];
        const int size
            = std::snprintf(file, sizeof file, "%.*s/%s", static_cast<int>(length), path, name);
        if (size > 0 && static_cast<size_t>(size) < sizeof file && access(file, F_OK) == 0) {
            return true;
        }
        path += length + (path[length] == ':' ? 1 : 0);
    }
    return false;
}

[[noreturn]] void enter(int argc, char **argv)
{
    // enter walled|open DIRECTORY -- COMMAND...
    if (argc < 6 || std::strcmp(argv[4], "--") != 0) {
        fail(kStatusDescriptor, "usage", EINVAL);
    }
    fcntl(kStatusDescriptor, F_SETFD, FD_CLOEXEC);
#ifdef __APPLE__
    // Whatever sandbox-exec made of the policy: without a wall around it nothing is started.
    if (std::strcmp(argv[2], "walled") == 0 && sandbox_check(getpid(), nullptr, 0) != 1) {
        fail(kStatusDescriptor, "not-sandboxed", EPERM);
    }
#endif
    setenv("PWD", argv[3], 1);
    report(kStatusDescriptor, "ready\n");
    char **command = argv + 5;
    execvp(command[0], command);
    const int error = errno == EACCES && !isInPath(command[0]) ? ENOENT : errno;
    report(kStatusDescriptor, "exec %d\n", error);
    _exit(error == ENOENT || error == ENOTDIR ? 127 : 126);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc >= 3 && std::strcmp(argv[1], "supervise") == 0) {
        supervise(argc, argv);
    }
    if (argc >= 3 && std::strcmp(argv[1], "enter") == 0) {
        enter(argc, argv);
    }
    std::fprintf(stderr, "deskhand-sandbox-launch is started by Deskhand, not by hand\n");
    return kCannotStart;
}
