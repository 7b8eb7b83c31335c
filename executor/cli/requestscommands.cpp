// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/requestscommands.h"

#include "executor/cli/exitcodes.h"
#include "executor/control/protocol.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <array>

namespace deskhand::cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

namespace method = control::method;

/// The engine has ten seconds to take a decision.
constexpr auto kAnswerLimit = 20s;

struct DecisionOption
{
    QLatin1StringView option;
    engines::Choice choice;
};
constexpr std::array kDecisions {
    DecisionOption { QLatin1StringView("once"), engines::Choice::AllowOnce },
    DecisionOption { QLatin1StringView("task"), engines::Choice::AllowForTask },
    DecisionOption { QLatin1StringView("deny"), engines::Choice::Deny },
    DecisionOption { QLatin1StringView("deny-and-stop"), engines::Choice::DenyAndStop },
};

void add(QString &text, const QString &name, const QString &value)
{
    if (!value.isEmpty()) {
        text += u"  %1 %2\n"_s.arg(name + u':', -9).arg(value);
    }
}

} // namespace

QString choiceOptions(const engines::PermissionRequest &request)
{
    QStringList options;
    for (const DecisionOption &decision : kDecisions) {
        if (request.choices.contains(decision.choice)) {
            options.append(u"--"_s + decision.option);
        }
    }
    return options.join(u", "_s);
}

QString describeRequest(const engines::PermissionRequest &request)
{
    QString text = request.summary + u'\n';
    add(text, u"command"_s, request.command);
    add(text, u"folder"_s, request.cwd);
    add(text, u"host"_s,
        request.protocol.isEmpty() || request.host.isEmpty()
            ? request.host
            : request.host + u" ("_s + request.protocol + u')');
    add(text, u"writable"_s, request.grantRoot);
    for (const QString &grant : request.grants) {
        add(text, u"grants"_s, grant);
    }
    if (!request.server.isEmpty() || !request.tool.isEmpty()) {
        add(text, u"tool"_s, request.server + u'.' + request.tool);
    }
    if (!request.arguments.isEmpty()) {
        add(text, u"with"_s,
            QString::fromUtf8(QJsonDocument(request.arguments).toJson(QJsonDocument::Compact)));
    }
    for (const engines::RequestedFile &file : request.files) {
        add(text, file.action, file.path);
        if (!file.diff.isEmpty()) {
            text += file.diff;
            text += file.diff.endsWith(u'\n') ? QString() : u"\n"_s;
        }
    }
    for (const engines::Question &question : request.questions) {
        add(text, u"question"_s,
            u"%1 (%2)"_s.arg(
                question.text.isEmpty() ? question.header : question.text, question.id));
        for (const engines::Question::Option &option : question.options) {
            text += u"            - "_s + option.label
                + (option.description.isEmpty() ? QString() : u": "_s + option.description) + u'\n';
        }
    }
    add(text, u"reason"_s, request.reason);
    add(text, u"risks"_s, request.risks.join(u", "_s));
    return text;
}

RequestsListCommand::RequestsListCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output)
{ }

void RequestsListCommand::run()
{
    call(method::requestsList, {}, [this](const QJsonObject &answer) {
        const QJsonArray requests = answer.value("requests"_L1).toArray();
        if (output().json()) {
            output().jsonLine(requests);
            leave(kOk);
            return;
        }
        if (requests.isEmpty()) {
            output().line(u"No request waits."_s);
        }
        for (const QJsonValue &value : requests) {
            const auto request = engines::permissionRequestFromJson(value.toObject());
            if (!request) {
                leaveWith(request.error());
                return;
            }
            const QString until = request->expiresAtMs == 0
                ? u"no limit"_s
                : u"until "_s + timeText(request->expiresAtMs);
            output().line(u"%1  task %2, %3, %4"_s.arg(
                request->id, request->taskId, engines::requestKindName(request->kind), until));
            output().text(terminalSafe(describeRequest(*request)));
            output().line(u"  %1 %2"_s.arg(u"choices:"_s, -9).arg(choiceOptions(*request)));
        }
        leave(kOk);
    });
}

RequestsAnswerCommand::RequestsAnswerCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output)
{ }

Result<QJsonObject> RequestsAnswerCommand::readAnswer() const
{
    QStringList choices;
    for (const DecisionOption &decision : kDecisions) {
        if (invocation().has(decision.option)) {
            choices.append(engines::choiceName(decision.choice));
        }
    }
    if (choices.size() != 1) {
        return failure(ErrorKind::Usage,
            choices.isEmpty() ? u"no decision given"_s : u"more than one decision given"_s,
            u"Give one of --once, --task, --deny, --deny-and-stop."_s);
    }
    QJsonObject answers;
    for (const QString &answer : invocation().values("answer"_L1)) {
        const qsizetype equals = answer.indexOf(u'=');
        if (equals < 1) {
            return failure(
                ErrorKind::Usage, u"--answer must be QUESTION=TEXT, not \"%1\""_s.arg(answer));
        }
        QJsonArray texts = answers.value(answer.first(equals)).toArray();
        texts.append(answer.mid(equals + 1));
        answers.insert(answer.first(equals), texts);
    }
    QJsonObject params { { u"id"_s, invocation().arguments.first() },
        { u"choice"_s, choices.first() } };
    if (!answers.isEmpty()) {
        params.insert(u"answers"_s, answers);
    }
    if (invocation().has("note"_L1)) {
        params.insert(u"note"_s, invocation().value("note"_L1));
    }
    return params;
}

void RequestsAnswerCommand::start()
{
    const Result<QJsonObject> params = readAnswer();
    if (!params) {
        fail(params.error());
        return;
    }
    m_params = *params;
    ClientCommand::start();
}

void RequestsAnswerCommand::run()
{
    call(
        method::requestsAnswer, m_params,
        [this](const QJsonObject & /*nothing*/) {
            const QString choice = m_params.value("choice"_L1).toString();
            if (output().json()) {
                output().jsonLine(QJsonObject { { u"ok"_s, true },
                    { u"id"_s, m_params.value("id"_L1) }, { u"choice"_s, choice } });
            } else {
                output().line(u"The engine has the decision: %1."_s.arg(choice));
            }
            leave(kOk);
        },
        kAnswerLimit);
}

} // namespace deskhand::cli
