// SPDX-License-Identifier: Apache-2.0
#include "executor/device/toolblock.h"

#include "executor/common/jsonreader.h"
#include "executor/common/textlimits.h"

#include <QJsonArray>

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

using namespace engines;

constexpr qsizetype kMaxShortText = 8 * 1024; // titles, reasons, commands' folders
constexpr qsizetype kMaxFilesShown = 100;

QString bounded(const QString &text)
{
    return headAndTail(text, kMaxBlockText);
}

QString boundedShort(const QString &text)
{
    return headAndTail(text, kMaxShortText);
}

QString actionName(FileChange::Action action)
{
    switch (action) {
    case FileChange::Action::Add:
        return u"add"_s;
    case FileChange::Action::Delete:
        return u"delete"_s;
    case FileChange::Action::Update:
        break;
    }
    return u"update"_s;
}

/// Arguments of any size as a bounded object.
QJsonObject boundedObject(const QJsonObject &object)
{
    const QByteArray text = json::compact(object);
    if (text.size() <= kMaxBlockText) {
        return object;
    }
    return { { u"shortened"_s, bounded(QString::fromUtf8(text)) } };
}

QString outcomeName(ItemStatus status)
{
    switch (status) {
    case ItemStatus::Running:
        return u"running"_s;
    case ItemStatus::Completed:
        return u"completed"_s;
    case ItemStatus::Failed:
        return u"failed"_s;
    case ItemStatus::Declined:
        return u"declined"_s;
    case ItemStatus::Cancelled:
        break;
    }
    return u"cancelled"_s;
}

/// The backend's own word. A declined item is no error: nothing of it was done, as asked.
QString blockStatus(const Item &item)
{
    const bool failedExit = item.exitCode.value_or(0) != 0;
    switch (item.status) {
    case ItemStatus::Completed:
        return failedExit ? u"error"_s : u"done"_s;
    case ItemStatus::Declined:
        return u"done"_s;
    case ItemStatus::Running:
    case ItemStatus::Failed:
    case ItemStatus::Cancelled:
        break;
    }
    return u"error"_s;
}

QString changesText(const QList<FileChange> &changes)
{
    QStringList lines;
    for (const FileChange &change : changes.first(std::min(changes.size(), kMaxFilesShown))) {
        QString line = actionName(change.action) + u' ' + change.path;
        if (!change.movedTo.isEmpty()) {
            line += u" -> "_s + change.movedTo;
        }
        lines.append(line);
    }
    if (changes.size() > kMaxFilesShown) {
        lines.append(u"[... %1 more files ...]"_s.arg(changes.size() - kMaxFilesShown));
    }
    return lines.join(u'\n');
}

QString outputText(const Item &item)
{
    QString text = item.output;
    if (text.isEmpty() && item.kind == ItemKind::FileChange) {
        text = changesText(item.changes);
    }
    if (item.status == ItemStatus::Declined) {
        text
            = text.isEmpty() ? u"Declined on the device."_s : u"Declined on the device.\n"_s + text;
    }
    if (!item.error.isEmpty() && !text.contains(item.error)) {
        text += (text.isEmpty() ? QString() : u"\n"_s) + item.error;
    }
    return bounded(text);
}

QString approvalKind(RequestKind kind)
{
    switch (kind) {
    case RequestKind::Command:
        return u"command"_s;
    case RequestKind::FileChange:
        return u"file_change"_s;
    case RequestKind::Permissions:
        return u"permissions"_s;
    case RequestKind::Network:
        return u"network"_s;
    case RequestKind::ToolServer:
        return u"mcp_tool"_s;
    case RequestKind::Question:
        break;
    }
    return u"question"_s;
}

QString choiceLabel(Choice choice)
{
    switch (choice) {
    case Choice::AllowOnce:
        return u"allow_once"_s;
    case Choice::AllowForTask:
        return u"allow_session"_s;
    case Choice::DenyAndStop:
        return u"cancel"_s;
    case Choice::Deny:
        break;
    }
    return u"decline"_s;
}

QString choiceText(Choice choice)
{
    switch (choice) {
    case Choice::AllowOnce:
        return u"Allow once"_s;
    case Choice::AllowForTask:
        return u"Allow for this task"_s;
    case Choice::DenyAndStop:
        return u"Deny and stop"_s;
    case Choice::Deny:
        break;
    }
    return u"Deny"_s;
}

