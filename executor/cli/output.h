// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QByteArray>
#include <QJsonValue>
#include <QString>

namespace deskhand::cli {

/// What a person or a script gets to read: standard output for results, standard error for
/// everything else. A pipe that nobody reads any more is no error. Main thread.
class Output final
{
public:
    explicit Output(bool json);

    [[nodiscard]] bool json() const { return m_json; }
    [[nodiscard]] bool errIsTerminal() const { return m_errIsTerminal; }

    /// Result text as it is; for a terminal without characters that steer it.
    void text(const QString &text);
    void line(const QString &text) { this->text(text + u'\n'); }
    /// One compact line of JSON.
    void jsonLine(const QJsonValue &value);
    /// A message to the person, on standard error, masked and without steering characters.
    void note(const QString &text);
    /// The failure with its hint as notes, or with --json {"error":{"kind","message","hint"}} on
    /// standard output. Returns the exit status that goes with it.
    int fail(const Error &error);

private:
    bool m_json;
    bool m_outIsTerminal;
    bool m_errIsTerminal;
};

/// Without control characters (but line ends and tabs), escape sequences and marks that turn the
/// direction of writing: what came from a model or a file must not steer a terminal.
[[nodiscard]] QString terminalSafe(const QString &text);
/// The same on one line, shortened.
[[nodiscard]] QString oneLine(const QString &text, qsizetype maxLength = 200);
/// Local wall clock of milliseconds since the epoch, "" for 0.
[[nodiscard]] QString timeText(qint64 ms);

} // namespace deskhand::cli
