// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QTabBar;
class QTableView;

namespace deskhand::app {

class Preferences;
class TaskBook;
class TaskFilter;
class TaskModel;

/// All tasks in a table: active, waiting, finished; open, stop, show the folder. Owned by the
/// desktop, main thread.
class HistoryWindow final : public QWidget
{
    Q_OBJECT
public:
    HistoryWindow(Core &core, TaskBook &book, Preferences &preferences, QWidget *parent = nullptr);

Q_SIGNALS:
    void taskChosen(const QString &taskId);
    void newTaskChosen();

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    [[nodiscard]] const tasks::TaskSummary *selected() const;
    void openSelected();
    void stopSelected();
    void openFolder();
    void copyId();
    void refreshActions();

    Core &m_core;
    Preferences &m_preferences;
    TaskModel *m_model;
    TaskFilter *m_filter;
    QTabBar *m_tabs;
    QLineEdit *m_search;
    QTableView *m_table;
    QLabel *m_message;
    QPushButton *m_open;
    QPushButton *m_stop;
    QPushButton *m_folder;
    QPushButton *m_copy;
};

} // namespace deskhand::app
