// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/engine.h"

#include <QHash>
#include <QObject>

#include <chrono>
#include <memory>

namespace deskhand::tasks {

class Journal;
class PermissionBroker;

enum class Origin { Backend, Local };
[[nodiscard]] QString originName(Origin origin); ///< "backend", "local"
[[nodiscard]] Result<Origin> originFromName(const QString &name);

/// One turn somebody wants done, already understood by the one who received it. Plain value.
struct TurnRequest
{
    engines::TurnRef ref;
    Origin origin = Origin::Local;
    QString title;
    QString prompt;
    QList<engines::InputImage> images;
    QString cwd; ///< absolute; empty: $H/workspace/<taskId>, created when missing
    QString profileWish; ///< wire name, empty = the owner's default
    std::optional<engines::ModelConfig>
        model; ///< nothing: the device's own model, else the engine's account
    QString agentName = QStringLiteral("default");
    QString developerInstructions;
    bool newSession = false; ///< do not continue the task's conversation
    /// A running turn of the same task: true = it is stopped and this one runs instead (backend
    /// tasks), false = this one waits for it (local tasks).
    bool replacesRunning = false;
    QJsonObject echo; ///< kept for the sender's encoder, stored with the turn
};

enum class TaskState {
    Queued,
    Preparing,
    Running,
    WaitingForYou,
    Stopping,
    Finished,
    Failed,
    Stopped,
    Interrupted
};
/// "queued", "preparing", "running", "waiting_for_you", "stopping", "finished", "failed",
/// "stopped", "interrupted".
[[nodiscard]] QString taskStateName(TaskState state);
[[nodiscard]] Result<TaskState> taskStateFromName(const QString &name);
[[nodiscard]] bool isActive(TaskState state); ///< not over yet

/// A task as shown in lists: its latest turn.
struct TaskSummary
{
    QString taskId;
    QString turnId;
    Origin origin = Origin::Local;
    QString title;
    TaskState state = TaskState::Queued;
    QString cwd;
    QString profile; ///< effective, wire name
    QString model; ///< description without secrets
    QString error; ///< why it failed or was interrupted
    qint64 createdAtMs = 0;
    qint64 startedAtMs = 0; ///< 0 = not yet
    qint64 endedAtMs = 0; ///< 0 = not yet
    qint64 lastEventAtMs = 0;
    int openRequests = 0;
};
/// The form of `tasks list --json`: snake_case keys, times as milliseconds since the epoch (UTC),
/// 0 = not yet.
[[nodiscard]] QJsonObject toJson(const TaskSummary &summary);
[[nodiscard]] Result<TaskSummary> taskSummaryFromJson(const QJsonObject &object);

/// What the owner allows; changes apply to turns started afterwards.
struct TaskPolicy
{
    int parallelLimit = 2; ///< 1..16
    engines::PermissionProfile defaultProfile = engines::PermissionProfile::Workspace;
    engines::PermissionProfile ceiling = engines::PermissionProfile::Workspace;
    std::chrono::milliseconds requestLimit { 15 * 60
        * 1000 }; ///< 0 = unanswered requests wait for ever
    std::optional<engines::ModelConfig> ownModel; ///< the device's own configured model
    /// Why the own model cannot be used: turns without a model of their own fail with it rather
    /// than run on the engine's account, which the owner did not choose. Empty = nothing is wrong.
    QString ownModelProblem;
    bool ownModelPending = false; ///< it is being read; turns that need it wait
    QString workspaceRoot; ///< where folders of tasks without one are made
    /// Of this program, with its settings and keys: no task works in it but below workspaceRoot,
    /// and none that may write works above it. Empty = none.
    QString ownFolder;
    QStringList allowedRoots; ///< explicit folders must lie in one of these; empty = anywhere
    std::chrono::milliseconds stopLimit {
        15000
    }; ///< an engine that has not ended a turn this long after the interrupt is not waited for
};

/// Accepts turns, queues them, runs them on an engine, and announces what happens. Owns the
/// broker's decisions' effect on tasks and writes everything to the journal. Lives on the executor
/// thread. Every accepted turn gets exactly one TurnEnded, also when it is stopped while queued.
class TaskManager final : public QObject
{
    Q_OBJECT
public:
    TaskManager(engines::Engine &engine, PermissionBroker &broker, Journal &journal,
        QObject *parent = nullptr);
    ~TaskManager() override;

    void setPolicy(const TaskPolicy &policy);
    [[nodiscard]] TaskPolicy policy() const;

    /// Takes the turn, or says at once why not (unknown profile word, folder missing or outside the
    /// allowed roots, the same turn id twice, draining). Events follow by event().
    [[nodiscard]] Result<> submit(const TurnRequest &request);

    /// Stops the task's turn, running or queued; with a turn id only that turn. NotFound when
    /// nothing of it is active.
    [[nodiscard]] Result<> cancel(
        const QString &taskId, const QString &turnId, const QString &message);

    /// Stops what runs and forgets the conversation's place in memory (it can still be continued).
    void closeSession(const QString &taskId, const QString &message);

    /// Something about the task's running turn that neither the engine nor the broker knows (a
    /// StatusNote, a RetryNotice; never an ending): journalled and told like the engine's events.
    /// Dropped when no turn of the task is at the engine.
    void note(const QString &taskId, const engines::TaskEvent &event);

    /// While paused or draining nothing new is started; running turns go on.
    void setPaused(bool paused);
    [[nodiscard]] bool isPaused() const;

    /// Takes no new turns; drained() once nothing is active. Queued turns end as Cancelled.
    void drain();
    /// Ends all turns now, each with its ending; drained() follows within about 10 s.
    void stopAll(const QString &message);

    /// Oldest first, one per task: the turn that occupies an engine, else the first that waits.
    [[nodiscard]] QList<TaskSummary> activeTasks() const;
    [[nodiscard]] std::optional<TaskSummary> task(const QString &taskId) const; ///< active ones
    [[nodiscard]] int runningCount() const;
    [[nodiscard]] int queuedCount() const;
    /// Turns that occupy an engine, for heartbeats.
    [[nodiscard]] QList<engines::TurnRef> runningTurns() const;

Q_SIGNALS:
    /// Everything of every turn in order; the request is the one that was submitted.
    void event(
        const deskhand::tasks::TurnRequest &request, const deskhand::engines::TaskEvent &event);
    void taskChanged(const deskhand::tasks::TaskSummary &summary);
    void runningChanged();
    void drained();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace deskhand::tasks

Q_DECLARE_METATYPE(deskhand::tasks::TurnRequest)
Q_DECLARE_METATYPE(deskhand::tasks::TaskSummary)
