// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/tasks/taskmanager.h"

#include <QJsonObject>
#include <QJsonValue>

#include <optional>

namespace deskhand::device {

/// The ids of a server event and what is echoed with every answer (device protocol, section 6.1).
/// Plain value.
struct TurnAddress
{
    qint64 taskId = 0;
    qint64 subtaskId = 0; ///< 0 = not named
    std::optional<qint64> messageId = {};
    QString executorName = {};
    QString executorNamespace = {};
    QString shellType = {}; ///< lower case
    QString model = {};
    QString server = {}; ///< the backend it came from; nothing of it goes to another one

    [[nodiscard]] engines::TurnRef ref() const;
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Result<TurnAddress> fromJson(const QJsonObject &object);
    /// The packet's payload around an event's `data`.
    [[nodiscard]] QJsonObject envelope(const QString &event, const QJsonObject &data) const;

    [[nodiscard]] bool operator==(const TurnAddress &other) const = default;
};

/// A positive whole number, or a string that says one; anything else is nothing.
[[nodiscard]] std::optional<qint64> readId(const QJsonValue &value);

/// Reads the ids of an execute, a cancel or a task error. Protocol error when `task_id`, or with
/// `needSubtask` the subtask's, is missing or no id.
[[nodiscard]] Result<TurnAddress> readAddress(
    const QJsonObject &payload, bool needSubtask, const QString &server);

struct ExecuteRequest
{
    tasks::TurnRequest turn;
    QStringList notes; ///< what the request asks for and this version does not do
};

/// Understands a task:execute whose address was read. Errors are sentences for the one who sent
/// the task; they name the field.
[[nodiscard]] Result<ExecuteRequest> readExecute(
    const QJsonObject &payload, const TurnAddress &address);

} // namespace deskhand::device
