// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QHash>
#include <QLatin1StringView>
#include <QStringList>

#include <span>

namespace deskhand::cli {

/// One option of a command. Without `value` it is a switch.
struct OptionSpec
{
    const char *name; ///< without the dashes
    const char *value; ///< what stands for the value in the help, null for a switch
    const char *help;
};

/// One command: how it is written and what it takes. Commands of two words have both in `name`.
struct CommandSpec
{
    const char *name; ///< "requests answer"
    const char *arguments; ///< as the help shows them
    const char *help; ///< one sentence
    std::span<const OptionSpec> options;
    int minArguments;
    int maxArguments;
    /// Everything behind the name belongs to the command unread: it has a parser of its own.
    bool takesAll = false;
};

/// A command line that was understood.
struct Invocation
{
    const CommandSpec *command = nullptr; ///< null: help for the group of the first word
    QHash<QString, QStringList> options; ///< given ones; switches with an empty list
    QStringList arguments;
    bool help = false;

    [[nodiscard]] bool has(QLatin1StringView option) const;
    /// The last value given, empty when the option is absent.
    [[nodiscard]] QString value(QLatin1StringView option) const;
    [[nodiscard]] QStringList values(QLatin1StringView option) const;
};

/// Reads the words behind the program's name. Options may stand anywhere, as `--name value` or
/// `--name=value`; `--` ends them. Pure. Errors are Usage and name the word.
[[nodiscard]] Result<Invocation> parseCommandLine(
    std::span<const CommandSpec> commands, const QStringList &words);

/// The commands whose names begin with the word `first`.
[[nodiscard]] QString groupHelp(std::span<const CommandSpec> commands, const QString &first);
[[nodiscard]] QString programHelp(std::span<const CommandSpec> commands);
[[nodiscard]] QString commandHelp(const CommandSpec &command);

/// A number of seconds ("2", "0.5"), as milliseconds. `lowest` is in seconds.
[[nodiscard]] Result<qint64> readSeconds(
    const Invocation &invocation, QLatin1StringView option, double lowest, qint64 fallbackMs);

/// A time with its unit ("90s", "15m", "1h", "2d"), at most seven days, as milliseconds.
[[nodiscard]] Result<qint64> readDuration(
    const Invocation &invocation, QLatin1StringView option, qint64 fallbackMs);

} // namespace deskhand::cli
