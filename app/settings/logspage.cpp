// SPDX-License-Identifier: Apache-2.0
#include "app/settings/logspage.h"

#include "app/fieldnote.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QUrl>

using namespace Qt::StringLiterals;

namespace deskhand::app {

LogsPage::LogsPage(Core &core, const QString &folder, QWidget *parent)
    : SettingsPage(core, parent)
    , m_level(new QComboBox(this))
    , m_levelNote(new FieldNote(u"logLevelNote"_s, this))
    , m_folder(new QLineEdit(QDir::toNativeSeparators(folder), this))
{
    setObjectName(u"logsPage"_s);
    addHeading(QT_TR_NOOP("Logs"));
    m_level->setObjectName(u"logLevel"_s);
    m_level->addItem(tr("Errors only"), u"error"_s);
    m_level->addItem(tr("Warnings and errors"), u"warn"_s);
    m_level->addItem(tr("Normal"), u"info"_s);
    m_level->addItem(tr("Detailed"), u"debug"_s);
    m_level->addItem(tr("Everything"), u"trace"_s);
    addField(QT_TR_NOOP("&Written to the log:"), m_level, m_levelNote);
    addKeywords(QT_TR_NOOP("log level debug trace verbose diagnosis"));
    m_folder->setObjectName(u"logFolder"_s);
    m_folder->setReadOnly(true);
    auto *open = new QPushButton(tr("&Open folder"), this);
    open->setObjectName(u"openLogFolder"_s);
    open->setAutoDefault(false);
    auto *line = new QHBoxLayout;
    line->addWidget(m_folder, 1);
    line->addWidget(open);
    addField(QT_TR_NOOP("&Folder of the log files:"), line, m_folder, nullptr);
    finish();

    connect(m_level, &QComboBox::activated, this, [this] {
        const QString level = m_level->currentData().toString();
        change([level](settings::ExecutorSettings &s) { s.logLevel = level; }, m_levelNote);
    });
    connect(open, &QPushButton::clicked, this,
        [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
    refresh();
}

void LogsPage::refresh()
{
    const QString level = core().settings().logLevel;
    m_level->setCurrentIndex(m_level->findData(level));
    m_levelNote->showRemark(level == "debug"_L1 || level == "trace"_L1
            ? tr("Takes more room on the disk. Keys and tokens are never written.")
            : QString());
}

} // namespace deskhand::app
