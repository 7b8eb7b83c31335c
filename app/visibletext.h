// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>

namespace deskhand::app {

// Text from models and repositories may try to look like something else. These pure functions
// prepare it for the eyes of the one who decides; nothing of the text is dropped.

/// Replaces what cannot be seen or what turns the reading order (control and format characters,
/// unusual spaces, fillers, lone surrogates) by its code point: "‹U+202E›". Line feeds stay when
/// `keepLines`, tabs become "‹TAB›" otherwise they too stay.
[[nodiscard]] QString visibleText(const QString &text, bool keepLines = false);

/// True when visibleText() would change something other than line feeds and tabs.
[[nodiscard]] bool hidesSomething(const QString &text);

/// One command of a chained line. Joiner and text of all parts in order are the whole line.
struct CommandPart
{
    QString joiner; ///< what stands before it: "&&", "|", ";", …; empty for the first
    QString text;
};

/// A command line taken apart for showing.
struct CommandView
{
    QString shell; ///< "/bin/bash -lc" when the line only wraps a script, else empty
    QString script; ///< the line itself, or the wrapped script
    QList<CommandPart> parts;
};

/// Splits at && || ; | & and line feeds outside quotes, also inside $( ). A line of the form
/// `shell -lc 'script'` is unwrapped when the quoting is unambiguous.
[[nodiscard]] CommandView takeApart(const QString &commandLine);

/// "xn--…" in front of a host name with letters beyond ASCII, so that look-alikes are noticed.
[[nodiscard]] QString visibleHost(const QString &host);

} // namespace deskhand::app
