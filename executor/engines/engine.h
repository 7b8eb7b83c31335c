// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/modelconfig.h"
#include "executor/engines/permission.h"
#include "executor/engines/taskevent.h"

#include <QObject>

#include <chrono>

namespace deskhand::engines {

struct InputImage
{
    QString url; ///< data: or https: URL; or
    QString path; ///< a local file
};

/// Everything an engine must know to run one turn. The working directory exists and is absolute;
/// the profile is already at or below the owner's ceiling.
struct TurnSpec
{
    TurnRef ref;
    QString threadId; ///< conversation to continue; empty = a new one
    QString agentName = QStringLiteral("default"); ///< which home below $H/agents
    QString cwd;
    PermissionProfile profile = PermissionProfile::Workspace;
    QString prompt;
    QList<InputImage> images;
    QString developerInstructions;
    std::optional<ModelConfig> model; ///< nothing: the engine's own account
    QString clientMessageId;
};

struct EngineStatus
{
    enum class State { NotFound, Idle, Starting, Ready, Busy, Restarting, Failed };
    State state = State::Idle; ///< Idle: found, no process yet
    QString cause;
    QString version;
    QString path;
};
/// "not_found", "idle", "starting", "ready", "busy", "restarting", "failed".
[[nodiscard]] inline QString engineStateName(EngineStatus::State state)
{
    switch (state) {
    case EngineStatus::State::NotFound:
        return QStringLiteral("not_found");
    case EngineStatus::State::Idle:
        return QStringLiteral("idle");
    case EngineStatus::State::Starting:
        return QStringLiteral("starting");
    case EngineStatus::State::Ready:
        return QStringLiteral("ready");
    case EngineStatus::State::Busy:
        return QStringLiteral("busy");
    case EngineStatus::State::Restarting:
        return QStringLiteral("restarting");
    case EngineStatus::State::Failed:
        break;
    }
    return QStringLiteral("failed");
}

/// Runs turns. One object per kind of engine, on the executor thread; everything asynchronous.
/// Promise: for every startTurn() exactly one TurnEnded follows, within bounded time after an
/// interrupt, whatever happens to the engine's process.
class Engine : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    virtual void startTurn(const TurnSpec &spec) = 0;
    /// Asks the running turn to stop; its TurnEnded (Cancelled) follows within 10 s. No-op when the
    /// turn is unknown or over. `message` becomes the errorMessage of the ending.
    virtual void interruptTurn(const TurnRef &ref, const QString &message) = 0;
    /// Hands a decision over. decisionDelivered() follows exactly once.
    virtual void decide(const QString &requestId, const Decision &decision) = 0;
    /// The task will not continue: let go of its conversation in memory.
    virtual void forgetTask(const QString &taskId) = 0;
    /// Ends every turn and process; stopped() follows within `limit`.
    virtual void requestStop(std::chrono::milliseconds limit) = 0;
    [[nodiscard]] virtual EngineStatus status() const = 0;

Q_SIGNALS:
    void event(const deskhand::engines::TurnRef &ref, const deskhand::engines::TaskEvent &event);
    void permissionRequested(const deskhand::engines::PermissionRequest &request);
    /// The engine no longer waits for it (answered elsewhere, turn over, process gone).
    void permissionWithdrawn(const QString &requestId, const QString &reason);
    /// `error` is empty when the engine has the decision.
    void decisionDelivered(const QString &requestId, const QString &error);
    void statusChanged(const deskhand::engines::EngineStatus &status);
    void stopped();
};

} // namespace deskhand::engines

Q_DECLARE_METATYPE(deskhand::engines::EngineStatus)
