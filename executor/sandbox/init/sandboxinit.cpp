// SPDX-License-Identifier: Apache-2.0
// deskhand-sandbox-init: the small static program around every sandboxed command.
//
//   launch  runs outside: leaves the engine's privileges, joins the control groups, ties its life
//           to the engine, then becomes bubblewrap (or the next stage when there is no wall)
//   init    runs inside, as process 1 of the new view: sets the limits that belong to the new user
//           namespace, loads Landlock and the filter, starts the command, reaps, passes signals on
//
// It talks to the engine over one socket (--control): single bytes in (a signal number to pass on,
// 0 to go on), lines out: "waiting", "ready", "exec ERRNO", "exit STATUS UTIME_US STIME_US
// MAXRSS_KB", "fail WHAT ERRNO". No C++ runtime service is used (no allocation, no exceptions): it
// must start in well under 1 ms.

#include "executor/sandbox/init/bridge.h"
#include "executor/sandbox/init/wall.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <initializer_list>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int s_control = -1;
constexpr int kLingerMs = 2000;

void report(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report(const char *format, ...)
{
    char line[256];
    va_list list;
    va_start(list, format);
    const int length = std::vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (length <= 0) {
        return;
    }
    if (s_control >= 0) {
        (void)!send(s_control, line, static_cast<size_t>(length), MSG_NOSIGNAL);
    } else {
        (void)!write(2, line, static_cast<size_t>(length));
    }
}

[[noreturn]] void fail(const char *what)
{
    report("fail %s %d\n", what, errno);
    _exit(125);
}

[[noreturn]] void usage(const char *argument)
{
    report("fail usage:%.100s 22\n", argument);
    _exit(125);
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

/// Walks "--name value" pairs up to "--".
class Options
{
public:
    Options(int argc, char **argv)
        : m_argc(argc)
        , m_argv(argv)
    { }
    bool next()
    {
        if (m_index >= m_argc) {
            usage("missing --");
        }
        m_name = m_argv[m_index++];
        return std::strcmp(m_name, "--") != 0;
    }
    bool is(const char *name) const { return std::strcmp(m_name, name) == 0; }
    const char *name() const { return m_name; }
    const char *value()
    {
        if (m_index >= m_argc) {
            usage(m_name);
        }
        return m_argv[m_index++];
    }
    char **rest()
    {
        if (m_index >= m_argc) {
            usage("missing command");
        }
        return m_argv + m_index;
    }

private:
    int m_argc;
    char **m_argv;
    int m_index = 2;
    const char *m_name = "";
};

void setLimit(const char *assignment)
{
    struct Name
    {
        const char *name;
        int resource;
    };
    constexpr Name kNames[] = { { "nproc=", RLIMIT_NPROC }, { "fsize=", RLIMIT_FSIZE },
        { "nofile=", RLIMIT_NOFILE }, { "core=", RLIMIT_CORE }, { "data=", RLIMIT_DATA } };
    for (const Name &entry : kNames) {
        const size_t length = std::strlen(entry.name);
        if (std::strncmp(assignment, entry.name, length) == 0) {
            rlimit wanted {};
            rlimit present {};
            wanted.rlim_cur = wanted.rlim_max = static_cast<rlim_t>(number(assignment + length));
            if (getrlimit(static_cast<__rlimit_resource>(entry.resource), &present) == 0
                && present.rlim_max < wanted.rlim_max) {
                wanted = { present.rlim_max, present.rlim_max }; // already stricter
            }
            if (setrlimit(static_cast<__rlimit_resource>(entry.resource), &wanted) != 0) {
                fail("rlimit");
            }
            return;
        }
    }
    usage(assignment);
}

/// Until the engine says to go on. It may have died, or want our end: then false.
bool waitForGoOn(int timeoutMs)
{
    for (;;) {
        pollfd order { s_control, POLLIN, 0 };
        const int polled = poll(&order, 1, timeoutMs);
        if (polled < 0 && errno == EINTR) {
            continue;
        }
        unsigned char byte = 1;
        return polled == 1 && recv(s_control, &byte, 1, 0) == 1 && byte == 0;
    }
}

[[noreturn]] void launch(int argc, char **argv)
{
    long parent = 0;
    bool wait = false;
    long uid = -1;
    long gid = -1;
    gid_t groups[64];
    size_t groupCount = 0;
    for (Options options(argc, argv);;) {
        if (!options.next()) {
            if (wait) {
                report("waiting\n");
                if (!waitForGoOn(-1)) {
                    _exit(125);
                }
            }
            // The groups and the user change first: the kernel forgets the parent-death signal
            // then.
            if (uid >= 0) {
                if (setgroups(groupCount, groups) != 0) {
                    fail("setgroups");
                }
                if (setresgid(
                        static_cast<gid_t>(gid), static_cast<gid_t>(gid), static_cast<gid_t>(gid))
                        != 0
                    || setresuid(static_cast<uid_t>(uid), static_cast<uid_t>(uid),
                           static_cast<uid_t>(uid))
                        != 0) {
                    fail("setuid");
                }
                if (uid != 0 && setuid(0) == 0) {
                    fail("privileges"); // they must be gone for good
                }
            }
            if (parent != 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
                fail("pdeathsig");
            }
            if (parent != 0 && getppid() != parent) {
                _exit(125); // the engine died in between
            }
            char **command = options.rest();
            execv(command[0], command);
            fail("exec");
        }
        if (options.is("--parent")) {
            parent = number(options.value());
        } else if (options.is("--wait")) {
            wait = true; // until the engine has placed us
        } else if (options.is("--unset")) {
            unsetenv(options.value()); // what only the program before us needed
        } else if (options.is("--env")) {
            putenv(const_cast<char *>(options.value()));
        } else if (options.is("--uid")) {
            uid = number(options.value());
        } else if (options.is("--gid")) {
            gid = number(options.value());
        } else if (options.is("--group")) {
            if (groupCount == sizeof groups / sizeof groups[0]) {
                usage("--group");
            }
            groups[groupCount++] = static_cast<gid_t>(number(options.value()));
        } else if (options.is("--control")) {
            s_control = static_cast<int>(number(options.value()));
        } else if (options.is("--cgroup")) {
            // An open cgroup.procs; "0" means the writer. Opened by the engine, with its rights.
            const int fd = static_cast<int>(number(options.value()));
            if (write(fd, "0", 1) != 1) {
                fail("cgroup");
            }
            close(fd);
        } else {
            usage(options.name());
        }
    }
}

struct InitOptions
{
    const char *filter = nullptr;
    const char *bridge = nullptr;
    long bridgePort = 0;
    const char *logicalDirectory = nullptr;
    int niceness = 0; ///< of the command; the wall around it must not stand up slowly
    bool scopes = false;
    bool readOnlyFiles = false; ///< Landlock alone as the wall for files
    bool terminal = false;
    bool linger = false; ///< the engine looks at our control group before we leave it
    bool subreaper = false; ///< no namespace: orphans come to us, and we end them
    char **command = nullptr;
};

/// Kills every descendant, also those that moved to other sessions. Without a PID namespace only.
void endDescendants()
{
    for (int round = 0; round < 200; ++round) {
        char path[64];
        std::snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(getpid()));
        char buffer[8192];
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        const ssize_t length = fd >= 0 ? read(fd, buffer, sizeof buffer - 1) : 0;
        if (fd >= 0) {
            close(fd);
        }
        if (length > 0) {
            buffer[length] = '\0';
            for (char *cursor = buffer; *cursor != '\0';) {
                char *end = nullptr;
                const long pid = std::strtol(cursor, &end, 10);
                if (end == cursor) {
                    break;
                }
                kill(static_cast<pid_t>(pid), SIGKILL);
                cursor = end;
            }
        }
        // Children of the killed come to us next; ECHILD means that nobody is left.
        int status = 0;
        if (waitpid(-1, &status, 0) < 0 && errno == ECHILD) {
            return;
        }
        while (waitpid(-1, &status, WNOHANG) > 0) { }
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

[[noreturn]] void runCommand(const InitOptions &options)
{
    if (options.subreaper) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal :
        { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGTTOU, SIGTTIN, SIGTSTP }) {
        std::signal(signal, SIG_DFL);
    }
    if (options.terminal) {
        // A session of its own with the terminal: job control works, and nobody else shares it.
        if (setsid() < 0 || ioctl(0, TIOCSCTTY, 0) != 0) {
            fail("terminal");
        }
    } else {
        setpgid(0, 0);
    }
    if (options.niceness > 0) {
        (void)!nice(options.niceness);
    }
    if (options.logicalDirectory != nullptr) {
        setenv("PWD", options.logicalDirectory, 1);
    }
    execvp(options.command[0], options.command);
    const int error = errno == EACCES && !isInPath(options.command[0]) ? ENOENT : errno;
    report("exec %d\n", error);
    _exit(error == ENOENT || error == ENOTDIR ? 127 : 126);
}

int exitStatus(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

[[noreturn]] void superviseCommand(const InitOptions &options, pid_t child, int signals)
{
    bool reported = false;
    for (;;) {
        pollfd fds[2] = { { signals, POLLIN, 0 }, { s_control, POLLIN, 0 } };
        const nfds_t count = s_control >= 0 ? 2 : 1;
        if (poll(fds, count, -1) < 0 && errno != EINTR) {
            _exit(125);
        }
        if (count == 2 && fds[1].revents != 0) {
            unsigned char orders[16];
            const ssize_t got = recv(s_control, orders, sizeof orders, MSG_DONTWAIT);
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
                // The engine is gone: nothing may outlive it.
                if (options.subreaper) {
                    endDescendants();
                }
                _exit(137);
            }
            for (ssize_t i = 0; i < got; ++i) {
                if (orders[i] == SIGKILL) {
                    if (options.subreaper) {
                        kill(child, SIGKILL);
                    } else {
                        kill(-1, SIGKILL); // everything in this namespace but us
                    }
                } else {
                    kill(-child, orders[i]);
                    if (orders[i] == SIGTERM) {
                        kill(-child, SIGCONT); // a stopped group must be able to act on it
                    }
                }
            }
        }
        if (fds[0].revents != 0) {
            signalfd_siginfo info {};
            while (read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
                if (info.ssi_signo != SIGCHLD) {
                    kill(-child, static_cast<int>(info.ssi_signo));
                }
            }
            int status = 0;
            for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0;
                 pid = waitpid(-1, &status, WNOHANG)) {
                if (pid != child || reported) {
                    continue;
                }
                reported = true;
                if (options.subreaper) {
                    endDescendants();
                }
                rusage usage {};
                getrusage(RUSAGE_CHILDREN, &usage);
                report("exit %d %ld %ld %ld\n", status,
                    static_cast<long>(usage.ru_utime.tv_sec) * 1000000 + usage.ru_utime.tv_usec,
                    static_cast<long>(usage.ru_stime.tv_sec) * 1000000 + usage.ru_stime.tv_usec,
                    usage.ru_maxrss);
                if (options.linger) {
                    (void)waitForGoOn(kLingerMs);
                }
                _exit(exitStatus(status));
            }
        }
    }
}

/// Where no descriptor reaches us (in a container) the engine listens at a path.
int connectTo(const char *path)
{
    sockaddr_un address {};
    address.sun_family = AF_UNIX;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (std::strlen(path) >= sizeof address.sun_path) {
        usage(path);
    }
    std::strcpy(address.sun_path, path);
    if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
        fail("control");
    }
    return fd;
}

