// SPDX-License-Identifier: Apache-2.0
#include "app/tray/traymenu.h"

#include "app/guarded.h"
#include "app/pauseclock.h"
#include "app/status/statuswatch.h"
#include "app/tasks/taskbook.h"
#include "app/wording.h"

#include <QActionGroup>
#include <QDateTime>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace deskhand::app {
namespace {

constexpr int kRunningShown = 5;
constexpr int kQueuedShown = 3;
constexpr int kUnreadShown = 5;

qint64 tomorrowMorning()
{
    return QDateTime(QDate::currentDate().addDays(1), QTime(8, 0)).toMSecsSinceEpoch();
}

int levelRank(const QString &wireName)
{
    if (wireName == ":read-only"_L1) {
        return 0;
    }
    return wireName == ":danger-full-access"_L1 ? 2 : 1;
}

} // namespace

TrayMenu::TrayMenu(
    Core &core, StatusWatch &watch, TaskBook &book, PauseClock &pause, QWidget *parent)
    : QMenu(parent)
    , m_core(core)
    , m_watch(watch)
    , m_book(book)
    , m_pause(pause)
{
    setObjectName(u"trayMenu"_s);
    setToolTipsVisible(true);
    m_rebuildTimer.setSingleShot(true);
    m_rebuildTimer.setInterval(50ms);
    connect(&m_rebuildTimer, &QTimer::timeout, this, [this] {
        if (!m_open) {
            rebuild();
        }
    });
    connect(this, &QMenu::aboutToShow, this, [this] {
        rebuild();
        m_open = true;
    });
    connect(this, &QMenu::aboutToHide, this, [this] {
        m_open = false;
        markStale();
    });
    connect(&watch, &StatusWatch::changed, this, &TrayMenu::markStale);
    connect(&book, &TaskBook::changed, this, &TrayMenu::markStale);
    connect(&core, &Core::settingsChanged, this, &TrayMenu::markStale);
    rebuild();
}

void TrayMenu::markStale()
{
    if (!m_open && !m_rebuildTimer.isActive()) {
        m_rebuildTimer.start();
    }
}

void TrayMenu::rebuild()
{
    m_rebuildTimer.stop();
    clear();
    addTop();
    addSeparator();
    addTasks();
    addSeparator();
    addPlaces();
    addSeparator();
    addControls();
}

void TrayMenu::addTop()
{
    const StatusSnapshot status = m_watch.status();
    const Overall overall = m_watch.overall();

    const bool plain
        = overall.state == OverallState::Ready && status.link.state == device::LinkState::Online;
    QAction *line
        = addAction(plain ? tr("Online as %1").arg(Wording::menuLine(status.deviceName, 40))
                          : Wording::menuLine(overall.line, 60));
    line->setObjectName(u"statusLine"_s);
    line->setEnabled(false);

    if (overall.step != Step::None && overall.step != Step::Resume) {
        QAction *fix = addAction(tr("&Fix: %1").arg(Wording::menuLine(overall.stepLabel)));
        fix->setObjectName(u"fix"_s);
        const Step step = overall.step;
        connect(fix, &QAction::triggered, this, [this, step] { Q_EMIT stepChosen(step); });
    }
    if (status.requests > 0) {
        QAction *requests = addAction(tr("&Requests (%1)…").arg(status.requests));
        requests->setObjectName(u"requests"_s);
        QFont bold = font();
        bold.setBold(true);
        requests->setFont(bold);
        connect(requests, &QAction::triggered, this, &TrayMenu::requestsChosen);
        setDefaultAction(requests);
    }
}

void TrayMenu::addTasks()
{
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    const auto heading = [this](const QString &text, const QString &name) {
        QAction *action = addAction(text);
        action->setEnabled(false);
        action->setObjectName(name);
    };
    const auto group = [&](const QList<tasks::TaskSummary> &list, int limit, auto text) {
        for (const tasks::TaskSummary &task : list.first(qMin<qsizetype>(limit, list.size()))) {
            QAction *action = addAction(text(task));
            action->setObjectName("task:"_L1 + task.taskId);
            const QString id = task.taskId;
            connect(action, &QAction::triggered, this, [this, id] { Q_EMIT taskChosen(id); });
        }
        if (list.size() > limit) {
            connect(addAction(tr("More…")), &QAction::triggered, this, &TrayMenu::tasksChosen);
        }
    };

    const auto running = m_book.running();
    if (!running.isEmpty()) {
        heading(tr("Running (%1)").arg(running.size()), u"runningHeading"_s);
        group(running, kRunningShown, [&](const tasks::TaskSummary &task) {
            return tr("%1 - %2 - %3", "title, folder, time")
                .arg(Wording::menuLine(task.title),
                    Wording::menuLine(Wording::folderName(task.cwd), 24),
                    Wording::duration(
                        now - (task.startedAtMs > 0 ? task.startedAtMs : task.createdAtMs)));
        });
    }
    const auto titleOnly = [](const tasks::TaskSummary &task) {
        return Wording::menuLine(task.title);
    };
    const auto queued = m_book.queued();
    if (!queued.isEmpty()) {
        heading(tr("Queued (%1)").arg(queued.size()), u"queuedHeading"_s);
        group(queued, kQueuedShown, titleOnly);
    }
    const auto unread = m_book.unread();
    if (!unread.isEmpty()) {
        heading(tr("Finished, unread (%1)").arg(unread.size()), u"unreadHeading"_s);
        group(unread, kUnreadShown, [](const tasks::TaskSummary &task) {
            return tr("%1 - %2", "title, state")
                .arg(Wording::menuLine(task.title), Wording::taskState(task.state));
        });
        QAction *read = addAction(tr("&Mark all read"));
        read->setObjectName(u"markAllRead"_s);
        connect(read, &QAction::triggered, &m_book, &TaskBook::markAllRead);
    }
}

