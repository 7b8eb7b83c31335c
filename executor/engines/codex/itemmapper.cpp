// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/itemmapper.h"

#include "executor/engines/codex/wire.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

namespace {

ItemStatus mapStatus(const QJsonObject &item, bool ended)
{
    const QString status = wire::kind(item.value("status"_L1).toString());
    if (status == "declined"_L1) {
        return ItemStatus::Declined;
    }
    if (status == "failed"_L1) {
        return ItemStatus::Failed;
    }
    if (status == "cancelled"_L1 || status == "canceled"_L1 || status == "interrupted"_L1) {
        return ItemStatus::Cancelled;
    }
    return ended ? ItemStatus::Completed : ItemStatus::Running;
}

QString oneLine(QString text)
{
    constexpr qsizetype kMost = 200;
    text = text.simplified();
    return text.size() > kMost ? text.left(kMost - 1) + u'…' : text;
}

QString errorText(const QJsonValue &error)
{
    return error.isObject() ? wire::text(error.toObject(), { "message"_L1, "error"_L1 })
                            : error.toString();
}

void mapCommand(const QJsonObject &item, Item &out)
{
    out.kind = ItemKind::Command;
    out.name = u"shell"_s;
    out.command = item.value("command"_L1).toString();
    out.title = oneLine(commandForPeople(item));
    out.cwd = item.value("cwd"_L1).toString();
    out.output = wire::text(item, { "aggregatedOutput"_L1, "aggregated_output"_L1 });
    const QJsonValue code = wire::member(item, { "exitCode"_L1, "exit_code"_L1 });
    if (code.isDouble()) {
        out.exitCode = code.toInt();
    }
}

void mapFileChange(const QJsonObject &item, const QString &cwd, Item &out)
{
    out.kind = ItemKind::FileChange;
    out.name = u"apply_patch"_s;
    out.cwd = cwd;
    out.changes = mapChanges(item.value("changes"_L1), cwd);
    out.title = out.changes.size() == 1
        ? u"Change %1"_s.arg(QFileInfo(out.changes.constFirst().path).fileName())
        : u"Change %1 files"_s.arg(out.changes.size());
}

void mapToolCall(const QJsonObject &item, bool dynamic, Item &out)
{
    out.kind = ItemKind::ToolCall;
    const QString server = wire::text(item, { "server"_L1, "namespace"_L1 });
    const QString tool = item.value("tool"_L1).toString();
    out.name = server.isEmpty() ? tool : server + u'.' + tool;
    out.title = out.name;
    out.arguments = item.value("arguments"_L1).toObject();
    out.output = dynamic
        ? wire::contentText(wire::member(item, { "contentItems"_L1, "content_items"_L1 }))
        : wire::contentText(item.value("result"_L1).toObject().value("content"_L1));
    if (item.value("success"_L1).isBool() && !item.value("success"_L1).toBool()) {
        out.status = ItemStatus::Failed;
    }
}

} // namespace

ItemRole itemRole(const QJsonObject &item)
{
    const QString type = wire::kind(item.value("type"_L1).toString());
    if (type == "agentmessage"_L1) {
        return ItemRole::Message;
    }
    if (type == "reasoning"_L1) {
        return ItemRole::Reasoning;
    }
    if (type == "plan"_L1) {
        return ItemRole::Plan;
    }
    if (type.isEmpty() || type == "usermessage"_L1 || type == "hookprompt"_L1
        || type == "functioncalloutput"_L1) {
        return ItemRole::Ignored;
    }
    return ItemRole::Work;
}

QString commandForPeople(const QJsonObject &item)
{
    const QJsonArray actions
        = wire::member(item, { "commandActions"_L1, "command_actions"_L1 }).toArray();
    QStringList commands;
    for (const QJsonValue &action : actions) {
        const QString command = action.toObject().value("command"_L1).toString();
        if (!command.isEmpty() && !commands.contains(command)) {
            commands.append(command);
        }
    }
    // Several actions mean the engine took a chained line apart; the whole line says more.
    return commands.size() == 1 ? commands.constFirst() : item.value("command"_L1).toString();
}

QList<FileChange> mapChanges(const QJsonValue &changes, const QString &cwd)
{
    QList<FileChange> result;
    for (const QJsonValue &value : changes.toArray()) {
        const QJsonObject change = value.toObject();
        const QJsonValue kindValue = change.value("kind"_L1);
        const QJsonObject kindObject = kindValue.toObject();
        const QString kind = wire::kind(
            kindValue.isString() ? kindValue.toString() : kindObject.value("type"_L1).toString());
        const auto absolute = [&cwd](const QString &path) {
            return path.isEmpty() || cwd.isEmpty() ? path
                                                   : QDir::cleanPath(QDir(cwd).filePath(path));
        };
        FileChange out;
        out.path = absolute(change.value("path"_L1).toString());
        out.movedTo = absolute(wire::text(kindObject, { "move_path"_L1, "movePath"_L1 }));
        out.action = kind == "add"_L1 ? FileChange::Action::Add
            : kind == "delete"_L1     ? FileChange::Action::Delete
                                      : FileChange::Action::Update;
        out.diff = wire::text(change, { "diff"_L1, "content"_L1 });
        result.append(out);
    }
    return result;
}

Item mapItem(const QJsonObject &item, const QString &cwd, bool ended)
{
    const QString type = wire::kind(item.value("type"_L1).toString());
    Item out;
    out.id = item.value("id"_L1).toString();
    out.status = mapStatus(item, ended);
    const QJsonValue duration = wire::member(item, { "durationMs"_L1, "duration_ms"_L1 });
    if (duration.isDouble()) {
        out.durationMs = duration.toInteger();
    }
    out.error = errorText(item.value("error"_L1));
    if (type == "commandexecution"_L1) {
        mapCommand(item, out);
    } else if (type == "filechange"_L1) {
        mapFileChange(item, cwd, out);
    } else if (type == "mcptoolcall"_L1) {
        mapToolCall(item, false, out);
    } else if (type == "dynamictoolcall"_L1) {
        mapToolCall(item, true, out);
    } else if (type == "websearch"_L1) {
        out.kind = ItemKind::WebSearch;
        out.name = u"web_search"_s;
        out.title = oneLine(item.value("query"_L1).toString());
        out.arguments = { { u"query"_s, item.value("query"_L1).toString() } };
    } else if (type == "imageview"_L1 || type == "imagegeneration"_L1) {
        out.kind = ItemKind::Image;
        out.name = type == "imageview"_L1 ? u"view_image"_s : u"generate_image"_s;
        out.title = oneLine(wire::text(item, { "path"_L1, "savedPath"_L1, "revisedPrompt"_L1 }));
        out.arguments = { { u"path"_s, wire::text(item, { "path"_L1, "savedPath"_L1 }) } };
    } else if (type == "contextcompaction"_L1 || type == "contextcompacted"_L1) {
        out.kind = ItemKind::Compaction;
        out.name = u"compaction"_s;
        out.title = u"Conversation shortened to make room"_s;
    } else {
        out.kind = ItemKind::Other;
        out.name = item.value("type"_L1).toString().left(64);
        out.title = oneLine(wire::text(item, { "title"_L1, "text"_L1, "tool"_L1, "message"_L1 }));
    }
    return out;
}

} // namespace deskhand::engines::codex
