// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/status/parts.h"

#include <QMenu>
#include <QTimer>

namespace deskhand::app {

class PauseClock;
class StatusWatch;
class TaskBook;

/// The tray's menu. Its entries are made anew whenever something changed, but only while it is
/// closed: an open menu never moves under the pointer. Owned by the tray, main thread.
class TrayMenu final : public QMenu
{
    Q_OBJECT
public:
    TrayMenu(Core &core, StatusWatch &watch, TaskBook &book, PauseClock &pause,
        QWidget *parent = nullptr);

    /// Something changed that the entries do not show yet; never while the menu is open.
    [[nodiscard]] bool isStale() const { return m_rebuildTimer.isActive(); }

Q_SIGNALS:
    void stepChosen(deskhand::app::Step step);
    void requestsChosen();
    void taskChosen(const QString &taskId);
    void newTaskChosen();
    void statusChosen();
    void tasksChosen();
    void logsChosen();
    void webChosen();
    void stopAllChosen();
    void settingsChosen();
    void copySummaryChosen();
    void aboutChosen();
    void quitChosen();
    void failed(const QString &sentence);

private:
    void markStale();
    void rebuild();
    void addTop();
    void addTasks();
    void addPlaces();
    void addControls();
    void addLevels(QMenu *menu);

    Core &m_core;
    StatusWatch &m_watch;
    TaskBook &m_book;
    PauseClock &m_pause;
    QTimer m_rebuildTimer;
    bool m_open = false;
};

} // namespace deskhand::app
