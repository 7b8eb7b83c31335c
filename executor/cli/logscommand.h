// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/command.h"

#include <QFile>
#include <QTimer>

namespace deskhand::cli {

/// One line of the log file, "2026-01-31T12:00:00.000+00:00 I device: text". A line that does not
/// look like this belongs to the one before.
struct LogFileLine
{
    QString time;
    int level = -1; ///< 0 trace … 4 error, -1 = a continuation
    QString source;
    QString text;
};
[[nodiscard]] LogFileLine readLogLine(const QString &line);

/// `logs [--follow] [--lines N] [--level L] [--source S]`: reads the log file itself, so it works
/// whether or not a program runs. Follows it across rotation.
class LogsCommand final : public Command
{
    Q_OBJECT
public:
    LogsCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

private:
    [[nodiscard]] Result<> readOptions();
    void readRest();
    [[nodiscard]] bool wanted(const LogFileLine &line);
    void print(const QString &raw, const LogFileLine &line);

    int m_lines = 200;
    int m_level = 0;
    QString m_source;
    bool m_lastWanted = false; ///< what a continuation follows
    QFile m_file;
    QByteArray m_partial;
    QTimer m_poll;
};

} // namespace deskhand::cli
