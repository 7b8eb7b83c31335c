// SPDX-License-Identifier: Apache-2.0
#include "app/settings/sandboxpage.h"

#include "app/fieldnote.h"
#include "app/settings/entrylist.h"
#include "app/status/parts.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

using sandbox::OwnerPolicy;
using sandbox::Scratch;

constexpr qint64 kMiB = 1024 * 1024;

} // namespace

SandboxPage::SandboxPage(Core &core, QWidget *parent)
    : SettingsPage(core, parent)
    , m_state(new QLabel(this))
    , m_wall(new QCheckBox(
          tr("&Hide your keys and secret files from the engine's whole process"), this))
    , m_wallNote(new FieldNote(u"wallNote"_s, this))
    , m_secrets(new EntryList(u"secretPaths"_s, tr("A folder or file: /srv/keys, ~/diary"), this))
    , m_secretsNote(new FieldNote(u"secretPathsNote"_s, this))
    , m_allowed(new EntryList(u"allowedHosts"_s, tr("A host, such as *.example.com"), this))
    , m_allowedNote(new FieldNote(u"allowedHostsNote"_s, this))
    , m_denied(new EntryList(u"deniedHosts"_s, tr("A host, such as *.example.com"), this))
    , m_deniedNote(new FieldNote(u"deniedHostsNote"_s, this))
    , m_scratch(new QComboBox(this))
    , m_scratchNote(new FieldNote(u"scratchNote"_s, this))
{
    setObjectName(u"sandboxPage"_s);
    buildState();
    buildHidden();
    buildNetwork();
    buildLimits();
    finish();
    connect(&core, &Core::statusChanged, this, &SandboxPage::refreshState);
    refresh();
}

void SandboxPage::buildState()
{
    addHeading(QT_TR_NOOP("State"));
    m_state->setObjectName(u"sandboxState"_s);
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *check = new QPushButton(tr("&Check again"), this);
    check->setObjectName(u"checkSandbox"_s);
    check->setAutoDefault(false);
    auto *line = new QHBoxLayout;
    line->addWidget(m_state, 1);
    line->addWidget(check, 0, Qt::AlignTop);
    addField({}, line, check, nullptr);
    addKeywords(QT_TR_NOOP("sandbox protection check"));
    m_wall->setObjectName(u"engineWall"_s);
    addField(nullptr, m_wall, m_wallNote);
    addKeywords(QT_TR_NOOP("wall around the engine secrets hide double"));
    connect(check, &QPushButton::clicked, this, [this] { core().checkSandbox(); });
    connect(m_wall, &QCheckBox::clicked, this, [this](bool on) {
        change([on](settings::ExecutorSettings &s) { s.engineWall = on; }, m_wallNote);
    });
}

void SandboxPage::buildHidden()
{
    addHeading(QT_TR_NOOP("Hidden from commands"));
    addField(QT_TR_NOOP("Secret &paths, besides the usual ones:"), m_secrets, m_secretsNote);
    addKeywords(QT_TR_NOOP("secret private hidden folder file keys"));
    QPushButton *browseButton = m_secrets->addButton(tr("Choose…"));
    browseButton->setObjectName(u"chooseSecretPath"_s);
    connect(browseButton, &QPushButton::clicked, this, &SandboxPage::browse);
    connectList(
        m_secrets, m_secretsNote, &OwnerPolicy::secretPaths, [](const QString &path) -> QString {
            if (sandbox::checkSecretPath(path)) {
                return {};
            }
            return tr("“%1” cannot be hidden. Name an absolute path or one that begins with ~/, "
                      "less than the whole disk or home folder, with * in its last part only.")
                .arg(Wording::oneLine(path, 80));
        });
}

