// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/turnstream.h"

#include "executor/common/textlimits.h"
#include "executor/engines/codex/errormapper.h"
#include "executor/engines/codex/itemmapper.h"
#include "executor/engines/codex/wire.h"

#include <QJsonArray>

#include <algorithm>
#include <utility>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

namespace {

// Output that is kept while it streams, in case the item ends without saying it whole.
constexpr qsizetype kStreamedOutputUnits = 1'024 * 1'024;

} // namespace

TurnStream::TurnStream(QString cwd, bool sandboxed, Emit emitEvent)
    : m_cwd(std::move(cwd))
    , m_sandboxed(sandboxed)
    , m_emit(std::move(emitEvent))
{ }

// The engine's ids may come again within a turn (a repeated model call); outward they do not.
QString TurnStream::outwardId(const QString &engineId)
{
    const int uses = ++m_idUses[engineId];
    return uses == 1 ? engineId : u"%1~%2"_s.arg(engineId).arg(uses);
}

bool TurnStream::handle(const QString &method, const QJsonObject &params)
{
    const QJsonObject item = params.value("item"_L1).toObject();
    if (method == "item/started"_L1) {
        itemStarted(item);
        return itemRole(item) != ItemRole::Ignored;
    }
    if (method == "item/completed"_L1) {
        itemCompleted(item);
        return itemRole(item) != ItemRole::Ignored;
    }
    if (method == "item/agentMessage/delta"_L1) {
        messageDelta(params);
    } else if (method == "item/reasoning/summaryPartAdded"_L1) {
        m_reasoningBreak = true;
    } else if (method == "item/reasoning/summaryTextDelta"_L1
        || method == "item/reasoningSummary/delta"_L1 || method == "item/reasoning/delta"_L1) {
        reasoningDelta(params, false);
    } else if (method == "item/reasoning/textDelta"_L1) {
        reasoningDelta(params, true);
    } else if (method == "item/commandExecution/outputDelta"_L1
        || method == "item/tool/outputDelta"_L1) {
        outputDelta(params);
    } else if (method == "item/fileChange/patchUpdated"_L1) {
        patchUpdated(params);
    } else if (method == "thread/tokenUsage/updated"_L1) {
        usageUpdated(params);
    } else if (method == "turn/plan/updated"_L1) {
        planUpdated(params);
    } else if (method == "turn/diff/updated"_L1) {
        m_emit(DiffUpdated { params.value("diff"_L1).toString() });
    } else if (method == "error"_L1) {
        errorSeen(params);
    } else if (method == "warning"_L1) {
        warned(u"engine_warning"_s, wire::text(params, { "message"_L1 }));
    } else if (method == "model/rerouted"_L1) {
        warned(u"model_rerouted"_s,
            u"The engine switched to the model %1."_s.arg(
                wire::text(params, { "toModel"_L1, "to_model"_L1, "model"_L1 })));
    } else if (method == "thread/compacted"_L1) {
        m_emit(StatusNote { StatusNote::Level::Info, u"compacted"_s,
            u"The conversation was shortened to make room."_s });
    }
    return method.startsWith("item/"_L1);
}

void TurnStream::itemStarted(const QJsonObject &item)
{
    const QString id = item.value("id"_L1).toString();
    switch (itemRole(item)) {
    case ItemRole::Message:
        openTextId(id);
        break;
    case ItemRole::Work: {
        const Item mapped = mapItem(item, m_cwd, false);
        if (m_openItems.contains(id)) {
            // The patch was streamed before the item was announced.
            Item &open = m_openItems[id];
            const QString outward = open.id;
            open = mapped;
            open.id = outward;
            m_emit(ItemProgress { outward, {}, mapped.changes });
            break;
        }
        openWork(mapped);
        break;
    }
    case ItemRole::Reasoning:
    case ItemRole::Plan:
    case ItemRole::Ignored:
        break;
    }
}

Item &TurnStream::openWork(const Item &item)
{
    Item outward = item;
    outward.id = outwardId(item.id);
    outward.status = ItemStatus::Running;
    m_emit(ItemStarted { outward });
    m_openItemOrder.append(item.id);
    return *m_openItems.insert(item.id, outward);
}

QString TurnStream::openTextId(const QString &engineId)
{
    const auto it = m_openTexts.constFind(engineId);
    if (it != m_openTexts.constEnd()) {
        return *it;
    }
    const QString outward = outwardId(engineId);
    m_openTexts.insert(engineId, outward);
    m_openTextOrder.append(engineId);
    return outward;
}

