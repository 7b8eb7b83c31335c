// SPDX-License-Identifier: Apache-2.0
#include "executor/device/chatencoder.h"

#include "executor/common/jsonreader.h"
#include "executor/common/textlimits.h"
#include "executor/device/toolblock.h"

#include <QJsonArray>

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

using namespace engines;

constexpr qsizetype kLiveOutputUnits = 8 * 1024; // of a running command's output
constexpr qint64 kMaxAnswerBytes = kMaxPacketBytes - 100'000; // leaves room for the envelope
constexpr qsizetype kMaxMessageUnits = 4 * 1024;
constexpr QStringView kBlankLine = u"\n\n";

} // namespace

ChatEncoder::ChatEncoder(const ChatTurn &turn)
    : m_turn(turn)
    , m_streamed(kBlankLine.toString())
{ }

QList<ChatEvent> ChatEncoder::encode(const TaskEvent &event, qint64 nowMs)
{
    m_out.clear();
    if (m_over) {
        return {};
    }
    m_nowMs = nowMs;
    if (!m_begun) {
        begin();
    }
    std::visit([this](const auto &body) { on(body); }, event);
    return std::exchange(m_out, {});
}

void ChatEncoder::add(ChatEvent::Kind kind, const QString &name, QJsonObject body)
{
    body.insert(u"type"_s, name);
    m_out.append(ChatEvent { kind, name, QString(), 0, json::wellFormed(body) });
}

void ChatEncoder::begin()
{
    m_begun = true;
    QJsonObject body { { u"response"_s, response(u"in_progress"_s) } };
    if (!m_turn.shellType.isEmpty()) {
        body.insert(u"shell_type"_s, m_turn.shellType);
    }
    add(ChatEvent::Kind::Plain, u"response.created"_s, body);
}

QJsonObject ChatEncoder::response(const QString &status) const
{
    return { { u"id"_s, m_turn.responseId }, { u"object"_s, u"response"_s },
        { u"created_at"_s, m_turn.createdAtSec }, { u"model"_s, m_turn.model },
        { u"status"_s, status }, { u"output"_s, QJsonArray() } };
}

// --- text -------------------------------------------------------------------------------------

void ChatEncoder::emitText(const QString &text)
{
    QString whole = std::exchange(m_half, {}) + text;
    if (!whole.isEmpty() && whole.back().isHighSurrogate()) {
        m_half = whole.back();
        whole.chop(1);
    }
    whole = wellFormed(whole);
    if (!whole.isEmpty()) {
        m_streamed.append(whole);
        pushText(whole);
    }
}

/// The message is over: the other half of the pair will not come.
void ChatEncoder::flushHalf()
{
    if (!std::exchange(m_half, {}).isEmpty()) {
        const QString replacement(QChar::ReplacementCharacter);
        m_streamed.append(replacement);
        pushText(replacement);
    }
}

void ChatEncoder::pushText(const QString &text)
{
    const ChatEvent event { ChatEvent::Kind::Text, u"response.output_text.delta"_s, text,
        m_textPoints,
        { { u"type"_s, u"response.output_text.delta"_s },
            { u"item_id"_s, u"msg_%1"_s.arg(m_turn.subtaskId) }, { u"output_index"_s, 0 },
            { u"content_index"_s, 0 } } };
    m_textPoints += codePointCount(text);
    if (m_out.isEmpty() || !mergeInto(m_out.last(), event)) {
        m_out.append(event);
    }
}

void ChatEncoder::text(const QString &itemId, const QString &text)
{
    if (text.isEmpty()) {
        return;
    }
    retryOver();
    if (!m_messageOpen || m_openItem != itemId) {
        flushHalf();
        if (m_textPoints > 0) {
            pushText(kBlankLine.toString());
        }
        m_streamed.startMessage();
        m_openItem = itemId;
        m_messageOpen = true;
    }
    m_partial[itemId].append(text);
    emitText(text);
}

