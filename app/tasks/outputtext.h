// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/tasks/textstyle.h"

#include <QList>
#include <QString>

namespace deskhand::app {

/// Turns the raw output of a command into lines for reading: colours and other styles are kept, all
/// other terminal control sequences are left out, a carriage return starts the line over (progress
/// bars), other control characters are made visible. Input may be cut anywhere. Value type, main
/// thread.
class OutputText final
{
public:
    /// Lines completed by this piece, each with its line feed. A line that grows very long comes in
    /// parts.
    [[nodiscard]] QList<StyledText> feed(const QString &piece);
    /// The line that is not complete yet.
    [[nodiscard]] QList<StyledText> openLine() const;
    /// Whole output as it is read, without styles.
    [[nodiscard]] static QString readable(const QString &raw);

private:
    enum class Mode { Text, Escape, Sequence, StringSequence, StringEnd };
    void take(QChar c, QList<StyledText> &completed);
    void put(QChar c);
    void endSequence(QChar final);
    void flushLine(QList<StyledText> &completed);

    Mode m_mode = Mode::Text;
    QString m_parameters; ///< of the sequence being read, bounded
    TextStyle m_style;
    QList<StyledText> m_line;
    qsizetype m_length = 0; ///< characters of m_line
    bool m_startOver = false; ///< the next character clears the line
};

} // namespace deskhand::app
