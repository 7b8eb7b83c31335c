// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

namespace deskhand::cli {

enum class StandardStream { In, Out, Err };

/// At the very start of the program: opens what the caller left closed, so that no later file gets
/// the number of a standard stream, and keeps a closed pipe from ending the program.
void prepareStandardStreams();
[[nodiscard]] bool isTerminal(StandardStream stream);
/// Blocks until everything is written, or the stream turns out to be closed.
void writeAll(StandardStream stream, const QByteArray &bytes);
/// All of standard input, at most `maxBytes` and one more. Blocks.
[[nodiscard]] QByteArray readAllInput(qsizetype maxBytes);
/// One line typed on standard input without showing it. Blocks; for terminals.
[[nodiscard]] QByteArray readHiddenLine();

} // namespace deskhand::cli