void ChatEncoder::endText(const QString &itemId)
{
    m_partial.erase(itemId);
    if (m_openItem == itemId) {
        flushHalf();
        m_messageOpen = false;
    }
}

void ChatEncoder::on(const TextDelta &delta)
{
    text(delta.itemId, delta.text);
}

void ChatEncoder::on(const TextEnded &ended)
{
    const auto partial = m_partial.find(ended.itemId);
    const qsizetype streamed = partial == m_partial.end() ? 0 : partial->second.size();
    const bool open = m_messageOpen && m_openItem == ended.itemId;
    const bool begins = streamed > 0 && partial->second.begins(ended.text);
    if (streamed == 0) {
        text(ended.itemId, ended.text);
    } else if (open && begins) {
        text(ended.itemId, ended.text.mid(streamed));
    } else if (!begins || ended.text.size() != streamed) {
        // What was streamed is not how the message begins: the whole message follows it.
        endText(ended.itemId);
        text(ended.itemId, ended.text);
    }
    endText(ended.itemId);
}

void ChatEncoder::on(const TextAbandoned &abandoned)
{
    endText(abandoned.itemId);
}

void ChatEncoder::emitAnswer(const QString &answer)
{
    if (answer.isEmpty()) {
        return;
    }
    if (!m_streamed.is(wellFormed(answer))) {
        m_messageOpen = false;
        text(u"answer"_s, answer);
    }
}

void ChatEncoder::on(const ReasoningDelta &delta)
{
    if (delta.text.isEmpty()) {
        return;
    }
    retryOver();
    QString text = delta.text;
    if (m_reasoned && delta.itemId != m_reasoningItem && !text.startsWith(u'\n')) {
        text.prepend(kBlankLine);
    }
    m_reasoningItem = delta.itemId;
    m_reasoned = true;
    text = wellFormed(text);
    const QString name = u"response.reasoning_summary_text.delta"_s;
    m_out.append(ChatEvent { ChatEvent::Kind::Reasoning, name, text, m_reasoningPoints,
        { { u"type"_s, name }, { u"item_id"_s, u"rs_%1"_s.arg(m_turn.subtaskId) },
            { u"output_index"_s, 0 }, { u"content_index"_s, 0 } } });
    m_reasoningPoints += codePointCount(text);
}

// --- blocks -----------------------------------------------------------------------------------

void ChatEncoder::createBlock(const QJsonObject &block)
{
    m_known.insert(block.value(u"id"_s).toString());
    add(ChatEvent::Kind::Block, u"response.block.created"_s, { { u"block"_s, block } });
}

void ChatEncoder::updateBlock(const QString &id, const QJsonObject &updates)
{
    add(ChatEvent::Kind::Block, u"response.block.updated"_s,
        { { u"block_id"_s, id }, { u"updates"_s, updates } });
}

void ChatEncoder::showBlock(const QString &id, const QString &toolName, const QJsonObject &input,
    const QString &output, const QString &status)
{
    if (m_known.contains(id)) {
        updateBlock(id,
            { { u"tool_input"_s, input }, { u"tool_output"_s, output }, { u"status"_s, status } });
        return;
    }
    QJsonObject block = toolBlock(id, toolName, input, m_nowMs);
    block.insert(u"tool_output"_s, output);
    block.insert(u"status"_s, status);
    createBlock(block);
}

void ChatEncoder::on(const ItemStarted &started)
{
    const Item &item = started.item;
    retryOver();
    if (item.id.isEmpty() || m_known.contains(item.id)) {
        return;
    }
    createBlock(toolBlock(item.id, toolName(item), toolInput(item), m_nowMs));
    m_open.insert(item.id, OpenBlock { item.kind, {}, 0, 0, 0 });
    m_openOrder.append(item.id);
}

