// SPDX-License-Identifier: Apache-2.0
#include "executor/control/protocol.h"

#include "executor/common/jsonreader.h"

namespace deskhand::control {

using namespace Qt::StringLiterals;

QJsonObject toJson(const TaskEventRecord &record)
{
    return {
        { u"task_id"_s, record.ref.taskId },
        { u"turn_id"_s, record.ref.turnId },
        { u"seq"_s, record.seq },
        { u"time_ms"_s, record.timeMs },
        { u"event"_s, engines::toJson(record.event) },
    };
}

Result<TaskEventRecord> taskEventRecordFromJson(const QJsonObject &object)
{
    const auto taskId = json::requireString(object, u"task_id");
    const auto turnId = json::requireString(object, u"turn_id");
    const auto seq = json::requireInt(object, u"seq");
    const auto timeMs = json::requireInt(object, u"time_ms");
    const auto body = json::requireObject(object, u"event");
    if (!taskId || !turnId || !seq || !timeMs || !body) {
        return failure(ErrorKind::Protocol, u"an event of a task lacks a field"_s);
    }
    Result<engines::TaskEvent> event = engines::taskEventFromJson(*body);
    if (!event) {
        return tl::unexpected<Error>(event.error());
    }
    return TaskEventRecord { { *taskId, *turnId }, *seq, *timeMs, std::move(*event) };
}

QJsonObject toJson(const OwnModelState &state)
{
    const QJsonObject &values = state.model.values;
    const auto text = [&values](std::initializer_list<QLatin1StringView> keys) {
        for (const QLatin1StringView key : keys) {
            if (const QString value = values.value(key).toString(); !value.isEmpty()) {
                return QJsonValue(value);
            }
        }
        return QJsonValue(QJsonValue::Null);
    };
    const qint64 window = values.value("context_window"_L1).toInteger();
    return {
        { u"name"_s, state.model.name },
        { u"default"_s, state.isDefault },
        { u"key"_s, keyStateName(state.key) },
        { u"protocol"_s, text({ "api_format"_L1, "protocol"_L1, "provider"_L1 }) },
        { u"model_id"_s, text({ "model_id"_L1 }) },
        { u"base_url"_s, text({ "base_url"_L1 }) },
        { u"family"_s, text({ "family"_L1 }) },
        { u"context_window"_s, window > 0 ? QJsonValue(window) : QJsonValue(QJsonValue::Null) },
    };
}

QJsonObject toJson(const modelproxy::ModelTestReport &report)
{
    const auto textOrNull = [](const QString &text) {
        return text.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(text);
    };
    return {
        { u"ok"_s, report.answered && report.calledTool && report.problem.isEmpty() },
        { u"answered"_s, report.answered },
        { u"called_tool"_s, report.calledTool },
        { u"first_byte_ms"_s, static_cast<qint64>(report.firstByte.count()) },
        { u"total_ms"_s, static_cast<qint64>(report.total.count()) },
        { u"context_window"_s,
            report.contextWindow ? QJsonValue(*report.contextWindow)
                                 : QJsonValue(QJsonValue::Null) },
        { u"model"_s, textOrNull(report.model) },
        { u"text"_s, textOrNull(report.text) },
        { u"problem"_s, textOrNull(report.problem) },
        { u"hint"_s, textOrNull(report.hint) },
    };
}

QJsonObject toJson(const tasks::UsageRow &row)
{
    return {
        { u"day"_s, row.day.toString(Qt::ISODate) },
        { u"model"_s, row.model },
        { u"input_tokens"_s, row.usage.inputTokens },
        { u"cached_input_tokens"_s, row.usage.cachedInputTokens },
        { u"output_tokens"_s, row.usage.outputTokens },
    };
}

QJsonObject errorData(const Error &error)
{
    QJsonObject data { { u"kind"_s, errorKindName(error.kind) } };
    if (!error.hint.isEmpty()) {
        data.insert(u"hint"_s, error.hint);
    }
    return data;
}

Error errorFromReply(const QString &message, const QJsonValue &data)
{
    Error error { ErrorKind::Internal, message, data.toObject().value("hint"_L1).toString() };
    const QString word = data.toObject().value("kind"_L1).toString();
    for (int kind = 0; kind <= static_cast<int>(ErrorKind::Internal); ++kind) {
        if (errorKindName(static_cast<ErrorKind>(kind)) == word) {
            error.kind = static_cast<ErrorKind>(kind);
        }
    }
    return error;
}

} // namespace deskhand::control