void TurnStream::itemCompleted(const QJsonObject &item)
{
    const QString id = item.value("id"_L1).toString();
    switch (itemRole(item)) {
    case ItemRole::Message: {
        const QString text = item.value("text"_L1).toString();
        const bool final = wire::kind(item.value("phase"_L1).toString()) == "finalanswer"_L1;
        const QString outward = openTextId(id);
        m_openTexts.remove(id);
        m_openTextOrder.removeOne(id);
        m_lastMessage = text;
        if (final) {
            m_finalAnswers.append(text);
        }
        m_emit(TextEnded { outward, text, final });
        break;
    }
    case ItemRole::Reasoning:
        if (!m_reasoningSeen.contains(id)) {
            // Nothing was streamed: the whole summary comes at once.
            QStringList parts;
            for (const QJsonValue &part : item.value("summary"_L1).toArray()) {
                parts.append(
                    part.isString() ? part.toString() : wire::text(part.toObject(), { "text"_L1 }));
            }
            if (const QString text = parts.join(u"\n\n"_s); !text.isEmpty()) {
                m_emit(ReasoningDelta { id, m_anyReasoning ? u"\n\n"_s + text : text });
                m_anyReasoning = true;
            }
        }
        m_reasoningBreak = true;
        break;
    case ItemRole::Plan:
        m_emit(PlanUpdated { {}, {}, item.value("text"_L1).toString() });
        break;
    case ItemRole::Work: {
        if (!m_openItems.contains(id)) {
            openWork(mapItem(item, m_cwd, false));
        }
        const Item before = m_openItems.take(id);
        m_openItemOrder.removeOne(id);
        Item ended = mapItem(item, m_cwd, true);
        ended.id = before.id;
        const QJsonValue whole
            = wire::member(item, { "aggregatedOutput"_L1, "aggregated_output"_L1 });
        if (ended.kind == ItemKind::Command && !whole.isString()) {
            ended.output = before.output; // the engine did not say; what streamed is all there is
        }
        if (ended.changes.isEmpty()) {
            ended.changes = before.changes;
        }
        m_emit(ItemEnded { ended });
        noteSandbox(ended);
        break;
    }
    case ItemRole::Ignored:
        break;
    }
}

void TurnStream::messageDelta(const QJsonObject &params)
{
    const QString delta = params.value("delta"_L1).toString();
    if (!delta.isEmpty()) {
        m_emit(TextDelta { openTextId(wire::itemId(params)), delta });
    }
}

void TurnStream::reasoningDelta(const QJsonObject &params, bool raw)
{
    const QString id = wire::itemId(params);
    if (raw && m_summarised.contains(id)) {
        return; // the summary says the same in fewer words
    }
    if (!raw) {
        m_summarised.insert(id);
    }
    const QString delta = params.value("delta"_L1).toString();
    if (delta.isEmpty()) {
        return;
    }
    const bool newPart = m_anyReasoning && (m_reasoningBreak || !m_reasoningSeen.contains(id));
    m_emit(ReasoningDelta { id, newPart ? u"\n\n"_s + delta : delta });
    m_reasoningSeen.insert(id);
    m_reasoningBreak = false;
    m_anyReasoning = true;
}

void TurnStream::outputDelta(const QJsonObject &params)
{
    const auto it = m_openItems.find(wire::itemId(params));
    if (it == m_openItems.end()) {
        return;
    }
    QString delta = wire::text(params, { "delta"_L1, "chunk"_L1 });
    const QString encoded = wire::text(params, { "deltaBase64"_L1, "delta_base64"_L1 });
    if (delta.isEmpty() && !encoded.isEmpty()) {
        delta = QString::fromUtf8(QByteArray::fromBase64(encoded.toLatin1()));
    }
    if (delta.isEmpty()) {
        return;
    }
    if (it->output.size() < kStreamedOutputUnits) {
        it->output += delta.left(safeCut(delta, kStreamedOutputUnits - it->output.size()));
    }
    m_emit(ItemProgress { it->id, delta, {} });
}

void TurnStream::patchUpdated(const QJsonObject &params)
{
    const QString id = wire::itemId(params);
    const QList<FileChange> changes = mapChanges(params.value("changes"_L1), m_cwd);
    if (!m_openItems.contains(id)) {
        openWork(mapItem({ { u"type"_s, u"fileChange"_s }, { u"id"_s, id },
                             { u"changes"_s, params.value("changes"_L1) } },
            m_cwd, false));
        return;
    }
    Item &open = m_openItems[id];
    open.changes = changes;
    m_emit(ItemProgress { open.id, {}, changes });
}

void TurnStream::usageUpdated(const QJsonObject &params)
{
    const QJsonObject usage
        = wire::member(params, { "tokenUsage"_L1, "token_usage"_L1 }).toObject();
    const QJsonObject total = usage.value("total"_L1).toObject();
    const QJsonObject last = usage.value("last"_L1).toObject();
    if (!m_lastTotal.isEmpty() && total == m_lastTotal) {
        return; // said again, not spent again
    }
    m_lastTotal = total;
    const auto count = [&last](QLatin1StringView camel, QLatin1StringView snake) {
        return wire::member(last, { camel, snake }).toInteger();
    };
    m_usage.inputTokens += count("inputTokens"_L1, "input_tokens"_L1);
    m_usage.cachedInputTokens += count("cachedInputTokens"_L1, "cached_input_tokens"_L1);
    m_usage.outputTokens += count("outputTokens"_L1, "output_tokens"_L1);
    m_usage.reasoningTokens += count("reasoningOutputTokens"_L1, "reasoning_output_tokens"_L1);
    m_usage.contextUsed = count("totalTokens"_L1, "total_tokens"_L1);
    m_usage.totalTokens += m_usage.contextUsed;
    m_usage.contextWindow
        = wire::member(usage, { "modelContextWindow"_L1, "model_context_window"_L1 }).toInteger();
    m_emit(UsageUpdated { m_usage });
}

