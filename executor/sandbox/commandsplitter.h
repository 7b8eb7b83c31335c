// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace deskhand::sandbox {

/// Splits shell text into its simple commands when it is nothing but plain words joined by `&&`,
/// `||`, `;` and `|`. Anything that could mean more than it shows (substitution, expansion,
/// redirection, background, assignments, control words, comments, line breaks, escapes) gives
/// nothing: the text is one opaque command. Pure.
[[nodiscard]] std::optional<QList<QStringList>> splitPlainCommands(QStringView text);

/// The text of `sh -c TEXT` (also -lc; bash, dash, zsh, by name or absolute path); nothing for
/// another command.
[[nodiscard]] std::optional<QString> shellText(const QStringList &command);

} // namespace deskhand::sandbox