void TrayMenu::addPlaces()
{
    const auto entry = [this](const QString &text, const QString &name, auto signal) {
        QAction *action = addAction(text);
        action->setObjectName(name);
        connect(action, &QAction::triggered, this, signal);
    };
    entry(tr("&New task…"), u"newTask"_s, &TrayMenu::newTaskChosen);
    entry(tr("&Open Deskhand"), u"openStatus"_s, &TrayMenu::statusChosen);
    entry(tr("&Tasks and history…"), u"openTasks"_s, &TrayMenu::tasksChosen);
    entry(tr("&Logs…"), u"openLogs"_s, &TrayMenu::logsChosen);
    if (!m_core.deviceConfig().backendUrl.isEmpty()) {
        entry(tr("Open &web workspace"), u"openWeb"_s, &TrayMenu::webChosen);
    }
}

void TrayMenu::addControls()
{
    const auto entry = [](QMenu *menu, const QString &text, const QString &name) {
        QAction *action = menu->addAction(text);
        action->setObjectName(name);
        return action;
    };
    const StatusSnapshot status = m_watch.status();
    if (status.paused) {
        connect(entry(this, tr("Res&ume now"), u"resume"_s), &QAction::triggered, &m_pause,
            &PauseClock::resume);
    } else {
        QMenu *menu = addMenu(tr("&Pause new tasks"));
        menu->setObjectName(u"pauseMenu"_s);
        connect(entry(menu, tr("&30 minutes"), u"pause30"_s), &QAction::triggered, &m_pause,
            [this] { m_pause.pauseFor(30min); });
        connect(entry(menu, tr("&1 hour"), u"pause60"_s), &QAction::triggered, &m_pause,
            [this] { m_pause.pauseFor(1h); });
        connect(entry(menu, tr("Until &tomorrow 08:00"), u"pauseTomorrow"_s), &QAction::triggered,
            &m_pause, [this] { m_pause.pauseUntil(tomorrowMorning()); });
        connect(entry(menu, tr("Until I &resume"), u"pauseForever"_s), &QAction::triggered,
            &m_pause, &PauseClock::pauseUntilResumed);
    }
    QMenu *levels = addMenu(tr("Permission le&vel"));
    levels->setObjectName(u"levelMenu"_s);
    addLevels(levels);
    if (status.running + status.queued > 0) {
        connect(entry(this, tr("Stop &all tasks…"), u"stopAll"_s), &QAction::triggered, this,
            &TrayMenu::stopAllChosen);
    }
    addSeparator();
    connect(entry(this, tr("&Settings…"), u"settings"_s), &QAction::triggered, this,
        &TrayMenu::settingsChosen);
    QMenu *help = addMenu(tr("&Help"));
    connect(entry(help, tr("&Copy status summary"), u"copySummary"_s), &QAction::triggered, this,
        &TrayMenu::copySummaryChosen);
    connect(entry(help, tr("&About Deskhand"), u"about"_s), &QAction::triggered, this,
        &TrayMenu::aboutChosen);
    addSeparator();
    connect(
        entry(this, status.running > 0 ? tr("&Quit Deskhand…") : tr("&Quit Deskhand"), u"quit"_s),
        &QAction::triggered, this, &TrayMenu::quitChosen);
}

void TrayMenu::addLevels(QMenu *menu)
{
    const settings::ExecutorSettings settings = m_core.settings();
    auto *group = new QActionGroup(menu);
    for (const QString &level : { u":read-only"_s, u":workspace"_s, u":danger-full-access"_s }) {
        const bool allowed = levelRank(level) <= levelRank(settings.ceiling);
        const QString name = Wording::profile(level);
        QAction *action
            = menu->addAction(allowed ? name : tr("%1 (limited by device ceiling)").arg(name));
        action->setObjectName("level"_L1 + level);
        action->setCheckable(true);
        action->setChecked(level == settings.defaultProfile);
        action->setEnabled(allowed);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, level] {
            settings::ExecutorSettings changed = m_core.settings();
            changed.defaultProfile = level;
            m_core.updateSettings(changed, guarded(this, [this](const Result<> &result) {
                if (!result) {
                    Q_EMIT failed(Wording::failure(result.error()));
                }
            }));
        });
    }
}

} // namespace deskhand::app
