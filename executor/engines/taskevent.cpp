// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/taskevent.h"

#include "executor/engines/jsonlists_p.h"

#include <QHashFunctions>

#include <algorithm>
#include <array>
#include <utility>

namespace deskhand::engines {
namespace {

using namespace Qt::StringLiterals;

template <typename Enum> struct Name
{
    Enum value;
    QLatin1StringView word;
};

constexpr std::array kLevels { Name { StatusNote::Level::Info, "info"_L1 },
    Name { StatusNote::Level::Warning, "warning"_L1 } };

constexpr std::array kItemKinds { Name { ItemKind::Command, "command"_L1 },
    Name { ItemKind::FileChange, "file_change"_L1 }, Name { ItemKind::ToolCall, "tool_call"_L1 },
    Name { ItemKind::WebSearch, "web_search"_L1 }, Name { ItemKind::Image, "image"_L1 },
    Name { ItemKind::Compaction, "compaction"_L1 }, Name { ItemKind::Other, "other"_L1 } };

constexpr std::array kItemStates { Name { ItemStatus::Running, "running"_L1 },
    Name { ItemStatus::Completed, "completed"_L1 }, Name { ItemStatus::Failed, "failed"_L1 },
    Name { ItemStatus::Declined, "declined"_L1 }, Name { ItemStatus::Cancelled, "cancelled"_L1 } };

constexpr std::array kActions { Name { FileChange::Action::Add, "add"_L1 },
    Name { FileChange::Action::Delete, "delete"_L1 },
    Name { FileChange::Action::Update, "update"_L1 } };

constexpr std::array kOutcomes { Name { TurnOutcome::Completed, "completed"_L1 },
    Name { TurnOutcome::Cancelled, "cancelled"_L1 }, Name { TurnOutcome::Failed, "failed"_L1 } };

template <typename Enum, size_t Size>
QString wordOf(const std::array<Name<Enum>, Size> &names, Enum value)
{
    const auto found = std::find_if(names.begin(), names.end(),
        [value](const Name<Enum> &name) { return name.value == value; });
    return found == names.end() ? QString() : QString(found->word);
}

template <typename Enum, size_t Size>
Enum valueOf(const std::array<Name<Enum>, Size> &names, FieldReader &read, QStringView key)
{
    const QString word = read.requiredString(key);
    for (const Name<Enum> &name : names) {
        if (word == name.word) {
            return name.value;
        }
    }
    read.fail(u"\"%1\": \"%2\" is not known"_s.arg(key, word.left(100)));
    return names.front().value;
}

void insertText(QJsonObject &object, const QString &key, const QString &text)
{
    if (!text.isEmpty()) {
        object.insert(key, text);
    }
}

QJsonObject changeToJson(const FileChange &change)
{
    QJsonObject object { { u"path"_s, change.path },
        { u"action"_s, wordOf(kActions, change.action) } };
    insertText(object, u"moved_to"_s, change.movedTo);
    insertText(object, u"diff"_s, change.diff);
    return object;
}

Result<FileChange> changeFromJson(const QJsonObject &object)
{
    FieldReader read(object);
    FileChange change;
    change.path = read.string(u"path");
    change.movedTo = read.string(u"moved_to");
    change.action = valueOf(kActions, read, u"action");
    change.diff = read.string(u"diff");
    return read.finish(std::move(change));
}

QJsonObject itemToJson(const Item &item)
{
    QJsonObject object { { u"id"_s, item.id }, { u"kind"_s, wordOf(kItemKinds, item.kind) },
        { u"status"_s, wordOf(kItemStates, item.status) } };
    insertText(object, u"name"_s, item.name);
    insertText(object, u"title"_s, item.title);
    insertText(object, u"command"_s, item.command);
    insertText(object, u"cwd"_s, item.cwd);
    insertText(object, u"output"_s, item.output);
    if (item.exitCode) {
        object.insert(u"exit_code"_s, *item.exitCode);
    }
    if (item.durationMs) {
        object.insert(u"duration_ms"_s, *item.durationMs);
    }
    if (!item.changes.isEmpty()) {
        object.insert(u"changes"_s, listToJson(item.changes, changeToJson));
    }
    if (!item.arguments.isEmpty()) {
        object.insert(u"arguments"_s, item.arguments);
    }
    insertText(object, u"error"_s, item.error);
    return object;
}

Result<Item> itemFromJson(const QJsonObject &object)
{
    FieldReader read(object);
    Item item;
    item.id = read.requiredString(u"id");
    item.kind = valueOf(kItemKinds, read, u"kind");
    item.status = valueOf(kItemStates, read, u"status");
    item.name = read.string(u"name");
    item.title = read.string(u"title");
    item.command = read.string(u"command");
    item.cwd = read.string(u"cwd");
    item.output = read.string(u"output");
    if (const auto code = read.maybeInteger(u"exit_code")) {
        // Windows has exit codes above 2^31; they are kept as the same 32 bits.
        item.exitCode = static_cast<int>(*code);
    }
    item.durationMs = read.maybeInteger(u"duration_ms");
    item.changes = read.list<FileChange>(u"changes", changeFromJson);
    item.arguments = read.object(u"arguments");
    item.error = read.string(u"error");
    return read.finish(std::move(item));
}

QJsonObject usageToJson(const Usage &usage)
{
    return {
        { u"input_tokens"_s, usage.inputTokens },
        { u"cached_input_tokens"_s, usage.cachedInputTokens },
        { u"output_tokens"_s, usage.outputTokens },
        { u"reasoning_tokens"_s, usage.reasoningTokens },
        { u"total_tokens"_s, usage.totalTokens },
        { u"context_window"_s, usage.contextWindow },
        { u"context_used"_s, usage.contextUsed },
    };
}

Usage usageFromJson(FieldReader &outer)
{
    const QJsonObject object = outer.object(u"usage");
    FieldReader read(object);
    Usage usage;
    usage.inputTokens = read.integer(u"input_tokens");
    usage.cachedInputTokens = read.integer(u"cached_input_tokens");
    usage.outputTokens = read.integer(u"output_tokens");
    usage.reasoningTokens = read.integer(u"reasoning_tokens");
    usage.totalTokens = read.integer(u"total_tokens");
    usage.contextWindow = read.integer(u"context_window");
    usage.contextUsed = read.integer(u"context_used");
    return outer.take(read.finish(usage));
}

QJsonObject stepToJson(const PlanUpdated::Step &step)
{
    return { { u"text"_s, step.text }, { u"status"_s, step.status } };
}

Result<PlanUpdated::Step> stepFromJson(const QJsonObject &object)
{
    FieldReader read(object);
    PlanUpdated::Step step;
    step.text = read.string(u"text");
    step.status = read.string(u"status");
    return read.finish(std::move(step));
}

// One pair of functions per alternative; write() adds its fields, read() takes them.

constexpr QLatin1StringView typeOf(const TurnStarted &)
{
    return "turn_started"_L1;
}
constexpr QLatin1StringView typeOf(const StatusNote &)
{
    return "status_note"_L1;
}
constexpr QLatin1StringView typeOf(const TextDelta &)
{
    return "text_delta"_L1;
}
constexpr QLatin1StringView typeOf(const TextEnded &)
{
    return "text_ended"_L1;
}
constexpr QLatin1StringView typeOf(const TextAbandoned &)
{
    return "text_abandoned"_L1;
}
constexpr QLatin1StringView typeOf(const ReasoningDelta &)
{
    return "reasoning_delta"_L1;
}
constexpr QLatin1StringView typeOf(const ItemStarted &)
{
    return "item_started"_L1;
}
constexpr QLatin1StringView typeOf(const ItemProgress &)
{
    return "item_progress"_L1;
}
constexpr QLatin1StringView typeOf(const ItemEnded &)
{
    return "item_ended"_L1;
}
constexpr QLatin1StringView typeOf(const PlanUpdated &)
{
    return "plan_updated"_L1;
}
constexpr QLatin1StringView typeOf(const DiffUpdated &)
{
    return "diff_updated"_L1;
}
constexpr QLatin1StringView typeOf(const UsageUpdated &)
{
    return "usage_updated"_L1;
}
constexpr QLatin1StringView typeOf(const RequestOpened &)
{
    return "request_opened"_L1;
}
constexpr QLatin1StringView typeOf(const RequestClosed &)
{
    return "request_closed"_L1;
}
constexpr QLatin1StringView typeOf(const RetryNotice &)
{
    return "retry_notice"_L1;
}
constexpr QLatin1StringView typeOf(const PromptGiven &)
{
    return "prompt_given"_L1;
}
constexpr QLatin1StringView typeOf(const TurnEnded &)
{
    return "turn_ended"_L1;
}

void write(QJsonObject &object, const TurnStarted &event)
{
    object.insert(u"thread_id"_s, event.threadId);
    object.insert(u"engine_turn_id"_s, event.engineTurnId);
}
void read(FieldReader &from, TurnStarted &event)
{
    event.threadId = from.string(u"thread_id");
    event.engineTurnId = from.string(u"engine_turn_id");
}

void write(QJsonObject &object, const StatusNote &event)
{
    object.insert(u"level"_s, wordOf(kLevels, event.level));
    object.insert(u"code"_s, event.code);
    object.insert(u"text"_s, event.text);
}
void read(FieldReader &from, StatusNote &event)
{
    event.level = valueOf(kLevels, from, u"level");
    event.code = from.string(u"code");
    event.text = from.string(u"text");
}

void write(QJsonObject &object, const TextDelta &event)
{
    object.insert(u"item_id"_s, event.itemId);
    object.insert(u"text"_s, event.text);
}
void read(FieldReader &from, TextDelta &event)
{
    event.itemId = from.string(u"item_id");
    event.text = from.string(u"text");
}

void write(QJsonObject &object, const TextEnded &event)
{
    object.insert(u"item_id"_s, event.itemId);
    object.insert(u"text"_s, event.text);
    object.insert(u"final_answer"_s, event.finalAnswer);
}
void read(FieldReader &from, TextEnded &event)
{
    event.itemId = from.string(u"item_id");
    event.text = from.string(u"text");
    event.finalAnswer = from.boolean(u"final_answer");
}

void write(QJsonObject &object, const TextAbandoned &event)
{
    object.insert(u"item_id"_s, event.itemId);
}
void read(FieldReader &from, TextAbandoned &event)
{
    event.itemId = from.string(u"item_id");
}

void write(QJsonObject &object, const ReasoningDelta &event)
{
    object.insert(u"item_id"_s, event.itemId);
    object.insert(u"text"_s, event.text);
}
void read(FieldReader &from, ReasoningDelta &event)
{
    event.itemId = from.string(u"item_id");
    event.text = from.string(u"text");
}

void write(QJsonObject &object, const ItemStarted &event)
{
    object.insert(u"item"_s, itemToJson(event.item));
}
void read(FieldReader &from, ItemStarted &event)
{
    event.item = from.take(itemFromJson(from.object(u"item")));
}

void write(QJsonObject &object, const ItemProgress &event)
{
    object.insert(u"item_id"_s, event.itemId);
    insertText(object, u"output_delta"_s, event.outputDelta);
    if (!event.changes.isEmpty()) {
        object.insert(u"changes"_s, listToJson(event.changes, changeToJson));
    }
}
void read(FieldReader &from, ItemProgress &event)
{
    event.itemId = from.string(u"item_id");
    event.outputDelta = from.string(u"output_delta");
    event.changes = from.list<FileChange>(u"changes", changeFromJson);
}

void write(QJsonObject &object, const ItemEnded &event)
{
    object.insert(u"item"_s, itemToJson(event.item));
}
void read(FieldReader &from, ItemEnded &event)
{
    event.item = from.take(itemFromJson(from.object(u"item")));
}

void write(QJsonObject &object, const PlanUpdated &event)
{
    object.insert(u"explanation"_s, event.explanation);
    object.insert(u"steps"_s, listToJson(event.steps, stepToJson));
    insertText(object, u"markdown"_s, event.markdown);
}
void read(FieldReader &from, PlanUpdated &event)
{
    event.explanation = from.string(u"explanation");
    event.steps = from.list<PlanUpdated::Step>(u"steps", stepFromJson);
    event.markdown = from.string(u"markdown");
}

void write(QJsonObject &object, const DiffUpdated &event)
{
    object.insert(u"diff"_s, event.diff);
}
void read(FieldReader &from, DiffUpdated &event)
{
    event.diff = from.string(u"diff");
}

void write(QJsonObject &object, const UsageUpdated &event)
{
    object.insert(u"usage"_s, usageToJson(event.turn));
}
void read(FieldReader &from, UsageUpdated &event)
{
    event.turn = usageFromJson(from);
}

void write(QJsonObject &object, const RequestOpened &event)
{
    object.insert(u"request"_s, toJson(event.request));
}
void read(FieldReader &from, RequestOpened &event)
{
    event.request = from.take(permissionRequestFromJson(from.object(u"request")));
}

void write(QJsonObject &object, const RequestClosed &event)
{
    object.insert(u"request_id"_s, event.requestId);
    object.insert(u"outcome"_s, requestOutcomeName(event.outcome));
    object.insert(u"by"_s, event.by);
    object.insert(u"reason"_s, event.reason);
}
void read(FieldReader &from, RequestClosed &event)
{
    event.requestId = from.requiredString(u"request_id");
    event.outcome = from.take(requestOutcomeFromName(from.requiredString(u"outcome")));
    event.by = from.string(u"by");
    event.reason = from.string(u"reason");
}

void write(QJsonObject &object, const RetryNotice &event)
{
    object.insert(u"text"_s, event.text);
    object.insert(u"cause"_s, event.cause);
}
void read(FieldReader &from, RetryNotice &event)
{
    event.text = from.string(u"text");
    event.cause = from.string(u"cause");
}

void write(QJsonObject &object, const PromptGiven &event)
{
    object.insert(u"text"_s, event.text);
    object.insert(u"images"_s, event.images);
}
void read(FieldReader &from, PromptGiven &event)
{
    event.text = from.string(u"text");
    event.images = static_cast<int>(std::clamp<qint64>(from.integer(u"images"), 0, 1'000'000));
}

void write(QJsonObject &object, const TurnEnded &event)
{
    object.insert(u"outcome"_s, wordOf(kOutcomes, event.outcome));
    object.insert(u"final_text"_s, event.finalText);
    insertText(object, u"error_code"_s, event.errorCode);
    insertText(object, u"error_message"_s, event.errorMessage);
    object.insert(u"usage"_s, usageToJson(event.usage));
}
void read(FieldReader &from, TurnEnded &event)
{
    event.outcome = valueOf(kOutcomes, from, u"outcome");
    event.finalText = from.string(u"final_text");
    event.errorCode = from.string(u"error_code");
    event.errorMessage = from.string(u"error_message");
    event.usage = usageFromJson(from);
}

/// Tries the alternatives of the variant one after the other.
template <size_t Index = 0> Result<TaskEvent> readAs(const QString &type, FieldReader &from)
{
    if constexpr (Index == std::variant_size_v<TaskEvent>) {
        return failure(ErrorKind::Protocol, u"\"%1\" is not a type of event"_s.arg(type.left(100)));
    } else {
        std::variant_alternative_t<Index, TaskEvent> event;
        if (type != typeOf(event)) {
            return readAs<Index + 1>(type, from);
        }
        read(from, event);
        return from.finish(TaskEvent(std::move(event)));
    }
}

} // namespace

size_t qHash(const TurnRef &ref, size_t seed)
{
    return qHashMulti(seed, ref.taskId, ref.turnId);
}

QString eventTypeName(const TaskEvent &event)
{
    return std::visit([](const auto &one) { return QString(typeOf(one)); }, event);
}

QJsonObject toJson(const TaskEvent &event)
{
    return std::visit(
        [](const auto &one) {
            QJsonObject object { { u"type"_s, QString(typeOf(one)) } };
            write(object, one);
            return object;
        },
        event);
}

Result<TaskEvent> taskEventFromJson(const QJsonObject &object)
{
    FieldReader from(object);
    const QString type = from.requiredString(u"type");
    if (type.isEmpty()) {
        return from.finish(TaskEvent()).and_then([](const TaskEvent &) -> Result<TaskEvent> {
            return failure(ErrorKind::Protocol, u"\"type\" is empty"_s);
        });
    }
    return readAs(type, from);
}

} // namespace deskhand::engines
