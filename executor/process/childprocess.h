// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTimer>

#include <chrono>

namespace deskhand::process {

struct ChildSpec
{
    QString program; ///< absolute
    QStringList arguments;
    QProcessEnvironment environment; ///< the whole of it; nothing is inherited
    QString workingDirectory;
};

/// How patient stop() is: input closed, then a wish to terminate, then the end.
struct StopLimits
{
    std::chrono::milliseconds afterInputClosed { 2'000 };
    std::chrono::milliseconds afterTerminate { 1'000 };
};

struct ChildExit
{
    bool crashed = false; ///< ended by a signal
    int code = 0; ///< exit code, or the signal's number where known

    [[nodiscard]] QString describe() const; ///< "exit code 3", "killed by a signal"
};

/// One long-lived child with its standard streams as pipes. Owned by whoever speaks to it; on the
/// owner's thread, never blocking. The child leads a process group of its own, inherits no
/// descriptor but its three streams, and dies when this program does (on Linux the kernel sees to
/// it; on Windows a job object; elsewhere the end of its input tells it).
///
/// exited() or failedToStart() follows start() exactly once. Destroying a running child kills its
/// group.
class ChildProcess final : public QObject
{
    Q_OBJECT
public:
    explicit ChildProcess(QObject *parent = nullptr);
    ~ChildProcess() override;
    Q_DISABLE_COPY_MOVE(ChildProcess)

    void start(const ChildSpec &spec);

    /// Reads the child's output, writes its input. Valid as long as this object.
    [[nodiscard]] QIODevice *io() { return &m_process; }
    [[nodiscard]] qint64 processId() const { return m_pid; } ///< 0 when not running
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    /// The last 64 KiB of its error output, raw.
    [[nodiscard]] QByteArray errorTail() const { return m_errorTail; }

    /// Closes its input, then terminates, then kills the group. No-op when not running; a second
    /// call changes nothing.
    void stop(const StopLimits &limits = {});
    /// Kills the whole group at once.
    void kill();

    static constexpr qsizetype kErrorTailBytes = 64 * 1024;

Q_SIGNALS:
    void started();
    void failedToStart(const deskhand::Error &error);
    void exited(const deskhand::process::ChildExit &exit);

private:
    void takeErrorOutput();
    void escalate();

    QProcess m_process;
    QTimer m_stopTimer;
    StopLimits m_limits;
    QByteArray m_errorTail;
    qint64 m_pid = 0;
    enum class Stopping { No, InputClosed, Terminated, Killed } m_stopping = Stopping::No;
};

} // namespace deskhand::process
