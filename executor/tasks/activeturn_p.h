// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/logging/masking.h"
#include "executor/tasks/taskmanager.h"

#include <QDateTime>
#include <QSet>
#include <QTimer>

#include <memory>
#include <optional>

namespace deskhand::tasks {

inline TaskState stateAfter(const engines::TurnEnded &ending)
{
    switch (ending.outcome) {
    case engines::TurnOutcome::Completed:
        return TaskState::Finished;
    case engines::TurnOutcome::Cancelled:
        return TaskState::Stopped;
    case engines::TurnOutcome::Failed:
        break;
    }
    return ending.errorCode == QLatin1StringView("interrupted") ? TaskState::Interrupted
                                                                : TaskState::Failed;
}

/// Of a turn that was just accepted and waits.
inline TaskSummary acceptedSummary(const TurnRequest &request, engines::PermissionProfile profile,
    const std::optional<engines::ModelConfig> &model)
{
    TaskSummary summary;
    summary.taskId = request.ref.taskId;
    summary.turnId = request.ref.turnId;
    summary.origin = request.origin;
    summary.title = logging::maskSecrets(request.title);
    summary.cwd = request.cwd;
    summary.profile = engines::profileName(profile);
    summary.model = model ? model->describe() : QString();
    summary.createdAtMs = QDateTime::currentMSecsSinceEpoch();
    return summary;
}

/// A timer may go from inside its own signal.
struct DeleteLater
{
    void operator()(QTimer *timer) const
    {
        timer->stop();
        timer->deleteLater();
    }
};
using TimerPtr = std::unique_ptr<QTimer, DeleteLater>;

/// An accepted turn until its ending.
struct Turn
{
    TurnRequest request;
    TaskSummary summary;
    bool atEngine = false; ///< startTurn() was called
    bool closesSession = false;
    QString stopMessage; ///< why it is being stopped
    QSet<QString> openItems;
    QSet<QString> openRequests;
    std::optional<engines::ModelConfig> model;
    TimerPtr timer; ///< the conversation's look-up, then the stop's hard limit

    [[nodiscard]] const engines::TurnRef &ref() const { return request.ref; }
    [[nodiscard]] bool isQueued() const { return summary.state == TaskState::Queued; }
};
using TurnPtr = std::shared_ptr<Turn>;

} // namespace deskhand::tasks
