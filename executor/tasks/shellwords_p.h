// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>

namespace deskhand::tasks {

/// One word of a shell line with quotes removed and the variables that are known put in.
struct ShellWord
{
    QString text;
    bool unknown = false; ///< part of it is only known when the line runs ($x, `…`, $(…))
    bool glob = false; ///< holds an unquoted *, ? or [
};

/// One simple command: words and the files it is redirected to or from.
struct ShellCommand
{
    QList<ShellWord> words;
    QList<ShellWord> writes; ///< targets of >, >>, >|, &>
    QList<ShellWord> reads; ///< sources of <
};

/// A shell line taken apart, for looking, never for running. Everything that would run is in it:
/// each part of a chain or pipe, and the content of every substitution. When in doubt (an open
/// quote, an unclosed substitution) `complete` is false.
struct ShellLine
{
    QList<ShellCommand> commands;
    QStringList substitutions; ///< lines inside $(…), `…`, <(…), >(…)
    bool complete = true;
};

/// `variables`: what is known at the start (HOME, PWD); assignments of the line are added.
[[nodiscard]] ShellLine readShellLine(const QString &line, QHash<QString, QString> &variables);

} // namespace deskhand::tasks
