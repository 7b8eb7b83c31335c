// SPDX-License-Identifier: Apache-2.0
#include "app/settings/settingspage.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/wording.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QTranslator>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::app {

SettingsPage::SettingsPage(Core &core, QWidget *parent)
    : QWidget(parent)
    , m_core(core)
    , m_layout(new QVBoxLayout(this))
{ }

void SettingsPage::change(const Change &apply, FieldNote *note)
{
    const settings::ExecutorSettings before = m_core.settings();
    settings::ExecutorSettings after = before;
    apply(after);
    m_core.updateSettings(after, guarded(this, [this, before, note](const Result<> &result) {
        if (!result) {
            refresh();
            note->showError(Wording::failure(result.error()));
            return;
        }
        note->clearNote();
        refresh(); // remarks of the new values
        Q_EMIT changed(before);
    }));
}

QString SettingsPage::fixedBy(std::initializer_list<const char *> variables)
{
    for (const char *variable : variables) {
        if (!qEnvironmentVariable(variable).trimmed().isEmpty()) {
            return QString::fromLatin1(variable);
        }
    }
    return {};
}

bool SettingsPage::lock(QWidget *field, FieldNote *note, const QString &variable)
{
    field->setEnabled(variable.isEmpty());
    if (variable.isEmpty()) {
        return false;
    }
    note->showRemark(tr("Set by the environment variable %1.").arg(variable));
    return true;
}

QString SettingsPage::translated(const char *source) const
{
    return QCoreApplication::translate(metaObject()->className(), source);
}

void SettingsPage::addHeading(const char *source)
{
    m_heading = source;
    auto *label = new QLabel(translated(source), this);
    QFont bold = label->font();
    bold.setBold(true);
    label->setFont(bold);
    if (m_layout->count() > 0) {
        m_layout->addSpacing(8);
    }
    m_layout->addWidget(label);
}

void SettingsPage::addField(const char *label, QWidget *field, FieldNote *note)
{
    auto *line = new QHBoxLayout;
    line->addWidget(field, 1);
    addField(label, line, field, note);
}

void SettingsPage::addField(const char *label, QLayout *line, QWidget *buddy, FieldNote *note)
{
    Field field { buddy, buddy, {} };
    auto *column = new QVBoxLayout;
    column->setSpacing(2);
    if (label != nullptr) {
        auto *text = new QLabel(translated(label), this);
        text->setBuddy(buddy);
        column->addWidget(text);
        field.shown = text;
        field.sources << label;
    }
    if (m_heading != nullptr) {
        field.sources << m_heading;
    }
    column->addLayout(line);
    if (note != nullptr) {
        column->addWidget(note);
    }
    m_layout->addLayout(column);
    m_fields << field;
}

void SettingsPage::addKeywords(const char *words)
{
    m_fields.last().sources << words;
}

bool SettingsPage::isFound(
    const Field &field, const QStringList &words, const QTranslator &other) const
{
    QString text;
    for (const char *source : field.sources) {
        text += QString::fromUtf8(source) + u'\n' + translated(source) + u'\n'
            + other.translate(metaObject()->className(), source) + u'\n';
    }
    text.remove(u'&');
    return std::all_of(words.cbegin(), words.cend(),
        [&](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
}

QList<QWidget *> SettingsPage::search(const QString &text, const QTranslator &other)
{
    const QStringList words = text.simplified().split(u' ', Qt::SkipEmptyParts);
    QList<QWidget *> found;
    for (const Field &field : std::as_const(m_fields)) {
        const bool marked = !words.isEmpty() && isFound(field, words, other);
        QPalette palette;
        if (marked) {
            found << field.field;
            palette = this->palette();
            palette.setColor(QPalette::Window, palette.color(QPalette::Highlight));
            palette.setColor(QPalette::WindowText, palette.color(QPalette::HighlightedText));
        }
        // Only words are marked; a list or a text field keeps its own colours.
        if (qobject_cast<QLabel *>(field.shown) != nullptr
            || qobject_cast<QCheckBox *>(field.shown) != nullptr) {
            field.shown->setPalette(palette);
            field.shown->setAutoFillBackground(marked);
        }
    }
    return found;
}

void SettingsPage::finish()
{
    m_layout->addStretch();
}

} // namespace deskhand::app
