// SPDX-License-Identifier: Apache-2.0
#include "app/tasks/taskmodel.h"

#include "app/coretext/coretext.h"
#include "app/tasks/taskbook.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QDateTime>

#include <algorithm>

using namespace std::chrono_literals;

namespace deskhand::app {

TaskModel::TaskModel(TaskBook &book, QObject *parent)
    : QAbstractTableModel(parent)
    , m_book(book)
    , m_tasks(book.all())
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(100ms);
    connect(&m_timer, &QTimer::timeout, this, &TaskModel::refresh);
    connect(&book, &TaskBook::changed, this, [this] {
        if (!m_timer.isActive()) {
            m_timer.start();
        }
    });
}

void TaskModel::refresh()
{
    const QList<tasks::TaskSummary> now = m_book.all();
    const bool sameRows = std::ranges::equal(
        now, m_tasks, {}, &tasks::TaskSummary::taskId, &tasks::TaskSummary::taskId);
    if (sameRows) {
        // Selection and scroll position stay.
        m_tasks = now;
        if (!m_tasks.isEmpty()) {
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        }
        return;
    }
    beginResetModel();
    m_tasks = now;
    endResetModel();
}

int TaskModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_tasks.size());
}

int TaskModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant TaskModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const tasks::TaskSummary &task = m_tasks.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(task, index.column());
    case Qt::ToolTipRole:
        if (index.column() == Folder) {
            return visibleText(task.cwd);
        }
        return index.column() == State && !task.error.isEmpty()
            ? visibleText(CoreText::translated(task.error, CoreText::Voice::Anyone))
            : QVariant();
    case kIdRole:
        return task.taskId;
    case kSortRole:
        return sortKey(task, index.column());
    default:
        return {};
    }
}

QString TaskModel::text(const tasks::TaskSummary &task, int column) const
{
    switch (column) {
    case State:
        return Wording::taskState(task.state);
    case Title:
        return Wording::oneLine(task.title, 120);
    case Folder:
        return Wording::oneLine(Wording::folderName(task.cwd), 60);
    case Origin:
        return task.origin == tasks::Origin::Backend ? tr("Server") : tr("Here");
    case Level:
        return Wording::profile(task.profile);
    case Started:
        return task.startedAtMs > 0 ? Wording::moment(task.startedAtMs) : QString();
    case Duration:
        return task.startedAtMs > 0 && task.endedAtMs >= task.startedAtMs
            ? Wording::duration(task.endedAtMs - task.startedAtMs)
            : QString();
    default:
        return {};
    }
}

QVariant TaskModel::sortKey(const tasks::TaskSummary &task, int column) const
{
    switch (column) {
    case Started:
        return task.startedAtMs > 0 ? task.startedAtMs : task.createdAtMs;
    case Duration:
        return task.endedAtMs - task.startedAtMs;
    default:
        return text(task, column);
    }
}

QVariant TaskModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case State:
        return tr("State");
    case Title:
        return tr("Task");
    case Folder:
        return tr("Folder");
    case Origin:
        return tr("Started from");
    case Level:
        return tr("Level");
    case Started:
        return tr("Started");
    case Duration:
        return tr("Duration");
    default:
        return {};
    }
}

} // namespace deskhand::app
