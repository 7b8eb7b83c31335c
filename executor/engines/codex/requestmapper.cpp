// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/requestmapper.h"

#include "executor/engines/codex/elicitation.h"
#include "executor/engines/codex/itemmapper.h"
#include "executor/engines/codex/wire.h"

#include <QJsonArray>

#include <utility>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

namespace {

QString wordsForPath(const QJsonObject &path)
{
    const QString type = wire::kind(path.value("type"_L1).toString());
    if (type == "path"_L1) {
        return wire::text(path, { "path"_L1 });
    }
    if (type == "globpattern"_L1) {
        return u"everything that matches %1"_s.arg(wire::text(path, { "pattern"_L1 }));
    }
    const QJsonObject special = path.value("value"_L1).toObject();
    const QString kind = wire::kind(special.value("kind"_L1).toString());
    const QString below = wire::text(special, { "subpath"_L1 });
    QString words = kind == "root"_L1 ? u"the whole file system"_s
        : kind == "minimal"_L1        ? u"the system's basic folders"_s
        : kind == "projectroots"_L1   ? u"the work folders"_s
        : kind == "tmpdir"_L1         ? u"the temporary folder"_s
        : kind == "slashtmp"_L1       ? u"/tmp"_s
                                      : wire::text(special, { "path"_L1, "kind"_L1 });
    return below.isEmpty() ? words : words + u", below "_s + below;
}

// The profile that may be granted: exactly the members that words were found for. What cannot be
// put in words is not granted.
struct Profile
{
    QStringList words;
    QJsonObject grantable;
};

void describeEntries(const QJsonArray &entries, Profile &profile, QJsonArray &kept)
{
    for (const QJsonValue &value : entries) {
        const QJsonObject entry = value.toObject();
        const QString access = wire::kind(entry.value("access"_L1).toString());
        const QString where = wordsForPath(entry.value("path"_L1).toObject());
        if (where.isEmpty()) {
            continue;
        }
        if (access == "read"_L1) {
            profile.words.append(u"Read %1"_s.arg(where));
        } else if (access == "write"_L1) {
            profile.words.append(u"Write to %1"_s.arg(where));
        } else if (access == "deny"_L1) {
            profile.words.append(u"No access to %1"_s.arg(where));
        } else {
            continue;
        }
        kept.append(entry);
    }
}

Profile describeProfile(const QJsonObject &asked)
{
    Profile profile;
    const QJsonObject network = asked.value("network"_L1).toObject();
    if (network.value("enabled"_L1).toBool()) {
        profile.words.append(u"Use the network"_s);
        profile.grantable.insert(u"network"_s, QJsonObject { { u"enabled"_s, true } });
    }
    const QJsonObject files = wire::member(asked, { "fileSystem"_L1, "file_system"_L1 }).toObject();
    QJsonObject granted;
    QJsonArray entries;
    describeEntries(files.value("entries"_L1).toArray(), profile, entries);
    if (!entries.isEmpty()) {
        granted.insert(u"entries"_s, entries);
        if (const QJsonValue depth = files.value("globScanMaxDepth"_L1); depth.isDouble()) {
            granted.insert(u"globScanMaxDepth"_s, depth);
        }
    }
    for (const auto &[key, verb] :
        { std::pair("read"_L1, "Read %1"_L1), std::pair("write"_L1, "Write to %1"_L1) }) {
        QJsonArray paths;
        for (const QJsonValue &path : files.value(key).toArray()) {
            if (!path.toString().isEmpty()) {
                // The newer form repeats in `entries` what stands here.
                const QString words = QString(verb).arg(path.toString());
                if (!profile.words.contains(words)) {
                    profile.words.append(words);
                }
                paths.append(path);
            }
        }
        if (!paths.isEmpty()) {
            granted.insert(key, paths);
        }
    }
    if (!granted.isEmpty()) {
        profile.grantable.insert(u"fileSystem"_s, granted);
    }
    return profile;
}

void mapCommand(const QJsonObject &params, PermissionRequest &request)
{
    const QJsonObject network
        = wire::member(params, { "networkApprovalContext"_L1, "network_approval_context"_L1 })
              .toObject();
    const QString kind = wire::kind(params.value("kind"_L1).toString());
    const bool typing = kind == "writestdin"_L1;
    request.command = params.value("command"_L1).toString();
    if (!network.isEmpty()) {
        request.kind = RequestKind::Network;
        request.host = wire::text(network, { "host"_L1 });
        request.protocol = wire::text(network, { "protocol"_L1 });
        request.summary = u"Reach %1 over the network"_s.arg(request.host);
    } else {
        request.kind = RequestKind::Command;
        request.summary
            = typing ? u"Type into a running command"_s : u"Run a command outside the sandbox"_s;
    }
    const Profile extra = describeProfile(
        wire::member(params, { "additionalPermissions"_L1, "additional_permissions"_L1 })
            .toObject());
    request.grants = extra.words;
    if (kind.isEmpty() || kind == "command"_L1) {
        return;
    }
    // What is typed is not part of the request, and some commands need a word each time: neither
    // can be known again.
    request.choices.removeOne(Choice::AllowForTask);
}

QList<Question> mapQuestions(const QJsonObject &params)
{
    QList<Question> questions;
    for (const QJsonValue &value : params.value("questions"_L1).toArray()) {
        const QJsonObject object = value.toObject();
        Question question;
        question.id = wire::text(object, { "id"_L1 });
        question.header = wire::text(object, { "header"_L1 });
        question.text = wire::text(object, { "question"_L1, "text"_L1 });
        question.secret = wire::member(object, { "isSecret"_L1, "is_secret"_L1 }).toBool();
        for (const QJsonValue &option : object.value("options"_L1).toArray()) {
            question.options.append({ wire::text(option.toObject(), { "label"_L1 }),
                wire::text(option.toObject(), { "description"_L1 }) });
        }
        question.allowsOther = question.options.isEmpty()
            || wire::member(object, { "isOther"_L1, "is_other"_L1 }).toBool();
        questions.append(question);
    }
    return questions;
}

QJsonObject answersOf(const PermissionRequest &request, const Decision &decision)
{
    QJsonObject answers;
    for (const Question &question : request.questions) {
        answers.insert(question.id,
            QJsonObject { { u"answers"_s,
                QJsonArray::fromStringList(decision.answers.value(question.id)) } });
    }
    return { { u"answers"_s, answers } };
}

QJsonObject grant(const QJsonObject &permissions)
{
    return { { u"permissions"_s, permissions }, { u"scope"_s, u"turn"_s },
        { u"strictAutoReview"_s, false } };
}

} // namespace

