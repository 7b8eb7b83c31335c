// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/status/parts.h"

#include <QLabel>
#include <QList>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QWidget>

namespace deskhand::app {

class PauseClock;
class Preferences;
class StatusWatch;
class TaskBook;

/// One of the four parts: mood, state, since when, cause, one button, details on demand.
class StateRow final : public QWidget
{
    Q_OBJECT
public:
    explicit StateRow(const QString &key, QWidget *parent = nullptr);
    void show(const PartView &part, qint64 sinceMs);

Q_SIGNALS:
    void stepChosen(deskhand::app::Step step);

private:
    QLabel *m_icon;
    QLabel *m_title;
    QLabel *m_since;
    QLabel *m_cause;
    QLabel *m_details;
    QToolButton *m_more;
    QPushButton *m_button;
    Step m_step = Step::None;
};

/// The program's small main window: the four parts, what waits and runs, the way to the rest.
/// Owned by the desktop, main thread.
class StatusWindow final : public QWidget
{
    Q_OBJECT
public:
    StatusWindow(Core &core, StatusWatch &watch, TaskBook &book, PauseClock &pause,
        Preferences &preferences, QWidget *parent = nullptr);

    /// Shows a sentence at the top, for instance that there is no tray.
    void setHint(const QString &sentence);

Q_SIGNALS:
    void stepChosen(deskhand::app::Step step);
    void requestChosen(const QString &requestId);
    void taskChosen(const QString &taskId);
    void newTaskChosen();
    void tasksChosen();
    void settingsChosen();
    void logsChosen();
    /// The window was closed by its owner, not by the program.
    void closedByOwner();

protected:
    void closeEvent(QCloseEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void refreshParts();
    void refreshLists();
    void onItemChosen(QTreeWidgetItem *item);

    Core &m_core;
    StatusWatch &m_watch;
    TaskBook &m_book;
    PauseClock &m_pause;
    Preferences &m_preferences;
    QLabel *m_hint;
    QLabel *m_problems;
    QList<StateRow *> m_rows;
    QTreeWidget *m_list;
    QPushButton *m_pauseButton;
    QTimer m_tick;
    QTimer m_listTimer;
};

} // namespace deskhand::app
