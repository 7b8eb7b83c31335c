// SPDX-License-Identifier: Apache-2.0
#include "app/prompts/questionform.h"

#include "app/visibletext.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

QLabel *textLabel(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(visibleText(text, true), parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

/// Texts of buttons come from outside; '&' would become an access key.
QString buttonText(const QString &text)
{
    return visibleText(text).replace(u'&', "&&"_L1);
}

} // namespace

QuestionForm::QuestionForm(const QList<engines::Question> &questions, QWidget *parent)
    : QWidget(parent)
{
    setObjectName(u"questionForm"_s);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    int number = 0;
    for (const engines::Question &question : questions) {
        Field field;
        field.id = question.id;
        if (!question.header.isEmpty()) {
            QLabel *header = textLabel(question.header, this);
            QFont bold = header->font();
            bold.setBold(true);
            header->setFont(bold);
            layout->addWidget(header);
        }
        QLabel *text = textLabel(question.text, this);
        layout->addWidget(text);

        auto *group = new QButtonGroup(this);
        group->setExclusive(!question.multiple);
        const auto addOption = [&](const QString &label, const QString &name) {
            QAbstractButton *button = question.multiple
                ? static_cast<QAbstractButton *>(new QCheckBox(buttonText(label), this))
                : static_cast<QAbstractButton *>(new QRadioButton(buttonText(label), this));
            button->setObjectName(name);
            group->addButton(button);
            layout->addWidget(button);
            connect(button, &QAbstractButton::toggled, this, &QuestionForm::changed);
            return button;
        };
        for (const engines::Question::Option &option : question.options) {
            field.options.append(
                addOption(option.label, u"option%1_%2"_s.arg(number).arg(field.options.size())));
            field.labels.append(option.label);
            if (!option.description.isEmpty()) {
                QLabel *description = textLabel(option.description, this);
                description->setContentsMargins(24, 0, 0, 0);
                description->setForegroundRole(QPalette::PlaceholderText);
                layout->addWidget(description);
            }
        }
        if (question.allowsOther || question.options.isEmpty()) {
            if (!question.options.isEmpty()) {
                field.other = addOption(tr("Other:"), u"other%1"_s.arg(number));
            }
            field.text = new QLineEdit(this);
            field.text->setObjectName(u"answer%1"_s.arg(number));
            field.text->setAccessibleName(text->text());
            if (question.secret) {
                field.text->setEchoMode(QLineEdit::Password);
                field.text->setInputMethodHints(
                    Qt::ImhHiddenText | Qt::ImhSensitiveData | Qt::ImhNoPredictiveText);
                field.text->setPlaceholderText(tr("Secret: not shown, not stored"));
            }
            layout->addWidget(field.text);
            connect(field.text, &QLineEdit::textChanged, this,
                [this, other = field.other](const QString &entered) {
                    if (other != nullptr && !entered.isEmpty()) {
                        other->setChecked(true);
                    }
                    Q_EMIT changed();
                });
        }
        m_fields.append(field);
        ++number;
    }
}

QStringList QuestionForm::answerOf(const Field &field)
{
    QStringList answer;
    for (qsizetype i = 0; i < field.options.size(); ++i) {
        if (field.options.at(i)->isChecked()) {
            answer.append(field.labels.at(i));
        }
    }
    if (field.text != nullptr && !field.text->text().isEmpty()
        && (field.other == nullptr || field.other->isChecked())) {
        answer.append(field.text->text());
    }
    return answer;
}

bool QuestionForm::isComplete() const
{
    return std::ranges::all_of(
        m_fields, [](const Field &field) { return !answerOf(field).isEmpty(); });
}

QHash<QString, QStringList> QuestionForm::answers() const
{
    QHash<QString, QStringList> answers;
    for (const Field &field : m_fields) {
        answers.insert(field.id, answerOf(field));
    }
    return answers;
}

} // namespace deskhand::app
