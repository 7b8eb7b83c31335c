// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fakeengine/fakeengine.h"

namespace deskhand::tests {

void FakeEngine::say(const engines::TurnRef &ref, const engines::TaskEvent &one)
{
    Q_EMIT event(ref, one);
}

void FakeEngine::begin(const engines::TurnRef &ref, const QString &threadId)
{
    Q_EMIT event(ref, engines::TurnStarted { threadId, QStringLiteral("engine-") + ref.turnId });
}

void FakeEngine::complete(const engines::TurnRef &ref, const QString &text)
{
    engines::TurnEnded ending;
    ending.outcome = engines::TurnOutcome::Completed;
    ending.finalText = text;
    ending.usage.inputTokens = 10;
    ending.usage.outputTokens = 5;
    ending.usage.totalTokens = 15;
    finish(ref, ending);
}

void FakeEngine::ask(const engines::PermissionRequest &request)
{
    Q_EMIT permissionRequested(request);
}

void FakeEngine::withdraw(const QString &requestId, const QString &reason)
{
    Q_EMIT permissionWithdrawn(requestId, reason);
}

void FakeEngine::takeDecision(const QString &requestId, const QString &error)
{
    m_undelivered.removeOne(requestId);
    Q_EMIT decisionDelivered(requestId, error);
}

void FakeEngine::die()
{
    const QStringList lost = std::exchange(m_undelivered, {});
    for (const QString &requestId : lost) {
        Q_EMIT decisionDelivered(requestId, QStringLiteral("the engine exited"));
    }
    engines::TurnEnded ending;
    ending.errorCode = QStringLiteral("runtime_error");
    ending.errorMessage = QStringLiteral("The engine exited with code 9.");
    const QList<engines::TurnRef> all = m_running;
    for (const engines::TurnRef &ref : all) {
        finish(ref, ending);
    }
}

void FakeEngine::startTurn(const engines::TurnSpec &spec)
{
    started.append(spec);
    m_running.append(spec.ref);
    if (startsTurns) {
        begin(spec.ref,
            spec.threadId.isEmpty() ? QStringLiteral("thread-%1").arg(++m_threads) : spec.threadId);
    }
}

void FakeEngine::interruptTurn(const engines::TurnRef &ref, const QString &message)
{
    interrupted.append({ ref, message });
    if (obeysInterrupts && m_running.contains(ref)) {
        engines::TurnEnded ending;
        ending.outcome = engines::TurnOutcome::Cancelled;
        ending.errorMessage = message;
        finish(ref, ending);
    }
}

void FakeEngine::decide(const QString &requestId, const engines::Decision &decision)
{
    decisions.append({ requestId, decision });
    m_undelivered.append(requestId);
    if (takesDecisions) {
        takeDecision(requestId);
    }
}

void FakeEngine::forgetTask(const QString &taskId)
{
    forgotten.append(taskId);
}

void FakeEngine::requestStop(std::chrono::milliseconds limit)
{
    Q_UNUSED(limit)
    die();
    Q_EMIT stopped();
}

engines::EngineStatus FakeEngine::status() const
{
    engines::EngineStatus status;
    status.state = m_running.isEmpty() ? engines::EngineStatus::State::Ready
                                       : engines::EngineStatus::State::Busy;
    status.version = QStringLiteral("0.0.0-fake");
    return status;
}

void FakeEngine::finish(const engines::TurnRef &ref, const engines::TurnEnded &ending)
{
    m_running.removeOne(ref);
    Q_EMIT event(ref, ending);
}

} // namespace deskhand::tests
