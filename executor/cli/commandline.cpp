// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/commandline.h"

#include <algorithm>

namespace deskhand::cli {
namespace {

using namespace Qt::StringLiterals;

constexpr double kLongestSeconds = 30.0 * 24 * 3600;
// Understood by every command.
constexpr OptionSpec kHelpOption { "help", nullptr, "show this help" };

tl::unexpected<Error> usage(const QString &message, const QString &hint = {})
{
    return failure(ErrorKind::Usage, message, hint);
}

QString text(const char *utf8)
{
    return QString::fromUtf8(utf8);
}

const CommandSpec *findCommand(
    std::span<const CommandSpec> commands, const QStringList &words, qsizetype &length)
{
    // The longest name first: "tasks list" before a command "tasks".
    for (length = 2; length > 0; --length) {
        const QString name = words.mid(0, length).join(u' ');
        const auto found = std::find_if(commands.begin(), commands.end(),
            [&name](const CommandSpec &command) { return text(command.name) == name; });
        if (found != commands.end() && words.size() >= length) {
            return &*found;
        }
    }
    return nullptr;
}

QStringList secondWordsOf(std::span<const CommandSpec> commands, const QString &first)
{
    QStringList secondWords;
    for (const CommandSpec &command : commands) {
        const QStringList name = text(command.name).split(u' ');
        if (name.size() == 2 && name.first() == first) {
            secondWords.append(name.last());
        }
    }
    return secondWords;
}

tl::unexpected<Error> unknownCommand(
    std::span<const CommandSpec> commands, const QStringList &words)
{
    const QStringList secondWords = secondWordsOf(commands, words.first());
    const QString hint = u"See: deskhand-executor --help"_s;
    if (secondWords.isEmpty()) {
        return usage(u"unknown command \"%1\""_s.arg(words.first()), hint);
    }
    const QString list = secondWords.join(u", "_s);
    return words.size() < 2 || words.at(1).startsWith(u'-')
        ? usage(u"\"%1\" needs one of: %2"_s.arg(words.first(), list), hint)
        : usage(u"\"%1\" has no \"%2\", only: %3"_s.arg(words.first(), words.at(1), list), hint);
}

const OptionSpec *findOption(const CommandSpec &command, const QString &name)
{
    if (name == QLatin1StringView(kHelpOption.name)) {
        return &kHelpOption;
    }
    const auto found = std::find_if(command.options.begin(), command.options.end(),
        [&name](const OptionSpec &option) { return text(option.name) == name; });
    return found == command.options.end() ? nullptr : &*found;
}

QString padded(const QString &left, const QString &right)
{
    return u"  %1  %2\n"_s.arg(left, -28).arg(right);
}

QString commandLine(const CommandSpec &command)
{
    const QString left = text(command.name) + u' ' + text(command.arguments);
    return padded(left.trimmed(), text(command.help));
}

} // namespace

bool Invocation::has(QLatin1StringView option) const
{
    return options.contains(option);
}

QString Invocation::value(QLatin1StringView option) const
{
    const QStringList given = options.value(option);
    return given.isEmpty() ? QString() : given.last();
}

QStringList Invocation::values(QLatin1StringView option) const
{
    return options.value(option);
}

Result<Invocation> parseCommandLine(std::span<const CommandSpec> commands, const QStringList &words)
{
    if (words.isEmpty()) {
        return usage(u"no command given"_s, u"See: deskhand-executor --help"_s);
    }
    qsizetype length = 0;
    Invocation invocation;
    invocation.command = findCommand(commands, words, length);
    if (!invocation.command) {
        if (words.contains(u"--help"_s) && !secondWordsOf(commands, words.first()).isEmpty()) {
            invocation.help = true;
            return invocation;
        }
        return unknownCommand(commands, words);
    }
    const CommandSpec &command = *invocation.command;
    const QStringList rest = words.mid(length);
    if (command.takesAll) {
        invocation.arguments = rest;
        return invocation;
    }
    const QString seeHelp = u"See: deskhand-executor %1 --help"_s.arg(text(command.name));
    for (qsizetype i = 0; i < rest.size(); ++i) {
        const QString &word = rest.at(i);
        if (word == u"--"_s) {
            invocation.arguments += rest.mid(i + 1);
            break;
        }
        if (!word.startsWith(u"--"_s)) {
            // A single dash is an argument (standard input); "-x" is a mistake worth naming.
            if (word.size() > 1 && word.startsWith(u'-')) {
                return usage(u"unknown option %1"_s.arg(word), seeHelp);
            }
            invocation.arguments.append(word);
            continue;
        }
        const qsizetype equals = word.indexOf(u'=');
        const QString name = word.mid(2, equals < 0 ? -1 : equals - 2);
        const OptionSpec *option = findOption(command, name);
        if (!option) {
            return usage(u"unknown option --%1"_s.arg(name), seeHelp);
        }
        QStringList &values = invocation.options[name];
        if (!option->value) {
            if (equals >= 0) {
                return usage(u"--%1 takes no value"_s.arg(name), seeHelp);
            }
        } else if (equals >= 0) {
            values.append(word.mid(equals + 1));
        } else if (i + 1 < rest.size()) {
            values.append(rest.at(++i));
        } else {
            return usage(u"--%1 needs a value: %2"_s.arg(name, text(option->value)), seeHelp);
        }
    }
    invocation.help = invocation.has(QLatin1StringView(kHelpOption.name));
    if (invocation.help) {
        return invocation;
    }
    if (invocation.arguments.size() < command.minArguments) {
        return usage(u"%1 needs %2"_s.arg(text(command.name), text(command.arguments)), seeHelp);
    }
    if (invocation.arguments.size() > command.maxArguments) {
        return usage(u"%1 does not take \"%2\""_s.arg(
                         text(command.name), invocation.arguments.at(command.maxArguments)),
            seeHelp);
    }
    return invocation;
}

QString groupHelp(std::span<const CommandSpec> commands, const QString &first)
{
    QString help = u"Usage: deskhand-executor %1 COMMAND [OPTIONS]\n\nCommands:\n"_s.arg(first);
    for (const CommandSpec &command : commands) {
        if (text(command.name).startsWith(first + u' ')) {
            help += commandLine(command);
        }
    }
    return help;
}

QString programHelp(std::span<const CommandSpec> commands)
{
    QString help = u"Usage: deskhand-executor COMMAND [OPTIONS]\n\nCommands:\n"_s;
    for (const CommandSpec &command : commands) {
        help += commandLine(command);
    }
    help += u"\n"_s + padded(u"COMMAND --help"_s, u"more about one command"_s)
        + padded(u"--version"_s, u"the version of this program"_s)
        + u"\nExit status: 0 ok, 1 failed, 2 usage, 3 not running, 4 not signed in,\n"
          "5 refused by policy, 6 timed out.\n"
          "The folder of the executor is $WEGENT_EXECUTOR_HOME, else ~/.wegent-executor.\n"_s;
    return help;
}

QString commandHelp(const CommandSpec &command)
{
    QString usageLine = u"Usage: deskhand-executor %1"_s.arg(text(command.name));
    if (!command.options.empty()) {
        usageLine += u" [OPTIONS]"_s;
    }
    if (*command.arguments != '\0') {
        usageLine += u' ' + text(command.arguments);
    }
    QString help = usageLine + u"\n\n"_s + text(command.help) + u"\n\nOptions:\n"_s;
    for (const OptionSpec &option : command.options) {
        QString left = u"--"_s + text(option.name);
        if (option.value) {
            left += u' ' + text(option.value);
        }
        help += padded(left, text(option.help));
    }
    return help + padded(u"--help"_s, text(kHelpOption.help));
}

Result<qint64> readSeconds(
    const Invocation &invocation, QLatin1StringView option, double lowest, qint64 fallbackMs)
{
    if (!invocation.has(option)) {
        return fallbackMs;
    }
    bool ok = false;
    const QString given = invocation.value(option);
    const double seconds = given.toDouble(&ok);
    if (!ok || !(seconds >= lowest && seconds <= kLongestSeconds)) {
        return usage(u"--%1 must be a number of seconds from %2 to %3, not \"%4\""_s.arg(option)
                         .arg(lowest)
                         .arg(kLongestSeconds, 0, 'f', 0)
                         .arg(given));
    }
    return static_cast<qint64>(seconds * 1000);
}

Result<qint64> readDuration(
    const Invocation &invocation, QLatin1StringView option, qint64 fallbackMs)
{
    if (!invocation.has(option)) {
        return fallbackMs;
    }
    constexpr qint64 kMost = 7 * 24LL * 3600 * 1000;
    const QString given = invocation.value(option);
    const QChar unit = given.isEmpty() ? QChar() : given.back();
    const qint64 unitMs = unit == u's' ? 1000
        : unit == u'm'                 ? 60'000
        : unit == u'h'                 ? 3'600'000
        : unit == u'd'                 ? 24LL * 3'600'000
                                       : 0;
    bool ok = false;
    const qint64 count = QStringView(given).chopped(given.isEmpty() ? 0 : 1).toLongLong(&ok);
    if (!ok || unitMs == 0 || count < 1 || count > kMost / unitMs) {
        return usage(u"--%1 must be a time like 90s, 15m, 1h or 2d, at most 7d, not \"%2\""_s.arg(
            option, given.left(50)));
    }
    return count * unitMs;
}

} // namespace deskhand::cli
