// SPDX-License-Identifier: Apache-2.0
#include "app/tasks/newtaskdialog.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/preferences.h"
#include "app/wording.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace deskhand::app {

NewTaskDialog::NewTaskDialog(Core &core, Preferences &preferences, QWidget *parent)
    : QDialog(parent)
    , m_core(core)
    , m_preferences(preferences)
    , m_folder(new QLineEdit(this))
    , m_folderNote(new FieldNote(u"folderNote"_s, this))
    , m_prompt(new QPlainTextEdit(this))
    , m_level(new QComboBox(this))
    , m_levelNote(new FieldNote(u"levelNote"_s, this))
    , m_error(new FieldNote(u"error"_s, this))
{
    setObjectName(u"newTaskDialog"_s);
    setWindowTitle(tr("New task"));
    resize(560, 400);

    m_folder->setObjectName(u"folder"_s);
    m_folder->setText(QDir::toNativeSeparators(preferences.lastFolder()));
    auto *browse = new QPushButton(tr("&Browse…"), this);
    browse->setObjectName(u"browse"_s);
    browse->setAutoDefault(false);
    auto *folderLine = new QHBoxLayout;
    folderLine->addWidget(m_folder, 1);
    folderLine->addWidget(browse);
    auto *folderColumn = new QVBoxLayout;
    folderColumn->setSpacing(2);
    folderColumn->addLayout(folderLine);
    folderColumn->addWidget(m_folderNote);

    m_prompt->setObjectName(u"prompt"_s);
    m_prompt->setPlaceholderText(tr("What should be done?"));
    m_prompt->setTabChangesFocus(true);
    m_level->setObjectName(u"level"_s);
    auto *levelColumn = new QVBoxLayout;
    levelColumn->setSpacing(2);
    levelColumn->addWidget(m_level);
    levelColumn->addWidget(m_levelNote);

    auto *form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto row = [&](const QString &text, QWidget *buddy, auto *content) {
        auto *label = new QLabel(text, this);
        label->setBuddy(buddy);
        form->addRow(label, content);
    };
    row(tr("&Folder:"), m_folder, folderColumn);
    row(tr("&Task:"), m_prompt, m_prompt);
    row(tr("Permission &level:"), m_level, levelColumn);

    auto *buttons = new QDialogButtonBox(this);
    m_start = buttons->addButton(tr("&Start"), QDialogButtonBox::AcceptRole);
    m_start->setObjectName(u"start"_s);
    m_start->setToolTip(QKeySequence(Qt::CTRL | Qt::Key_Return).toString(QKeySequence::NativeText));
    buttons->addButton(QDialogButtonBox::Cancel)->setText(tr("Cancel"));

    auto *layout = new QVBoxLayout(this);
    layout->addLayout(form, 1);
    layout->addWidget(m_error);
    layout->addWidget(buttons);

    connect(browse, &QPushButton::clicked, this, &NewTaskDialog::chooseFolder);
    connect(m_folder, &QLineEdit::editingFinished, this, [this] { std::ignore = checkFolder(); });
    connect(m_prompt, &QPlainTextEdit::textChanged, this,
        [this] { m_start->setEnabled(!m_prompt->toPlainText().trimmed().isEmpty()); });
    connect(buttons, &QDialogButtonBox::accepted, this, &NewTaskDialog::start);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *shortcut = new QShortcut(Qt::CTRL | Qt::Key_Return, this);
    connect(shortcut, &QShortcut::activated, this, &NewTaskDialog::start);
    connect(m_level, &QComboBox::currentIndexChanged, this, [this] {
        m_levelNote->showRemark(Wording::profileExplained(m_level->currentData().toString()));
    });
    fillLevels();
    m_start->setEnabled(false);
    (m_folder->text().isEmpty() ? static_cast<QWidget *>(m_folder) : m_prompt)->setFocus();
}

void NewTaskDialog::fillLevels()
{
    // Nothing above the device's ceiling is offered.
    const settings::ExecutorSettings settings = m_core.settings();
    for (const QString &level : { u":read-only"_s, u":workspace"_s, u":danger-full-access"_s }) {
        m_level->addItem(Wording::profile(level), level);
        if (level == settings.ceiling) {
            break;
        }
    }
    const int preset = m_level->findData(settings.defaultProfile);
    m_level->setCurrentIndex(preset >= 0 ? preset : m_level->count() - 1);
    m_levelNote->showRemark(Wording::profileExplained(m_level->currentData().toString()));
}

void NewTaskDialog::chooseFolder()
{
    auto *dialog = new QFileDialog(this, tr("Choose the task's folder"), m_folder->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &folder) {
        m_folder->setText(QDir::toNativeSeparators(folder));
        std::ignore = checkFolder();
    });
    dialog->open();
}

bool NewTaskDialog::checkFolder()
{
    const QString folder = QDir::fromNativeSeparators(m_folder->text().trimmed());
    const QFileInfo info(folder);
    if (folder.isEmpty()) {
        m_folderNote->showError(tr("Choose the folder the task works in."));
    } else if (info.isRelative()) {
        m_folderNote->showError(tr("Give the whole path of the folder."));
    } else if (!info.exists()) {
        m_folderNote->showError(tr("This folder does not exist."));
    } else if (!info.isDir()) {
        m_folderNote->showError(tr("This is not a folder."));
    } else {
        m_folderNote->clearNote();
        return true;
    }
    return false;
}

void NewTaskDialog::start()
{
    const QString prompt = m_prompt->toPlainText().trimmed();
    if (!m_start->isEnabled() || prompt.isEmpty()) {
        return;
    }
    if (!checkFolder()) {
        m_folder->setFocus();
        return;
    }
    LocalTask task;
    task.prompt = prompt;
    task.cwd = QDir::cleanPath(QDir::fromNativeSeparators(m_folder->text().trimmed()));
    task.profile = m_level->currentData().toString();
    m_preferences.setLastFolder(task.cwd);
    m_start->setEnabled(false);
    m_error->clearNote();
    m_core.startLocalTask(task, guarded(this, [this](const Result<QString> &result) {
        if (!result) {
            m_error->showError(Wording::failure(result.error()));
            m_start->setEnabled(true);
            return;
        }
        Q_EMIT taskStarted(*result);
        accept();
    }));
}

} // namespace deskhand::app
