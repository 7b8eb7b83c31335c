// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QString>

#include <optional>

namespace deskhand::json {

// Small readers used at the door of a room, where wire JSON becomes structs. Each names the key in
// its error. "Missing" covers absent and null; a present value of another type is always an error.
// All pure; any thread.

/// A string that must be there. Empty strings pass.
[[nodiscard]] Result<QString> requireString(const QJsonObject &object, QStringView key);
/// A whole number that must be there; accepts an integral double within 64 bits.
[[nodiscard]] Result<qint64> requireInt(const QJsonObject &object, QStringView key);
[[nodiscard]] Result<QJsonObject> requireObject(const QJsonObject &object, QStringView key);

[[nodiscard]] Result<std::optional<QString>> optionalString(
    const QJsonObject &object, QStringView key);
[[nodiscard]] Result<std::optional<qint64>> optionalInt(const QJsonObject &object, QStringView key);
[[nodiscard]] Result<std::optional<bool>> optionalBool(const QJsonObject &object, QStringView key);
[[nodiscard]] Result<std::optional<QJsonObject>> optionalObject(
    const QJsonObject &object, QStringView key);
[[nodiscard]] Result<std::optional<QJsonArray>> optionalArray(
    const QJsonObject &object, QStringView key);

/// Parses one JSON object from UTF-8 bytes; the error gives the byte offset.
[[nodiscard]] Result<QJsonObject> parseObject(const QByteArray &utf8);

/// The value with every text in it well-formed, keys included; see deskhand::wellFormed().
[[nodiscard]] QJsonValue wellFormed(const QJsonValue &value);
[[nodiscard]] QJsonObject wellFormed(const QJsonObject &object);

/// Compact UTF-8 text of an object.
[[nodiscard]] QByteArray compact(const QJsonObject &object);

} // namespace deskhand::json
