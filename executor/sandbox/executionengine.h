// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/sandboxedrun.h"

#include <QHash>
#include <QList>
#include <QObject>
#include <QTimer>

#include <map>
#include <memory>

namespace deskhand::sandbox {

/// One thing to be run by the engine. Value type.
struct Execution
{
    SandboxRequest request;
    QString session; ///< runs are taken from the sessions in turn
    bool background = false; ///< a terminal or server that lives on; counted apart
    bool parallelWrites = false; ///< may run beside another writer of the same workspace
    bool rawOutput = false; ///< deliver bytes (a terminal window) instead of harmless text
};

struct ExecutionLimits
{
    int atOnce = 0; ///< 0: twice the cores, at most 16
    int background = 64;
    std::chrono::milliseconds deltaInterval { 33 }; ///< at most 30 a second
    qsizetype deltaBytes = 8192;
    int deltasPerRun = 10'000; ///< afterwards only the counters go on
    qsizetype waitingBytes = 256 * 1024; ///< for a slow listener; the result keeps everything
};

/// Runs commands for everyone: queues them fairly by session, keeps writers of one workspace apart,
/// gives each run a thread of its own, and turns what happens into signals on its own thread.
/// Owned by the executor; all functions on its thread, none blocks.
///
/// For each run: started at most once, then output, then finished exactly once.
class ExecutionEngine final : public QObject
{
    Q_OBJECT
public:
    using RunId = quint64;

    explicit ExecutionEngine(const ExecutionLimits &limits = {}, QObject *parent = nullptr);
    ~ExecutionEngine() override; ///< kills what runs and waits for it, without signals
    Q_DISABLE_COPY_MOVE(ExecutionEngine)

    /// Queues it. Conflict error when 64 background runs exist already, Cancelled while stopping.
    [[nodiscard]] Result<RunId> submit(const Execution &execution);
    void cancel(RunId run, std::optional<std::chrono::milliseconds> grace = std::nullopt);
    [[nodiscard]] bool write(
        RunId run, const QByteArray &bytes); ///< false: unknown, or too much waits
    void closeInput(RunId run);
    void resize(RunId run, process::TerminalSize size);
    /// The owner's answer to hostAsked.
    void answerHost(quint64 question, HostAnswer answer);
    /// Off: a host that no pattern allows is refused without a question.
    void setAsksForHosts(bool asks) { m_asksForHosts = asks; }

    [[nodiscard]] qsizetype runningCount() const;
    [[nodiscard]] qsizetype queuedCount() const { return m_queue.size(); }
    /// Cancels everything; stopped() follows when nothing runs any more.
    void requestStop();

Q_SIGNALS:
    void started(quint64 run);
    void text(quint64 run, deskhand::process::Stream stream, const QString &text);
    void bytes(quint64 run, const QByteArray &bytes);
    void finished(quint64 run, const deskhand::sandbox::SandboxResult &result);
    void hostAsked(quint64 run, quint64 question, const deskhand::sandbox::HostQuestion &what);
    void hostDecided(quint64 run, const deskhand::sandbox::ProxyDecision &decision);
    /// The wall does not stand up: once for each cause, however many runs fail of it.
    void sandboxUnavailable(const deskhand::Error &cause);
    void stopped();

private:
    struct Run;

    void schedule();
    [[nodiscard]] qsizetype nextRunnable() const;
    [[nodiscard]] bool mayStart(const Run &run) const;
    void launch(const std::shared_ptr<Run> &run);
    void deliver(Run &run, bool last);
    void deliverText(Run &run, process::Stream stream, QByteArray bytes, bool last);
    void complete(RunId id);
    [[nodiscard]] SandboxHooks hooksFor(const std::shared_ptr<Run> &run);
    void noteAvailability(const SandboxResult &result);

    ExecutionLimits m_limits;
    QList<std::shared_ptr<Run>> m_queue;
    std::map<RunId, std::shared_ptr<Run>> m_running;
    QHash<quint64, std::function<void(HostAnswer)>> m_questions;
    QTimer m_deltas;
    QString m_lastSession; ///< whose turn it was
    QString m_lastUnavailable;
    RunId m_nextRun = 1;
    quint64 m_nextQuestion = 1;
    bool m_asksForHosts = false;
    bool m_stopping = false;
};

} // namespace deskhand::sandbox
