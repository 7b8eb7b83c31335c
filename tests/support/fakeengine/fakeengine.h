// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/engine.h"

#include <QHash>
#include <QList>

namespace deskhand::tests {

/// An engine without a process: a test says what happens and when. Signals are emitted within the
/// calls, the hardest order for a listener. Owner: the test; one thread.
class FakeEngine final : public engines::Engine
{
    Q_OBJECT
public:
    using Engine::Engine;

    // How it behaves by itself.
    bool startsTurns = true; ///< TurnStarted follows startTurn() at once
    bool obeysInterrupts = true; ///< TurnEnded (Cancelled) follows interruptTurn() at once
    bool takesDecisions = true; ///< decisionDelivered() follows decide() at once

    // What it was asked.
    QList<engines::TurnSpec> started;
    QList<std::pair<engines::TurnRef, QString>> interrupted;
    QList<std::pair<QString, engines::Decision>> decisions;
    QStringList forgotten;

    // What happens.
    void say(const engines::TurnRef &ref, const engines::TaskEvent &event);
    void begin(const engines::TurnRef &ref, const QString &threadId);
    void complete(const engines::TurnRef &ref, const QString &text = QStringLiteral("done"));
    void ask(const engines::PermissionRequest &request);
    void withdraw(const QString &requestId, const QString &reason);
    void takeDecision(const QString &requestId, const QString &error = {});
    /// The process is gone: every turn fails, decisions under way are lost.
    void die();
    [[nodiscard]] QList<engines::TurnRef> running() const { return m_running; }

    void startTurn(const engines::TurnSpec &spec) override;
    void interruptTurn(const engines::TurnRef &ref, const QString &message) override;
    void decide(const QString &requestId, const engines::Decision &decision) override;
    void forgetTask(const QString &taskId) override;
    void requestStop(std::chrono::milliseconds limit) override;
    [[nodiscard]] engines::EngineStatus status() const override;

private:
    void finish(const engines::TurnRef &ref, const engines::TurnEnded &ending);

    QList<engines::TurnRef> m_running;
    QStringList m_undelivered;
    int m_threads = 0;
};

} // namespace deskhand::tests
