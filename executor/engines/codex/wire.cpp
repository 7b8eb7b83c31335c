// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/wire.h"

#include <QJsonArray>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex::wire {

QJsonValue member(const QJsonObject &object, std::initializer_list<QLatin1StringView> names)
{
    for (const QLatin1StringView name : names) {
        const QJsonValue value = object.value(name);
        if (!value.isUndefined() && !value.isNull()) {
            return value;
        }
    }
    return {};
}

QString text(const QJsonObject &object, std::initializer_list<QLatin1StringView> names)
{
    const QJsonValue value = member(object, names);
    return value.isDouble() ? QString::number(value.toInteger()) : value.toString();
}

QString threadId(const QJsonObject &params)
{
    const QString direct = text(params, { "threadId"_L1, "thread_id"_L1, "conversationId"_L1 });
    return direct.isEmpty() ? params.value("thread"_L1).toObject().value("id"_L1).toString()
                            : direct;
}

QString turnId(const QJsonObject &params)
{
    const QString direct = text(params, { "turnId"_L1, "turn_id"_L1 });
    return direct.isEmpty() ? params.value("turn"_L1).toObject().value("id"_L1).toString() : direct;
}

QString itemId(const QJsonObject &params)
{
    const QString direct = text(params, { "itemId"_L1, "item_id"_L1, "callId"_L1, "call_id"_L1 });
    return direct.isEmpty() ? params.value("item"_L1).toObject().value("id"_L1).toString() : direct;
}

QString kind(const QString &word)
{
    return word.toLower().remove(u'_');
}

QString contentText(const QJsonValue &content)
{
    if (content.isString()) {
        return content.toString();
    }
    QStringList parts;
    for (const QJsonValue &entry : content.toArray()) {
        const QJsonObject part = entry.toObject();
        if (entry.isString()) {
            parts.append(entry.toString());
        } else if (part.value("text"_L1).isString()) {
            parts.append(part.value("text"_L1).toString());
        } else if (!part.isEmpty()) {
            parts.append(u"[%1]"_s.arg(part.value("type"_L1).toString(u"content"_s)));
        }
    }
    return parts.join(u'\n');
}

} // namespace deskhand::engines::codex::wire
