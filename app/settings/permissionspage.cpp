// SPDX-License-Identifier: Apache-2.0
#include "app/settings/permissionspage.h"

#include "app/fieldnote.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

const QString kFullAccess = u":danger-full-access"_s;

QStringList levels()
{
    return { u":read-only"_s, u":workspace"_s, kFullAccess };
}

} // namespace

PermissionsPage::PermissionsPage(Core &core, QWidget *parent)
    : SettingsPage(core, parent)
    , m_level(new QComboBox(this))
    , m_levelNote(new FieldNote(u"levelNote"_s, this))
    , m_ceiling(new QComboBox(this))
    , m_ceilingNote(new FieldNote(u"ceilingNote"_s, this))
    , m_confirm(new QWidget(this))
    , m_confirmText(new QLineEdit(m_confirm))
    , m_confirmButton(new QPushButton(tr("Allow &full access"), m_confirm))
    , m_minutes(new QSpinBox(this))
    , m_forEver(new QCheckBox(tr("&Wait for ever"), this))
    , m_limitNote(new FieldNote(u"limitNote"_s, this))
    , m_roots(new QListWidget(this))
    , m_addRoot(new QPushButton(tr("&Add…"), this))
    , m_removeRoot(new QPushButton(tr("&Remove"), this))
    , m_rootsNote(new FieldNote(u"rootsNote"_s, this))
{
    setObjectName(u"permissionsPage"_s);
    addHeading(QT_TR_NOOP("Levels"));
    m_level->setObjectName(u"defaultLevel"_s);
    addField(QT_TR_NOOP("&Default level:"), m_level, m_levelNote);
    addKeywords(QT_TR_NOOP("permission read only workspace full access profile"));
    m_ceiling->setObjectName(u"ceiling"_s);
    for (const QString &level : levels()) {
        m_ceiling->addItem(Wording::profile(level), level);
    }
    addField(QT_TR_NOOP("Highest level any task may &get:"), m_ceiling, m_ceilingNote);
    addKeywords(QT_TR_NOOP("device ceiling full access limit"));

    // Raising the ceiling to full access needs the device's name typed, not a stray click.
    m_confirm->setObjectName(u"confirmFullAccess"_s);
    m_confirmText->setObjectName(u"confirmText"_s);
    m_confirmText->setAccessibleName(tr("Device name, to confirm"));
    m_confirmButton->setObjectName(u"confirmButton"_s);
    m_confirmButton->setAutoDefault(false);
    m_confirmButton->setEnabled(false);
    auto *confirm = new QHBoxLayout(m_confirm);
    confirm->setContentsMargins(0, 0, 0, 0);
    confirm->addWidget(m_confirmText, 1);
    confirm->addWidget(m_confirmButton);
    addField({}, m_confirm);
    m_confirm->hide();

    addHeading(QT_TR_NOOP("Requests"));
    m_minutes->setObjectName(u"limitMinutes"_s);
    m_minutes->setRange(1, 24 * 60);
    m_minutes->setSuffix(tr(" min"));
    m_forEver->setObjectName(u"waitForEver"_s);
    auto *limit = new QHBoxLayout;
    limit->addWidget(m_minutes);
    limit->addWidget(m_forEver);
    limit->addStretch();
    addField(QT_TR_NOOP("Unanswered requests are denied aft&er:"), limit, m_minutes, m_limitNote);
    addKeywords(QT_TR_NOOP("time limit wait for ever prompt"));

    addHeading(QT_TR_NOOP("Work folders"));
    m_roots->setObjectName(u"allowedRoots"_s);
    m_roots->setAccessibleName(tr("Folders tasks may work in"));
    m_roots->setMaximumHeight(90);
    m_addRoot->setObjectName(u"addRoot"_s);
    m_removeRoot->setObjectName(u"removeRoot"_s);
    m_addRoot->setAutoDefault(false);
    m_removeRoot->setAutoDefault(false);
    auto *rootButtons = new QVBoxLayout;
    rootButtons->addWidget(m_addRoot);
    rootButtons->addWidget(m_removeRoot);
    rootButtons->addStretch();
    auto *roots = new QHBoxLayout;
    roots->addWidget(m_roots, 1);
    roots->addLayout(rootButtons);
    addField(QT_TR_NOOP("Tasks may &name folders inside:"), roots, m_roots, m_rootsNote);
    addKeywords(QT_TR_NOOP("work folder allowed roots"));

    finish();

    connect(m_level, &QComboBox::activated, this, [this] {
        const QString level = m_level->currentData().toString();
        change([level](settings::ExecutorSettings &s) { s.defaultProfile = level; }, m_levelNote);
    });
    connect(m_ceiling, &QComboBox::activated, this, &PermissionsPage::onCeilingChosen);
    connect(m_confirmText, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_confirmButton->setEnabled(text == this->core().deviceConfig().deviceName);
    });
    connect(m_confirmButton, &QPushButton::clicked, this, [this] { setCeiling(kFullAccess); });
    connect(m_minutes, &QSpinBox::editingFinished, this, &PermissionsPage::applyLimit);
    connect(m_forEver, &QCheckBox::clicked, this, &PermissionsPage::applyLimit);
    connect(m_addRoot, &QPushButton::clicked, this, &PermissionsPage::addRoot);
    connect(m_removeRoot, &QPushButton::clicked, this, &PermissionsPage::removeRoot);
    connect(m_roots, &QListWidget::currentRowChanged, this,
        [this](int row) { m_removeRoot->setEnabled(row >= 0); });
    refresh();
}

