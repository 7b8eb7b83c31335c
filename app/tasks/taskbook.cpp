// SPDX-License-Identifier: Apache-2.0
#include "app/tasks/taskbook.h"

#include "app/guarded.h"

#include <algorithm>

namespace deskhand::app {
namespace {

using tasks::TaskState;
using tasks::TaskSummary;

/// Tasks kept in memory for the lists; older ones stay in the core's history.
constexpr int kHistoryLimit = 2000;

qint64 lastMoment(const TaskSummary &task)
{
    return std::max({ task.createdAtMs, task.startedAtMs, task.endedAtMs });
}

template <typename Keep>
QList<TaskSummary> pick(const QHash<QString, TaskSummary> &tasks, Keep keep)
{
    QList<TaskSummary> list;
    for (const TaskSummary &task : tasks) {
        if (keep(task)) {
            list.append(task);
        }
    }
    return list;
}

void oldestFirst(QList<TaskSummary> &list)
{
    std::ranges::sort(
        list, {}, [](const TaskSummary &task) { return std::pair(task.createdAtMs, task.taskId); });
}

void newestFirst(QList<TaskSummary> &list)
{
    std::ranges::sort(list, std::greater<>(),
        [](const TaskSummary &task) { return std::pair(lastMoment(task), task.taskId); });
}

} // namespace

TaskBook::TaskBook(Core &core, QObject *parent)
    : QObject(parent)
    , m_core(core)
{
    connect(&core, &Core::taskChanged, this, &TaskBook::onTaskChanged);
}

void TaskBook::load()
{
    for (const TaskSummary &task : m_core.activeTasks()) {
        m_tasks.insert(task.taskId, task);
    }
    m_core.taskHistory(
        kHistoryLimit, guarded(this, [this](const Result<QList<TaskSummary>> &history) {
            if (!history) {
                return;
            }
            for (const TaskSummary &task : *history) {
                // What came live meanwhile is newer.
                if (!m_tasks.contains(task.taskId)) {
                    m_tasks.insert(task.taskId, task);
                }
            }
            Q_EMIT changed();
        }));
    Q_EMIT changed();
}

bool TaskBook::isOver(TaskState state)
{
    return state == TaskState::Finished || state == TaskState::Failed || state == TaskState::Stopped
        || state == TaskState::Interrupted;
}

QList<TaskSummary> TaskBook::running() const
{
    auto list = pick(m_tasks, [](const TaskSummary &task) {
        return !isOver(task.state) && task.state != TaskState::Queued;
    });
    oldestFirst(list);
    return list;
}

QList<TaskSummary> TaskBook::queued() const
{
    auto list
        = pick(m_tasks, [](const TaskSummary &task) { return task.state == TaskState::Queued; });
    oldestFirst(list);
    return list;
}

QList<TaskSummary> TaskBook::ended() const
{
    auto list = pick(m_tasks, [](const TaskSummary &task) { return isOver(task.state); });
    newestFirst(list);
    return list;
}

QList<TaskSummary> TaskBook::unread() const
{
    auto list
        = pick(m_tasks, [this](const TaskSummary &task) { return m_unread.contains(task.taskId); });
    newestFirst(list);
    return list;
}

QList<TaskSummary> TaskBook::all() const
{
    QList<TaskSummary> list = m_tasks.values();
    newestFirst(list);
    return list;
}

std::optional<TaskSummary> TaskBook::find(const QString &taskId) const
{
    const auto found = m_tasks.constFind(taskId);
    return found == m_tasks.cend() ? std::nullopt : std::optional(*found);
}

void TaskBook::markRead(const QString &taskId)
{
    if (m_unread.remove(taskId)) {
        Q_EMIT changed();
    }
}

void TaskBook::markAllRead()
{
    if (!m_unread.isEmpty()) {
        m_unread.clear();
        Q_EMIT changed();
    }
}

void TaskBook::onTaskChanged(const TaskSummary &summary)
{
    const auto before = find(summary.taskId);
    m_tasks.insert(summary.taskId, summary);
    const bool over = isOver(summary.state);
    const bool ended
        = over && (!before || !isOver(before->state) || before->turnId != summary.turnId);
    if (ended) {
        m_unread.insert(summary.taskId);
    } else if (!over) {
        m_unread.remove(summary.taskId);
    }
    Q_EMIT changed();
    if (ended) {
        Q_EMIT taskEnded(summary);
    }
}

} // namespace deskhand::app
