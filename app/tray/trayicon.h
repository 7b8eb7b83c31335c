// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/status/parts.h"

#include <QIcon>
#include <QPixmap>

namespace deskhand::app {

/// Which background the icon stands on.
enum class IconTone { ForLightPanel, ForDarkPanel };

/// Draws the tray's glyph with the mark of a state, from vector drawings at exactly `size` pixels.
/// State is told by shape and by colour. Main thread.
[[nodiscard]] QPixmap drawTrayIcon(OverallState state, int badge, IconTone tone, int size);
/// The same at all sizes trays ask for.
[[nodiscard]] QIcon trayIcon(OverallState state, int badge, IconTone tone);
/// The tone that suits the desktop's present palette.
[[nodiscard]] IconTone currentTone();

/// A small drawing from the program's own set ("stop", "folder", …) in the given colour, at every
/// size it is asked for.
[[nodiscard]] QIcon symbol(const QString &name, const QColor &color);
/// The mark of a part's mood: tick, dot or triangle in its colour.
[[nodiscard]] QIcon moodIcon(Mood mood);
/// The program's own icon, coloured.
[[nodiscard]] QIcon programIcon();

} // namespace deskhand::app