void PermissionsPage::refresh()
{
    const settings::ExecutorSettings settings = core().settings();
    const QSignalBlocker quiet(m_minutes);
    m_level->clear();
    for (const QString &level : levels()) {
        m_level->addItem(Wording::profile(level), level);
        if (level == settings.ceiling) {
            break;
        }
    }
    m_level->setCurrentIndex(m_level->findData(settings.defaultProfile));
    m_levelNote->showRemark(Wording::profileExplained(settings.defaultProfile));
    m_ceiling->setCurrentIndex(m_ceiling->findData(settings.ceiling));
    m_ceilingNote->showRemark(
        settings.ceiling == kFullAccess ? Wording::profileExplained(kFullAccess) : QString());
    m_confirm->hide();
    m_confirmText->clear();
    const bool forEver = settings.requestLimitMinutes == 0;
    m_forEver->setChecked(forEver);
    m_minutes->setEnabled(!forEver);
    if (!forEver) {
        m_minutes->setValue(settings.requestLimitMinutes);
    }
    m_roots->clear();
    for (const QString &root : settings.allowedRoots) {
        m_roots->addItem(visibleText(QDir::toNativeSeparators(root)));
    }
    m_removeRoot->setEnabled(m_roots->currentRow() >= 0);
    const QString variable = fixedBy({ "WEGENT_WORKSPACE_ROOTS" });
    if (lock(m_roots, m_rootsNote, variable)) {
        m_removeRoot->setEnabled(false);
    } else {
        m_rootsNote->showRemark(settings.allowedRoots.isEmpty()
                ? tr("None listed: tasks may name any folder you can open.")
                : QString());
    }
    m_addRoot->setEnabled(variable.isEmpty());
}

void PermissionsPage::onCeilingChosen()
{
    const QString level = m_ceiling->currentData().toString();
    if (level != kFullAccess || core().settings().ceiling == kFullAccess) {
        setCeiling(level);
        return;
    }
    m_ceilingNote->showError(
        tr("Commands would run without a sandbox. Type the device name “%1” to confirm.")
            .arg(visibleText(core().deviceConfig().deviceName)));
    m_confirm->show();
    m_confirmText->setFocus();
}

void PermissionsPage::setCeiling(const QString &level)
{
    change(
        [level](settings::ExecutorSettings &s) {
            s.ceiling = level;
            // The default cannot stay above it.
            if (levels().indexOf(s.defaultProfile) > levels().indexOf(level)) {
                s.defaultProfile = level;
            }
        },
        m_ceilingNote);
}

void PermissionsPage::applyLimit()
{
    const int minutes = m_forEver->isChecked() ? 0 : m_minutes->value();
    if (minutes != core().settings().requestLimitMinutes) {
        change([minutes](settings::ExecutorSettings &s) { s.requestLimitMinutes = minutes; },
            m_limitNote);
    }
}

void PermissionsPage::addRoot()
{
    auto *dialog = new QFileDialog(this, tr("Choose a work folder"), QDir::homePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &folder) {
        const QString clean = QDir::cleanPath(folder);
        if (QDir(clean).isRoot()) {
            m_rootsNote->showError(tr("The whole file system cannot be a work folder."));
            return;
        }
        change(
            [clean](settings::ExecutorSettings &s) {
                if (!s.allowedRoots.contains(clean)) {
                    s.allowedRoots.append(clean);
                }
            },
            m_rootsNote);
    });
    dialog->open();
}

void PermissionsPage::removeRoot()
{
    const int row = m_roots->currentRow();
    change(
        [row](settings::ExecutorSettings &s) {
            if (row >= 0 && row < s.allowedRoots.size()) {
                s.allowedRoots.removeAt(row);
            }
        },
        m_rootsNote);
}

} // namespace deskhand::app