void TurnStream::planUpdated(const QJsonObject &params)
{
    PlanUpdated plan;
    plan.explanation = params.value("explanation"_L1).toString();
    for (const QJsonValue &value : params.value("plan"_L1).toArray()) {
        const QJsonObject step = value.toObject();
        const QString status = wire::kind(step.value("status"_L1).toString());
        plan.steps.append({ step.value("step"_L1).toString(),
            status == "inprogress"_L1      ? u"inProgress"_s
                : status == "completed"_L1 ? u"completed"_s
                                           : u"pending"_s });
    }
    m_emit(plan);
}

void TurnStream::errorSeen(const QJsonObject &params)
{
    const QJsonObject error = params.value("error"_L1).toObject();
    if (!wire::member(params, { "willRetry"_L1, "will_retry"_L1 }).toBool()) {
        m_finalError = error;
        return;
    }
    const QString details = wire::text(error, { "additionalDetails"_L1, "additional_details"_L1 });
    m_retryError = error;
    if (!details.isEmpty()) {
        m_retryError.insert(u"message"_s, details); // the message itself only counts the tries
    }
    m_retryCause = withoutRoute(details.isEmpty() ? wire::text(error, { "message"_L1 }) : details);
    abandonTexts();
    m_emit(RetryNotice { wire::text(error, { "message"_L1 }), withoutRoute(details) });
}

void TurnStream::warned(const QString &code, const QString &text)
{
    if (!text.isEmpty() && !m_warnings.contains(text)) {
        m_warnings.insert(text);
        m_emit(StatusNote { StatusNote::Level::Warning, code, text });
    }
}

void TurnStream::noteSandbox(const Item &item)
{
    if (!m_sandboxed || m_sandboxUnavailable || item.kind != ItemKind::Command
        || item.status != ItemStatus::Failed || !item.output.startsWith("bwrap: "_L1)) {
        return;
    }
    m_sandboxUnavailable = true;
    m_emit(StatusNote { StatusNote::Level::Warning, u"sandbox_unavailable"_s,
        u"The sandbox cannot start on this computer, so commands fail: %1. Requests to run them "
        "outside of it are declined in this turn. Allow unprivileged user namespaces, or give the "
        "task full access."_s.arg(item.output.section(u'\n', 0, 0)) });
}

void TurnStream::abandonTexts()
{
    for (const QString &id : std::as_const(m_openTextOrder)) {
        m_emit(TextAbandoned { m_openTexts.value(id) });
    }
    m_openTexts.clear();
    m_openTextOrder.clear();
}

void TurnStream::closeOpen()
{
    abandonTexts();
    for (const QString &id : std::as_const(m_openItemOrder)) {
        Item item = m_openItems.value(id);
        item.status = ItemStatus::Cancelled;
        m_closedEarly.insert(id, item);
        m_emit(ItemEnded { item });
    }
    m_openItems.clear();
    m_openItemOrder.clear();
}

void TurnStream::handleLate(const QJsonObject &params)
{
    const QJsonObject item = params.value("item"_L1).toObject();
    const QString id = item.value("id"_L1).toString();
    if (!m_closedEarly.contains(id) || itemRole(item) != ItemRole::Work) {
        return;
    }
    const Item before = m_closedEarly.take(id);
    Item ended = mapItem(item, m_cwd, true);
    ended.id = before.id;
    if (ended.status == ItemStatus::Failed) {
        ended.status = ItemStatus::Cancelled; // it failed because it was stopped
    }
    if (ended.output.isEmpty()) {
        ended.output = before.output;
    }
    m_emit(ItemEnded { ended });
}

QString TurnStream::finalText() const
{
    return m_finalAnswers.isEmpty() ? m_lastMessage : m_finalAnswers.join(u"\n\n"_s);
}

std::optional<Item> TurnStream::openItem(const QString &engineItemId) const
{
    const auto it = m_openItems.constFind(engineItemId);
    return it == m_openItems.constEnd() ? std::nullopt : std::optional<Item>(*it);
}

QStringList TurnStream::openTitles() const
{
    QStringList titles;
    for (const QString &id : m_openItemOrder) {
        titles.append(m_openItems.value(id).title);
    }
    return titles;
}

} // namespace deskhand::engines::codex
