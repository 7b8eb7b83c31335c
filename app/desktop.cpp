// SPDX-License-Identifier: Apache-2.0
#include "app/desktop.h"

#include "app/about.h"
#include "app/closing/closedialogs.h"
#include "app/guarded.h"
#include "app/logs/logmodel.h"
#include "app/logs/logswindow.h"
#include "app/preferences.h"
#include "app/prompts/promptwindow.h"
#include "app/settings/secretplacedialog.h"
#include "app/status/statuswindow.h"
#include "app/tasks/historywindow.h"
#include "app/tasks/newtaskdialog.h"
#include "app/tasks/taskwindow.h"
#include "app/wording.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QDesktopServices>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace deskhand::app {
namespace {

/// The core promises to stop within five seconds; after that the program ends without it.
constexpr auto kExitDeadline = 5s;

void bringToFront(QWidget &window)
{
    window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
    window.show();
    window.raise();
    window.activateWindow();
}

} // namespace

Desktop::Desktop(
    Core &core, Preferences &preferences, LogModel &logs, QString logFolder, QObject *parent)
    : QObject(parent)
    , m_core(core)
    , m_preferences(preferences)
    , m_logs(logs)
    , m_logFolder(std::move(logFolder))
    , m_pause(core)
    , m_watch(core, m_pause)
    , m_book(core)
    , m_notifier(core, m_watch, m_book)
    , m_tray(std::make_unique<Tray>(core, m_watch, m_book, m_pause))
{
    connectTray();
    m_notifier.setWatcher([this](const QString &taskId) { return isWatched(taskId); });
    connect(&m_notifier, &Notifier::message, m_tray.get(), &Tray::showMessage);
    connect(&core, &Core::requestOpened, this, &Desktop::onRequestOpened);
    connect(&core, &Core::statusChanged, this, &Desktop::checkDrained);
    // Asked for here or over the control endpoint: without a core there is nothing to show.
    connect(&core, &Core::stopped, this, [this] {
        m_exitDeadline.stop();
        Q_EMIT finished();
    });
    m_exitDeadline.setSingleShot(true);
    m_exitDeadline.setInterval(kExitDeadline);
    connect(&m_exitDeadline, &QTimer::timeout, this, &Desktop::finished);
}

Desktop::~Desktop()
{
    for (const QPointer<TaskWindow> &window : std::as_const(m_taskWindows)) {
        delete window.data();
    }
    delete m_settings.data();
    delete m_newTask.data();
}

void Desktop::connectTray()
{
    TrayMenu &menu = m_tray->menu();
    connect(m_tray.get(), &Tray::activated, this, &Desktop::openStatus);
    connect(m_tray.get(), &Tray::hostChanged, this, &Desktop::onHostChanged);
    connect(m_tray.get(), &Tray::messageClicked, this, [this] {
        const Notifier::Target target = m_notifier.lastTarget();
        switch (target.kind) {
        case Notifier::Target::Kind::Request:
            openRequests(target.id);
            break;
        case Notifier::Target::Kind::Task:
            openTask(target.id);
            break;
        case Notifier::Target::Kind::Tasks:
            openHistory();
            break;
        case Notifier::Target::Kind::Status:
        case Notifier::Target::Kind::Nothing:
            openStatus();
            break;
        }
    });
    connect(&menu, &TrayMenu::stepChosen, this, &Desktop::follow);
    connect(&menu, &TrayMenu::requestsChosen, this, [this] { openRequests(); });
    connect(&menu, &TrayMenu::taskChosen, this, &Desktop::openTask);
    connect(&menu, &TrayMenu::newTaskChosen, this, &Desktop::openNewTask);
    connect(&menu, &TrayMenu::statusChosen, this, &Desktop::openStatus);
    connect(&menu, &TrayMenu::tasksChosen, this, &Desktop::openHistory);
    connect(&menu, &TrayMenu::logsChosen, this, &Desktop::openLogs);
    connect(&menu, &TrayMenu::webChosen, this, &Desktop::openWeb);
    connect(&menu, &TrayMenu::stopAllChosen, this, &Desktop::stopAll);
    connect(&menu, &TrayMenu::settingsChosen, this, [this] { openSettings(); });
    connect(&menu, &TrayMenu::copySummaryChosen, this, [this] {
        QGuiApplication::clipboard()->setText(
            Parts::summary(m_watch.status(), QDateTime::currentMSecsSinceEpoch()));
    });
    connect(&menu, &TrayMenu::aboutChosen, this, &Desktop::showAbout);
    connect(&menu, &TrayMenu::quitChosen, this, &Desktop::quit);
    connect(&menu, &TrayMenu::failed, this, &Desktop::complain);
}

