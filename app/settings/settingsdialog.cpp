// SPDX-License-Identifier: Apache-2.0
#include "app/settings/settingsdialog.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/settings/accountpage.h"
#include "app/settings/enginepage.h"
#include "app/settings/logspage.h"
#include "app/settings/modelspage.h"
#include "app/settings/permissionspage.h"
#include "app/settings/sandboxpage.h"
#include "app/wording.h"
#include "executor/logging/log.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QStackedWidget>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace deskhand::app {
namespace {

constexpr auto kUndoTime = 10s;

} // namespace

SettingsDialog::SettingsDialog(Core &core, const QString &logFolder, QWidget *parent)
    : QDialog(parent)
    , m_core(core)
    , m_search(new QLineEdit(this))
    , m_searchNote(new FieldNote(u"searchNote"_s, this))
    , m_list(new QListWidget(this))
    , m_stack(new QStackedWidget(this))
    , m_strip(new QWidget(this))
    , m_stripNote(new FieldNote(u"savedNote"_s, this))
    , m_undo(new QPushButton(tr("&Undo"), this))
{
    setObjectName(u"settingsDialog"_s);
    setWindowTitle(tr("Settings - Deskhand"));
    resize(760, 560);
    m_list->setObjectName(u"pages"_s);
    m_list->setAccessibleName(tr("Pages"));
    m_list->setFixedWidth(180);
    m_search->setObjectName(u"search"_s);
    m_search->setFixedWidth(180);
    m_search->setPlaceholderText(tr("Find a setting"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_searchNote->setFixedWidth(180);
    connect(m_search, &QLineEdit::textChanged, this, &SettingsDialog::search);
    auto *findKeys = new QShortcut(QKeySequence::Find, this);
    connect(findKeys, &QShortcut::activated, this, [this] {
        m_search->setFocus();
        m_search->selectAll();
    });
    if (!m_chinese.load(u":/i18n/deskhand_zh_CN.qm"_s)) {
        logging::logger("app")->warn("the Chinese texts are missing");
    }
    addPage(tr("Account and device"), new AccountPage(core));
    addPage(tr("Engine"), new EnginePage(core));
    addPage(tr("Permissions"), new PermissionsPage(core));
    addPage(tr("Sandbox"), new SandboxPage(core));
    addPage(tr("Models"), new ModelsPage(core));
    addPage(tr("Logs"), new LogsPage(core, logFolder));
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0) {
            m_pages.at(row)->refresh();
            m_stack->setCurrentIndex(row);
        }
    });

    m_undo->setObjectName(u"undo"_s);
    m_undo->setAutoDefault(false);
    auto *strip = new QHBoxLayout(m_strip);
    strip->setContentsMargins(0, 0, 0, 0);
    strip->addWidget(m_stripNote, 1);
    strip->addWidget(m_undo);
    m_strip->setObjectName(u"undoStrip"_s);
    m_strip->hide();
    m_stripTimer.setSingleShot(true);
    m_stripTimer.setInterval(kUndoTime);
    connect(&m_stripTimer, &QTimer::timeout, m_strip, &QWidget::hide);
    connect(m_undo, &QPushButton::clicked, this, &SettingsDialog::undo);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setText(tr("&Close"));
    // Return in a field ends the editing; it must not close the dialog.
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);

    auto *left = new QVBoxLayout;
    left->addWidget(m_search);
    left->addWidget(m_searchNote);
    left->addWidget(m_list, 1);
    auto *middle = new QHBoxLayout;
    middle->addLayout(left);
    middle->addWidget(m_stack, 1);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(middle, 1);
    layout->addWidget(m_strip);
    layout->addWidget(buttons);
    connect(&core, &Core::settingsChanged, this, [this] {
        for (SettingsPage *page : std::as_const(m_pages)) {
            page->refresh();
        }
    });
    m_list->setCurrentRow(0);
    m_list->setFocus();
}

void SettingsDialog::search(const QString &text)
{
    const bool any = !text.trimmed().isEmpty();
    int first = -1;
    QWidget *firstField = nullptr;
    bool currentFits = false;
    for (int row = 0; row < m_list->count(); ++row) {
        const QList<QWidget *> fields = m_pages.at(row)->search(text, m_chinese);
        const bool fits = !any || !fields.isEmpty()
            || m_list->item(row)->text().contains(text.trimmed(), Qt::CaseInsensitive);
        m_list->setRowHidden(row, !fits);
        if (!fits) {
            continue;
        }
        const bool current = row == m_list->currentRow();
        currentFits = currentFits || current;
        if (first < 0) {
            first = row;
        }
        if (!fields.isEmpty() && (firstField == nullptr || current)) {
            firstField = fields.first();
        }
    }
    m_searchNote->showRemark(any && first < 0 ? tr("No setting is called so.") : QString());
    if (any && first >= 0) {
        if (!currentFits) {
            m_list->setCurrentRow(first);
        }
        if (firstField != nullptr) {
            if (auto *scroll = qobject_cast<QScrollArea *>(m_stack->currentWidget())) {
                scroll->ensureWidgetVisible(firstField);
            }
        }
    }
}

void SettingsDialog::addPage(const QString &title, SettingsPage *page)
{
    auto *scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(page);
    m_stack->addWidget(scroll);
    m_list->addItem(title);
    m_pages.append(page);
    connect(page, &SettingsPage::changed, this, &SettingsDialog::onChanged);
}

void SettingsDialog::showPage(Page page)
{
    m_list->setCurrentRow(static_cast<int>(page));
}

void SettingsDialog::onChanged(const settings::ExecutorSettings &before)
{
    m_before = before;
    m_stripNote->showRemark(tr("Saved."));
    m_undo->show();
    m_strip->show();
    m_stripTimer.start();
}

void SettingsDialog::undo()
{
    m_undo->hide();
    m_core.updateSettings(m_before, guarded(this, [this](const Result<> &result) {
        if (result) {
            m_stripNote->showRemark(tr("Undone."));
        } else {
            m_stripNote->showError(Wording::failure(result.error()));
        }
        m_stripTimer.start();
    }));
}

} // namespace deskhand::app
