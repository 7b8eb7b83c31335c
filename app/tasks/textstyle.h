// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <QTextCharFormat>

class QPalette;

namespace deskhand::app {

/// How a stretch of command output wants to look, as told by SGR control sequences (ECMA-48,
/// 8.3.117; 256 and direct colours as in ITU-T T.416 and as terminals write them). Value type.
struct TextStyle
{
    struct Color
    {
        enum class Kind : quint8 { Default, Indexed, Direct };
        Kind kind = Kind::Default;
        quint8 index = 0; ///< Indexed: 0-7 normal, 8-15 bright, 16-231 a cube, 232-255 grey
        QRgb rgb = 0; ///< Direct
        [[nodiscard]] bool operator==(const Color &other) const = default;
    };

    Color foreground;
    Color background;
    bool bold = false;
    bool faint = false;
    bool italic = false;
    bool underline = false;
    bool strike = false;
    bool inverse = false;
    [[nodiscard]] bool operator==(const TextStyle &other) const = default;

    /// Applies the parameters of one sequence, such as "1;31" or "38:5:208"; unknown ones are
    /// skipped. Concealing is not followed: nothing is hidden from the one who reads.
    void apply(QStringView parameters);
};

/// A stretch of text of one style.
struct StyledText
{
    QString text;
    TextStyle style;
};
[[nodiscard]] QString plainText(const QList<StyledText> &runs);

/// The format of a style on top of the format of unstyled output. Colours keep their hue but are
/// made readable on whatever they stand on, in light and dark palettes.
[[nodiscard]] QTextCharFormat styledFormat(
    const TextStyle &style, const QTextCharFormat &plain, const QPalette &palette);

/// Contrast of two colours, 1 to 21 (WCAG 2, relative luminance).
[[nodiscard]] qreal contrast(const QColor &one, const QColor &other);

} // namespace deskhand::app
