// SPDX-License-Identifier: Apache-2.0
#include "app/status/statuswindow.h"

#include "app/pauseclock.h"
#include "app/preferences.h"
#include "app/status/statuswatch.h"
#include "app/tasks/taskbook.h"
#include "app/tray/trayicon.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QCloseEvent>
#include <QDateTime>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace deskhand::app {
namespace {

constexpr int kRecentShown = 5;
constexpr int kTaskIdRole = Qt::UserRole;
constexpr int kRequestIdRole = Qt::UserRole + 1;

QLabel *wrappingLabel(const QString &name, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

StateRow::StateRow(const QString &key, QWidget *parent)
    : QWidget(parent)
    , m_icon(new QLabel(this))
    , m_title(new QLabel(this))
    , m_since(new QLabel(this))
    , m_cause(wrappingLabel(key + "Cause"_L1, this))
    , m_details(wrappingLabel(key + "Details"_L1, this))
    , m_more(new QToolButton(this))
    , m_button(new QPushButton(this))
{
    setObjectName(key + "Row"_L1);
    m_title->setObjectName(key + "State"_L1);
    m_title->setTextFormat(Qt::RichText);
    m_since->setObjectName(key + "Since"_L1);
    m_since->setForegroundRole(QPalette::PlaceholderText);
    m_button->setObjectName(key + "Button"_L1);
    m_button->setAutoDefault(false);
    m_more->setObjectName(key + "More"_L1);
    m_more->setText(tr("Details"));
    m_more->setCheckable(true);
    m_more->setAutoRaise(true);
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setArrowType(Qt::RightArrow);
    m_details->hide();

    auto *line = new QHBoxLayout;
    line->addWidget(m_icon);
    line->addWidget(m_title);
    line->addWidget(m_since);
    line->addStretch();
    line->addWidget(m_more);
    line->addWidget(m_button);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(line);
    auto *below = new QVBoxLayout;
    below->setContentsMargins(24, 0, 0, 0);
    below->addWidget(m_cause);
    below->addWidget(m_details);
    layout->addLayout(below);

    connect(m_button, &QPushButton::clicked, this, [this] { Q_EMIT stepChosen(m_step); });
    connect(m_more, &QToolButton::toggled, this, [this](bool open) {
        m_more->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        m_details->setVisible(open);
    });
}

void StateRow::show(const PartView &part, qint64 sinceMs)
{
    m_step = part.step;
    m_icon->setPixmap(moodIcon(part.mood).pixmap(16, 16));
    m_title->setText(u"<b>%1</b>: %2"_s.arg(part.name.toHtmlEscaped(), part.state.toHtmlEscaped()));
    m_since->setText(sinceMs > 0 ? tr("since %1").arg(Wording::moment(sinceMs)) : QString());
    m_cause->setText(visibleText(part.cause, true));
    m_cause->setVisible(!part.cause.isEmpty());
    m_button->setText(part.stepLabel);
    m_button->setVisible(part.step != Step::None);
    m_button->setAccessibleName(u"%1: %2"_s.arg(part.name, part.stepLabel));
    m_more->setAccessibleName(tr("Details of %1").arg(part.name));
    m_more->setVisible(!part.details.isEmpty());
    m_details->setText(visibleText(part.details.join(u'\n'), true));
    m_details->setVisible(m_more->isChecked() && !part.details.isEmpty());
    setAccessibleName(u"%1: %2"_s.arg(part.name, part.state));
}

StatusWindow::StatusWindow(Core &core, StatusWatch &watch, TaskBook &book, PauseClock &pause,
    Preferences &preferences, QWidget *parent)
    : QWidget(parent)
    , m_core(core)
    , m_watch(watch)
    , m_book(book)
    , m_pause(pause)
    , m_preferences(preferences)
    , m_hint(wrappingLabel(u"hint"_s, this))
    , m_problems(wrappingLabel(u"problems"_s, this))
    , m_list(new QTreeWidget(this))
    , m_pauseButton(new QPushButton(this))
{
    setObjectName(u"statusWindow"_s);
    setWindowTitle(tr("Deskhand"));
    resize(440, 540);
    m_hint->hide();
    m_problems->hide();

    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_hint);
    for (const QString &key : { u"link"_s, u"engine"_s, u"sandbox"_s, u"secrets"_s }) {
        auto *row = new StateRow(key, this);
        connect(row, &StateRow::stepChosen, this, &StatusWindow::stepChosen);
        m_rows.append(row);
        layout->addWidget(row);
    }
    layout->addWidget(m_problems);

    m_list->setObjectName(u"workList"_s);
    m_list->setAccessibleName(tr("Requests and tasks"));
    m_list->setColumnCount(2);
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    layout->addWidget(m_list, 1);
    connect(m_list, &QTreeWidget::itemClicked, this, &StatusWindow::onItemChosen);
    connect(m_list, &QTreeWidget::itemActivated, this, &StatusWindow::onItemChosen);

    auto *buttons = new QHBoxLayout;
    const auto button = [&](const QString &text, const QString &name, auto signal) {
        auto *push = new QPushButton(text, this);
        push->setObjectName(name);
        push->setAutoDefault(false);
        connect(push, &QPushButton::clicked, this, signal);
        buttons->addWidget(push);
    };
    button(tr("&New task…"), u"newTaskButton"_s, &StatusWindow::newTaskChosen);
    button(tr("&Tasks"), u"tasksButton"_s, &StatusWindow::tasksChosen);
    m_pauseButton->setObjectName(u"pauseButton"_s);
    m_pauseButton->setAutoDefault(false);
    buttons->addWidget(m_pauseButton);
    connect(m_pauseButton, &QPushButton::clicked, this, [this] {
        if (m_watch.status().paused) {
            m_pause.resume();
        } else {
            m_pause.pauseUntilResumed();
        }
    });
    button(tr("&Settings"), u"settingsButton"_s, &StatusWindow::settingsChosen);
    button(tr("&Logs"), u"logsButton"_s, &StatusWindow::logsChosen);
    layout->addLayout(buttons);

    connect(&watch, &StatusWatch::changed, this, &StatusWindow::refreshParts);
    m_listTimer.setSingleShot(true);
    m_listTimer.setInterval(50ms);
    connect(&m_listTimer, &QTimer::timeout, this, &StatusWindow::refreshLists);
    const auto soon = [this] {
        if (!m_listTimer.isActive()) {
            m_listTimer.start();
        }
    };
    connect(&book, &TaskBook::changed, this, soon);
    connect(&core, &Core::requestOpened, this, soon);
    connect(&core, &Core::requestClosed, this, soon);
    // Times and the countdown move only while somebody can see them.
    m_tick.setInterval(1s);
    connect(&m_tick, &QTimer::timeout, this, &StatusWindow::refreshParts);
    refreshParts();
    refreshLists();
    preferences.restorePlace(*this);
}

void StatusWindow::setHint(const QString &sentence)
{
    m_hint->setText(sentence);
    m_hint->setVisible(!sentence.isEmpty());
}

void StatusWindow::refreshParts()
{
    const QList<PartView> parts = m_watch.parts();
    for (qsizetype i = 0; i < parts.size(); ++i) {
        m_rows.at(i)->show(parts.at(i), m_watch.since(parts.at(i).key));
    }
    const StatusSnapshot status = m_watch.status();
    m_problems->setText(visibleText(status.problems.join(u'\n'), true));
    m_problems->setVisible(!status.problems.isEmpty());
    m_pauseButton->setText(status.paused ? tr("Res&ume") : tr("&Pause"));
}

void StatusWindow::refreshLists()
{
    m_list->clear();
    const auto group = [this](const QString &text) {
        auto *item = new QTreeWidgetItem(m_list, { text });
        item->setFlags(Qt::ItemIsEnabled);
        QFont bold = font();
        bold.setBold(true);
        item->setFont(0, bold);
        item->setExpanded(true);
        return item;
    };
    const auto addTasks = [&](const QString &heading, const QList<tasks::TaskSummary> &list) {
        if (list.isEmpty()) {
            return;
        }
        QTreeWidgetItem *parent = group(heading);
        for (const tasks::TaskSummary &task : list) {
            auto *item = new QTreeWidgetItem(
                parent, { Wording::oneLine(task.title, 80), Wording::taskState(task.state) });
            item->setToolTip(0, visibleText(task.cwd));
            item->setData(0, kTaskIdRole, task.taskId);
        }
    };

    const auto requests = m_core.requests();
    if (!requests.isEmpty()) {
        QTreeWidgetItem *parent = group(tr("Requests (%1)").arg(requests.size()));
        for (const engines::PermissionRequest &request : requests) {
            const auto task = m_book.find(request.taskId);
            auto *item = new QTreeWidgetItem(parent,
                { Wording::requestSentence(request),
                    task ? Wording::oneLine(task->title, 24) : QString() });
            item->setData(0, kRequestIdRole, request.id);
        }
    }
    const auto running = m_book.running();
    addTasks(tr("Running (%1)").arg(running.size()), running);
    const auto queued = m_book.queued();
    addTasks(tr("Queued (%1)").arg(queued.size()), queued);
    auto recent = m_book.ended();
    if (recent.size() > kRecentShown) {
        recent.resize(kRecentShown);
    }
    addTasks(tr("Recent"), recent);
    if (m_list->topLevelItemCount() == 0) {
        auto *item = new QTreeWidgetItem(
            m_list, { tr("No tasks yet. Start one here or from the web workspace.") });
        item->setFlags(Qt::ItemIsEnabled);
        item->setFirstColumnSpanned(true);
    }
    m_list->expandAll();
}

void StatusWindow::onItemChosen(QTreeWidgetItem *item)
{
    const QString request = item->data(0, kRequestIdRole).toString();
    const QString task = item->data(0, kTaskIdRole).toString();
    if (!request.isEmpty()) {
        Q_EMIT requestChosen(request);
    } else if (!task.isEmpty()) {
        Q_EMIT taskChosen(task);
    }
}

void StatusWindow::closeEvent(QCloseEvent *event)
{
    m_preferences.savePlace(*this);
    if (event->spontaneous()) {
        // The desktop decides what closing means; until then the window stays.
        event->ignore();
        Q_EMIT closedByOwner();
        return;
    }
    QWidget::closeEvent(event);
}

void StatusWindow::showEvent(QShowEvent *event)
{
    m_tick.start();
    refreshParts();
    QWidget::showEvent(event);
}

void StatusWindow::hideEvent(QHideEvent *event)
{
    m_tick.stop();
    QWidget::hideEvent(event);
}

} // namespace deskhand::app