void ChatEncoder::on(const ItemProgress &progress)
{
    const auto block = m_open.find(progress.itemId);
    if (block == m_open.end()) {
        return;
    }
    QJsonObject updates;
    if (!progress.outputDelta.isEmpty()) {
        block->output += progress.outputDelta;
        block->unseen += progress.outputDelta.size();
        if (block->output.size() > 2 * kLiveOutputUnits) {
            const qsizetype cut = safeCut(block->output, block->output.size() - kLiveOutputUnits);
            block->omitted += QStringView(block->output).first(cut).toUtf8().size();
            block->output.remove(0, cut);
        }
        // Each update repeats the output, so the next one waits until half as much again is there.
        if (block->unseen * 2 >= block->output.size()) {
            block->unseen = 0;
            const QString marker = block->omitted == 0
                ? QString()
                : u"[... %1 bytes omitted ...]\n"_s.arg(block->omitted);
            updates.insert(u"tool_output"_s, marker + block->output);
            updates.insert(u"status"_s, u"streaming"_s);
        }
    }
    if (!progress.changes.isEmpty()) {
        qsizetype units = 0;
        for (const FileChange &change : progress.changes) {
            units += change.diff.size() + change.path.size();
        }
        if (units >= block->changesShown + block->changesShown / 2) {
            block->changesShown = units;
            updates.insert(u"tool_input"_s, changesInput(progress.changes));
            updates.insert(u"status"_s, u"streaming"_s);
        }
    }
    if (!updates.isEmpty()) {
        updateBlock(progress.itemId, updates);
    }
}

void ChatEncoder::on(const ItemEnded &ended)
{
    const Item &item = ended.item;
    retryOver();
    if (item.id.isEmpty()) {
        return;
    }
    if (!m_known.contains(item.id)) {
        createBlock(toolBlock(item.id, toolName(item), toolInput(item), m_nowMs));
    }
    m_open.remove(item.id);
    m_openOrder.removeOne(item.id);
    updateBlock(item.id, endedUpdates(item));
}

void ChatEncoder::on(const PlanUpdated &plan)
{
    const bool over = std::all_of(plan.steps.begin(), plan.steps.end(),
        [](const PlanUpdated::Step &step) { return step.status == u"completed"; });
    showBlock(u"plan-%1"_s.arg(m_turn.subtaskId), u"update_plan"_s, planInput(plan), planText(plan),
        over ? u"done"_s : u"streaming"_s);
}

void ChatEncoder::on(const StatusNote &note)
{
    const bool warning = note.level == StatusNote::Level::Warning;
    const QString sentence = headAndTail(note.text, kMaxMessageUnits);
    add(ChatEvent::Kind::Plain, u"response.status.updated"_s,
        { { u"phase"_s, sentence }, { u"code"_s, note.code },
            { u"level"_s, warning ? u"warning"_s : u"info"_s } });
    if (warning) {
        // A status line vanishes with the next one; a warning stays readable as a block.
        showBlock(u"note-%1-%2"_s.arg(m_turn.subtaskId).arg(++m_notes), u"notice"_s,
            { { u"code"_s, note.code } }, sentence, u"done"_s);
    }
}

void ChatEncoder::on(const RetryNotice &retry)
{
    m_retrying = true;
    showBlock(u"reconnecting-%1-%2"_s.arg(m_turn.taskId).arg(m_turn.subtaskId),
        u"runtime_reconnecting"_s, { { u"cause"_s, headAndTail(retry.cause, kMaxMessageUnits) } },
        headAndTail(retry.text, kMaxMessageUnits), u"pending"_s);
}

void ChatEncoder::retryOver()
{
    if (m_retrying) {
        m_retrying = false;
        updateBlock(u"reconnecting-%1-%2"_s.arg(m_turn.taskId).arg(m_turn.subtaskId),
            { { u"status"_s, u"done"_s } });
    }
}

void ChatEncoder::on(const RequestOpened &opened)
{
    if (m_known.contains(requestBlockId(opened.request.id))) {
        return;
    }
    createBlock(requestBlock(opened.request, m_nowMs));
    m_openRequests.append(opened.request.id);
}

