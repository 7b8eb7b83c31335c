// SPDX-License-Identifier: Apache-2.0
#include "executor/common/ids.h"

#include <QRandomGenerator>

namespace deskhand {

QString randomHex(int bytes)
{
    QByteArray raw(bytes, Qt::Uninitialized);
    for (char &byte : raw) {
        byte = static_cast<char>(QRandomGenerator::system()->bounded(256));
    }
    return QString::fromLatin1(raw.toHex());
}

bool equalConstantTime(const QByteArray &a, const QByteArray &b)
{
    // The length may be learned; the content may not.
    if (a.size() != b.size()) {
        return false;
    }
    unsigned difference = 0;
    for (qsizetype i = 0; i < a.size(); ++i) {
        difference |= static_cast<unsigned char>(a.at(i)) ^ static_cast<unsigned char>(b.at(i));
    }
    return difference == 0;
}

} // namespace deskhand
