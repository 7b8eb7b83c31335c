// SPDX-License-Identifier: Apache-2.0
#include "app/tasks/historywindow.h"

#include "app/guarded.h"
#include "app/preferences.h"
#include "app/tasks/taskbook.h"
#include "app/tasks/taskmodel.h"
#include "app/wording.h"

#include <QClipboard>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTabBar>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace deskhand::app {

/// Rows of the chosen tab whose title or folder holds the text.
class TaskFilter final : public QSortFilterProxyModel
{
public:
    enum Tab { Active, Waiting, Ended, All };

    TaskFilter(TaskModel &model, QObject *parent)
        : QSortFilterProxyModel(parent)
        , m_model(model)
    {
        setSourceModel(&model);
        setSortRole(TaskModel::kSortRole);
        setSortCaseSensitivity(Qt::CaseInsensitive);
    }
    void setTab(int tab)
    {
        m_tab = tab;
        invalidateFilter();
    }
    void setText(const QString &text)
    {
        m_text = text;
        invalidateFilter();
    }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &) const override
    {
        const tasks::TaskSummary &task = m_model.task(row);
        const bool over = TaskBook::isOver(task.state);
        const bool waiting = task.state == tasks::TaskState::WaitingForYou
            || task.state == tasks::TaskState::Queued || task.openRequests > 0;
        if ((m_tab == Active && over) || (m_tab == Ended && !over)
            || (m_tab == Waiting && (over || !waiting))) {
            return false;
        }
        return m_text.isEmpty() || task.title.contains(m_text, Qt::CaseInsensitive)
            || task.cwd.contains(m_text, Qt::CaseInsensitive);
    }

private:
    TaskModel &m_model;
    int m_tab = All;
    QString m_text;
};

HistoryWindow::HistoryWindow(Core &core, TaskBook &book, Preferences &preferences, QWidget *parent)
    : QWidget(parent)
    , m_core(core)
    , m_preferences(preferences)
    , m_model(new TaskModel(book, this))
    , m_filter(new TaskFilter(*m_model, this))
    , m_tabs(new QTabBar(this))
    , m_search(new QLineEdit(this))
    , m_table(new QTableView(this))
    , m_message(new QLabel(this))
{
    setObjectName(u"historyWindow"_s);
    setWindowTitle(tr("Tasks and history - Deskhand"));
    resize(820, 480);

    m_tabs->setObjectName(u"tabs"_s);
    for (const QString &tab : { tr("Active"), tr("Waiting"), tr("Finished"), tr("All") }) {
        m_tabs->addTab(tab);
    }
    m_tabs->setCurrentIndex(TaskFilter::All);
    m_tabs->setDrawBase(false);
    m_search->setObjectName(u"search"_s);
    m_search->setPlaceholderText(tr("Filter by title or folder"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    auto *top = new QHBoxLayout;
    top->addWidget(m_tabs);
    top->addWidget(m_search, 1);

    m_table->setObjectName(u"tasks"_s);
    m_table->setAccessibleName(tr("Tasks"));
    m_table->setModel(m_filter);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(TaskModel::Started, Qt::DescendingOrder);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setSectionResizeMode(TaskModel::Title, QHeaderView::Stretch);
    m_table->horizontalHeader()->resizeSection(TaskModel::Folder, 130);

    m_message->setObjectName(u"message"_s);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->hide();

    auto *buttons = new QHBoxLayout;
    const auto button = [&](const QString &text, const QString &name) {
        auto *push = new QPushButton(text, this);
        push->setObjectName(name);
        push->setAutoDefault(false);
        buttons->addWidget(push);
        return push;
    };
    m_open = button(tr("&Open"), u"open"_s);
    m_stop = button(tr("&Stop"), u"stop"_s);
    m_folder = button(tr("Open &folder"), u"openFolder"_s);
    m_copy = button(tr("&Copy id"), u"copyId"_s);
    buttons->addStretch();
    QPushButton *newTask = button(tr("&New task…"), u"newTask"_s);

    auto *layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_message);
    layout->addLayout(buttons);

    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_filter->setTab(tab);
        refreshActions();
    });
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_filter->setText(text.trimmed());
        refreshActions();
    });
    connect(m_table, &QTableView::activated, this, &HistoryWindow::openSelected);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
        &HistoryWindow::refreshActions);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &HistoryWindow::refreshActions);
    connect(m_model, &QAbstractItemModel::modelReset, this, &HistoryWindow::refreshActions);
    connect(m_open, &QPushButton::clicked, this, &HistoryWindow::openSelected);
    connect(m_stop, &QPushButton::clicked, this, &HistoryWindow::stopSelected);
    connect(m_folder, &QPushButton::clicked, this, &HistoryWindow::openFolder);
    connect(m_copy, &QPushButton::clicked, this, &HistoryWindow::copyId);
    connect(newTask, &QPushButton::clicked, this, &HistoryWindow::newTaskChosen);
    refreshActions();
    preferences.restorePlace(*this);
}

const tasks::TaskSummary *HistoryWindow::selected() const
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? nullptr : &m_model->task(m_filter->mapToSource(rows.first()).row());
}

void HistoryWindow::openSelected()
{
    if (const tasks::TaskSummary *task = selected()) {
        Q_EMIT taskChosen(task->taskId);
    }
}

void HistoryWindow::stopSelected()
{
    if (const tasks::TaskSummary *task = selected()) {
        m_core.stopTask(task->taskId, guarded(this, [this](const Result<> &result) {
            m_message->setText(result ? QString() : Wording::failure(result.error()));
            m_message->setVisible(!result);
        }));
    }
}

void HistoryWindow::openFolder()
{
    if (const tasks::TaskSummary *task = selected()) {
        QDesktopServices::openUrl(QUrl::fromLocalFile(task->cwd));
    }
}

void HistoryWindow::copyId()
{
    if (const tasks::TaskSummary *task = selected()) {
        QGuiApplication::clipboard()->setText(task->taskId);
    }
}

void HistoryWindow::refreshActions()
{
    const tasks::TaskSummary *task = selected();
    m_open->setEnabled(task != nullptr);
    m_copy->setEnabled(task != nullptr);
    m_stop->setEnabled(task != nullptr && !TaskBook::isOver(task->state));
    m_folder->setEnabled(task != nullptr && QFileInfo(task->cwd).isDir());
    if (m_model->rowCount() == 0) {
        m_message->setText(tr("No tasks yet. Start one here or from the web workspace."));
        m_message->show();
    } else if (m_message->isVisible() && m_filter->rowCount() > 0) {
        m_message->hide();
    }
}

void HistoryWindow::closeEvent(QCloseEvent *event)
{
    m_preferences.savePlace(*this);
    QWidget::closeEvent(event);
}

} // namespace deskhand::app
