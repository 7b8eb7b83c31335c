// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QJsonArray>
#include <QJsonObject>

#include <optional>

namespace deskhand::socketio {

/// The object that stands for attachment `index` in the JSON of a binary packet.
[[nodiscard]] QJsonObject placeholder(qsizetype index);
/// The index when the object is a placeholder; -1 when it is one with an unusable number.
[[nodiscard]] std::optional<qsizetype> placeholderIndex(const QJsonObject &object);
/// Every placeholder names one of `attachments` attachments and each attachment is named.
[[nodiscard]] Result<> checkPlaceholders(const QJsonArray &args, qsizetype attachments);

} // namespace deskhand::socketio
