// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace deskhand::app {

/// Turns the raw output of a command into lines for reading: terminal control sequences are left
/// out, a carriage return starts the line over (progress bars), other control characters are made
/// visible. Input may be cut anywhere. Value type, main thread.
class OutputText final
{
public:
    /// Lines completed by this piece, each with its line feed.
    [[nodiscard]] QString feed(const QString &piece);
    /// The line that is not complete yet.
    [[nodiscard]] QString openLine() const { return m_line; }

private:
    enum class Mode { Text, Escape, Sequence, StringSequence, StringEnd };
    void take(QChar c, QString &completed);

    Mode m_mode = Mode::Text;
    QString m_line;
    bool m_startOver = false; ///< a carriage return came; the next character clears the line
};

} // namespace deskhand::app
