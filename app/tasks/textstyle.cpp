// SPDX-License-Identifier: Apache-2.0
#include "app/tasks/textstyle.h"

#include <QPalette>

#include <algorithm>
#include <cmath>

namespace deskhand::app {
namespace {

constexpr qreal kReadable = 4.5;
constexpr qreal kReadableFaint = 3.0;

/// The sixteen named colours, normal and bright.
constexpr QRgb kNamed[] = { 0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd,
    0xe5e5e5, 0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff };

QColor indexed(int index)
{
    if (index < 16) {
        return QColor(kNamed[index]);
    }
    if (index >= 232) {
        const int grey = 8 + 10 * (index - 232);
        return QColor(grey, grey, grey);
    }
    const auto step = [](int level) {
        return level == 0 ? 0 : 55 + 40 * level;
    };
    const int cube = index - 16;
    return QColor(step(cube / 36), step(cube / 6 % 6), step(cube % 6));
}

QColor resolved(const TextStyle::Color &color, const QColor &fallback)
{
    switch (color.kind) {
    case TextStyle::Color::Kind::Indexed:
        return indexed(color.index);
    case TextStyle::Color::Kind::Direct:
        return QColor(color.rgb);
    case TextStyle::Color::Kind::Default:
        break;
    }
    return fallback;
}

qreal luminance(const QColor &color)
{
    const auto linear = [](qreal part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF())
        + 0.0722 * linear(color.blueF());
}

QColor mixed(const QColor &from, const QColor &to, qreal share)
{
    const auto part = [share](int a, int b) {
        return qRound(a + (b - a) * share);
    };
    return QColor(
        part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue()));
}

/// The colour itself, or as little darker or lighter as it takes to be read.
QColor readable(const QColor &color, const QColor &ground, qreal wanted)
{
    // The end that is farther from the ground.
    const QColor end(contrast(QColor(Qt::black), ground) >= contrast(QColor(Qt::white), ground)
            ? Qt::black
            : Qt::white);
    for (int step = 0; step < 20; ++step) {
        const QColor candidate = mixed(color, end, step / 20.0);
        if (contrast(candidate, ground) >= wanted) {
            return candidate;
        }
    }
    return end;
}

int number(QStringView text)
{
    bool fine = false;
    const int value = text.isEmpty() ? 0 : text.toInt(&fine);
    return text.isEmpty() || fine ? value : -1;
}

/// Reads a colour from what follows 38 or 48: "5;n" or "2;r;g;b". Tells how many it used, 0 = it
/// is none of the two.
qsizetype readColor(const QList<int> &numbers, TextStyle::Color &color)
{
    const auto isByte = [](int value) {
        return value >= 0 && value <= 255;
    };
    if (numbers.size() >= 2 && numbers.at(0) == 5) {
        if (isByte(numbers.at(1))) {
            color = { TextStyle::Color::Kind::Indexed, static_cast<quint8>(numbers.at(1)), 0 };
        }
        return 2;
    }
    if (numbers.size() >= 4 && numbers.at(0) == 2) {
        if (std::all_of(numbers.begin() + 1, numbers.begin() + 4, isByte)) {
            color = { TextStyle::Color::Kind::Direct, 0,
                qRgb(numbers.at(1), numbers.at(2), numbers.at(3)) };
        }
        return 4;
    }
    return 0;
}

void applyOne(TextStyle &style, int code)
{
    using Kind = TextStyle::Color::Kind;
    const auto named = [](int index) {
        return TextStyle::Color { Kind::Indexed, static_cast<quint8>(index), 0 };
    };
    switch (code) {
    case 0:
        style = {};
        break;
    case 1:
        style.bold = true;
        break;
    case 2:
        style.faint = true;
        break;
    case 3:
        style.italic = true;
        break;
    case 4:
    case 21:
        style.underline = true;
        break;
    case 7:
        style.inverse = true;
        break;
    case 9:
        style.strike = true;
        break;
    case 22:
        style.bold = false;
        style.faint = false;
        break;
    case 23:
        style.italic = false;
        break;
    case 24:
        style.underline = false;
        break;
    case 27:
        style.inverse = false;
        break;
    case 29:
        style.strike = false;
        break;
    case 39:
        style.foreground = {};
        break;
    case 49:
        style.background = {};
        break;
    default:
        if (code >= 30 && code <= 37) {
            style.foreground = named(code - 30);
        } else if (code >= 40 && code <= 47) {
            style.background = named(code - 40);
        } else if (code >= 90 && code <= 97) {
            style.foreground = named(code - 90 + 8);
        } else if (code >= 100 && code <= 107) {
            style.background = named(code - 100 + 8);
        }
        break;
    }
}

} // namespace

void TextStyle::apply(QStringView parameters)
{
    QList<QList<int>> fields;
    for (const QStringView field : parameters.split(u';')) {
        QList<int> numbers;
        for (const QStringView part : field.split(u':')) {
            numbers.append(number(part));
        }
        fields.append(numbers);
    }
    for (qsizetype i = 0; i < fields.size(); ++i) {
        const QList<int> &field = fields.at(i);
        const int code = field.first();
        if (code != 38 && code != 48 && code != 58) {
            // "4:0" is no underline, "4:3" a wavy one.
            applyOne(*this, code == 4 && field.size() > 1 && field.at(1) == 0 ? 24 : code);
            continue;
        }
        Color ignored;
        Color &target = code == 38 ? foreground : (code == 48 ? background : ignored);
        if (field.size() > 1) {
            QList<int> inner = field.mid(1);
            if (inner.first() == 2 && inner.size() > 4) {
                inner.removeAt(1); // the colour space of the standard's own form
            }
            readColor(inner, target);
            continue;
        }
        QList<int> following;
        for (const QList<int> &later : fields.mid(i + 1, 4)) {
            following.append(later.first());
        }
        i += readColor(following, target);
    }
}

QString plainText(const QList<StyledText> &runs)
{
    QString text;
    for (const StyledText &run : runs) {
        text += run.text;
    }
    return text;
}

qreal contrast(const QColor &one, const QColor &other)
{
    const auto [low, high] = std::minmax({ luminance(one), luminance(other) });
    return (high + 0.05) / (low + 0.05);
}

QTextCharFormat styledFormat(
    const TextStyle &style, const QTextCharFormat &plain, const QPalette &palette)
{
    QTextCharFormat format = plain;
    if (style == TextStyle()) {
        return format;
    }
    const QColor base = palette.color(QPalette::Base);
    const QColor text = plain.foreground().style() == Qt::NoBrush ? palette.color(QPalette::Text)
                                                                  : plain.foreground().color();
    QColor front = resolved(style.foreground, text);
    QColor ground = resolved(style.background, base);
    if (style.inverse) {
        std::swap(front, ground);
    }
    if (ground != base) {
        format.setBackground(ground);
    }
    if (style.faint) {
        front = readable(mixed(front, ground, 0.4), ground, kReadableFaint);
    } else {
        front = readable(front, ground, kReadable);
    }
    format.setForeground(front);
    if (style.bold) {
        format.setFontWeight(QFont::Bold);
    }
    format.setFontItalic(style.italic);
    format.setFontUnderline(style.underline);
    format.setFontStrikeOut(style.strike);
    return format;
}

} // namespace deskhand::app
