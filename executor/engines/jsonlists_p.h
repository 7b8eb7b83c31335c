// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/jsonreader.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QList>
#include <QStringList>

#include <optional>
#include <utility>

namespace deskhand::engines {

/// Reads the fields of one stored object and remembers the first thing that is wrong, so that a
/// struct of many fields is read without a check after each. Absent fields keep the default.
class FieldReader
{
public:
    explicit FieldReader(const QJsonObject &object)
        : m_object(object)
    { }

    QString string(QStringView key) { return orDefault(json::optionalString(m_object, key)); }
    qint64 integer(QStringView key) { return orDefault(json::optionalInt(m_object, key)); }
    bool boolean(QStringView key) { return orDefault(json::optionalBool(m_object, key)); }
    QJsonObject object(QStringView key) { return orDefault(json::optionalObject(m_object, key)); }
    std::optional<qint64> maybeInteger(QStringView key)
    {
        return take(json::optionalInt(m_object, key));
    }
    QString requiredString(QStringView key) { return take(json::requireString(m_object, key)); }

    QStringList strings(QStringView key)
    {
        QStringList list;
        const QJsonArray array = orDefault(json::optionalArray(m_object, key));
        for (const QJsonValue &value : array) {
            if (!value.isString()) {
                fail(key.toString() + QStringLiteral(": every entry must be a string"));
                return {};
            }
            list.append(value.toString());
        }
        return list;
    }

    template <typename T, typename FromJson> QList<T> list(QStringView key, FromJson fromJson)
    {
        QList<T> result;
        const QJsonArray array = orDefault(json::optionalArray(m_object, key));
        for (const QJsonValue &value : array) {
            if (!value.isObject()) {
                fail(key.toString() + QStringLiteral(": every entry must be an object"));
                return {};
            }
            auto one = fromJson(value.toObject());
            if (!one) {
                fail(one.error().within(key.toString()).message);
                return {};
            }
            result.append(*std::move(one));
        }
        return result;
    }

    template <typename T> T take(Result<T> result)
    {
        if (!result) {
            fail(result.error().message);
            return {};
        }
        return *std::move(result);
    }

    void fail(const QString &message)
    {
        if (m_error.isEmpty()) {
            m_error = message;
        }
    }

    template <typename T> Result<T> finish(T value) const
    {
        if (!m_error.isEmpty()) {
            return failure(ErrorKind::Protocol, m_error);
        }
        return value;
    }

private:
    template <typename T> T orDefault(Result<std::optional<T>> result)
    {
        return take(std::move(result)).value_or(T {});
    }

    const QJsonObject &m_object;
    QString m_error;
};

template <typename List, typename ToJson> QJsonArray listToJson(const List &list, ToJson toJson)
{
    QJsonArray array;
    for (const auto &one : list) {
        array.append(toJson(one));
    }
    return array;
}

} // namespace deskhand::engines
