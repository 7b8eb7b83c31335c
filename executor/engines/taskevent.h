// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/permission.h"

#include <QJsonObject>
#include <QList>
#include <QMetaType>
#include <QString>

#include <optional>
#include <variant>

namespace deskhand::engines {

// TaskEvent: the one vocabulary between engines and everything that shows or sends work. Engines
// emit these value types, encoders translate them; neither knows the other. All plain values,
// any thread.
//
// Grammar of one turn: PromptGiven TurnStarted? (anything else)* TurnEnded. Exactly one TurnEnded,
// whatever dies; after it only a late ItemEnded of an item that was open may follow. Engines begin
// with TurnStarted: the prompt is told when the turn is accepted, so that of a turn that waits
// comes while the turn before it still speaks.

/// Names one turn: the task it belongs to and the turn's own id. Backend tasks use the decimal
/// task_id and subtask_id; local tasks use generated words.
struct TurnRef
{
    QString taskId;
    QString turnId;
    [[nodiscard]] bool operator==(const TurnRef &other) const = default;
};
[[nodiscard]] size_t qHash(const TurnRef &ref, size_t seed = 0);

/// The engine took the turn.
struct TurnStarted
{
    QString threadId; ///< the engine's conversation, kept for the next turn of the task
    QString engineTurnId;
};

/// A sentence about the turn that is not the model's: permission lowered, a warning, still working.
struct StatusNote
{
    enum class Level { Info, Warning };
    Level level = Level::Info;
    QString code; ///< stable word, e.g. "profile_lowered", "quiet"
    QString text; ///< English
};

/// More text of an agent message. Messages come one after the other, keyed by itemId.
struct TextDelta
{
    QString itemId;
    QString text;
};

/// The whole text of an agent message; the deltas of the same item are contained in it. An item
/// may end without any delta before.
struct TextEnded
{
    QString itemId;
    QString text;
    bool finalAnswer = false; ///< the engine marked it as the answer
};

/// A message that broke off (stream retry, interrupt, steer): its text stays as it is, what
/// follows is a new message.
struct TextAbandoned
{
    QString itemId;
};

struct ReasoningDelta
{
    QString itemId;
    QString text; ///< starts with a blank line where a new part begins
};

enum class ItemKind { Command, FileChange, ToolCall, WebSearch, Image, Compaction, Other };
enum class ItemStatus { Running, Completed, Failed, Declined, Cancelled };

struct FileChange
{
    enum class Action { Add, Delete, Update };
    QString path; ///< absolute where the engine says so
    QString movedTo;
    Action action = Action::Update;
    QString diff; ///< hunks, or plain content for Add
};

/// One piece of work inside a turn. `id` is unique within its turn.
struct Item
{
    QString id;
    ItemKind kind = ItemKind::Other;
    ItemStatus status = ItemStatus::Running;
    QString name; ///< tool name as shown: "shell", "apply_patch", "<server>.<tool>", …
    QString title; ///< one line for a person
    QString command;
    QString cwd;
    QString output; ///< whole output, bounded by the engine (about 1 MiB)
    std::optional<int> exitCode;
    std::optional<qint64> durationMs;
    QList<FileChange> changes;
    QJsonObject arguments; ///< of a tool call
    QString error;
};

struct ItemStarted
{
    Item item;
};

/// Output as it comes; may be lossy, the truth is in ItemEnded.
struct ItemProgress
{
    QString itemId;
    QString outputDelta;
    QList<FileChange> changes; ///< whole state so far, when the engine streams a patch
};

struct ItemEnded
{
    Item item;
};

struct PlanUpdated
{
    struct Step
    {
        QString text;
        QString status; ///< pending, inProgress, completed
    };
    QString explanation;
    QList<Step> steps;
    QString markdown; ///< a proposed plan in full, when the engine gives one
};

/// What the turn changed so far, as a unified diff.
struct DiffUpdated
{
    QString diff;
};

/// Token counts. In TurnEnded: the sum over the turn.
struct Usage
{
    qint64 inputTokens = 0;
    qint64 cachedInputTokens = 0;
    qint64 outputTokens = 0;
    qint64 reasoningTokens = 0;
    qint64 totalTokens = 0;
    qint64 contextWindow = 0; ///< 0 = unknown
    qint64 contextUsed = 0; ///< tokens of the last model call
};

struct UsageUpdated
{
    Usage turn;
};

/// A permission request of this turn came up (from the broker, after its own rules).
struct RequestOpened
{
    PermissionRequest request;
};

struct RequestClosed
{
    QString requestId;
    RequestOutcome outcome = RequestOutcome::Withdrawn;
    QString by; ///< who or what decided
    QString reason;
};

/// The model call failed and is tried again.
struct RetryNotice
{
    QString text;
    QString cause;
};

/// What the user wrote; first in the story of every turn.
struct PromptGiven
{
    QString text; ///< secrets masked; a very long one keeps head and tail around a marker
    int images = 0; ///< pictures sent with it
};

enum class TurnOutcome { Completed, Cancelled, Failed };

struct TurnEnded
{
    TurnOutcome outcome = TurnOutcome::Failed;
    QString finalText; ///< the answer: final messages, else the last one
    QString
        errorCode; ///< with Failed: stable word, e.g. "runtime_error", "interrupted", "model_quota"
    QString errorMessage; ///< with Failed or Cancelled: for a person
    Usage usage;
};

using TaskEvent = std::variant<TurnStarted, StatusNote, TextDelta, TextEnded, TextAbandoned,
    ReasoningDelta, ItemStarted, ItemProgress, ItemEnded, PlanUpdated, DiffUpdated, UsageUpdated,
    RequestOpened, RequestClosed, RetryNotice, PromptGiven, TurnEnded>;

/// "turn_started", "text_delta", …: the word in "type" of the JSON form.
[[nodiscard]] QString eventTypeName(const TaskEvent &event);
/// Journal and control form: {"type": "text_delta", …}. Secret answers are never in it.
[[nodiscard]] QJsonObject toJson(const TaskEvent &event);
/// The reverse; unknown types and wrong fields are Protocol errors.
[[nodiscard]] Result<TaskEvent> taskEventFromJson(const QJsonObject &object);

} // namespace deskhand::engines

Q_DECLARE_METATYPE(deskhand::engines::TaskEvent)
Q_DECLARE_METATYPE(deskhand::engines::TurnRef)
