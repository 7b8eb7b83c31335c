// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/codex/errormapper.h"
#include "executor/engines/codex/threadopener.h"
#include "executor/engines/codex/turnstream.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>

namespace deskhand::engines::codex {

/// One turn from its first step to its one ending: opens the conversation, sends the prompt exactly
/// once, watches over progress, interrupts, and says how it ended. Owned by the engine; executor
/// thread. After ended() it only passes on late ends of items.
class Turn final : public QObject
{
    Q_OBJECT
public:
    Turn(TurnSpec spec, Runtime &runtime, ModelRoutes *routes, const Timings &timings,
        QObject *parent = nullptr);
    ~Turn() override;

    /// The process is ready: go.
    void begin();
    /// A person or the program wants it to stop. Ended (Cancelled) within the limit.
    void interrupt(const QString &message);
    /// A decision of the owner ended it; the engine stops by itself.
    void noteStoppedByOwner();
    /// Gives the model a word of the owner while the turn runs; nothing once it is over.
    void tellModel(const QString &text);
    /// A notification of its conversation.
    void handle(const QString &method, const QJsonObject &params);
    /// The process is gone.
    void serverLost(const QString &reason);
    /// Ends it without the engine's word.
    void endNow(TurnOutcome outcome, const QString &code, const QString &message);
    /// A question of it waits for the owner: no watch runs meanwhile.
    void setWaitingForOwner(bool waiting);

    [[nodiscard]] const TurnSpec &spec() const { return m_spec; }
    [[nodiscard]] const TurnRef &ref() const { return m_spec.ref; }
    [[nodiscard]] QString threadId() const { return m_threadId; }
    [[nodiscard]] QString engineTurnId() const { return m_engineTurnId; }
    [[nodiscard]] const TurnStream &stream() const { return m_stream; }
    [[nodiscard]] bool isOver() const { return m_phase == Phase::Ended; }
    [[nodiscard]] bool wasInterrupted() const { return m_interrupted; }
    /// It ended because nobody is signed in to the engine's own account.
    [[nodiscard]] bool lacksAccount() const { return m_lacksAccount; }

Q_SIGNALS:
    void event(const deskhand::engines::TaskEvent &event);
    void ended();

private:
    enum class Phase { Waiting, Opening, Starting, Running, Ended };
    struct Verdict
    {
        TurnOutcome outcome;
        QString code;
        QString message;
    };

    void emitEvent(const TaskEvent &event);
    void onThreadOpened(const tl::expected<OpenedThread, ThreadOpener::Failure> &opened);
    void sendPrompt();
    void onStartReply(const jsonrpc::Reply &reply);
    void learnTurnId(const QString &id, bool running);
    void onTurnCompleted(const QJsonObject &turn);
    void onStatusChanged(const QJsonObject &params);
    void onProgress();
    void onFirstProgressMissing();
    void onSilence();
    void onReconnectingTooLong();
    void onRetry();
    [[nodiscard]] TurnError errorOf(const QJsonObject &given) const;
    [[nodiscard]] std::optional<RouteFailure> routeFailure() const;
    void onInterruptTimeout();
    void sendInterrupt();
    void forceEnd(const Verdict &verdict, std::chrono::milliseconds limit);
    void updateWatches();
    void cleanTerminals();

    TurnSpec m_spec;
    Runtime &m_runtime;
    ModelRoutes *m_routes;
    Timings m_timings;
    TurnStream m_stream;
    Phase m_phase = Phase::Waiting;
    QString m_threadId;
    QString m_engineTurnId;
    QList<TaskEvent> m_early; // came before TurnStarted, which must be first
    QList<std::pair<QString, QJsonObject>> m_unplaced; // came before our turn's id was known
    bool m_startTold = false;
    bool m_progressed = false;
    bool m_worked = false; // the model has said or done something
    bool m_lacksAccount = false;
    bool m_reopened = false;
    bool m_waitingFlag = false; // the engine says it waits for the owner
    bool m_waitingDesk = false; // a request of it is open here
    bool m_interrupted = false;
    int m_interruptsSent = 0;
    std::optional<Verdict> m_verdict; // decided by us, told when the engine confirms the end
    QTimer m_firstProgress;
    QTimer m_silence;
    QTimer m_reconnecting;
    QTimer m_interruptLimit;
    QTimer m_interruptAgain;
    QTimer m_failedEnd;
};

} // namespace deskhand::engines::codex
