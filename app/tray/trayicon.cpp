// SPDX-License-Identifier: Apache-2.0
#include "app/tray/trayicon.h"

#include <QFile>
#include <QFont>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

constexpr int kSizes[] = { 16, 20, 22, 24, 32, 44, 48, 64 };

/// Drawings name their colour by this word; it is replaced before drawing.
constexpr auto kColorWord = "#123456"_L1;

QByteArray drawing(const QString &name, const QColor &color)
{
    QFile file(u":/icons/%1.svg"_s.arg(name));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    QString svg = QString::fromUtf8(file.readAll());
    svg.replace(kColorWord, color.name());
    return svg.toUtf8();
}

void paintDrawing(QPainter &painter, const QString &name, const QColor &color, const QRectF &area)
{
    QSvgRenderer renderer(drawing(name, color));
    renderer.render(&painter, area);
}

struct Mark
{
    QString name; ///< empty: none
    QColor color;
};

Mark markOf(OverallState state, IconTone tone)
{
    const bool dark = tone == IconTone::ForDarkPanel;
    switch (state) {
    case OverallState::Ready:
    case OverallState::Offline:
        return {};
    case OverallState::Working:
        return { u"mark-dot"_s, QColor(dark ? 0x5db4ff : 0x0a63b8) };
    case OverallState::NeedsYou:
        return { u"mark-badge"_s, QColor(0xc62828) };
    case OverallState::Paused:
        return { u"mark-bars"_s, QColor(dark ? 0xf5f5f5 : 0x2b2b2b) };
    case OverallState::Reconnecting:
        return { u"mark-arc"_s, QColor(dark ? 0xffc14d : 0x8a5a00) };
    case OverallState::SignInNeeded:
        return { u"mark-key"_s, QColor(dark ? 0xffc14d : 0x8a5a00) };
    case OverallState::Problem:
        return { u"mark-triangle"_s, QColor(dark ? 0xffb020 : 0xc25700) };
    case OverallState::Draining:
        break;
    }
    return { u"mark-arrow"_s, QColor(dark ? 0x5db4ff : 0x0a63b8) };
}

bool isHollow(OverallState state)
{
    return state == OverallState::Reconnecting || state == OverallState::Offline
        || state == OverallState::SignInNeeded;
}

/// Draws one of the program's drawings at whatever size is asked for.
class SymbolEngine final : public QIconEngine
{
public:
    SymbolEngine(QString name, QColor color)
        : m_name(std::move(name))
        , m_color(std::move(color))
    { }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        const bool faded = mode == QIcon::Disabled;
        if (faded) {
            painter->save();
            painter->setOpacity(0.4);
        }
        const int side = qMin(rect.width(), rect.height());
        paintDrawing(*painter, m_name, m_color,
            QRectF(rect.x() + (rect.width() - side) / 2.0, rect.y() + (rect.height() - side) / 2.0,
                side, side));
        if (faded) {
            painter->restore();
        }
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }

    [[nodiscard]] QIconEngine *clone() const override { return new SymbolEngine(m_name, m_color); }

private:
    QString m_name;
    QColor m_color;
};

} // namespace

QPixmap drawTrayIcon(OverallState state, int badge, IconTone tone, int size)
{
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area(0, 0, size, size);
    const QColor glyph(tone == IconTone::ForDarkPanel ? 0xf5f5f5 : 0x2b2b2b);
    paintDrawing(painter, isHollow(state) ? u"glyph-hollow"_s : u"glyph-solid"_s, glyph, area);

    const Mark mark = markOf(state, tone);
    if (mark.name.isEmpty()) {
        return pixmap;
    }
    // A gap around the mark keeps its shape readable on the glyph.
    painter.setCompositionMode(QPainter::CompositionMode_DestinationOut);
    paintDrawing(painter, u"mark-gap"_s, Qt::black, area);
    painter.setCompositionMode(QPainter::CompositionMode_SourceOver);
    paintDrawing(painter, mark.name, mark.color, area);

    if (state == OverallState::NeedsYou && badge > 0) {
        QFont font = QGuiApplication::font();
        font.setBold(true);
        // The badge is a circle of 11/24 of the side with its middle at 18/24.
        font.setPixelSize(qMax(7, qRound(size * (badge > 9 ? 0.34 : 0.44))));
        painter.setFont(font);
        painter.setPen(Qt::white);
        const qreal side = size * 13.0 / 24;
        painter.drawText(QRectF(size - side, size - side, side, side), Qt::AlignCenter,
            badge > 9 ? u"9+"_s : QString::number(badge));
    }
    return pixmap;
}

QIcon trayIcon(OverallState state, int badge, IconTone tone)
{
    QIcon icon;
    for (const int size : kSizes) {
        icon.addPixmap(drawTrayIcon(state, badge, tone, size));
    }
    return icon;
}

IconTone currentTone()
{
    return QGuiApplication::palette().color(QPalette::Window).lightness() < 128
        ? IconTone::ForDarkPanel
        : IconTone::ForLightPanel;
}

QIcon symbol(const QString &name, const QColor &color)
{
    return QIcon(new SymbolEngine(name, color));
}

QIcon moodIcon(Mood mood)
{
    const bool dark = currentTone() == IconTone::ForDarkPanel;
    switch (mood) {
    case Mood::Good:
        return symbol(u"mood-good"_s, QColor(dark ? 0x6fcf7c : 0x1b7a2f));
    case Mood::Waiting:
        return symbol(u"mood-waiting"_s, QColor(dark ? 0xb8b8b8 : 0x5c5c5c));
    case Mood::Problem:
        break;
    }
    return symbol(u"mood-problem"_s, QColor(dark ? 0xffb020 : 0xc25700));
}

QIcon programIcon()
{
    return symbol(u"deskhand"_s, QColor(0x2b2b2b));
}

} // namespace deskhand::app