std::optional<Ask> askOf(const QString &method, const QJsonObject &params)
{
    if (method == "item/commandExecution/requestApproval"_L1) {
        return Ask::Command;
    }
    if (method == "item/fileChange/requestApproval"_L1) {
        return Ask::FileChange;
    }
    if (method == "item/permissions/requestApproval"_L1) {
        return Ask::Permissions;
    }
    if (method == "item/tool/requestUserInput"_L1) {
        return Ask::Question;
    }
    if (method == "mcpServer/elicitation/request"_L1) {
        return isToolApproval(params) ? Ask::ToolApproval : Ask::ToolForm;
    }
    return std::nullopt;
}

PermissionRequest mapRequest(Ask ask, const QJsonObject &params)
{
    PermissionRequest request;
    request.itemId = wire::itemId(params);
    request.cwd = wire::text(params, { "cwd"_L1 });
    request.reason = wire::text(params, { "reason"_L1 });
    request.choices
        = { Choice::Deny, Choice::DenyAndStop, Choice::AllowOnce, Choice::AllowForTask };
    switch (ask) {
    case Ask::Command:
        mapCommand(params, request);
        break;
    case Ask::FileChange:
        request.kind = RequestKind::FileChange;
        request.summary = u"Change files outside what is allowed"_s;
        request.grantRoot = wire::text(params, { "grantRoot"_L1, "grant_root"_L1 });
        break;
    case Ask::Permissions: {
        const Profile profile = describeProfile(params.value("permissions"_L1).toObject());
        request.kind = RequestKind::Permissions;
        request.summary = u"Give this turn more access"_s;
        request.grants = profile.words;
        request.grantsAsked = profile.grantable;
        if (profile.grantable.isEmpty()) {
            request.choices = { Choice::Deny, Choice::DenyAndStop };
        }
        break;
    }
    case Ask::Question:
        request.kind = RequestKind::Question;
        request.questions = mapQuestions(params);
        request.summary = request.questions.size() == 1
            ? u"Answer a question"_s
            : u"Answer %1 questions"_s.arg(request.questions.size());
        request.choices = { Choice::Deny, Choice::DenyAndStop, Choice::AllowOnce };
        break;
    case Ask::ToolApproval:
    case Ask::ToolForm:
        mapElicitation(params, request);
        break;
    }
    return request;
}

QJsonObject mapDecision(Ask ask, const QJsonObject &params, const Decision &decision)
{
    const bool allowed
        = decision.choice == Choice::AllowOnce || decision.choice == Choice::AllowForTask;
    switch (ask) {
    case Ask::Command:
    case Ask::FileChange: {
        const QString word = allowed                 ? u"accept"_s
            : decision.choice == Choice::DenyAndStop ? u"cancel"_s
                                                     : u"decline"_s;
        return { { u"decision"_s, word } };
    }
    case Ask::Permissions:
        return grant(allowed ? mapRequest(ask, params).grantsAsked : QJsonObject());
    case Ask::Question: {
        Decision given = decision;
        if (!allowed) {
            given.answers.clear();
        }
        return answersOf(mapRequest(ask, params), given);
    }
    case Ask::ToolApproval:
    case Ask::ToolForm:
        break;
    }
    return elicitationAnswer(params, decision);
}

bool needsInterrupt(Ask ask, Choice choice)
{
    return choice == Choice::DenyAndStop && ask != Ask::Command && ask != Ask::FileChange;
}

QJsonObject refusal(Ask ask, const QJsonObject &params)
{
    Decision decision;
    decision.choice = Choice::Deny;
    return mapDecision(ask, params, decision);
}

} // namespace deskhand::engines::codex
