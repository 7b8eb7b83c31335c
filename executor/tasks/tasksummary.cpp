// SPDX-License-Identifier: Apache-2.0
#include "executor/common/jsonreader.h"
#include "executor/tasks/taskmanager.h"

#include <array>
#include <utility>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

constexpr std::array kStates {
    std::pair { TaskState::Queued, "queued"_L1 },
    std::pair { TaskState::Preparing, "preparing"_L1 },
    std::pair { TaskState::Running, "running"_L1 },
    std::pair { TaskState::WaitingForYou, "waiting_for_you"_L1 },
    std::pair { TaskState::Stopping, "stopping"_L1 },
    std::pair { TaskState::Finished, "finished"_L1 },
    std::pair { TaskState::Failed, "failed"_L1 },
    std::pair { TaskState::Stopped, "stopped"_L1 },
    std::pair { TaskState::Interrupted, "interrupted"_L1 },
};

} // namespace

QString originName(Origin origin)
{
    return origin == Origin::Backend ? u"backend"_s : u"local"_s;
}

Result<Origin> originFromName(const QString &name)
{
    if (name == "backend"_L1) {
        return Origin::Backend;
    }
    if (name == "local"_L1) {
        return Origin::Local;
    }
    return failure(ErrorKind::Protocol, u"\"%1\" is not an origin of a task"_s.arg(name.left(100)));
}

QString taskStateName(TaskState state)
{
    for (const auto &[known, name] : kStates) {
        if (known == state) {
            return name;
        }
    }
    return {};
}

Result<TaskState> taskStateFromName(const QString &name)
{
    for (const auto &[state, known] : kStates) {
        if (name == known) {
            return state;
        }
    }
    return failure(ErrorKind::Protocol, u"\"%1\" is not a state of a task"_s.arg(name.left(100)));
}

bool isActive(TaskState state)
{
    switch (state) {
    case TaskState::Queued:
    case TaskState::Preparing:
    case TaskState::Running:
    case TaskState::WaitingForYou:
    case TaskState::Stopping:
        return true;
    case TaskState::Finished:
    case TaskState::Failed:
    case TaskState::Stopped:
    case TaskState::Interrupted:
        break;
    }
    return false;
}

QJsonObject toJson(const TaskSummary &summary)
{
    return {
        { u"task_id"_s, summary.taskId },
        { u"turn_id"_s, summary.turnId },
        { u"origin"_s, originName(summary.origin) },
        { u"title"_s, summary.title },
        { u"state"_s, taskStateName(summary.state) },
        { u"cwd"_s, summary.cwd },
        { u"profile"_s, summary.profile },
        { u"model"_s, summary.model },
        { u"error"_s, summary.error },
        { u"created_at_ms"_s, summary.createdAtMs },
        { u"started_at_ms"_s, summary.startedAtMs },
        { u"ended_at_ms"_s, summary.endedAtMs },
        { u"last_event_at_ms"_s, summary.lastEventAtMs },
        { u"open_requests"_s, summary.openRequests },
    };
}

Result<TaskSummary> taskSummaryFromJson(const QJsonObject &object)
{
    TaskSummary summary;
    QString origin;
    QString state;
    const std::pair<QStringView, QString *> texts[] = {
        { u"task_id", &summary.taskId },
        { u"turn_id", &summary.turnId },
        { u"origin", &origin },
        { u"title", &summary.title },
        { u"state", &state },
        { u"cwd", &summary.cwd },
        { u"profile", &summary.profile },
        { u"model", &summary.model },
        { u"error", &summary.error },
    };
    for (const auto &[key, target] : texts) {
        const auto value = json::requireString(object, key);
        if (!value) {
            return tl::unexpected(value.error());
        }
        *target = *value;
    }
    qint64 openRequests = 0;
    const std::pair<QStringView, qint64 *> numbers[] = {
        { u"created_at_ms", &summary.createdAtMs },
        { u"started_at_ms", &summary.startedAtMs },
        { u"ended_at_ms", &summary.endedAtMs },
        { u"last_event_at_ms", &summary.lastEventAtMs },
        { u"open_requests", &openRequests },
    };
    for (const auto &[key, target] : numbers) {
        const auto value = json::requireInt(object, key);
        if (!value) {
            return tl::unexpected(value.error());
        }
        *target = *value;
    }
    summary.openRequests = static_cast<int>(openRequests);
    const auto knownOrigin = originFromName(origin);
    const auto knownState = taskStateFromName(state);
    if (!knownOrigin) {
        return tl::unexpected(knownOrigin.error());
    }
    if (!knownState) {
        return tl::unexpected(knownState.error());
    }
    summary.origin = *knownOrigin;
    summary.state = *knownState;
    return summary;
}

} // namespace deskhand::tasks