void SandboxPage::buildNetwork()
{
    const auto problem = [](const QString &host) -> QString {
        if (sandbox::checkHostPattern(host)) {
            return {};
        }
        return tr("“%1” is no host. Write a name, *.name for its sub-domains or **.name for both.")
            .arg(Wording::oneLine(host, 80));
    };
    addHeading(QT_TR_NOOP("Network of commands"));
    addField(QT_TR_NOOP("Hosts reached &without a question:"), m_allowed, m_allowedNote);
    addKeywords(QT_TR_NOOP("network domain internet allow host"));
    connectList(m_allowed, m_allowedNote, &OwnerPolicy::allowedHosts, problem);
    addField(QT_TR_NOOP("Hosts &never reached:"), m_denied, m_deniedNote);
    addKeywords(QT_TR_NOOP("network domain internet deny block host"));
    connectList(m_denied, m_deniedNote, &OwnerPolicy::deniedHosts, problem);
}

void SandboxPage::buildLimits()
{
    const sandbox::PermissionProfile usual = sandbox::PermissionProfile::workspace();
    const sandbox::LimitPolicy &limits = usual.limits;
    const auto megabytes = [](qint64 bytes) {
        return tr("Usually %1 MB.").arg(QLocale().toString(bytes / kMiB));
    };
    addHeading(QT_TR_NOOP("Temporary files"));
    m_scratch->setObjectName(u"scratch"_s);
    m_scratch->addItem(
        tr("A place of its own for each command"), static_cast<int>(Scratch::Private));
    m_scratch->addItem(tr("This computer's own"), static_cast<int>(Scratch::Host));
    m_scratch->addItem(tr("None"), static_cast<int>(Scratch::None));
    addField(QT_TR_NOOP("Where commands keep &temporary files:"), m_scratch, m_scratchNote);
    addKeywords(QT_TR_NOOP("scratch tmp temporary"));
    connect(m_scratch, &QComboBox::activated, this, [this] {
        const auto scratch = static_cast<Scratch>(m_scratch->currentData().toInt());
        change([scratch](settings::ExecutorSettings &s) { s.sandbox.scratch = scratch; },
            m_scratchNote);
    });
    addLimit(QT_TR_NOOP("&Size of that place:"), QT_TR_NOOP("scratch tmp temporary size"),
        "scratchSize", tr(" MB"), megabytes(usual.files.scratchBytes),
        { &OwnerPolicy::scratchMegabytes, OwnerPolicy::kLeastScratch, OwnerPolicy::kMostScratch, {},
            {}, {} });

    addHeading(QT_TR_NOOP("Limits of a command"));
    addLimit(QT_TR_NOOP("&Memory:"), QT_TR_NOOP("limit memory RAM"), "memory", tr(" MB"),
        megabytes(limits.memoryBytes),
        { &OwnerPolicy::memoryMegabytes, OwnerPolicy::kLeastMemory, OwnerPolicy::kMostMemory, {},
            {}, {} });
    addLimit(QT_TR_NOOP("P&rocesses and threads:"), QT_TR_NOOP("limit processes threads"),
        "processes", {}, tr("Usually %1.").arg(QLocale().toString(limits.processes)),
        { &OwnerPolicy::processes, OwnerPolicy::kLeastProcesses, OwnerPolicy::kMostProcesses, {},
            {}, {} });
    addLimit(QT_TR_NOOP("T&ime:"), QT_TR_NOOP("limit time seconds"), "time", tr(" s"),
        tr("Usually %1 s.")
            .arg(std::chrono::duration_cast<std::chrono::seconds>(limits.wall).count()),
        { &OwnerPolicy::timeSeconds, 1, OwnerPolicy::kMostSeconds, {}, {}, {} });
    addLimit(QT_TR_NOOP("What it may a&dd to its folders:"), QT_TR_NOOP("limit disk growth"),
        "growth", tr(" MB"), megabytes(limits.growthStopBytes),
        { &OwnerPolicy::growthMegabytes, 1, OwnerPolicy::kMostGrowth, {}, {}, {} });
    addLimit(QT_TR_NOOP("&Output kept:"), QT_TR_NOOP("limit output"), "outputSize", tr(" KB"),
        tr("Usually %1 KB.").arg(QLocale().toString(limits.outputBytes / 1024)),
        { &OwnerPolicy::outputKilobytes, 1, OwnerPolicy::kMostOutput, {}, {}, {} });
}

