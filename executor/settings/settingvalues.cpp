// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/settingvalues_p.h"

#include <QDir>
#include <QJsonObject>

#include <algorithm>

namespace deskhand::settings {

using namespace Qt::StringLiterals;

tl::unexpected<Error> bad(const QString &message)
{
    return failure(ErrorKind::Usage, message);
}

QString shown(const QJsonValue &value)
{
    switch (value.type()) {
    case QJsonValue::Null:
        return u"null"_s;
    case QJsonValue::Array:
        return u"a list"_s;
    case QJsonValue::Object:
        return u"an object"_s;
    case QJsonValue::String: {
        QString text = value.toString().simplified();
        if (text.size() > 60) {
            text = text.first(57) + u"..."_s;
        }
        return u'"' + text + u'"';
    }
    default:
        return value.toVariant().toString();
    }
}

bool hasControlCharacters(const QString &text)
{
    return std::any_of(text.cbegin(), text.cend(),
        [](QChar character) { return character.category() == QChar::Other_Control; });
}

Result<int> readInt(const QJsonValue &value, int lowest, int highest, const QString &range)
{
    const double number = value.toDouble(-1);
    if (!value.isDouble() || number != static_cast<double>(static_cast<int>(number))
        || number < lowest || number > highest) {
        return bad(u"must be a whole number %1, not %2"_s.arg(range, shown(value)));
    }
    return static_cast<int>(number);
}

Result<QString> readWord(const QJsonValue &value, std::span<const QLatin1StringView> allowed)
{
    const QString word = value.toString();
    if (value.isString() && std::find(allowed.begin(), allowed.end(), word) != allowed.end()) {
        return word;
    }
    QStringList words;
    for (const QLatin1StringView &one : allowed) {
        words.append(one);
    }
    return bad(u"must be one of %1, not %2"_s.arg(words.join(u", "_s), shown(value)));
}

Result<QString> readAbsolutePath(const QJsonValue &value)
{
    const QString path = value.toString();
    if (!value.isString() || path.contains(QChar::Null) || !QDir::isAbsolutePath(path)) {
        return bad(u"must be an absolute path, not %1"_s.arg(shown(value)));
    }
    return path;
}

Result<> readTexts(const QJsonValue &value, int most,
    const std::function<Result<QString>(const QJsonValue &entry)> &read, QStringList &into)
{
    const QJsonArray list = value.toArray();
    if (!value.isArray() || list.size() > most) {
        return bad(u"must be a list of at most %1 entries, not %2"_s.arg(most).arg(
            value.isArray() ? QString::number(list.size()) : shown(value)));
    }
    into.clear();
    QStringList problems;
    for (const QJsonValue &entry : list) {
        const Result<QString> text = read(entry);
        if (!text) {
            problems.append(u"every entry "_s + text.error().message);
        } else if (!into.contains(*text)) {
            into.append(*text);
        }
    }
    if (!problems.isEmpty()) {
        return bad(problems.join(u"; "_s));
    }
    return {};
}

QJsonValue valueAt(const QJsonObject &object, QLatin1StringView key)
{
    const qsizetype dot = key.indexOf(u'.');
    return dot < 0 ? object.value(key)
                   : object.value(key.first(dot)).toObject().value(key.sliced(dot + 1));
}

void insertAt(QJsonObject &object, QLatin1StringView key, const QJsonValue &value)
{
    const qsizetype dot = key.indexOf(u'.');
    if (dot < 0) {
        object.insert(key, value);
        return;
    }
    QJsonObject inner = object.value(key.first(dot)).toObject();
    inner.insert(key.sliced(dot + 1), value);
    object.insert(key.first(dot), inner);
}

} // namespace deskhand::settings
