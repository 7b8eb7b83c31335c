// SPDX-License-Identifier: Apache-2.0
#include "app/settings/settingspage.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/wording.h"

#include <QHBoxLayout>

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

void SettingsPage::addHeading(const QString &text)
{
    auto *label = new QLabel(text, this);
    QFont bold = label->font();
    bold.setBold(true);
    label->setFont(bold);
    if (m_layout->count() > 0) {
        m_layout->addSpacing(8);
    }
    m_layout->addWidget(label);
}

void SettingsPage::addField(const QString &label, QWidget *field, FieldNote *note)
{
    auto *line = new QHBoxLayout;
    line->addWidget(field, 1);
    addField(label, line, field, note);
}

void SettingsPage::addField(const QString &label, QLayout *line, QWidget *buddy, FieldNote *note)
{
    auto *column = new QVBoxLayout;
    column->setSpacing(2);
    if (!label.isEmpty()) {
        auto *text = new QLabel(label, this);
        text->setBuddy(buddy);
        column->addWidget(text);
    }
    column->addLayout(line);
    if (note != nullptr) {
        column->addWidget(note);
    }
    m_layout->addLayout(column);
}

void SettingsPage::finish()
{
    m_layout->addStretch();
}

} // namespace deskhand::app
