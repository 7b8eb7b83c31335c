// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QAbstractTableModel>
#include <QTimer>

namespace deskhand::app {

class TaskBook;

/// The task book as a table. Main thread.
class TaskModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { State, Title, Folder, Origin, Level, Started, Duration, ColumnCount };
    static constexpr int kIdRole = Qt::UserRole;
    static constexpr int kSortRole = Qt::UserRole + 1;

    explicit TaskModel(TaskBook &book, QObject *parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] const tasks::TaskSummary &task(int row) const { return m_tasks.at(row); }

private:
    void refresh();
    [[nodiscard]] QString text(const tasks::TaskSummary &task, int column) const;
    [[nodiscard]] QVariant sortKey(const tasks::TaskSummary &task, int column) const;

    TaskBook &m_book;
    QList<tasks::TaskSummary> m_tasks;
    QTimer m_timer;
};

} // namespace deskhand::app
