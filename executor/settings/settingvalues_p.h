// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QJsonArray>
#include <QJsonValue>
#include <QLatin1StringView>
#include <QString>
#include <QStringList>

#include <functional>
#include <span>

namespace deskhand::settings {

struct ExecutorSettings;

// Reading of single values. Errors are the end of a sentence that begins with the key: "must be
// ..., not ...".

[[nodiscard]] tl::unexpected<Error> bad(const QString &message);
/// A value as an error message shows it: short, on one line.
[[nodiscard]] QString shown(const QJsonValue &value);
[[nodiscard]] bool hasControlCharacters(const QString &text);
[[nodiscard]] Result<int> readInt(
    const QJsonValue &value, int lowest, int highest, const QString &range);
[[nodiscard]] Result<QString> readWord(
    const QJsonValue &value, std::span<const QLatin1StringView> allowed);
[[nodiscard]] Result<QString> readAbsolutePath(const QJsonValue &value);
/// Good entries count even when another one is bad; `into` has them then.
[[nodiscard]] Result<> readTexts(const QJsonValue &value, int most,
    const std::function<Result<QString>(const QJsonValue &entry)> &read, QStringList &into);

template <typename T> Result<> assign(const Result<T> &value, T &target)
{
    if (!value) {
        return tl::unexpected<Error>(value.error());
    }
    target = *value;
    return {};
}

/// One setting of the file: how it is read (with all its rules) and written. A dot in the name
/// separates an object and the key in it.
struct Key
{
    QLatin1StringView name;
    Result<> (*read)(const QJsonValue &value, ExecutorSettings &into);
    QJsonValue (*write)(const ExecutorSettings &from);
};

[[nodiscard]] QJsonValue valueAt(const QJsonObject &object, QLatin1StringView key);
/// Other keys of an inner object stay; what stands in its place and is no object goes.
void insertAt(QJsonObject &object, QLatin1StringView key, const QJsonValue &value);

} // namespace deskhand::settings
