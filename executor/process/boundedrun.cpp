// SPDX-License-Identifier: Apache-2.0
#include "executor/process/boundedrun.h"

#include "executor/process/exitwatch.h"
#include "executor/process/sessionprocesses.h"
#include "executor/process/spawn.h"

#include <QDir>
#include <QUuid>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace Qt::StringLiterals;

namespace deskhand::process {

namespace {

using Clock = std::chrono::steady_clock;
constexpr qint64 kReadPiece = 256 * 1024;
constexpr milliseconds kExitPoll { 20 }; // where the system cannot announce an exit
constexpr milliseconds kSupervisorKills { 300 }; // then the outer process is killed as well
constexpr int kGoOn = 0; // among the orders, the others are signals
constexpr milliseconds kAfterKill { 2'000 }; // a killed tree must be gone by then
#ifdef Q_OS_DARWIN
constexpr int kNoSignal = 0; // said to the socket itself where it is made
#else
constexpr int kNoSignal = MSG_NOSIGNAL;
#endif

milliseconds since(Clock::time_point start)
{
    return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

} // namespace

RunControl::RunControl()
{
    int ends[2];
    if (pipe(ends) == 0) {
        for (const int fd : ends) {
            fcntl(fd, F_SETFD, FD_CLOEXEC);
            fcntl(fd, F_SETFL, O_NONBLOCK);
        }
        m_wakeRead = ends[0];
        m_wakeWrite = ends[1];
    }
}

RunControl::~RunControl()
{
    closeDescriptor(m_wakeRead);
    closeDescriptor(m_wakeWrite);
}

void RunControl::wake()
{
    const char byte = 1;
    (void)!::write(m_wakeWrite, &byte, 1); // full means that it will wake anyway
}

RunControl::Orders RunControl::take()
{
    char drain[256];
    while (::read(m_wakeRead, drain, sizeof drain) > 0) { }
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_orders, {});
}

/// One run's loop: poll, move bytes, watch the clock. Lives on the stack of runBounded.
class RunLoop final
{
public:
    RunLoop(const RunSpec &spec, RunControl &control, const OutputSink &sink)
        : m_spec(spec)
        , m_control(control)
        , m_sink(sink)
        , m_start(Clock::now())
    {
        m_result.output.retained = HeadTailBuffer(spec.retainedBytes);
        m_result.error.retained = HeadTailBuffer(spec.terminal ? 0 : spec.retainedBytes);
        m_result.merged = HeadTailBuffer(spec.retainedBytes);
    }

    RunOutcome run()
    {
        Result<SpawnedChild> child = spawnChild(m_spec);
        if (!child) {
            m_result.startError = child.error();
            return m_result;
        }
        m_child = *child;
        m_ready = !m_spec.supervised;
        m_readyBy = m_start + m_spec.readyLimit;
        openSpools();
        loop();
        finish();
        return std::move(m_result);
    }

private:
    enum class Phase { Running, Asked, Killed };

    void openSpools()
    {
        if (m_spec.spoolFolder.isEmpty() || m_spec.spoolCeiling <= 0) {
            return;
        }
        const QString base
            = QDir(m_spec.spoolFolder).filePath(QUuid::createUuid().toString(QUuid::Id128));
        m_outputSpool = std::make_unique<Spool>(base + u".out"_s, m_spec.spoolCeiling);
        if (!m_spec.terminal) {
            m_errorSpool = std::make_unique<Spool>(base + u".err"_s, m_spec.spoolCeiling);
        }
    }

