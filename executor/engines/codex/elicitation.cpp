// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/elicitation.h"

#include "executor/engines/codex/wire.h"

#include <QJsonArray>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

namespace {

QJsonObject meta(const QJsonObject &params)
{
    return wire::member(params, { "_meta"_L1, "meta"_L1 }).toObject();
}

QJsonObject properties(const QJsonObject &params)
{
    return wire::member(params, { "requestedSchema"_L1, "requested_schema"_L1 })
        .toObject()
        .value("properties"_L1)
        .toObject();
}

// Pairs of value and label of a field that offers a choice; empty for free fields.
QList<std::pair<QString, QString>> optionsOf(const QJsonObject &field)
{
    QList<std::pair<QString, QString>> options;
    for (const QLatin1StringView key : { "oneOf"_L1, "anyOf"_L1 }) {
        for (const QJsonValue &value : field.value(key).toArray()) {
            const QString constant = value.toObject().value("const"_L1).toString();
            options.append({ constant, value.toObject().value("title"_L1).toString(constant) });
        }
    }
    const QJsonArray names = field.value("enumNames"_L1).toArray();
    const QJsonArray values = field.value("enum"_L1).toArray();
    for (qsizetype i = 0; i < values.size(); ++i) {
        options.append({ values.at(i).toString(), names.at(i).toString(values.at(i).toString()) });
    }
    if (field.value("type"_L1).toString() == "boolean"_L1) {
        options = { { u"true"_s, u"Yes"_s }, { u"false"_s, u"No"_s } };
    }
    return options;
}

bool isMultiple(const QJsonObject &field)
{
    return field.value("type"_L1).toString() == "array"_L1;
}

QJsonObject choiceField(const QJsonObject &field)
{
    return isMultiple(field) ? field.value("items"_L1).toObject() : field;
}

QList<Question> questionsOf(const QJsonObject &params)
{
    QList<Question> questions;
    const QJsonObject fields = properties(params);
    for (auto it = fields.constBegin(); it != fields.constEnd(); ++it) {
        const QJsonObject field = it.value().toObject();
        Question question;
        question.id = it.key();
        question.header = wire::text(field, { "title"_L1 });
        if (question.header.isEmpty()) {
            question.header = it.key();
        }
        question.text = wire::text(field, { "description"_L1 });
        question.multiple = isMultiple(field);
        const auto options = optionsOf(choiceField(field));
        for (const auto &[value, label] : options) {
            question.options.append({ label, value == label ? QString() : value });
        }
        question.allowsOther = question.options.isEmpty();
        questions.append(question);
    }
    return questions;
}

QString valueForLabel(const QJsonObject &field, const QString &label)
{
    const auto options = optionsOf(field);
    for (const auto &[value, text] : options) {
        if (text == label) {
            return value;
        }
    }
    return label;
}

QJsonValue typed(const QJsonObject &field, const QStringList &answers)
{
    const QString type = field.value("type"_L1).toString();
    if (type == "array"_L1) {
        QJsonArray values;
        for (const QString &answer : answers) {
            values.append(valueForLabel(choiceField(field), answer));
        }
        return values;
    }
    const QString answer = answers.value(0);
    if (type == "boolean"_L1) {
        return valueForLabel(field, answer).compare("true"_L1, Qt::CaseInsensitive) == 0;
    }
    if (type == "integer"_L1) {
        return answer.trimmed().toLongLong();
    }
    if (type == "number"_L1) {
        return answer.trimmed().toDouble();
    }
    return valueForLabel(field, answer);
}

} // namespace

bool isToolApproval(const QJsonObject &params)
{
    return wire::text(meta(params), { "codex_approval_kind"_L1, "codexApprovalKind"_L1 })
        == "mcp_tool_call"_L1;
}

bool isAnswerable(const QJsonObject &params)
{
    const QString mode = params.value("mode"_L1).toString();
    if (isToolApproval(params)) {
        return true;
    }
    const QJsonObject fields = properties(params);
    for (const QJsonValue &field : fields) {
        const QString type = field.toObject().value("type"_L1).toString();
        if (type != "string"_L1 && type != "boolean"_L1 && type != "integer"_L1
            && type != "number"_L1 && type != "array"_L1) {
            return false;
        }
    }
    return mode == "form"_L1;
}

void mapElicitation(const QJsonObject &params, PermissionRequest &request)
{
    const QJsonObject details = meta(params);
    request.server = wire::text(params, { "serverName"_L1, "server_name"_L1, "server"_L1 });
    request.reason = wire::text(params, { "message"_L1 });
    request.choices = { Choice::Deny, Choice::DenyAndStop, Choice::AllowOnce };
    if (isToolApproval(params)) {
        request.kind = RequestKind::ToolServer;
        request.tool = wire::text(details, { "tool_name"_L1, "toolName"_L1 });
        request.arguments = wire::member(details, { "tool_params"_L1, "toolParams"_L1 }).toObject();
        request.summary = u"%1 asks to use %2"_s.arg(
            request.server.isEmpty() ? u"A tool server"_s : request.server,
            request.tool.isEmpty() ? u"a tool"_s : request.tool);
        request.choices.append(Choice::AllowForTask);
        return;
    }
    request.kind = RequestKind::Question;
    request.questions = questionsOf(params);
    request.summary = u"%1 asks for input"_s.arg(
        request.server.isEmpty() ? u"A tool server"_s : request.server);
}

QJsonObject elicitationAnswer(const QJsonObject &params, const Decision &decision)
{
    const bool allowed
        = decision.choice == Choice::AllowOnce || decision.choice == Choice::AllowForTask;
    if (!allowed) {
        return { { u"action"_s,
                     decision.choice == Choice::DenyAndStop ? u"cancel"_s : u"decline"_s },
            { u"content"_s, QJsonValue() }, { u"_meta"_s, QJsonValue() } };
    }
    QJsonValue content;
    if (!isToolApproval(params)) {
        QJsonObject values;
        const QJsonObject fields = properties(params);
        for (auto it = fields.constBegin(); it != fields.constEnd(); ++it) {
            if (const QStringList given = decision.answers.value(it.key()); !given.isEmpty()) {
                values.insert(it.key(), typed(it.value().toObject(), given));
            }
        }
        content = values;
    }
    return { { u"action"_s, u"accept"_s }, { u"content"_s, content },
        { u"_meta"_s, QJsonValue() } };
}

} // namespace deskhand::engines::codex
