// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/permission.h"

#include "executor/common/jsonreader.h"
#include "executor/engines/jsonlists_p.h"

#include <QDateTime>
#include <QJsonArray>
#include <QTimeZone>

#include <array>
#include <utility>

namespace deskhand::engines {
namespace {

using namespace Qt::StringLiterals;

template <typename Enum, size_t Size>
using Names = std::array<std::pair<Enum, QLatin1StringView>, Size>;

constexpr Names<PermissionProfile, 3> kProfiles { {
    { PermissionProfile::ReadOnly, ":read-only"_L1 },
    { PermissionProfile::Workspace, ":workspace"_L1 },
    { PermissionProfile::FullAccess, ":danger-full-access"_L1 },
} };

constexpr Names<RequestKind, 6> kKinds { {
    { RequestKind::Command, "command"_L1 },
    { RequestKind::FileChange, "file_change"_L1 },
    { RequestKind::Permissions, "permissions"_L1 },
    { RequestKind::Network, "network"_L1 },
    { RequestKind::Question, "question"_L1 },
    { RequestKind::ToolServer, "tool_server"_L1 },
} };

constexpr Names<Choice, 4> kChoices { {
    { Choice::Deny, "deny"_L1 },
    { Choice::DenyAndStop, "deny_and_stop"_L1 },
    { Choice::AllowOnce, "once"_L1 },
    { Choice::AllowForTask, "task"_L1 },
} };

constexpr Names<RequestOutcome, 5> kOutcomes { {
    { RequestOutcome::Allowed, "allowed"_L1 },
    { RequestOutcome::AllowedForTask, "allowed_for_task"_L1 },
    { RequestOutcome::Denied, "denied"_L1 },
    { RequestOutcome::Expired, "expired"_L1 },
    { RequestOutcome::Withdrawn, "withdrawn"_L1 },
} };

template <typename Enum, size_t Size> QString nameOf(const Names<Enum, Size> &names, Enum value)
{
    for (const auto &[known, name] : names) {
        if (known == value) {
            return name;
        }
    }
    return {};
}

template <typename Enum, size_t Size>
std::optional<Enum> valueOf(const Names<Enum, Size> &names, const QString &word)
{
    for (const auto &[known, name] : names) {
        if (word == name) {
            return known;
        }
    }
    return std::nullopt;
}

/// Times of this form are UTC with milliseconds; "nothing" is null.
QJsonValue timeToJson(qint64 ms)
{
    if (ms == 0) {
        return QJsonValue::Null;
    }
    return QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC).toString(Qt::ISODateWithMs);
}

Result<qint64> timeFromJson(const QJsonObject &object, QStringView key)
{
    const auto text = json::optionalString(object, key);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (!text->has_value()) {
        return 0;
    }
    const QDateTime time = QDateTime::fromString(**text, Qt::ISODateWithMs);
    if (!time.isValid()) {
        return failure(ErrorKind::Protocol,
            u"%1: \"%2\" is not a time like 2030-01-31T12:00:00.000Z"_s.arg(key, **text));
    }
    return time.toMSecsSinceEpoch();
}

QJsonObject fileToJson(const RequestedFile &file)
{
    return { { u"path"_s, file.path }, { u"action"_s, file.action }, { u"diff"_s, file.diff } };
}

Result<RequestedFile> fileFromJson(const QJsonObject &object)
{
    FieldReader read(object);
    RequestedFile file;
    file.path = read.string(u"path");
    file.action = read.string(u"action");
    file.diff = read.string(u"diff");
    return read.finish(std::move(file));
}

QJsonObject questionToJson(const Question &question)
{
    const auto option = [](const Question::Option &one) {
        return QJsonObject { { u"label"_s, one.label }, { u"description"_s, one.description } };
    };
    return {
        { u"id"_s, question.id },
        { u"header"_s, question.header },
        { u"text"_s, question.text },
        { u"options"_s, listToJson(question.options, option) },
        { u"allows_other"_s, question.allowsOther },
        { u"multiple"_s, question.multiple },
        { u"secret"_s, question.secret },
    };
}

Result<Question> questionFromJson(const QJsonObject &object)
{
    FieldReader read(object);
    Question question;
    question.id = read.string(u"id");
    question.header = read.string(u"header");
    question.text = read.string(u"text");
    question.options = read.list<Question::Option>(
        u"options", [](const QJsonObject &one) -> Result<Question::Option> {
            FieldReader inner(one);
            Question::Option option;
            option.label = inner.string(u"label");
            option.description = inner.string(u"description");
            return inner.finish(std::move(option));
        });
    question.allowsOther = read.boolean(u"allows_other");
    question.multiple = read.boolean(u"multiple");
    question.secret = read.boolean(u"secret");
    return read.finish(std::move(question));
}

void insertText(QJsonObject &object, const QString &key, const QString &text)
{
    if (!text.isEmpty()) {
        object.insert(key, text);
    }
}

} // namespace

