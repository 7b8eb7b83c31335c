// SPDX-License-Identifier: Apache-2.0
#include "executor/device/chatevent.h"

#include "executor/common/jsonreader.h"
#include "executor/common/textlimits.h"

#include <QJsonArray>

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

constexpr int kShrinkRounds = 64;
constexpr qsizetype kShortText = 128; // UTF-16 units; shorter texts are not worth a marker

/// UTF-8 bytes of the character at `index` inside a JSON string; `units` is its length in UTF-16.
int characterBytes(QStringView text, qsizetype index, int &units)
{
    const char16_t unit = text[index].unicode();
    units = 1;
    if (unit < 0x20) {
        switch (unit) {
        case '\b':
        case '\f':
        case '\n':
        case '\r':
        case '\t':
            return 2;
        default:
            return 6; // \u00XX
        }
    }
    if (unit == '"' || unit == '\\') {
        return 2;
    }
    if (unit < 0x80) {
        return 1;
    }
    if (unit < 0x800) {
        return 2;
    }
    if (QChar::isHighSurrogate(unit) && index + 1 < text.size()
        && text[index + 1].isLowSurrogate()) {
        units = 2;
        return 4;
    }
    return 3; // a lone surrogate becomes the replacement character
}

/// Length of the longest string anywhere below.
qsizetype longestText(const QJsonValue &value)
{
    if (value.isString()) {
        return value.toString().size();
    }
    qsizetype longest = 0;
    if (value.isArray()) {
        for (const QJsonValue inner : value.toArray()) {
            longest = std::max(longest, longestText(inner));
        }
    } else if (value.isObject()) {
        const QJsonObject object = value.toObject();
        for (const QJsonValue inner : object) {
            longest = std::max(longest, longestText(inner));
        }
    }
    return longest;
}

QJsonValue withTextsCut(const QJsonValue &value, qsizetype maxUnits)
{
    if (value.isString()) {
        return headAndTail(value.toString(), maxUnits);
    }
    if (value.isArray()) {
        QJsonArray cut;
        for (const QJsonValue inner : value.toArray()) {
            cut.append(withTextsCut(inner, maxUnits));
        }
        return cut;
    }
    if (value.isObject()) {
        QJsonObject cut = value.toObject();
        for (auto it = cut.begin(); it != cut.end(); ++it) {
            it.value() = withTextsCut(it.value(), maxUnits);
        }
        return cut;
    }
    return value;
}

} // namespace

QJsonObject ChatEvent::data() const
{
    QJsonObject whole = body;
    if (isDelta()) {
        whole.insert(u"delta"_s, text);
        whole.insert(u"offset"_s, offset);
    }
    return whole;
}

bool mergeInto(ChatEvent &event, const ChatEvent &next)
{
    if (event.kind != next.kind) {
        return false;
    }
    if (event.isDelta()) {
        event.text += next.text;
        return true;
    }
    if (event.kind != ChatEvent::Kind::Block || event.name != u"response.block.updated"
        || next.name != event.name
        || event.body.value(u"block_id"_s) != next.body.value(u"block_id"_s)) {
        return false;
    }
    QJsonObject updates = event.body.value(u"updates"_s).toObject();
    const QJsonObject later = next.body.value(u"updates"_s).toObject();
    for (auto it = later.constBegin(); it != later.constEnd(); ++it) {
        updates.insert(it.key(), it.value());
    }
    event.body.insert(u"updates"_s, updates);
    return true;
}

qint64 jsonTextBytes(QStringView text)
{
    qint64 bytes = 0;
    int units = 1;
    for (qsizetype i = 0; i < text.size(); i += units) {
        bytes += characterBytes(text, i, units);
    }
    return bytes;
}

qint64 jsonBytes(const QJsonObject &object)
{
    return json::compact(object).size();
}

ChatEvent splitDelta(ChatEvent &event, qint64 maxBytes)
{
    ChatEvent rest;
    rest.kind = event.kind;
    rest.name = event.name;
    rest.body = event.body;
    qint64 bytes = 0;
    qint64 points = 0;
    int units = 1;
    for (qsizetype i = 0; i < event.text.size(); i += units) {
        bytes += characterBytes(event.text, i, units);
        if (bytes > maxBytes && i > 0) {
            rest.text = event.text.mid(i);
            rest.offset = event.offset + points;
            event.text.truncate(i);
            break;
        }
        ++points;
    }
    return rest;
}

QJsonObject shrunkToFit(const QJsonObject &object, qint64 maxBytes)
{
    QJsonObject fitted = object;
    for (int round = 0; round < kShrinkRounds && jsonBytes(fitted) > maxBytes; ++round) {
        const qsizetype longest = longestText(fitted);
        if (longest <= kShortText) {
            break;
        }
        fitted = withTextsCut(fitted, std::max(kShortText, longest / 2)).toObject();
    }
    return fitted;
}

} // namespace deskhand::device