void SandboxPage::addLimit(const char *label, const char *keywords, const char *name,
    const QString &unit, const QString &usual, Limit limit)
{
    const QString objectName = QString::fromLatin1(name);
    limit.box = new QSpinBox(this);
    limit.box->setObjectName(objectName);
    // Also what is too little can be typed, so that the note can say what is right.
    limit.box->setRange(0, limit.highest);
    limit.box->setSingleStep(limit.lowest);
    limit.box->setSuffix(unit);
    limit.box->setSpecialValueText(tr("The usual"));
    limit.box->setKeyboardTracking(false);
    limit.note = new FieldNote(objectName + u"Note"_s, this);
    limit.usual = usual;
    auto *line = new QHBoxLayout;
    line->addWidget(limit.box);
    line->addStretch();
    addField(label, line, limit.box, limit.note);
    addKeywords(keywords);
    connect(limit.box, &QSpinBox::editingFinished, this, [this, limit] { applyLimit(limit); });
    m_limits.append(limit);
}

void SandboxPage::applyLimit(const Limit &limit)
{
    const int value = limit.box->value();
    if (value == core().settings().sandbox.*limit.member) {
        return;
    }
    if (value != 0 && value < limit.lowest) {
        limit.note->showError(
            tr("From %1 to %2, or 0 for the usual.")
                .arg(QLocale().toString(limit.lowest), QLocale().toString(limit.highest)));
        return;
    }
    change([limit, value](settings::ExecutorSettings &s) { s.sandbox.*limit.member = value; },
        limit.note);
}

void SandboxPage::connectList(EntryList *list, FieldNote *note, Texts member,
    const std::function<QString(const QString &)> &problem)
{
    connect(
        list, &EntryList::added, this, [this, list, note, member, problem](const QString &text) {
            if (const QString wrong = problem(text); !wrong.isEmpty()) {
                note->showError(wrong);
                return;
            }
            list->clearText();
            change(
                [member, text](settings::ExecutorSettings &s) {
                    QStringList &texts = s.sandbox.*member;
                    if (!texts.contains(text)) {
                        texts.append(text);
                    }
                },
                note);
        });
    connect(list, &EntryList::removed, this, [this, note, member](int row) {
        change(
            [member, row](settings::ExecutorSettings &s) {
                QStringList &texts = s.sandbox.*member;
                if (row < texts.size()) {
                    texts.removeAt(row);
                }
            },
            note);
    });
}

void SandboxPage::browse()
{
    auto *dialog = new QFileDialog(this, tr("Choose a folder to hide"), QDir::homePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this,
        [this](const QString &folder) { Q_EMIT m_secrets->added(QDir::cleanPath(folder)); });
    dialog->open();
}

void SandboxPage::refresh()
{
    const settings::ExecutorSettings settings = core().settings();
    const OwnerPolicy &policy = settings.sandbox;
    m_wall->setChecked(settings.engineWall);
    m_secrets->showEntries(policy.secretPaths);
    m_secretsNote->showRemark(policy.secretPaths.isEmpty() || settings.engineWall
            ? QString()
            : tr("The engine itself still sees them; the wall around it hides them there too."));
    m_allowed->showEntries(policy.allowedHosts);
    m_denied->showEntries(policy.deniedHosts);
    m_allowedNote->clearNote();
    m_deniedNote->clearNote();
    m_scratch->setCurrentIndex(m_scratch->findData(static_cast<int>(policy.scratch)));
    m_scratchNote->showRemark(policy.scratch == Scratch::Host
            ? tr("Commands see and change what other programs keep there.")
            : QString());
    for (const Limit &limit : std::as_const(m_limits)) {
        const QSignalBlocker quiet(limit.box);
        const int value = policy.*limit.member;
        limit.box->setValue(value);
        limit.note->showRemark(value == 0 ? limit.usual : QString());
    }
    refreshState();
}

void SandboxPage::refreshState()
{
    const PartView part = Parts::sandbox(core().status());
    QStringList lines { part.state };
    if (!part.cause.isEmpty()) {
        lines << part.cause;
    }
    lines << part.details;
    m_state->setText(visibleText(lines.join(u'\n'), true));
}

} // namespace deskhand::app
