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