void Desktop::show(bool background)
{
    m_tray->show();
    if (m_tray->hasHost()) {
        return;
    }
    // Without a tray the window is the only way in: never invisible.
    StatusWindow &window = statusWindow();
    if (!m_preferences.noTrayHintShown()) {
        window.setHint(tr("Your desktop has no tray. Deskhand stays reachable from its launcher."));
        m_preferences.setNoTrayHintShown();
    }
    if (background || window.isMinimized()) {
        window.showMinimized();
    } else {
        window.show();
    }
}

void Desktop::coreStarted()
{
    m_book.load();
    if (!m_core.requests().isEmpty()) {
        promptWindow().presentQuietly();
    }
}

void Desktop::coreFailed(const Error &error)
{
    auto *box = new QMessageBox(QMessageBox::Critical, tr("Deskhand cannot start"),
        Wording::failure(error), QMessageBox::Close);
    box->button(QMessageBox::Close)->setText(tr("&Close"));
    box->setObjectName(u"startFailure"_s);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QDialog::finished, this, [this] {
        m_tray.reset();
        Q_EMIT finished();
    });
    box->open();
}

void Desktop::onSecondStart(const QStringList &arguments)
{
    if (!arguments.contains("--background"_L1)) {
        openStatus();
    }
}

void Desktop::onHostChanged(bool present)
{
    if (present && m_status) {
        m_status->setHint({});
    }
}

StatusWindow &Desktop::statusWindow()
{
    if (!m_status) {
        m_status = std::make_unique<StatusWindow>(m_core, m_watch, m_book, m_pause, m_preferences);
        StatusWindow *window = m_status.get();
        connect(window, &StatusWindow::stepChosen, this, &Desktop::follow);
        connect(window, &StatusWindow::requestChosen, this, &Desktop::openRequests);
        connect(window, &StatusWindow::taskChosen, this, &Desktop::openTask);
        connect(window, &StatusWindow::newTaskChosen, this, &Desktop::openNewTask);
        connect(window, &StatusWindow::tasksChosen, this, &Desktop::openHistory);
        connect(window, &StatusWindow::settingsChosen, this, [this] { openSettings(); });
        connect(window, &StatusWindow::logsChosen, this, &Desktop::openLogs);
        connect(window, &StatusWindow::closedByOwner, this, &Desktop::onStatusClosed);
    }
    return *m_status;
}

PromptWindow &Desktop::promptWindow()
{
    if (!m_prompt) {
        m_prompt = std::make_unique<PromptWindow>(m_core, m_book);
        connect(m_prompt.get(), &PromptWindow::taskChosen, this, &Desktop::openTask);
    }
    return *m_prompt;
}

void Desktop::openStatus()
{
    bringToFront(statusWindow());
}

void Desktop::openTask(const QString &taskId)
{
    QPointer<TaskWindow> &window = m_taskWindows[taskId];
    if (window == nullptr) {
        window = new TaskWindow(m_core, m_book, m_preferences, taskId);
        window->setAttribute(Qt::WA_DeleteOnClose);
        connect(window, &TaskWindow::requestsChosen, this, [this] { openRequests(); });
        connect(
            window, &TaskWindow::closed, this, [this, taskId] { m_taskWindows.remove(taskId); });
    }
    bringToFront(*window);
    m_book.markRead(taskId);
}

void Desktop::openRequests(const QString &requestId)
{
    PromptWindow &prompt = promptWindow();
    if (prompt.shownRequest().isEmpty()) {
        m_tray->showMessage(
            tr("No request is waiting"), tr("It was answered or is no longer needed."), false);
        return;
    }
    prompt.presentForOwner(requestId);
}

void Desktop::openSettings(SettingsDialog::Page page)
{
    if (m_settings == nullptr) {
        m_settings = new SettingsDialog(m_core, m_logFolder);
        m_settings->setAttribute(Qt::WA_DeleteOnClose);
    }
    m_settings->showPage(page);
    bringToFront(*m_settings);
}

void Desktop::openLogs()
{
    if (!m_logsWindow) {
        m_logsWindow = std::make_unique<LogsWindow>(m_logs, m_preferences, m_logFolder);
    }
    bringToFront(*m_logsWindow);
}

void Desktop::openHistory()
{
    if (!m_history) {
        m_history = std::make_unique<HistoryWindow>(m_core, m_book, m_preferences);
        connect(m_history.get(), &HistoryWindow::taskChosen, this, &Desktop::openTask);
        connect(m_history.get(), &HistoryWindow::newTaskChosen, this, &Desktop::openNewTask);
    }
    bringToFront(*m_history);
}

void Desktop::openNewTask()
{
    if (m_newTask == nullptr) {
        m_newTask = new NewTaskDialog(m_core, m_preferences);
        m_newTask->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_newTask, &NewTaskDialog::taskStarted, this, &Desktop::openTask);
    }
    bringToFront(*m_newTask);
}

void Desktop::onRequestOpened(const engines::PermissionRequest &)
{
    promptWindow().presentQuietly();
}

bool Desktop::isWatched(const QString &taskId) const
{
    const QPointer<TaskWindow> window = m_taskWindows.value(taskId);
    return window != nullptr && window->isActiveWindow();
}

