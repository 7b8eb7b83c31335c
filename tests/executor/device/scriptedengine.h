// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/engine.h"

#include <QHash>
#include <QSet>

/// An engine that does what the test says: turns begin and say nothing until say() or finish();
/// an interrupt ends the turn as cancelled.
class ScriptedEngine final : public deskhand::engines::Engine
{
    Q_OBJECT
public:
    using Engine::Engine;
    using TurnRef = deskhand::engines::TurnRef;

    void startTurn(const deskhand::engines::TurnSpec &spec) override
    {
        specs.append(spec);
        running.insert(spec.ref);
        Q_EMIT event(spec.ref,
            deskhand::engines::TurnStarted { QStringLiteral("thread-") + spec.ref.taskId, {} });
    }
    void interruptTurn(const TurnRef &ref, const QString &message) override
    {
        if (running.contains(ref)) {
            deskhand::engines::TurnEnded ended;
            ended.outcome = deskhand::engines::TurnOutcome::Cancelled;
            ended.errorMessage = message;
            finish(ref, ended);
        }
    }
    void decide(const QString &requestId, const deskhand::engines::Decision &) override
    {
        Q_EMIT decisionDelivered(requestId, QString());
    }
    void forgetTask(const QString &taskId) override { forgotten.append(taskId); }
    void requestStop(std::chrono::milliseconds) override { Q_EMIT stopped(); }
    [[nodiscard]] deskhand::engines::EngineStatus status() const override
    {
        return { deskhand::engines::EngineStatus::State::Ready, {}, {}, {} };
    }

    void say(const TurnRef &ref, const deskhand::engines::TaskEvent &what)
    {
        Q_EMIT event(ref, what);
    }
    void text(const TurnRef &ref, const QString &item, const QString &part)
    {
        say(ref, deskhand::engines::TextDelta { item, part });
    }
    void finish(const TurnRef &ref, const deskhand::engines::TurnEnded &ended)
    {
        running.remove(ref);
        Q_EMIT event(ref, ended);
    }
    void complete(const TurnRef &ref, const QString &answer)
    {
        deskhand::engines::TurnEnded ended;
        ended.outcome = deskhand::engines::TurnOutcome::Completed;
        ended.finalText = answer;
        finish(ref, ended);
    }

    QList<deskhand::engines::TurnSpec> specs;
    QSet<TurnRef> running;
    QStringList forgotten;
};
