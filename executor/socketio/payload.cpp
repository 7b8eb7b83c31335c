// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/packet.h"
#include "executor/socketio/placeholders.h"

#include <QCborMap>

#include <cmath>

using namespace Qt::StringLiterals;

namespace deskhand::socketio {

namespace {

Result<QJsonValue> takeBytesOut(const QCborValue &value, QList<QByteArray> &attachments, int depth)
{
    if (depth > kMaxJsonDepth) {
        return failure(
            ErrorKind::Usage, u"the payload is nested deeper than %1 levels"_s.arg(kMaxJsonDepth));
    }
    switch (value.type()) {
    case QCborValue::Integer:
        return QJsonValue(value.toInteger());
    case QCborValue::Double:
        if (!std::isfinite(value.toDouble())) {
            return failure(ErrorKind::Usage, u"the payload holds a number JSON cannot say"_s);
        }
        return QJsonValue(value.toDouble());
    case QCborValue::String:
        return QJsonValue(value.toString());
    case QCborValue::False:
    case QCborValue::True:
        return QJsonValue(value.toBool());
    case QCborValue::Null:
    case QCborValue::Undefined:
        return QJsonValue(QJsonValue::Null);
    case QCborValue::ByteArray:
        attachments.append(value.toByteArray());
        return QJsonValue(placeholder(attachments.size() - 1));
    case QCborValue::Array: {
        QJsonArray array;
        const QCborArray source = value.toArray();
        for (const QCborValue item : source) {
            auto converted = takeBytesOut(item, attachments, depth + 1);
            if (!converted) {
                return converted;
            }
            array.append(*converted);
        }
        return QJsonValue(array);
    }
    case QCborValue::Map: {
        QJsonObject object;
        const QCborMap source = value.toMap();
        for (auto it = source.begin(); it != source.end(); ++it) {
            if (!it.key().isString()) {
                return failure(ErrorKind::Usage, u"the payload holds a key that is no string"_s);
            }
            auto converted = takeBytesOut(it.value(), attachments, depth + 1);
            if (!converted) {
                return converted;
            }
            object.insert(it.key().toString(), *converted);
        }
        return QJsonValue(object);
    }
    default:
        return failure(ErrorKind::Usage, u"the payload holds a value JSON cannot say"_s);
    }
}

QCborValue putBytesBack(const QJsonValue &value, const QList<QByteArray> &attachments)
{
    if (value.isArray()) {
        QCborArray array;
        const QJsonArray source = value.toArray();
        for (const QJsonValue item : source) {
            array.append(putBytesBack(item, attachments));
        }
        return array;
    }
    if (value.isObject()) {
        const QJsonObject source = value.toObject();
        const auto index = placeholderIndex(source);
        if (index && *index >= 0 && *index < attachments.size()) {
            return attachments.at(*index);
        }
        QCborMap map;
        for (auto it = source.begin(); it != source.end(); ++it) {
            map.insert(it.key(), putBytesBack(it.value(), attachments));
        }
        return map;
    }
    return QCborValue::fromJsonValue(value);
}

} // namespace

Payload::Payload(const QJsonArray &arguments)
    : args(arguments)
{ }

Payload::Payload(const QJsonObject &argument)
    : args { argument }
{ }

Result<Payload> Payload::fromValues(const QCborArray &values)
{
    Payload payload;
    for (const QCborValue value : values) {
        // The list of arguments itself is the first level.
        auto converted = takeBytesOut(value, payload.attachments, 2);
        if (!converted) {
            return tl::unexpected(converted.error());
        }
        payload.args.append(*converted);
    }
    return payload;
}

QCborArray Payload::values() const
{
    return putBytesBack(args, attachments).toArray();
}

QJsonObject Payload::object() const
{
    return args.at(0).toObject();
}

} // namespace deskhand::socketio