void ChatEncoder::on(const RequestClosed &closed)
{
    if (m_openRequests.removeOne(closed.requestId)) {
        updateBlock(requestBlockId(closed.requestId), requestClosedUpdates(closed));
    }
}

void ChatEncoder::on(const TurnStarted & /*started*/) { }

void ChatEncoder::on(const PromptGiven & /*prompt*/)
{
    // The backend has it: it sent it.
}

void ChatEncoder::on(const DiffUpdated & /*diff*/)
{
    // The blocks of the file changes show the same, file by file.
}

void ChatEncoder::on(const UsageUpdated & /*usage*/)
{
    // The sum goes out with the ending.
}

// --- the ending -------------------------------------------------------------------------------

void ChatEncoder::closeOpenBlocks(TurnOutcome outcome)
{
    retryOver();
    for (const QString &request : std::exchange(m_openRequests, {})) {
        updateBlock(requestBlockId(request),
            requestClosedUpdates({ request, RequestOutcome::Withdrawn, {}, {} }));
    }
    const bool completed = outcome == TurnOutcome::Completed;
    for (const QString &item : std::exchange(m_openOrder, {})) {
        updateBlock(item,
            { { u"status"_s, completed ? u"done"_s : u"error"_s },
                { u"outcome"_s, completed ? u"completed"_s : u"cancelled"_s } });
    }
    m_open.clear();
}

void ChatEncoder::on(const TurnEnded &ended)
{
    closeOpenBlocks(ended.outcome);
    const QString message = headAndTail(ended.errorMessage, kMaxMessageUnits);
    if (ended.outcome == TurnOutcome::Failed) {
        add(ChatEvent::Kind::Ending, u"error"_s,
            { { u"code"_s, ended.errorCode.isEmpty() ? u"runtime_error"_s : ended.errorCode },
                { u"message"_s, message.isEmpty() ? u"The task failed."_s : message } });
    } else if (ended.outcome == TurnOutcome::Cancelled) {
        QJsonObject body = response(u"cancelled"_s);
        body.insert(u"error"_s,
            QJsonObject { { u"code"_s, u"cancelled"_s },
                { u"message"_s, message.isEmpty() ? u"The task was stopped."_s : message } });
        add(ChatEvent::Kind::Ending, u"response.incomplete"_s, { { u"response"_s, body } });
    } else {
        emitAnswer(ended.finalText);
        QString answer = ended.finalText;
        for (qsizetype units = kMaxAnswerBytes; jsonTextBytes(answer) > kMaxAnswerBytes;
             units -= units / 8) {
            answer = headAndTail(ended.finalText, units);
        }
        const QJsonObject part { { u"type"_s, u"output_text"_s }, { u"text"_s, answer },
            { u"annotations"_s, QJsonArray() } };
        const QJsonObject item { { u"type"_s, u"message"_s },
            { u"id"_s, u"msg_%1"_s.arg(m_turn.subtaskId) }, { u"status"_s, u"completed"_s },
            { u"role"_s, u"assistant"_s }, { u"content"_s, QJsonArray { part } } };
        QJsonObject body = response(u"completed"_s);
        body.insert(u"output"_s, QJsonArray { item });
        body.insert(u"stop_reason"_s, u"end_turn"_s);
        const Usage &usage = ended.usage;
        const qint64 total
            = usage.totalTokens > 0 ? usage.totalTokens : usage.inputTokens + usage.outputTokens;
        body.insert(u"usage"_s,
            QJsonObject { { u"input_tokens"_s, usage.inputTokens },
                { u"output_tokens"_s, usage.outputTokens }, { u"total_tokens"_s, total },
                { u"input_tokens_details"_s,
                    QJsonObject { { u"cached_tokens"_s, usage.cachedInputTokens } } },
                { u"output_tokens_details"_s,
                    QJsonObject { { u"reasoning_tokens"_s, usage.reasoningTokens } } } });
        add(ChatEvent::Kind::Ending, u"response.completed"_s, { { u"response"_s, body } });
    }
    m_over = true;
    m_partial.clear();
}

} // namespace deskhand::device
