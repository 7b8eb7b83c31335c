// SPDX-License-Identifier: Apache-2.0
#include "executor/process/spawn.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace Qt::StringLiterals;

namespace deskhand::process {

namespace {

// Above everything a child is given, so that no dup2 of the actions overwrites a source.
constexpr int kFirstSource = 64;
constexpr int kRealTimeSignals = 32; // the ordinary ones are below

tl::unexpected<Error> systemFailure(const char *what, int error)
{
    return failure(ErrorKind::Process,
        u"%1: %2"_s.arg(QString::fromLatin1(what), qt_error_string(error)),
        error == EMFILE || error == ENFILE ? u"close other tasks or raise the limit of open files"_s
                                           : QString());
}

/// Closes what it holds, unless released.
class Held final
{
public:
    Held() = default;
    ~Held() { closeDescriptor(m_fd); }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;

    [[nodiscard]] int get() const { return m_fd; }
    void reset(int fd)
    {
        closeDescriptor(m_fd);
        m_fd = fd;
    }
    [[nodiscard]] int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd = -1;
};

bool makePipe(Held &reading, Held &writing)
{
    int ends[2];
#ifdef Q_OS_LINUX
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    // A larger pipe means fewer switches between a talkative child and us; not granted is fine.
    (void)fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
#else
    if (pipe(ends) != 0) {
        return false;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
    reading.reset(ends[0]);
    writing.reset(ends[1]);
    return true;
}

bool makeSocketPair(Held &ours, Held &theirs)
{
    int ends[2];
#ifdef Q_OS_LINUX
    constexpr int kType = SOCK_STREAM | SOCK_CLOEXEC;
#else
    constexpr int kType = SOCK_STREAM;
#endif
    if (socketpair(AF_UNIX, kType, 0, ends) != 0) {
        return false;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#ifdef Q_OS_DARWIN
    const int on = 1;
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
    return true;
}

bool openTerminal(const TerminalSize &size, Held &master, QByteArray &slaveName)
{
    master.reset(posix_openpt(O_RDWR | O_NOCTTY));
    if (master.get() < 0 || grantpt(master.get()) != 0 || unlockpt(master.get()) != 0) {
        return false;
    }
    fcntl(master.get(), F_SETFD, FD_CLOEXEC);
    std::array<char, 128> name {};
    if (ptsname_r(master.get(), name.data(), name.size()) != 0) {
        return false;
    }
    slaveName = name.data();
    winsize window {};
    window.ws_row = static_cast<unsigned short>(size.rows);
    window.ws_col = static_cast<unsigned short>(size.columns);
    return ioctl(master.get(), TIOCSWINSZ, &window) == 0;
}

/// posix_spawn's two objects, freed in any case.
class SpawnPlan final
{
public:
    SpawnPlan()
    {
        posix_spawn_file_actions_init(&m_actions);
        posix_spawnattr_init(&m_attributes);
        short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#ifdef POSIX_SPAWN_SETSID
        flags |= POSIX_SPAWN_SETSID;
#else
        flags |= POSIX_SPAWN_SETPGROUP;
#endif
#ifdef Q_OS_MACOS
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
        posix_spawnattr_setflags(&m_attributes, flags);
        sigset_t set;
        sigemptyset(&set);
        posix_spawnattr_setsigmask(&m_attributes, &set);
        // Dispositions "ignored" would be inherited; a command expects the defaults.
        for (int number = 1; number < kRealTimeSignals; ++number) {
            if (number != SIGKILL && number != SIGSTOP) {
                sigaddset(&set, number);
            }
        }
        posix_spawnattr_setsigdefault(&m_attributes, &set);
    }
    ~SpawnPlan()
    {
        posix_spawn_file_actions_destroy(&m_actions);
        posix_spawnattr_destroy(&m_attributes);
        for (const int fd : m_sources) {
            close(fd);
        }
    }
    SpawnPlan(const SpawnPlan &) = delete;
    SpawnPlan &operator=(const SpawnPlan &) = delete;

    bool give(int ours, int theirs)
    {
        const int source = fcntl(ours, F_DUPFD_CLOEXEC, kFirstSource);
        if (source < 0) {
            return false;
        }
        m_sources.push_back(source);
        m_highest = std::max(m_highest, theirs);
        return posix_spawn_file_actions_adddup2(&m_actions, source, theirs) == 0;
    }
    bool openFor(int theirs, const char *path, int flags)
    {
        return posix_spawn_file_actions_addopen(&m_actions, theirs, path, flags, 0) == 0;
    }
    bool duplicateWithin(int from, int to)
    {
        return posix_spawn_file_actions_adddup2(&m_actions, from, to) == 0;
    }
    bool startIn(const QByteArray &directory)
    {
        return directory.isEmpty()
            || posix_spawn_file_actions_addchdir_np(&m_actions, directory.constData()) == 0;
    }
    /// Whatever library opened something without close-on-exec: it stays here.
    bool closeTheRest()
    {
#if defined(__GLIBC__)
        return posix_spawn_file_actions_addclosefrom_np(&m_actions, m_highest + 1) == 0;
#else
        return true;
#endif
    }
    int run(pid_t &pid, const RunSpec &spec)
    {
        std::vector<char *> arguments { const_cast<char *>(spec.program.constData()) };
        for (const QByteArray &argument : spec.arguments) {
            arguments.push_back(const_cast<char *>(argument.constData()));
        }
        arguments.push_back(nullptr);
        std::vector<char *> environment;
        for (const QByteArray &variable : spec.environment) {
            environment.push_back(const_cast<char *>(variable.constData()));
        }
        environment.push_back(nullptr);
        return posix_spawn(&pid, spec.program.constData(), &m_actions, &m_attributes,
            arguments.data(), environment.data());
    }

private:
    posix_spawn_file_actions_t m_actions {};
    posix_spawnattr_t m_attributes {};
    std::vector<int> m_sources;
    int m_highest = 2;
};

} // namespace

void closeDescriptor(int &descriptor)
{
    if (descriptor >= 0) {
        close(descriptor);
        descriptor = -1;
    }
}

Result<SpawnedChild> spawnChild(const RunSpec &spec)
{
    SpawnPlan plan;
    Held output;
    Held error;
    Held input;
    Held supervisor;
    Held childOutput;
    Held childError;
    Held childInput;
    Held childSupervisor;
    bool ok = plan.startIn(spec.directory);
    if (spec.terminal) {
        QByteArray slave;
        if (!openTerminal(*spec.terminal, output, slave)) {
            return systemFailure("no terminal could be opened", errno);
        }
        input.reset(fcntl(output.get(), F_DUPFD_CLOEXEC, 0));
        // A supervised child makes it the controlling terminal itself, in its last session.
        ok = ok && plan.openFor(0, slave.constData(), spec.supervised ? O_RDWR | O_NOCTTY : O_RDWR)
            && plan.duplicateWithin(0, 1) && plan.duplicateWithin(0, 2);
    } else {
        if (!makePipe(output, childOutput) || !makePipe(error, childError)) {
            return systemFailure("no pipe could be made", errno);
        }
        if (spec.openInput) {
            if (!makePipe(childInput, input)) {
                return systemFailure("no pipe could be made", errno);
            }
            ok = ok && plan.give(childInput.get(), 0);
        } else {
            ok = ok && plan.openFor(0, "/dev/null", O_RDONLY);
        }
        ok = ok && plan.give(childOutput.get(), 1) && plan.give(childError.get(), 2);
    }
    if (spec.supervised && spec.supervisorListener < 0) {
        if (!makeSocketPair(supervisor, childSupervisor)) {
            return systemFailure("no socket could be made", errno);
        }
        ok = ok && plan.give(childSupervisor.get(), kSupervisorDescriptor);
    }
    for (const RunSpec::PassedDescriptor &passed : spec.descriptors) {
        ok = ok && plan.give(passed.ours, passed.theirs);
    }
    ok = ok && plan.closeTheRest();
    if (!ok) {
        return systemFailure("the child's descriptors could not be set up", errno);
    }

    SpawnedChild child;
    if (const int failed = plan.run(child.pid, spec); failed != 0) {
        return systemFailure(spec.program.constData(), failed);
    }
    for (const int fd : { output.get(), error.get(), input.get(), supervisor.get() }) {
        if (fd >= 0) {
            fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
        }
    }
    child.output = output.release();
    child.error = error.release();
    child.input = input.release();
    child.supervisor = supervisor.release();
    return child;
}

} // namespace deskhand::process
