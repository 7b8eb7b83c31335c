// SPDX-License-Identifier: Apache-2.0
#include "executor/common/jsonreader.h"

#include "executor/common/textlimits.h"

#include <QByteArrayView>
#include <QJsonDocument>
#include <QJsonParseError>
#include <QJsonValue>

namespace deskhand::json {
namespace {

// Of U+FFFD, and as long as the escape that it takes the place of.
constexpr QByteArrayView kReplacementEscape = "\\ufffd";

QString typeName(const QJsonValue &value)
{
    switch (value.type()) {
    case QJsonValue::Null:
        return QStringLiteral("null");
    case QJsonValue::Bool:
        return QStringLiteral("a boolean");
    case QJsonValue::Double:
        return QStringLiteral("a number");
    case QJsonValue::String:
        return QStringLiteral("a string");
    case QJsonValue::Array:
        return QStringLiteral("an array");
    case QJsonValue::Object:
        return QStringLiteral("an object");
    case QJsonValue::Undefined:
        break;
    }
    return QStringLiteral("absent");
}

tl::unexpected<Error> wrongType(QStringView key, const QJsonValue &value, QStringView expected)
{
    return failure(ErrorKind::Protocol,
        QStringLiteral("\"%1\" must be %2, not %3").arg(key, expected, typeName(value)));
}

bool isMissing(const QJsonValue &value)
{
    return value.isUndefined() || value.isNull();
}

std::optional<qint64> wholeNumber(const QJsonValue &value)
{
    if (!value.isDouble()) {
        return std::nullopt;
    }
    // Two different defaults tell "integral" from "not representable".
    const qint64 first = value.toInteger(0);
    const qint64 second = value.toInteger(1);
    if (first != second) {
        return std::nullopt;
    }
    return first;
}

template <typename T> Result<T> require(const Result<std::optional<T>> &read, QStringView key)
{
    if (!read) {
        return tl::unexpected<Error>(read.error());
    }
    if (!read->has_value()) {
        return failure(ErrorKind::Protocol, QStringLiteral("\"%1\" is missing").arg(key));
    }
    return **read;
}

} // namespace

Result<std::optional<QString>> optionalString(const QJsonObject &object, QStringView key)
{
    const QJsonValue value = object.value(key);
    if (isMissing(value)) {
        return std::optional<QString>();
    }
    if (!value.isString()) {
        return wrongType(key, value, u"a string");
    }
    return std::optional<QString>(value.toString());
}

Result<std::optional<qint64>> optionalInt(const QJsonObject &object, QStringView key)
{
    const QJsonValue value = object.value(key);
    if (isMissing(value)) {
        return std::optional<qint64>();
    }
    const std::optional<qint64> number = wholeNumber(value);
    if (!number) {
        return wrongType(key, value, u"a whole number");
    }
    return number;
}

Result<std::optional<bool>> optionalBool(const QJsonObject &object, QStringView key)
{
    const QJsonValue value = object.value(key);
    if (isMissing(value)) {
        return std::optional<bool>();
    }
    if (!value.isBool()) {
        return wrongType(key, value, u"true or false");
    }
    return std::optional<bool>(value.toBool());
}

Result<std::optional<QJsonObject>> optionalObject(const QJsonObject &object, QStringView key)
{
    const QJsonValue value = object.value(key);
    if (isMissing(value)) {
        return std::optional<QJsonObject>();
    }
    if (!value.isObject()) {
        return wrongType(key, value, u"an object");
    }
    return std::optional<QJsonObject>(value.toObject());
}

Result<std::optional<QJsonArray>> optionalArray(const QJsonObject &object, QStringView key)
{
    const QJsonValue value = object.value(key);
    if (isMissing(value)) {
        return std::optional<QJsonArray>();
    }
    if (!value.isArray()) {
        return wrongType(key, value, u"an array");
    }
    return std::optional<QJsonArray>(value.toArray());
}

Result<QString> requireString(const QJsonObject &object, QStringView key)
{
    return require(optionalString(object, key), key);
}

Result<qint64> requireInt(const QJsonObject &object, QStringView key)
{
    return require(optionalInt(object, key), key);
}

Result<QJsonObject> requireObject(const QJsonObject &object, QStringView key)
{
    return require(optionalObject(object, key), key);
}

Result<QJsonObject> parseObject(const QByteArray &utf8)
{
    QJsonParseError parse;
    const QJsonDocument document = QJsonDocument::fromJson(utf8, &parse);
    if (parse.error != QJsonParseError::NoError) {
        return failure(ErrorKind::Protocol,
            QStringLiteral("not JSON at byte %1: %2").arg(parse.offset).arg(parse.errorString()));
    }
    if (!document.isObject()) {
        return failure(ErrorKind::Protocol, QStringLiteral("the JSON text is not an object"));
    }
    return document.object();
}

QJsonObject wellFormed(const QJsonObject &object)
{
    QJsonObject whole;
    for (auto it = object.constBegin(); it != object.constEnd(); ++it) {
        whole.insert(deskhand::wellFormed(it.key()), wellFormed(QJsonValue(it.value())));
    }
    return whole;
}

QJsonValue wellFormed(const QJsonValue &value)
{
    if (value.isString()) {
        return deskhand::wellFormed(value.toString());
    }
    if (value.isArray()) {
        QJsonArray whole;
        const QJsonArray array = value.toArray();
        for (const QJsonValue one : array) {
            whole.append(wellFormed(one));
        }
        return whole;
    }
    return value.isObject() ? QJsonValue(wellFormed(value.toObject())) : value;
}

QByteArray compact(const QJsonObject &object)
{
    QByteArray text = QJsonDocument(object).toJson(QJsonDocument::Compact);
    // Half a surrogate pair makes strict readers refuse the whole text, so U+FFFD stands for it. Qt
    // writes valid text as UTF-8: an escape of this range is always half a pair.
    constexpr QByteArrayView start = "\\ud";
    for (qsizetype at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
        qsizetype backslashes = 1;
        while (backslashes <= at && text.at(at - backslashes) == '\\') {
            ++backslashes;
        }
        const char digit = at + 3 < text.size() ? text.at(at + 3) : '0';
        const bool surrogate = (digit >= '8' && digit <= '9') || (digit >= 'a' && digit <= 'f');
        if (backslashes % 2 == 1 && surrogate) {
            text.replace(at, kReplacementEscape.size(), kReplacementEscape);
        }
    }
    return text;
}

} // namespace deskhand::json