QJsonArray questionsOf(const PermissionRequest &request)
{
    QJsonArray questions;
    for (const Question &question : request.questions) {
        QJsonArray options;
        for (const Question::Option &option : question.options) {
            options.append(QJsonObject { { u"label"_s, boundedShort(option.label) },
                { u"description"_s, boundedShort(option.description) } });
        }
        questions.append(
            QJsonObject { { u"id"_s, question.id }, { u"header"_s, boundedShort(question.header) },
                { u"question"_s, boundedShort(question.text) }, { u"options"_s, options },
                { u"isOther"_s, question.allowsOther }, { u"isSecret"_s, question.secret } });
    }
    if (request.kind == RequestKind::Question) {
        return questions;
    }
    QJsonArray options;
    for (const Choice choice : request.choices) {
        options.append(QJsonObject {
            { u"label"_s, choiceLabel(choice) }, { u"description"_s, choiceText(choice) } });
    }
    const QString id
        = request.kind == RequestKind::ToolServer ? u"__mcp_approval"_s : u"__codex_approval"_s;
    questions.append(QJsonObject { { u"id"_s, id }, { u"header"_s, u"Permission"_s },
        { u"question"_s, boundedShort(request.summary) }, { u"options"_s, options } });
    return questions;
}

} // namespace

QString toolName(const Item &item)
{
    if (!item.name.isEmpty()) {
        return item.name;
    }
    switch (item.kind) {
    case ItemKind::Command:
        return u"shell"_s;
    case ItemKind::FileChange:
        return u"apply_patch"_s;
    case ItemKind::WebSearch:
        return u"web_search"_s;
    case ItemKind::Image:
        return u"view_image"_s;
    case ItemKind::Compaction:
        return u"context_compaction"_s;
    case ItemKind::ToolCall:
    case ItemKind::Other:
        break;
    }
    return u"tool"_s;
}

QJsonObject changesInput(const QList<FileChange> &changes)
{
    QJsonArray list;
    // Together the diffs stay within one block text; each file keeps a fair share of it.
    const qsizetype shown = std::min(changes.size(), kMaxFilesShown);
    const qsizetype share = shown == 0 ? 0 : std::max<qsizetype>(256, kMaxBlockText / shown);
    for (const FileChange &change : changes.first(shown)) {
        QJsonObject entry { { u"path"_s, change.path }, { u"kind"_s, actionName(change.action) },
            { u"diff"_s, headAndTail(change.diff, share) } };
        if (!change.movedTo.isEmpty()) {
            entry.insert(u"move_path"_s, change.movedTo);
        }
        list.append(entry);
    }
    QJsonObject input { { u"changes"_s, list } };
    if (changes.size() > shown) {
        input.insert(u"more_files"_s, changes.size() - shown);
    }
    return input;
}

QJsonObject toolInput(const Item &item)
{
    switch (item.kind) {
    case ItemKind::Command:
        return { { u"command"_s, bounded(item.command) }, { u"cwd"_s, boundedShort(item.cwd) } };
    case ItemKind::FileChange:
        return changesInput(item.changes);
    case ItemKind::WebSearch: {
        QJsonObject input = boundedObject(item.arguments);
        input.insert(u"query"_s, boundedShort(item.title));
        return input;
    }
    case ItemKind::ToolCall:
    case ItemKind::Image:
    case ItemKind::Compaction:
    case ItemKind::Other:
        break;
    }
    QJsonObject input = boundedObject(item.arguments);
    if (input.isEmpty() && !item.title.isEmpty()) {
        input.insert(u"title"_s, boundedShort(item.title));
    }
    return input;
}

QJsonObject endedUpdates(const Item &item)
{
    QJsonObject updates { { u"tool_input"_s, toolInput(item) },
        { u"tool_output"_s, outputText(item) }, { u"status"_s, blockStatus(item) },
        { u"outcome"_s, outcomeName(item.status) } };
    if (item.exitCode) {
        updates.insert(u"exit_code"_s, *item.exitCode);
    }
    if (item.durationMs) {
        updates.insert(u"duration_ms"_s, *item.durationMs);
    }
    return updates;
}

