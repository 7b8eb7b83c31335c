// SPDX-License-Identifier: Apache-2.0
#include "app/settings/enginepage.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/status/parts.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>

using namespace Qt::StringLiterals;

namespace deskhand::app {

EnginePage::EnginePage(Core &core, QWidget *parent)
    : SettingsPage(core, parent)
    , m_path(new QLineEdit(this))
    , m_pathNote(new FieldNote(u"pathNote"_s, this))
    , m_state(new QLabel(this))
    , m_browse(new QPushButton(tr("&Browse…"), this))
    , m_restart(new QPushButton(tr("&Restart engine"), this))
    , m_restartNote(new FieldNote(u"restartNote"_s, this))
{
    setObjectName(u"enginePage"_s);
    addHeading(QT_TR_NOOP("Codex"));
    m_path->setObjectName(u"codexPath"_s);
    m_path->setPlaceholderText(tr("Automatic: PATH and the usual places"));
    m_browse->setObjectName(u"browseCodex"_s);
    m_browse->setAutoDefault(false);
    auto *path = new QHBoxLayout;
    path->addWidget(m_path, 1);
    path->addWidget(m_browse);
    addField(QT_TR_NOOP("Engine &program:"), path, m_path, m_pathNote);
    addKeywords(QT_TR_NOOP("codex path binary version"));

    m_state->setObjectName(u"engineState"_s);
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    addField({}, m_state);
    m_restart->setObjectName(u"restartEngine"_s);
    m_restart->setAutoDefault(false);
    auto *line = new QHBoxLayout;
    line->addWidget(m_restart);
    line->addStretch();
    addField({}, line, m_restart, m_restartNote);
    addKeywords(QT_TR_NOOP("restart engine"));
    finish();

    connect(m_path, &QLineEdit::editingFinished, this, &EnginePage::applyPath);
    connect(m_browse, &QPushButton::clicked, this, [this] {
        auto *dialog = new QFileDialog(this, tr("Choose the Codex program"), m_path->text());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &file) {
            m_path->setText(QDir::toNativeSeparators(file));
            applyPath();
        });
        dialog->open();
    });
    connect(m_restart, &QPushButton::clicked, this, &EnginePage::restart);
    connect(&core, &Core::statusChanged, this, &EnginePage::refreshState);
    refresh();
}

void EnginePage::refresh()
{
    if (!m_path->hasFocus()) {
        m_path->setText(QDir::toNativeSeparators(core().settings().codexPath));
    }
    const QString variable = fixedBy({ "CODEX_BINARY_PATH", "CODEX_BIN" });
    lock(m_path, m_pathNote, variable);
    m_browse->setEnabled(variable.isEmpty());
    refreshState();
}

void EnginePage::refreshState()
{
    const PartView part = Parts::engine(core().status());
    QStringList lines { tr("State: %1").arg(part.state) };
    if (!part.cause.isEmpty()) {
        lines << part.cause;
    }
    lines << part.details;
    m_state->setText(visibleText(lines.join(u'\n'), true));
}

void EnginePage::applyPath()
{
    const QString path = QDir::fromNativeSeparators(m_path->text().trimmed());
    if (path == core().settings().codexPath) {
        m_pathNote->clearNote();
        return;
    }
    if (!path.isEmpty()) {
        const QFileInfo info(path);
        if (info.isRelative()) {
            m_pathNote->showError(tr("Give the whole path of the program."));
            return;
        }
        if (!info.isFile()) {
            m_pathNote->showError(tr("There is no such file."));
            return;
        }
        if (!info.isExecutable()) {
            m_pathNote->showError(tr("This file is not a program that can be started."));
            return;
        }
    }
    change([path](settings::ExecutorSettings &s) { s.codexPath = path; }, m_pathNote);
}

void EnginePage::restart()
{
    const int running = core().status().running;
    const auto go = [this] {
        core().restartEngine(guarded(this, [this](const Result<> &result) {
            if (result) {
                m_restartNote->clearNote();
            } else {
                m_restartNote->showError(Wording::failure(result.error()));
            }
        }));
    };
    if (running == 0) {
        go();
        return;
    }
    auto *box = new QMessageBox(QMessageBox::Question, tr("Restart engine"),
        tr("%n running task(s) will be interrupted.", nullptr, running), QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->button(QMessageBox::Cancel)->setText(tr("Cancel"));
    QPushButton *sure = box->addButton(tr("&Restart now"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(sure, &QPushButton::clicked, this, go);
    box->open();
}

} // namespace deskhand::app