QString profileName(PermissionProfile profile)
{
    return nameOf(kProfiles, profile);
}

Result<PermissionProfile> profileFromName(const QString &name)
{
    if (const auto profile = valueOf(kProfiles, name)) {
        return *profile;
    }
    return failure(ErrorKind::Usage, u"\"%1\" is not a permission profile"_s.arg(name.left(100)),
        u"Use :read-only, :workspace or :danger-full-access."_s);
}

QString requestKindName(RequestKind kind)
{
    return nameOf(kKinds, kind);
}

QString choiceName(Choice choice)
{
    return nameOf(kChoices, choice);
}

Result<Choice> choiceFromName(const QString &name)
{
    if (const auto choice = valueOf(kChoices, name)) {
        return *choice;
    }
    return failure(ErrorKind::Usage, u"\"%1\" is not a decision"_s.arg(name.left(100)),
        u"Use deny, deny_and_stop, once or task."_s);
}

QString requestOutcomeName(RequestOutcome outcome)
{
    return nameOf(kOutcomes, outcome);
}

Result<RequestOutcome> requestOutcomeFromName(const QString &name)
{
    if (const auto outcome = valueOf(kOutcomes, name)) {
        return *outcome;
    }
    return failure(
        ErrorKind::Protocol, u"\"%1\" is not an outcome of a request"_s.arg(name.left(100)));
}

QJsonObject toJson(const PermissionRequest &request)
{
    QStringList choices;
    for (const Choice choice : request.choices) {
        choices.append(choiceName(choice));
    }
    QJsonObject object {
        { u"id"_s, request.id },
        { u"task_id"_s, request.taskId },
        { u"turn_id"_s, request.turnId },
        { u"kind"_s, requestKindName(request.kind) },
        { u"summary"_s, request.summary },
        { u"cwd"_s, request.cwd },
        { u"reason"_s, request.reason },
        { u"risks"_s, QJsonArray::fromStringList(request.risks) },
        { u"choices"_s, QJsonArray::fromStringList(choices) },
        { u"created_at"_s, timeToJson(request.createdAtMs) },
        { u"expires_at"_s, timeToJson(request.expiresAtMs) },
    };
    insertText(object, u"item_id"_s, request.itemId);
    insertText(object, u"command"_s, request.command);
    insertText(object, u"grant_root"_s, request.grantRoot);
    insertText(object, u"host"_s, request.host);
    insertText(object, u"protocol"_s, request.protocol);
    insertText(object, u"server"_s, request.server);
    insertText(object, u"tool"_s, request.tool);
    if (!request.files.isEmpty()) {
        object.insert(u"files"_s, listToJson(request.files, fileToJson));
    }
    if (!request.questions.isEmpty()) {
        object.insert(u"questions"_s, listToJson(request.questions, questionToJson));
    }
    if (!request.grants.isEmpty()) {
        object.insert(u"grants"_s, QJsonArray::fromStringList(request.grants));
    }
    if (!request.grantsAsked.isEmpty()) {
        object.insert(u"grants_asked"_s, request.grantsAsked);
    }
    if (!request.arguments.isEmpty()) {
        object.insert(u"arguments"_s, request.arguments);
    }
    return object;
}

Result<PermissionRequest> permissionRequestFromJson(const QJsonObject &object)
{
    FieldReader read(object);
    PermissionRequest request;
    request.id = read.requiredString(u"id");
    request.taskId = read.requiredString(u"task_id");
    request.turnId = read.string(u"turn_id");
    request.itemId = read.string(u"item_id");
    const QString kind = read.requiredString(u"kind");
    if (const auto known = valueOf(kKinds, kind)) {
        request.kind = *known;
    } else {
        read.fail(u"kind: \"%1\" is not a kind of request"_s.arg(kind.left(100)));
    }
    request.summary = read.string(u"summary");
    request.command = read.string(u"command");
    request.cwd = read.string(u"cwd");
    request.files = read.list<RequestedFile>(u"files", fileFromJson);
    request.grantRoot = read.string(u"grant_root");
    request.host = read.string(u"host");
    request.protocol = read.string(u"protocol");
    request.questions = read.list<Question>(u"questions", questionFromJson);
    request.grants = read.strings(u"grants");
    request.grantsAsked = read.object(u"grants_asked");
    request.server = read.string(u"server");
    request.tool = read.string(u"tool");
    request.arguments = read.object(u"arguments");
    request.reason = read.string(u"reason");
    request.risks = read.strings(u"risks");
    for (const QString &word : read.strings(u"choices")) {
        const auto choice = choiceFromName(word);
        if (choice) {
            request.choices.append(*choice);
        } else {
            read.fail(u"choices: "_s + choice.error().message);
        }
    }
    request.createdAtMs = read.take(timeFromJson(object, u"created_at"));
    request.expiresAtMs = read.take(timeFromJson(object, u"expires_at"));
    return read.finish(std::move(request));
}

} // namespace deskhand::engines
