// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/executionengine.h"

#include "executor/process/displaytext.h"

#include <QMutex>
#include <QPointer>
#include <QThread>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

bool writes(const PermissionProfile &profile)
{
    return std::any_of(profile.files.rules.begin(), profile.files.rules.end(),
        [](const FileRule &rule) { return rule.access == Access::Write; });
}

} // namespace

/// What engine and run thread share. The thread touches `control`, `waiting*` (locked) and
/// `result`; the rest belongs to the engine's thread.
struct ExecutionEngine::Run
{
    RunId id = 0;
    Execution execution;
    process::RunControl control;
    std::unique_ptr<QThread> thread;
    SandboxResult result; ///< read after the thread ended

    QMutex mutex; ///< guards the two below
    QByteArray waitingOutput;
    QByteArray waitingError;
    qsizetype waitingCeiling = 0;

    process::TextStream outputText;
    process::TextStream errorText;
    process::ControlFilter outputFilter { process::ControlFilter::Colours::Keep };
    process::ControlFilter errorFilter { process::ControlFilter::Colours::Keep };
    int deltas = 0;

    [[nodiscard]] QString workspace() const
    {
        const SandboxRequest &request = execution.request;
        return request.workspaceRoots.isEmpty() ? request.directory
                                                : request.workspaceRoots.first();
    }
    [[nodiscard]] bool isWriter() const
    {
        return !execution.background && !execution.parallelWrites
            && writes(execution.request.profile);
    }
    void take(process::Stream stream, const char *data, qint64 size)
    {
        const QMutexLocker lock(&mutex);
        QByteArray &waiting = stream == process::Stream::Output ? waitingOutput : waitingError;
        // A listener that is behind loses the middle; the child never waits for it.
        waiting.append(
            data, std::min<qint64>(size, std::max<qint64>(0, waitingCeiling - waiting.size())));
    }
};

ExecutionEngine::ExecutionEngine(const ExecutionLimits &limits, QObject *parent)
    : QObject(parent)
    , m_limits(limits)
{
    if (m_limits.atOnce <= 0) {
        m_limits.atOnce = std::clamp(QThread::idealThreadCount() * 2, 1, 16);
    }
    m_deltas.setInterval(m_limits.deltaInterval);
    connect(&m_deltas, &QTimer::timeout, this, [this] {
        for (const auto &[id, run] : m_running) {
            deliver(*run, false);
        }
    });
}

ExecutionEngine::~ExecutionEngine()
{
    m_queue.clear();
    for (const auto &[id, run] : m_running) {
        run->thread->disconnect(this);
        run->control.cancel(std::chrono::milliseconds(0));
    }
    // The proxy threads of these runs may still wait for an answer that nobody gives now.
    m_questions.clear();
    for (const auto &[id, run] : m_running) {
        run->thread->wait();
    }
}

Result<ExecutionEngine::RunId> ExecutionEngine::submit(const Execution &execution)
{
    if (m_stopping) {
        return failure(ErrorKind::Cancelled, u"the executor is stopping"_s);
    }
    if (execution.background) {
        const auto isBackground = [](const auto &entry) {
            return entry.second->execution.background;
        };
        const auto running = std::count_if(m_running.begin(), m_running.end(), isBackground);
        const auto queued = std::count_if(m_queue.begin(), m_queue.end(),
            [](const auto &run) { return run->execution.background; });
        if (running + queued >= m_limits.background) {
            return failure(ErrorKind::Conflict,
                u"%1 background sessions are open already"_s.arg(m_limits.background),
                u"close one of them"_s);
        }
    }
    auto run = std::make_shared<Run>();
    run->id = m_nextRun++;
    run->execution = execution;
    run->waitingCeiling = m_limits.waitingBytes;
    m_queue.append(run);
    QMetaObject::invokeMethod(this, &ExecutionEngine::schedule, Qt::QueuedConnection);
    return run->id;
}

