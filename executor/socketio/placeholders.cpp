// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/placeholders.h"

#include <QList>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::socketio {

namespace {

constexpr auto kMark = "_placeholder"_L1;
constexpr auto kNumber = "num"_L1;

// Recursion is bounded by kMaxJsonDepth: the caller has checked the depth of the text.
Result<> markUsed(const QJsonValue &value, QList<bool> &used)
{
    if (value.isArray()) {
        const QJsonArray array = value.toArray();
        for (const QJsonValue item : array) {
            if (auto result = markUsed(item, used); !result) {
                return result;
            }
        }
    } else if (value.isObject()) {
        const QJsonObject object = value.toObject();
        if (const auto index = placeholderIndex(object)) {
            if (*index < 0 || *index >= used.size()) {
                return failure(ErrorKind::Protocol,
                    u"a placeholder names none of the %1 attachments"_s.arg(used.size()));
            }
            used[*index] = true;
            return {};
        }
        for (const QJsonValue item : object) {
            if (auto result = markUsed(item, used); !result) {
                return result;
            }
        }
    }
    return {};
}

} // namespace

QJsonObject placeholder(qsizetype index)
{
    return { { kMark, true }, { kNumber, static_cast<qint64>(index) } };
}

std::optional<qsizetype> placeholderIndex(const QJsonObject &object)
{
    if (!object.value(kMark).toBool()) {
        return std::nullopt;
    }
    const qint64 index = object.value(kNumber).toInteger(-1);
    return index < 0 ? -1 : static_cast<qsizetype>(index);
}

Result<> checkPlaceholders(const QJsonArray &args, qsizetype attachments)
{
    QList<bool> used(attachments, false);
    if (auto result = markUsed(args, used); !result) {
        return result;
    }
    const auto unused = std::count(used.cbegin(), used.cend(), false);
    if (unused > 0) {
        return failure(ErrorKind::Protocol,
            u"%1 of %2 attachments have no placeholder"_s.arg(unused).arg(attachments));
    }
    return {};
}

} // namespace deskhand::socketio
