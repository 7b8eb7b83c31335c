// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace deskhand {

/// Number of Unicode code points of well-formed UTF-16 (a lone surrogate counts as one).
[[nodiscard]] qsizetype codePointCount(QStringView text);

/// Largest index <= `limit` (in UTF-16 units) that does not cut a surrogate pair.
[[nodiscard]] qsizetype safeCut(QStringView text, qsizetype limit);

/// The text with U+FFFD for every half of a surrogate pair that stands alone. Qt's own conversion
/// writes '?' for it, and strict readers refuse the text otherwise. Applied before text leaves.
[[nodiscard]] QString wellFormed(const QString &text);

/// Keeps head and tail of a long text around a marker that names the omitted UTF-8 bytes, so that
/// the result has at most about `maxUnits` UTF-16 units. Shorter text comes back unchanged.
[[nodiscard]] QString headAndTail(const QString &text, qsizetype maxUnits);

} // namespace deskhand
