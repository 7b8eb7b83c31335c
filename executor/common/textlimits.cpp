// SPDX-License-Identifier: Apache-2.0
#include "executor/common/textlimits.h"

namespace deskhand {

qsizetype codePointCount(QStringView text)
{
    qsizetype count = text.size();
    for (qsizetype i = 0; i + 1 < text.size(); ++i) {
        if (text[i].isHighSurrogate() && text[i + 1].isLowSurrogate()) {
            --count;
            ++i;
        }
    }
    return count;
}

qsizetype safeCut(QStringView text, qsizetype limit)
{
    if (limit >= text.size()) {
        return text.size();
    }
    if (limit > 0 && text[limit - 1].isHighSurrogate() && text[limit].isLowSurrogate()) {
        return limit - 1;
    }
    return limit;
}

QString wellFormed(const QString &text)
{
    if (text.isValidUtf16()) {
        return text;
    }
    QString whole = text;
    for (qsizetype i = 0; i < whole.size(); ++i) {
        if (!whole.at(i).isSurrogate()) {
            continue;
        }
        if (whole.at(i).isHighSurrogate() && i + 1 < whole.size()
            && whole.at(i + 1).isLowSurrogate()) {
            ++i;
        } else {
            whole[i] = QChar::ReplacementCharacter;
        }
    }
    return whole;
}

QString headAndTail(const QString &text, qsizetype maxUnits)
{
    if (text.size() <= maxUnits) {
        return text;
    }
    const qsizetype half = maxUnits / 2;
    const qsizetype headEnd = safeCut(text, half);
    qsizetype tailStart = text.size() - (maxUnits - half);
    tailStart = safeCut(text, tailStart);
    const qsizetype omitted = QStringView(text).mid(headEnd, tailStart - headEnd).toUtf8().size();
    return text.left(headEnd) + QStringLiteral("\n[... %1 bytes omitted ...]\n").arg(omitted)
        + text.mid(tailStart);
}

} // namespace deskhand