bool ExecutionEngine::mayStart(const Run &run) const
{
    if (run.execution.background) {
        return true;
    }
    int foreground = 0;
    for (const auto &[id, other] : m_running) {
        foreground += other->execution.background ? 0 : 1;
        if (run.isWriter() && other->isWriter() && other->workspace() == run.workspace()) {
            return false;
        }
    }
    return foreground < m_limits.atOnce;
}

/// The first that may start, sessions in turn: the one after the last served comes first.
qsizetype ExecutionEngine::nextRunnable() const
{
    QStringList sessions;
    for (const auto &run : m_queue) {
        if (!sessions.contains(run->execution.session)) {
            sessions.append(run->execution.session);
        }
    }
    std::sort(sessions.begin(), sessions.end());
    const auto next = std::upper_bound(sessions.begin(), sessions.end(), m_lastSession);
    std::rotate(sessions.begin(), next, sessions.end());
    for (const QString &session : sessions) {
        QStringList blockedWorkspaces; // an earlier writer of the session keeps its place
        for (qsizetype i = 0; i < m_queue.size(); ++i) {
            const Run &run = *m_queue[i];
            if (run.execution.session != session
                || (run.isWriter() && blockedWorkspaces.contains(run.workspace()))) {
                continue;
            }
            if (mayStart(run)) {
                return i;
            }
            if (run.isWriter()) {
                blockedWorkspaces.append(run.workspace());
            }
        }
    }
    return -1;
}

void ExecutionEngine::schedule()
{
    for (qsizetype next = nextRunnable(); next >= 0; next = nextRunnable()) {
        const std::shared_ptr<Run> run = m_queue.takeAt(next);
        m_lastSession = run->execution.session;
        launch(run);
    }
    if (m_stopping && m_running.empty()) {
        Q_EMIT stopped();
    }
}

void ExecutionEngine::launch(const std::shared_ptr<Run> &run)
{
    m_running.emplace(run->id, run);
    const SandboxHooks hooks = hooksFor(run);
    run->thread.reset(QThread::create([shared = run.get(), hooks] {
        shared->result = runSandboxed(shared->execution.request, shared->control, hooks);
    }));
    run->thread->setObjectName(u"run-%1"_s.arg(run->id));
    connect(run->thread.get(), &QThread::finished, this, [this, id = run->id] { complete(id); });
    run->thread->start();
    if (!m_deltas.isActive()) {
        m_deltas.start();
    }
    Q_EMIT started(run->id);
}

SandboxHooks ExecutionEngine::hooksFor(const std::shared_ptr<Run> &run)
{
    SandboxHooks hooks;
    const RunId id = run->id;
    hooks.output = [shared = run.get()](process::Stream stream, const char *data, qint64 size) {
        shared->take(stream, data, size);
    };
    const QPointer<ExecutionEngine> self(this);
    hooks.journal = [self, id](const ProxyDecision &decision) {
        if (self) {
            QMetaObject::invokeMethod(
                self.data(), [self, id, decision] { Q_EMIT self->hostDecided(id, decision); });
        }
    };
    if (m_asksForHosts) {
        hooks.broker = [self, id](const HostQuestion &question,
                           const std::function<void(HostAnswer)> &answer) {
            if (!self) {
                answer(HostAnswer::Deny);
                return;
            }
            QMetaObject::invokeMethod(self.data(), [self, id, question, answer] {
                const quint64 number = self->m_nextQuestion++;
                self->m_questions.insert(number, answer);
                Q_EMIT self->hostAsked(id, number, question);
            });
        };
    }
    return hooks;
}

void ExecutionEngine::answerHost(quint64 question, HostAnswer answer)
{
    if (const std::function<void(HostAnswer)> tell = m_questions.take(question)) {
        tell(answer);
    }
}

void ExecutionEngine::deliver(Run &run, bool last)
{
    QByteArray output;
    QByteArray error;
    {
        const QMutexLocker lock(&run.mutex);
        const auto part = [&](QByteArray &waiting) {
            const QByteArray piece = last ? waiting : waiting.left(m_limits.deltaBytes);
            waiting.remove(0, piece.size());
            return piece;
        };
        output = part(run.waitingOutput);
        error = part(run.waitingError);
    }
    if (run.execution.rawOutput) {
        output += error;
        if (!output.isEmpty()) {
            Q_EMIT bytes(run.id, output);
        }
        return;
    }
    deliverText(run, process::Stream::Output, output, last);
    deliverText(run, process::Stream::Error, error, last);
}