void Desktop::follow(Step step)
{
    switch (step) {
    case Step::None:
        break;
    case Step::OpenAccount:
        openSettings(SettingsDialog::Page::Account);
        break;
    case Step::OpenEngine:
        openSettings(SettingsDialog::Page::Engine);
        break;
    case Step::OpenPermissions:
        openSettings(SettingsDialog::Page::Permissions);
        break;
    case Step::ChooseSecretPlace: {
        auto *dialog = new SecretPlaceDialog(m_core, m_watch.status());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
        break;
    }
    case Step::RestartEngine:
        m_core.restartEngine(guarded(this, [this](const Result<> &result) {
            if (!result) {
                complain(Wording::failure(result.error()));
            }
        }));
        break;
    case Step::TryNow:
        m_core.tryLinkNow();
        break;
    case Step::CheckSandbox:
        m_core.checkSandbox();
        break;
    case Step::Resume:
        m_pause.resume();
        break;
    }
}

void Desktop::stopAll()
{
    QList<tasks::TaskSummary> list = m_book.running() + m_book.queued();
    if (list.isEmpty()) {
        return;
    }
    auto *dialog = new StopAllDialog(list);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, list] {
        for (const tasks::TaskSummary &task : list) {
            m_core.stopTask(task.taskId, guarded(this, [this](const Result<> &result) {
                // One that ended meanwhile is stopped as well.
                if (!result && result.error().kind != ErrorKind::NotFound) {
                    complain(Wording::failure(result.error()));
                }
            }));
        }
    });
    dialog->open();
}

void Desktop::openWeb()
{
    const QUrl url(m_core.deviceConfig().backendUrl, QUrl::StrictMode);
    if (url.scheme() == "https"_L1 || url.scheme() == "http"_L1) {
        QDesktopServices::openUrl(url);
    }
}

void Desktop::showAbout()
{
    auto *dialog = new AboutDialog(m_core);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void Desktop::complain(const QString &sentence)
{
    auto *box = new QMessageBox(QMessageBox::Warning, tr("Deskhand"), sentence, QMessageBox::Close);
    box->button(QMessageBox::Close)->setText(tr("&Close"));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void Desktop::onStatusClosed()
{
    if (!m_tray->hasHost()) {
        // There is no tray to come back from.
        m_status->showMinimized();
        return;
    }
    switch (m_preferences.closeAction()) {
    case Preferences::CloseAction::KeepRunning:
        m_status->hide();
        return;
    case Preferences::CloseAction::Quit:
        quit();
        return;
    case Preferences::CloseAction::Ask:
        break;
    }
    auto *dialog = new CloseDialog(m_status.get());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &CloseDialog::keepRunningChosen, this, [this, dialog] {
        if (dialog->doNotAskAgain()) {
            m_preferences.setCloseAction(Preferences::CloseAction::KeepRunning);
        }
        m_status->hide();
    });
    connect(dialog, &CloseDialog::quitChosen, this, [this, dialog] {
        if (dialog->doNotAskAgain()) {
            m_preferences.setCloseAction(Preferences::CloseAction::Quit);
        }
        quit();
    });
    dialog->open();
}

void Desktop::quit()
{
    const QList<tasks::TaskSummary> running = m_book.running();
    if (running.isEmpty()) {
        quitNow();
        return;
    }
    const StatusSnapshot status = m_watch.status();
    auto *dialog
        = new QuitDialog(running, static_cast<int>(m_book.queued().size()), status.requests);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QuitDialog::finishFirstChosen, this, &Desktop::startDraining);
    connect(dialog, &QuitDialog::stopNowChosen, this, &Desktop::quitNow);
    connect(dialog, &QDialog::rejected, this, &Desktop::cancelDraining);
    dialog->open();
    bringToFront(*dialog);
}

void Desktop::startDraining()
{
    if (m_draining) {
        return;
    }
    m_draining = true;
    m_pausedBeforeDrain = m_watch.status().paused;
    // Paused, nothing new starts; the pause is taken back when the owner changes their mind.
    m_core.setPaused(true);
    m_watch.setDraining(true);
    checkDrained();
}

void Desktop::cancelDraining()
{
    if (!m_draining) {
        return;
    }
    m_draining = false;
    m_watch.setDraining(false);
    m_core.setPaused(m_pausedBeforeDrain);
}

void Desktop::checkDrained()
{
    if (m_draining && !m_quitting && m_core.status().running == 0) {
        quitNow();
    }
}

void Desktop::quitNow()
{
    if (m_quitting) {
        return;
    }
    m_quitting = true;
    if (m_status) {
        m_preferences.savePlace(*m_status);
        m_status->hide();
    }
    if (m_prompt) {
        m_prompt->hide();
    }
    m_exitDeadline.start();
    m_core.stopNow();
}

} // namespace deskhand::app