QJsonObject toolBlock(
    const QString &id, const QString &name, const QJsonObject &input, qint64 nowMs)
{
    return { { u"id"_s, id }, { u"type"_s, u"tool"_s }, { u"tool_use_id"_s, id },
        { u"tool_name"_s, name }, { u"tool_input"_s, input }, { u"status"_s, u"pending"_s },
        { u"timestamp"_s, nowMs } };
}

QString requestBlockId(const QString &requestId)
{
    return u"request-user-input-"_s + requestId;
}

QJsonObject requestBlock(const PermissionRequest &request, qint64 nowMs)
{
    QJsonObject payload { { u"kind"_s, u"request_user_input"_s }, { u"requestId"_s, request.id },
        { u"itemId"_s, request.itemId }, { u"summary"_s, boundedShort(request.summary) },
        { u"reason"_s, boundedShort(request.reason) }, { u"cwd"_s, boundedShort(request.cwd) },
        { u"questions"_s, questionsOf(request) } };
    if (request.kind != RequestKind::Question) {
        payload.insert(u"interactionKind"_s, u"approval"_s);
        payload.insert(u"approvalKind"_s, approvalKind(request.kind));
    }
    if (!request.command.isEmpty()) {
        payload.insert(u"command"_s, bounded(request.command));
    }
    if (!request.host.isEmpty()) {
        payload.insert(u"host"_s, boundedShort(request.host));
        payload.insert(u"protocol"_s, request.protocol);
    }
    if (!request.files.isEmpty()) {
        QJsonArray files;
        for (const RequestedFile &file :
            request.files.first(std::min(request.files.size(), kMaxFilesShown))) {
            files.append(QJsonObject { { u"path"_s, file.path }, { u"action"_s, file.action } });
        }
        payload.insert(u"files"_s, files);
    }
    if (!request.grants.isEmpty()) {
        payload.insert(u"grants"_s, boundedShort(request.grants.join(u'\n')));
    }
    if (!request.server.isEmpty()) {
        payload.insert(u"server"_s, request.server);
        payload.insert(u"tool"_s, request.tool);
        payload.insert(u"arguments"_s, boundedObject(request.arguments));
    }
    QJsonObject block
        = toolBlock(requestBlockId(request.id), u"request_user_input"_s, QJsonObject(), nowMs);
    block.insert(u"render_payload"_s, payload);
    return block;
}

QJsonObject requestClosedUpdates(const RequestClosed &closed)
{
    QString text;
    switch (closed.outcome) {
    case RequestOutcome::Allowed:
        text = u"Allowed once"_s;
        break;
    case RequestOutcome::AllowedForTask:
        text = u"Allowed for this task"_s;
        break;
    case RequestOutcome::Denied:
        text = u"Denied"_s;
        break;
    case RequestOutcome::Expired:
        text = u"Denied, because nobody answered in time"_s;
        break;
    case RequestOutcome::Withdrawn:
        text = u"Withdrawn"_s;
        break;
    }
    if (!closed.by.isEmpty() && closed.outcome != RequestOutcome::Expired) {
        text += u" ("_s + closed.by + u')';
    }
    if (!closed.reason.isEmpty()) {
        text += u": "_s + closed.reason;
    }
    return { { u"status"_s, u"done"_s }, { u"outcome"_s, requestOutcomeName(closed.outcome) },
        { u"tool_output"_s, boundedShort(text) } };
}

QJsonObject planInput(const PlanUpdated &plan)
{
    QJsonArray steps;
    for (const PlanUpdated::Step &step :
        plan.steps.first(std::min(plan.steps.size(), kMaxFilesShown))) {
        steps.append(
            QJsonObject { { u"step"_s, boundedShort(step.text) }, { u"status"_s, step.status } });
    }
    return { { u"explanation"_s, boundedShort(plan.explanation) }, { u"plan"_s, steps } };
}

QString planText(const PlanUpdated &plan)
{
    if (!plan.markdown.isEmpty()) {
        return bounded(plan.markdown);
    }
    QStringList lines;
    if (!plan.explanation.isEmpty()) {
        lines.append(plan.explanation);
    }
    for (const PlanUpdated::Step &step : plan.steps) {
        const bool over = step.status == u"completed";
        const bool now = step.status == u"inProgress";
        lines.append((over ? u"[x] "_s : now ? u"[>] "_s : u"[ ] "_s) + step.text);
    }
    return bounded(lines.join(u'\n'));
}

} // namespace deskhand::device