void ExecutionEngine::deliverText(Run &run, process::Stream stream, QByteArray bytes, bool last)
{
    const bool output = stream == process::Stream::Output;
    process::TextStream &decoder = output ? run.outputText : run.errorText;
    process::ControlFilter &filter = output ? run.outputFilter : run.errorFilter;
    if (run.deltas >= m_limits.deltasPerRun) {
        return;
    }
    for (qsizetype at = 0; at < bytes.size() || (last && at == 0); at += m_limits.deltaBytes) {
        QString decoded = decoder.append(bytes.mid(at, m_limits.deltaBytes));
        if (last && at + m_limits.deltaBytes >= bytes.size()) {
            decoded += decoder.finish();
        }
        const QString harmless = filter.append(decoded);
        if (!harmless.isEmpty() && run.deltas++ < m_limits.deltasPerRun) {
            Q_EMIT text(run.id, stream, harmless);
        }
    }
}

void ExecutionEngine::complete(RunId id)
{
    const auto found = m_running.find(id);
    if (found == m_running.end()) {
        return;
    }
    const std::shared_ptr<Run> run = found->second;
    run->thread->wait();
    run->thread.release()->deleteLater(); // its signal is what called us
    m_running.erase(found);
    if (m_running.empty()) {
        m_deltas.stop();
    }
    deliver(*run, true);
    noteAvailability(run->result);
    Q_EMIT finished(id, run->result);
    schedule();
}

void ExecutionEngine::noteAvailability(const SandboxResult &result)
{
    if (result.endedBy != EndedBy::Unavailable) {
        if (result.endedBy != EndedBy::Refused) {
            m_lastUnavailable.clear();
        }
        return;
    }
    if (result.error.message != m_lastUnavailable) {
        m_lastUnavailable = result.error.message;
        Q_EMIT sandboxUnavailable(result.error);
    }
}

void ExecutionEngine::cancel(RunId run, std::optional<std::chrono::milliseconds> grace)
{
    if (const auto found = m_running.find(run); found != m_running.end()) {
        found->second->control.cancel(grace);
        return;
    }
    for (qsizetype i = 0; i < m_queue.size(); ++i) {
        if (m_queue[i]->id == run) {
            m_queue.removeAt(i);
            SandboxResult result;
            result.endedBy = EndedBy::Cancel;
            result.outcome.end = process::RunEnd::Cancelled;
            QMetaObject::invokeMethod(
                this, [this, run, result] { Q_EMIT finished(run, result); }, Qt::QueuedConnection);
            return;
        }
    }
}

bool ExecutionEngine::write(RunId run, const QByteArray &bytes)
{
    const auto found = m_running.find(run);
    return found != m_running.end() && found->second->control.write(bytes);
}

void ExecutionEngine::closeInput(RunId run)
{
    if (const auto found = m_running.find(run); found != m_running.end()) {
        found->second->control.closeInput();
    }
}

void ExecutionEngine::resize(RunId run, process::TerminalSize size)
{
    if (const auto found = m_running.find(run); found != m_running.end()) {
        found->second->control.resize(size);
    }
}

qsizetype ExecutionEngine::runningCount() const
{
    return static_cast<qsizetype>(m_running.size());
}

void ExecutionEngine::requestStop()
{
    m_stopping = true;
    QList<RunId> all;
    for (const auto &run : std::as_const(m_queue)) {
        all.append(run->id);
    }
    for (const auto &[id, run] : m_running) {
        all.append(id);
    }
    for (const RunId id : all) {
        cancel(id);
    }
    QMetaObject::invokeMethod(this, &ExecutionEngine::schedule, Qt::QueuedConnection);
}

} // namespace deskhand::sandbox