    void loop()
    {
        const ExitWatch exitWatch(m_child.pid);
        m_nextWatch = m_start + m_spec.watchInterval;
        while (!over()) {
            std::vector<pollfd> fds;
            const auto add = [&fds](int fd, short events) {
                if (fd < 0) {
                    return -1;
                }
                fds.push_back({ fd, events, 0 });
                return static_cast<int>(fds.size()) - 1;
            };
            const int wake = add(m_control.m_wakeRead, POLLIN);
            const int output = add(m_child.output, POLLIN);
            const int error = add(m_child.error, POLLIN);
            const int input = m_input.isEmpty() ? -1 : add(m_child.input, POLLOUT);
            const int supervisor = add(m_child.supervisor, POLLIN);
            const int listener = m_accepted ? -1 : add(m_spec.supervisorListener, POLLIN);
            const int watched = m_spec.watchedReady ? add(m_spec.watchedDescriptor, POLLIN) : -1;
            const int exited = m_reaped ? -1 : add(exitWatch.descriptor(), POLLIN);
            const int timeout = timeoutUntilNextDeadline(exitWatch.descriptor() < 0);
            if (poll(fds.data(), fds.size(), timeout) < 0 && errno != EINTR) {
                kill();
            }
            const auto happened = [&fds](int index) {
                return index >= 0 && fds[static_cast<size_t>(index)].revents != 0;
            };
            if (happened(listener)) {
                acceptSupervisor();
            }
            if (happened(supervisor)) {
                readSupervisor();
            }
            if (happened(output)) {
                drain(m_child.output, Stream::Output);
            }
            if (happened(error)) {
                drain(m_child.error, Stream::Error);
            }
            if (happened(watched)) {
                m_spec.watchedReady();
            }
            if (happened(wake)) {
                obey(m_control.take());
            }
            if (happened(input)) {
                writeInput();
            }
            if (happened(exited) || exitWatch.descriptor() < 0) {
                reap();
            }
            checkTimes();
        }
    }

    [[nodiscard]] bool over() const { return m_reaped && m_child.output < 0 && m_child.error < 0; }

    // --- bytes -------------------------------------------------------------------------------

    void drain(int &fd, Stream stream)
    {
        m_buffer.resize(kReadPiece);
        const ssize_t got = ::read(fd, m_buffer.data(), static_cast<size_t>(m_buffer.size()));
        if (got > 0) {
            take(stream, m_buffer.constData(), got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            closeDescriptor(fd); // the end, or EIO of a terminal without users
        }
    }

    void take(Stream stream, const char *data, qint64 size)
    {
        m_lastData = Clock::now();
        StreamRecord &record = stream == Stream::Output ? m_result.output : m_result.error;
        record.retained.append(data, size);
        m_result.merged.append(data, size);
        if (Spool *spool = (stream == Stream::Output ? m_outputSpool : m_errorSpool).get()) {
            spool->append(data, size);
        }
        // Before that only what builds the wall can have written; its words are the start error's.
        if (m_sink && m_ready) {
            m_sink(stream, data, size);
        }
    }

    void writeInput()
    {
        const ssize_t put
            = ::write(m_child.input, m_input.constData(), static_cast<size_t>(m_input.size()));
        if (put > 0) {
            m_input.remove(0, put);
            const std::lock_guard lock(m_control.m_mutex);
            m_control.m_unwritten -= put;
        } else if (put < 0 && errno != EAGAIN && errno != EINTR) {
            m_input.clear();
            closeDescriptor(m_child.input);
        }
        if (m_input.isEmpty() && m_closeInput) {
            closeInput();
        }
    }

    void closeInput()
    {
        if (m_spec.terminal) {
            // A terminal has no end of input; its end-of-file character is the nearest thing.
            const char endOfFile = 4;
            (void)!::write(m_child.input, &endOfFile, 1);
            m_closeInput = false;
        } else {
            closeDescriptor(m_child.input);
        }
    }

    /// The first who comes: the command itself cannot be there before it.
    void acceptSupervisor()
    {
        m_child.supervisor = ::accept(m_spec.supervisorListener, nullptr, nullptr);
        if (m_child.supervisor >= 0) {
            m_accepted = true;
            fcntl(m_child.supervisor, F_SETFD, FD_CLOEXEC);
            fcntl(m_child.supervisor, F_SETFL, O_NONBLOCK);
            if (m_phase == Phase::Killed) {
                pass(SIGKILL);
            }
        }
    }

    /// False when nothing (more) was there.
    bool readSupervisor()
    {
        char buffer[512];
        const ssize_t got = recv(m_child.supervisor, buffer, sizeof buffer, 0);
        if (got <= 0) {
            if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
                closeDescriptor(m_child.supervisor);
            }
            return false;
        }
        m_reports.append(buffer, got);
        for (qsizetype end = m_reports.indexOf('\n'); end >= 0; end = m_reports.indexOf('\n')) {
            const QList<QByteArray> words = m_reports.left(end).split(' ');
            m_reports.remove(0, end + 1);
            if (words[0] == "ready") {
                m_ready = true;
            } else if (words[0] == "waiting" && m_spec.place) {
                place();
            } else if (words[0] == "exec" && words.size() == 2) {
                m_result.execError = words[1].toInt();
            } else if (words[0] == "exit" && words.size() == 5) {
                m_reportedStatus = words[1].toInt();
                m_result.cpu
                    = std::chrono::microseconds(words[2].toLongLong() + words[3].toLongLong());
                m_result.peakMemory = words[4].toLongLong() * 1024;
                noteExit();
                if (m_spec.atExit) {
                    m_spec.atExit();
                    pass(kGoOn);
                }
            } else if (words[0] == "fail" && words.size() == 3) {
                m_supervisorFailure = u"%1: %2"_s.arg(
                    QString::fromUtf8(words[1]), qt_error_string(words[2].toInt()));
            }
        }
        if (m_reports.size() > 4096) {
            m_reports.clear(); // not ours to understand
        }
        return true;
    }

