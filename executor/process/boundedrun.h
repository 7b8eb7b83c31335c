// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/process/outputretention.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

namespace deskhand::process {

using std::chrono::milliseconds;

struct TerminalSize
{
    int rows = 24;
    int columns = 80;
};

/// What a run is to be. Byte strings, because names on disk are bytes. Value type.
struct RunSpec
{
    struct PassedDescriptor
    {
        int ours = -1;
        int theirs = -1;
    };

    QByteArray program; ///< absolute path
    QList<QByteArray> arguments;
    QList<QByteArray> environment; ///< "NAME=value", the whole environment
    QByteArray directory; ///< where the program starts
    QList<PassedDescriptor> descriptors;
    std::optional<TerminalSize> terminal; ///< a terminal instead of pipes; both streams are one
    bool openInput = false; ///< false: the null device
    /// The program, or what it starts, is deskhand-sandbox-init: it gets one end of a socket as
    /// descriptor kSupervisorDescriptor, passes signals on and reports readiness and status there.
    bool supervised = false;
    /// Supervised, but descriptors do not get there: a listening socket to which it connects once.
    /// Owned by the caller, who closes it after the run.
    int supervisorListener = -1;

    qint64 retainedBytes = 1024 * 1024; ///< for each stream
    QString spoolFolder; ///< empty: no spool
    qint64 spoolCeiling = 64LL * 1024 * 1024;

    milliseconds wallLimit { 120'000 }; ///< 0: none
    milliseconds grace { 2'000 }; ///< from TERM to KILL
    milliseconds readyLimit { 5'000 }; ///< supervised: until it reports "ready"
    /// Supervised: called when the child reports "waiting", before anything else of it happens; an
    /// error ends it as not started, else it goes on and has `readyLimit` again.
    std::function<Result<>(qint64 pid)> place;
    /// Supervised: called when the command's end is reported; the child stays until it returned.
    std::function<void()> atExit;
    milliseconds afterExitLimit {
        2'000
    }; ///< how long pipes held open elsewhere may delay the result
    milliseconds afterExitSilence { 100 };

    /// Called every `watchInterval` on the run's thread with the child's pid; a name ends the run
    /// as that limit.
    std::function<QString(qint64 pid)> watch;
    milliseconds watchInterval { 250 };
    int watchedDescriptor = -1; ///< when readable, `watchedReady` is called on the run's thread
    std::function<void()> watchedReady;
    std::function<void()> killTree; ///< ends everything at once (a control group)
    std::function<QList<qint64>()> survivors; ///< asked after the end; what still lives is reported
};

constexpr int kSupervisorDescriptor = 3;

enum class Stream { Output, Error };

struct StreamRecord
{
    HeadTailBuffer retained;
    QString spoolFile; ///< empty: none
};

enum class RunEnd {
    Exited, ///< by itself, with exitCode or signal
    TimedOut,
    Cancelled,
    Limit, ///< `limit` names which one
    NotStarted ///< `startError` says why; nothing of the command ran
};

/// How a run went. Value type.
struct RunOutcome
{
    RunEnd end = RunEnd::NotStarted;
    int exitCode = -1; ///< of the command when it exited by itself
    int signal = 0; ///< that ended it
    int execError = 0; ///< errno of the command's exec: not found, not runnable
    QString limit;
    Error startError;
    StreamRecord output;
    StreamRecord error;
    HeadTailBuffer merged; ///< both in the order of arrival
    milliseconds wall { 0 };
    std::chrono::microseconds cpu { 0 };
    qint64 peakMemory = 0; ///< bytes, of the largest process
    QList<qint64> survivors;

    [[nodiscard]] bool truncated() const
    {
        return output.retained.omitted() > 0 || error.retained.omitted() > 0;
    }
    /// As a shell counts: exit code, 128 + signal, 124 for a time-out, 125 when not started.
    [[nodiscard]] int shellStatus() const;
};

/// The way into a run from other threads. Create it before the run, keep it until the run is over;
/// all functions may be called from any thread at any time.
class RunControl final
{
public:
    RunControl();
    ~RunControl();
    RunControl(const RunControl &) = delete;
    RunControl &operator=(const RunControl &) = delete;

    /// Asks the run to end: TERM, then KILL after `grace` (the spec's own when not given). A second
    /// call with a shorter grace shortens it.
    void cancel(std::optional<milliseconds> grace = std::nullopt);
    /// Ends the run as a limit of that name: what a watcher outside found.
    void stopForLimit(const QString &name);
    /// Bytes for stdin or the terminal; false when 1 MiB already waits to be read.
    [[nodiscard]] bool write(const QByteArray &bytes);
    void closeInput();
    void resize(TerminalSize size);
    /// A signal for the command's process group.
    void signal(int number);

private:
    friend class RunLoop;
    struct Orders
    {
        bool cancel = false;
        std::optional<milliseconds> grace;
        QString limit;
        QByteArray input;
        bool closeInput = false;
        std::optional<TerminalSize> size;
        QList<int> signals;
    };
    [[nodiscard]] Orders take();
    void wake();

    std::mutex m_mutex; ///< guards m_orders
    Orders m_orders;
    qint64 m_unwritten = 0; ///< bytes the run took over and has not written yet
#ifdef Q_OS_WIN
    void *m_wake; ///< an event
#else
    int m_wakeRead = -1;
    int m_wakeWrite = -1;
#endif
};

/// Receives output as it comes, on the run's thread. Must be quick: the child waits for it. Of a
/// supervised child it gets nothing before that is ready.
using OutputSink = std::function<void(Stream, const char *data, qint64 size)>;

/// POSIX systems only; Windows follows its processes in the sandbox room.
/// Runs a child from start to end, blocking the calling thread, which must not end before: the
/// child's life is tied to it. Drains output whatever the sink does, enforces the times, ends the
/// whole tree, never leaves a descriptor or a zombie behind.
[[nodiscard]] RunOutcome runBounded(
    const RunSpec &spec, RunControl &control, const OutputSink &sink = {});

} // namespace deskhand::process
