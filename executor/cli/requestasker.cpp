// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/requestasker.h"

#include "executor/cli/requestscommands.h"

#include <QJsonArray>

#include <array>

namespace deskhand::cli {

using namespace Qt::StringLiterals;

namespace {

struct Word
{
    engines::Choice choice;
    QLatin1StringView shortForm;
    QLatin1StringView longForm;
    QLatin1StringView prompt;
};
constexpr std::array kWords {
    Word { engines::Choice::Deny, QLatin1StringView("d"), QLatin1StringView("deny"),
        QLatin1StringView("[d]eny") },
    Word { engines::Choice::AllowOnce, QLatin1StringView("o"), QLatin1StringView("once"),
        QLatin1StringView("allow [o]nce") },
    Word { engines::Choice::AllowForTask, QLatin1StringView("t"), QLatin1StringView("task"),
        QLatin1StringView("allow for this [t]ask") },
    Word { engines::Choice::DenyAndStop, QLatin1StringView("s"), QLatin1StringView("stop"),
        QLatin1StringView("deny and [s]top the task") },
};

} // namespace

RequestAsker::RequestAsker(Output &output, std::unique_ptr<Terminal> terminal, QObject *parent)
    : QObject(parent)
    , m_output(output)
    , m_terminal(std::move(terminal))
{ }

void RequestAsker::add(const engines::PermissionRequest &request)
{
    if (!m_terminal) {
        m_output.note(describeRequest(request));
        const QString until
            = request.expiresAtMs == 0 ? QString() : u" until "_s + timeText(request.expiresAtMs);
        m_output.note(u"This waits for an answer%1: deskhand-executor requests answer %2 with one "
                      "of %3"_s.arg(until, request.id, choiceOptions(request)));
        return;
    }
    m_waiting.append(request);
    if (!m_asking) {
        next();
    }
}

void RequestAsker::remove(const QString &requestId)
{
    const bool current = m_asking && m_waiting.first().id == requestId;
    m_waiting.removeIf(
        [&requestId](const engines::PermissionRequest &other) { return other.id == requestId; });
    if (current) {
        m_terminal->cancel();
        m_asking = false;
        next();
    }
}

void RequestAsker::next()
{
    if (m_waiting.isEmpty()) {
        return;
    }
    m_asking = true;
    m_answers = {};
    m_output.note(u"\n"_s + describeRequest(m_waiting.first()));
    if (m_waiting.first().questions.isEmpty()) {
        askChoice();
    } else {
        askQuestion(0);
    }
}

void RequestAsker::askChoice()
{
    QStringList offers;
    for (const Word &word : kWords) {
        if (m_waiting.first().choices.contains(word.choice)) {
            offers.append(word.prompt);
        }
    }
    m_terminal->ask(offers.join(u", "_s) + u"? "_s, false,
        [this](const std::optional<QString> &line) { takeChoice(line.value_or(u"deny"_s)); });
}

void RequestAsker::takeChoice(const QString &line)
{
    const QString given = line.toLower();
    for (const Word &word : kWords) {
        if ((given == word.shortForm || given == word.longForm)
            && m_waiting.first().choices.contains(word.choice)) {
            decide(word.choice);
            return;
        }
    }
    askChoice();
}

void RequestAsker::askQuestion(qsizetype index)
{
    const QList<engines::Question> &questions = m_waiting.first().questions;
    if (index >= questions.size()) {
        askChoice();
        return;
    }
    const engines::Question &question = questions.at(index);
    QString prompt
        = terminalSafe(question.text.isEmpty() ? question.header : question.text) + u'\n';
    for (qsizetype i = 0; i < question.options.size(); ++i) {
        prompt += u"  %1. %2\n"_s.arg(i + 1).arg(terminalSafe(question.options.at(i).label));
    }
    prompt += question.options.isEmpty() ? u"answer: "_s
        : question.multiple              ? u"numbers, separated by commas: "_s
        : question.allowsOther           ? u"number or text: "_s
                                         : u"number: "_s;
    m_terminal->ask(prompt, question.secret, [this, index](const std::optional<QString> &line) {
        if (line) {
            takeAnswer(index, *line);
        } else {
            decide(engines::Choice::Deny);
        }
    });
}

void RequestAsker::takeAnswer(qsizetype index, const QString &line)
{
    const engines::Question &question = m_waiting.first().questions.at(index);
    QJsonArray answers;
    const QStringList parts
        = question.multiple ? line.split(u',', Qt::SkipEmptyParts) : QStringList { line };
    for (const QString &part : parts) {
        bool isNumber = false;
        const int number = part.trimmed().toInt(&isNumber);
        if (isNumber && number >= 1 && number <= question.options.size()) {
            answers.append(question.options.at(number - 1).label);
        } else if (!part.trimmed().isEmpty()
            && (question.options.isEmpty() || question.allowsOther)) {
            answers.append(part.trimmed());
        }
    }
    if (answers.isEmpty()) {
        askQuestion(index);
        return;
    }
    m_answers.insert(question.id, answers);
    askQuestion(index + 1);
}

void RequestAsker::decide(engines::Choice choice)
{
    QJsonObject params { { u"id"_s, m_waiting.first().id },
        { u"choice"_s, engines::choiceName(choice) } };
    if (!m_answers.isEmpty() && choice != engines::Choice::Deny) {
        params.insert(u"answers"_s, m_answers);
    }
    m_waiting.removeFirst();
    m_asking = false;
    Q_EMIT decided(params);
    next();
}

} // namespace deskhand::cli