    void place()
    {
        if (m_phase != Phase::Running) {
            return; // it must not go on
        }
        if (Result<> placed = m_spec.place(m_child.pid); !placed) {
            m_supervisorFailure = placed.error().message;
            kill();
            return;
        }
        m_readyBy = Clock::now() + m_spec.readyLimit;
        pass(kGoOn);
    }

    // --- orders and time ---------------------------------------------------------------------

    void obey(const RunControl::Orders &orders)
    {
        if (orders.cancel) {
            stop(RunEnd::Cancelled, {}, orders.grace);
        }
        if (!orders.limit.isEmpty()) {
            stop(RunEnd::Limit, orders.limit, std::nullopt);
        }
        if (m_child.input >= 0) {
            m_input.append(orders.input);
            m_closeInput = m_closeInput || orders.closeInput;
            writeInput();
        }
        if (orders.size && m_spec.terminal && m_child.output >= 0) {
            winsize window {};
            window.ws_row = static_cast<unsigned short>(std::clamp(orders.size->rows, 1, 9999));
            window.ws_col = static_cast<unsigned short>(std::clamp(orders.size->columns, 1, 9999));
            ioctl(m_child.output, TIOCSWINSZ, &window);
        }
        for (const int number : orders.signals) {
            pass(number);
        }
    }

