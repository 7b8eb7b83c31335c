// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/notifications/notifier.h"
#include "app/pauseclock.h"
#include "app/settings/settingsdialog.h"
#include "app/status/statuswatch.h"
#include "app/tasks/taskbook.h"
#include "app/tray/tray.h"

#include <QHash>
#include <QPointer>

#include <memory>

namespace deskhand::app {

class HistoryWindow;
class LogModel;
class LogsWindow;
class NewTaskDialog;
class Preferences;
class PromptWindow;
class StatusWindow;
class TaskWindow;

/// The desktop program without its main: the tray, the windows and how they lead to each other,
/// closing and quitting. Windows are made when first shown. Owned by main, main thread.
class Desktop final : public QObject
{
    Q_OBJECT
public:
    Desktop(Core &core, Preferences &preferences, LogModel &logs, QString logFolder,
        QObject *parent = nullptr);
    ~Desktop() override;

    /// Shows the tray; with no tray host the status window instead. In the background nothing else
    /// opens, otherwise the status window does when there is no host.
    void show(bool background);
    /// The core runs: fetch the history and show requests that wait already.
    void coreStarted();
    /// The core could not start: says why and quits after that.
    void coreFailed(const Error &error);
    /// A second start of the program with these arguments.
    void onSecondStart(const QStringList &arguments);

    void openStatus();
    void openTask(const QString &taskId);
    void openRequests(const QString &requestId = {});
    void openSettings(SettingsDialog::Page page = SettingsDialog::Page::Account);
    void openLogs();
    void openHistory();
    void openNewTask();

    /// Quits; asks first when tasks are running.
    void quit();
    /// Quits without asking, within five seconds: signals, end of the session.
    void quitNow();

    [[nodiscard]] Tray &tray() { return *m_tray; }
    [[nodiscard]] bool isDraining() const { return m_draining; }

Q_SIGNALS:
    /// Everything has ended; the program may exit.
    void finished();

private:
    void connectTray();
    void onHostChanged(bool present);
    void onStatusClosed();
    void onRequestOpened(const engines::PermissionRequest &request);
    void follow(Step step);
    void stopAll();
    void startDraining();
    void cancelDraining();
    void checkDrained();
    void openWeb();
    void showAbout();
    void complain(const QString &sentence);
    [[nodiscard]] bool isWatched(const QString &taskId) const;
    [[nodiscard]] StatusWindow &statusWindow();
    [[nodiscard]] PromptWindow &promptWindow();

    Core &m_core;
    Preferences &m_preferences;
    LogModel &m_logs;
    QString m_logFolder;
    PauseClock m_pause;
    StatusWatch m_watch;
    TaskBook m_book;
    Notifier m_notifier;
    std::unique_ptr<Tray> m_tray;
    std::unique_ptr<StatusWindow> m_status;
    std::unique_ptr<PromptWindow> m_prompt;
    std::unique_ptr<HistoryWindow> m_history;
    std::unique_ptr<LogsWindow> m_logsWindow;
    QPointer<SettingsDialog> m_settings;
    QPointer<NewTaskDialog> m_newTask;
    QHash<QString, QPointer<TaskWindow>> m_taskWindows;
    QTimer m_exitDeadline;
    bool m_draining = false;
    bool m_pausedBeforeDrain = false;
    bool m_quitting = false;
};

} // namespace deskhand::app
