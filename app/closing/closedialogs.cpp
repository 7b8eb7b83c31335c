// SPDX-License-Identifier: Apache-2.0
#include "app/closing/closedialogs.h"

#include "app/wording.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

QLabel *paragraph(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

QListWidget *taskList(const QList<tasks::TaskSummary> &tasks, QWidget *parent)
{
    auto *list = new QListWidget(parent);
    list->setObjectName(u"taskList"_s);
    for (const tasks::TaskSummary &task : tasks) {
        list->addItem(
            u"%1 - %2"_s.arg(Wording::oneLine(task.title, 60), Wording::taskState(task.state)));
    }
    list->setSelectionMode(QAbstractItemView::NoSelection);
    list->setMaximumHeight(140);
    return list;
}

} // namespace

CloseDialog::CloseDialog(QWidget *parent)
    : QDialog(parent)
    , m_remember(new QCheckBox(tr("Do &not ask again"), this))
{
    setObjectName(u"closeDialog"_s);
    setWindowTitle(tr("Keep Deskhand running?"));
    m_remember->setObjectName(u"remember"_s);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(paragraph(
        tr("Deskhand can stay in the tray and go on taking tasks when its window is closed."),
        this));
    layout->addWidget(m_remember);
    auto *buttons = new QDialogButtonBox(this);
    QPushButton *keep = buttons->addButton(tr("&Keep in background"), QDialogButtonBox::AcceptRole);
    keep->setObjectName(u"keep"_s);
    keep->setDefault(true);
    QPushButton *quit = buttons->addButton(tr("&Quit"), QDialogButtonBox::DestructiveRole);
    quit->setObjectName(u"quit"_s);
    layout->addWidget(buttons);
    connect(keep, &QPushButton::clicked, this, [this] {
        Q_EMIT keepRunningChosen();
        accept();
    });
    connect(quit, &QPushButton::clicked, this, [this] {
        Q_EMIT quitChosen();
        accept();
    });
}

bool CloseDialog::doNotAskAgain() const
{
    return m_remember->isChecked();
}

QuitDialog::QuitDialog(
    const QList<tasks::TaskSummary> &running, int queued, int requests, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(u"quitDialog"_s);
    setWindowTitle(tr("Quit Deskhand"));
    resize(480, 260);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(paragraph(
        tr("%n task(s) still running:", nullptr, static_cast<int>(running.size())), this));
    layout->addWidget(taskList(running, this));
    if (queued > 0) {
        layout->addWidget(
            paragraph(tr("%n queued task(s) will not be started.", nullptr, queued), this));
    }
    if (requests > 0) {
        layout->addWidget(
            paragraph(tr("%n request(s) wait for your decision.", nullptr, requests), this));
    }
    auto *buttons = new QDialogButtonBox(this);
    QPushButton *finish
        = buttons->addButton(tr("&Finish tasks, then quit"), QDialogButtonBox::AcceptRole);
    finish->setObjectName(u"finishFirst"_s);
    finish->setDefault(true);
    QPushButton *stop
        = buttons->addButton(tr("&Stop tasks and quit"), QDialogButtonBox::DestructiveRole);
    stop->setObjectName(u"stopNow"_s);
    QPushButton *cancel = buttons->addButton(QDialogButtonBox::Cancel);
    cancel->setText(tr("Cancel"));
    cancel->setObjectName(u"cancel"_s);
    layout->addWidget(buttons);
    connect(finish, &QPushButton::clicked, this, [this] {
        Q_EMIT finishFirstChosen();
        accept();
    });
    connect(stop, &QPushButton::clicked, this, [this] {
        Q_EMIT stopNowChosen();
        accept();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

StopAllDialog::StopAllDialog(const QList<tasks::TaskSummary> &tasks, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(u"stopAllDialog"_s);
    setWindowTitle(tr("Stop all tasks"));
    resize(480, 240);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(paragraph(tr("These tasks will be stopped:"), this));
    layout->addWidget(taskList(tasks, this));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    QPushButton *stop = buttons->addButton(tr("&Stop all"), QDialogButtonBox::AcceptRole);
    stop->setObjectName(u"stopAll"_s);
    buttons->button(QDialogButtonBox::Cancel)->setDefault(true);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

} // namespace deskhand::app