    [[nodiscard]] int timeoutUntilNextDeadline(bool pollExit) const
    {
        std::optional<Clock::time_point> next;
        const auto consider = [&next](Clock::time_point when) {
            if (!next || when < *next) {
                next = when;
            }
        };
        if (m_phase == Phase::Running && !m_exitAt && m_spec.wallLimit.count() > 0) {
            consider(m_start + m_spec.wallLimit);
        }
        if (!m_ready && m_phase == Phase::Running) {
            consider(m_readyBy);
        }
        if (m_phase == Phase::Asked) {
            consider(m_killAt);
        }
        if (m_phase == Phase::Killed) {
            consider(m_killAt + (m_outerKilled ? kAfterKill : kSupervisorKills));
        }
        if (m_spec.watch && m_phase == Phase::Running && !m_exitAt) {
            consider(m_nextWatch);
        }
        if (m_exitAt) {
            consider(*m_exitAt + m_spec.afterExitLimit);
            if (m_reaped) {
                consider(std::max(*m_exitAt, m_lastData) + m_spec.afterExitSilence);
            }
        }
        if (pollExit && !m_reaped) {
            consider(Clock::now() + kExitPoll);
        }
        if (!next) {
            return -1;
        }
        const auto left = std::chrono::ceil<milliseconds>(*next - Clock::now()).count();
        return static_cast<int>(std::clamp<qint64>(left, 0, 60'000));
    }

    void checkTimes()
    {
        const Clock::time_point now = Clock::now();
        if (m_phase == Phase::Running && !m_exitAt) {
            if (!m_ready && now >= m_readyBy) {
                m_notReady = true;
                kill();
            } else if (m_spec.wallLimit.count() > 0 && now >= m_start + m_spec.wallLimit) {
                stop(RunEnd::TimedOut, {}, std::nullopt);
            } else if (m_spec.watch && now >= m_nextWatch) {
                m_nextWatch = now + m_spec.watchInterval;
                if (const QString limit = m_spec.watch(m_child.pid); !limit.isEmpty()) {
                    stop(RunEnd::Limit, limit, milliseconds(0));
                }
            }
        }
        if (m_phase == Phase::Asked && now >= m_killAt) {
            kill();
        }
        if (m_phase == Phase::Killed && !m_reaped && now >= m_killAt + kSupervisorKills
            && !m_outerKilled) {
            killOuter();
        }
        if (m_phase == Phase::Killed && !m_reaped && now >= m_killAt + kAfterKill) {
            giveUp();
        }
        if (m_exitAt) {
            const bool waitedLong = now >= *m_exitAt + m_spec.afterExitLimit;
            const bool silent
                = m_reaped && now >= std::max(*m_exitAt, m_lastData) + m_spec.afterExitSilence;
            if (waitedLong && !m_reaped && m_phase != Phase::Killed) {
                kill(); // the command ended, what is around it did not
            }
            if (waitedLong || silent) {
                closeDescriptor(m_child.output);
                closeDescriptor(m_child.error);
            }
        }
    }

    void noteExit()
    {
        if (!m_exitAt) {
            m_exitAt = Clock::now();
            m_result.wall = since(m_start);
        }
    }

    // --- ending ------------------------------------------------------------------------------

    void stop(RunEnd why, const QString &limit, std::optional<milliseconds> grace)
    {
        if (m_exitAt || m_phase == Phase::Killed) {
            return;
        }
        const milliseconds wait = grace.value_or(m_spec.grace);
        if (m_phase == Phase::Asked) {
            m_killAt = std::min(m_killAt, Clock::now() + wait);
            return;
        }
        m_result.end = why;
        m_result.limit = limit;
        m_stopped = true;
        if (wait.count() <= 0) {
            kill();
            return;
        }
        m_phase = Phase::Asked;
        m_killAt = Clock::now() + wait;
        pass(SIGTERM);
    }

    /// To the command's group: through the supervisor, which knows it, or directly.
    void pass(int number)
    {
        if (m_reaped) {
            return;
        }
        if (m_spec.supervised) {
            const char order = static_cast<char>(number);
            if (m_child.supervisor >= 0) {
                (void)!send(m_child.supervisor, &order, 1, kNoSignal);
            }
            return;
        }
        ::kill(-m_child.pid, number);
        if (number == SIGTERM) {
            ::kill(-m_child.pid, SIGCONT);
        }
    }

    void kill()
    {
        if (m_phase != Phase::Killed) {
            m_phase = Phase::Killed;
            m_killAt = Clock::now();
        }
        if (m_spec.killTree) {
            m_spec.killTree();
        }
        if (m_reaped) {
            return;
        }
        // The supervisor as process 1 takes its namespace along; without a namespace it ends its
        // descendants. Should it not obey, the parent-death signal of the outer process does it.
        pass(SIGKILL);
        if (!m_spec.supervised) {
            killSession(m_child.pid);
            return;
        }
        if (m_child.supervisor < 0 || !m_ready) {
            killOuter();
        }
    }

    void killOuter()
    {
        m_outerKilled = true;
        ::kill(m_child.pid, SIGKILL);
    }

    void giveUp()
    {
        int status = 0;
        // The kernel ends it as soon as it can; a process stuck in a device cannot be waited for.
        if (waitpid(m_child.pid, &status, WNOHANG) != m_child.pid) {
            m_result.survivors.append(m_child.pid);
        }
        m_reaped = true;
        m_childStatus = SIGKILL;
        closeDescriptor(m_child.output);
        closeDescriptor(m_child.error);
        noteExit();
    }

    void reap()
    {
        if (m_reaped) {
            return;
        }
        int status = 0;
        rusage usage {};
        if (wait4(m_child.pid, &status, WNOHANG, &usage) != m_child.pid) {
            return;
        }
        m_reaped = true;
        m_childStatus = status;
        while (m_child.supervisor >= 0 && readSupervisor()) {
            // its last words may still lie in the socket
        }
        if (!m_reportedStatus) {
            m_result.cpu = std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
#ifdef Q_OS_MACOS
            m_result.peakMemory = usage.ru_maxrss; // bytes there, kilobytes elsewhere
#else
            m_result.peakMemory = static_cast<qint64>(usage.ru_maxrss) * 1024;
#endif
        }
        noteExit();
        if (!m_spec.supervised) {
            killSession(m_child.pid); // what it left running in its session
        } else if (!m_reportedStatus && m_spec.killTree) {
            m_spec.killTree(); // the supervisor itself was killed and could end nobody
        }
    }

    void finish()
    {
        const int status = m_reportedStatus.value_or(m_childStatus);
        if (WIFSIGNALED(status)) {
            m_result.signal = WTERMSIG(status);
        } else {
            m_result.exitCode = WEXITSTATUS(status);
        }
        if (!m_stopped) {
            m_result.end = RunEnd::Exited;
        }
        if (m_spec.supervised && !m_stopped && !m_reportedStatus) {
            judgeSupervisor();
        }
        for (auto &[spool, record] : { std::pair { &m_outputSpool, &m_result.output },
                 std::pair { &m_errorSpool, &m_result.error } }) {
            if (*spool) {
                record->spoolFile = (*spool)->file();
            }
        }
        closeDescriptor(m_child.output);
        closeDescriptor(m_child.error);
        closeDescriptor(m_child.input);
        closeDescriptor(m_child.supervisor);
        if (m_spec.survivors) {
            m_result.survivors.append(m_spec.survivors());
        }
    }

    /// No status came from inside: either the wall did not stand up, or it was killed later on.
    void judgeSupervisor()
    {
        if (m_ready && m_supervisorFailure.isEmpty()) {
            m_result.exitCode = -1;
            m_result.signal = SIGKILL;
            return;
        }
        m_result.end = RunEnd::NotStarted;
        QString cause = m_supervisorFailure;
        if (cause.isEmpty() && m_notReady) {
            cause = u"it did not report ready within %1 ms"_s.arg(m_spec.readyLimit.count());
        }
        if (cause.isEmpty()) {
            cause = QString::fromUtf8(m_result.error.retained.joined()).trimmed();
        }
        if (cause.isEmpty()) {
            cause = u"it ended with status %1 before it was ready"_s.arg(m_childStatus);
        }
        m_result.startError = Error { ErrorKind::Unavailable, cause, {} };
    }

    const RunSpec &m_spec;
    RunControl &m_control;
    const OutputSink &m_sink;
    const Clock::time_point m_start;
    RunOutcome m_result;
    SpawnedChild m_child;
    std::unique_ptr<Spool> m_outputSpool;
    std::unique_ptr<Spool> m_errorSpool;
    QByteArray m_buffer;
    QByteArray m_input;
    QByteArray m_reports;
    QString m_supervisorFailure;
    std::optional<int> m_reportedStatus;
    std::optional<Clock::time_point> m_exitAt;
    Clock::time_point m_readyBy;
    Clock::time_point m_lastData;
    Clock::time_point m_killAt;
    Clock::time_point m_nextWatch;
    Phase m_phase = Phase::Running;
    int m_childStatus = 0;
    bool m_ready = false;
    bool m_notReady = false;
    bool m_accepted = false;
    bool m_stopped = false;
    bool m_reaped = false;
    bool m_outerKilled = false;
    bool m_closeInput = false;
};

RunOutcome runBounded(const RunSpec &spec, RunControl &control, const OutputSink &sink)
{
    return RunLoop(spec, control, sink).run();
}

} // namespace deskhand::process