[[noreturn]] void init(int argc, char **argv)
{
    InitOptions options;
    for (Options walk(argc, argv);;) {
        if (!walk.next()) {
            options.command = walk.rest();
            break;
        }
        if (walk.is("--control")) {
            s_control = static_cast<int>(number(walk.value()));
        } else if (walk.is("--control-path")) {
            s_control = connectTo(walk.value());
        } else if (walk.is("--rlimit")) {
            setLimit(walk.value());
        } else if (walk.is("--filter")) {
            options.filter = walk.value();
        } else if (walk.is("--bridge")) {
            options.bridge = walk.value();
        } else if (walk.is("--bridge-port")) {
            options.bridgePort = number(walk.value());
        } else if (walk.is("--pwd")) {
            options.logicalDirectory = walk.value();
        } else if (walk.is("--nice")) {
            options.niceness = static_cast<int>(number(walk.value()));
        } else if (walk.is("--scopes")) {
            options.scopes = true;
        } else if (walk.is("--read-only-files")) {
            options.readOnlyFiles = true;
        } else if (walk.is("--terminal")) {
            options.terminal = true;
        } else if (walk.is("--linger")) {
            options.linger = true;
        } else if (walk.is("--subreaper")) {
            options.subreaper = true;
        } else {
            usage(walk.name());
        }
    }

    // The control socket moves out of the way; everything else from 3 up is closed.
    if (s_control >= 0) {
        if (s_control != 3 && dup2(s_control, 3) < 0) {
            fail("control");
        }
        s_control = 3;
        fcntl(3, F_SETFD, FD_CLOEXEC);
    }
    if (syscall(SYS_close_range, s_control >= 0 ? 4U : 3U, ~0U, 0U) != 0) {
        for (int fd = s_control >= 0 ? 4 : 3; fd < 65536; ++fd) {
            close(fd);
        }
    }
    if (prctl(PR_SET_DUMPABLE, 0) != 0) {
        fail("dumpable");
    }
    // Without a namespace our own death would save the others: there the closed socket tells us.
    if (!options.subreaper && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        fail("pdeathsig");
    }
    if (options.subreaper && prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        fail("subreaper");
    }

    sigset_t caught;
    sigemptyset(&caught);
    for (const int signal :
        { SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGWINCH, SIGCONT }) {
        sigaddset(&caught, signal);
    }
    sigprocmask(SIG_SETMASK, &caught, nullptr);
    const int signals = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0) {
        fail("signalfd");
    }

    if (options.filter != nullptr && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        fail("no-new-privileges");
    }
    if (options.readOnlyFiles && !deskhand::wall::restrictFilesToReading()) {
        fail("landlock");
    }
    if (options.scopes && !deskhand::wall::restrictScopes()) {
        fail("landlock-scope");
    }
    // The bridge needs AF_UNIX, so it starts before the filter that takes it away.
    if (options.bridge != nullptr
        && !deskhand::bridge::start(
            options.bridge, static_cast<unsigned short>(options.bridgePort))) {
        fail("bridge");
    }
    if (options.filter != nullptr && !deskhand::wall::loadFilter(options.filter)) {
        fail("filter");
    }

    report("ready\n");
    const pid_t child = fork();
    if (child < 0) {
        fail("fork");
    }
    if (child == 0) {
        runCommand(options);
    }
    if (!options.terminal) {
        setpgid(child, child); // both sides, so that a signal never comes too early
    }
    superviseCommand(options, child, signals);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc >= 3 && std::strcmp(argv[1], "launch") == 0) {
        launch(argc, argv);
    }
    if (argc >= 3 && std::strcmp(argv[1], "init") == 0) {
        init(argc, argv);
    }
    if (argc == 2 && std::strcmp(argv[1], "--landlock-abi") == 0) {
        std::printf("%d\n", deskhand::wall::landlockAbi());
        return 0;
    }
    std::fprintf(stderr, "deskhand-sandbox-init is started by Deskhand, not by hand\n");
    return 125;
}
