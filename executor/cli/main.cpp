// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/commandtable.h"
#include "executor/cli/exitcodes.h"
#include "executor/cli/standardstreams.h"
#include "executor/logging/log.h"
#include "executor/modelproxy/standaloneproxy.h"
#include "executor/sandbox/sandboxcommand.h"
#include "executor/settings/executorsettings.h"

#include <QCoreApplication>

using namespace deskhand;
using namespace Qt::StringLiterals;

int main(int argc, char **argv)
{
    cli::prepareStandardStreams();
    const QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(u"deskhand-executor"_s);
    QCoreApplication::setApplicationVersion(QStringLiteral(DESKHAND_VERSION));

    const QStringList words = QCoreApplication::arguments().mid(1);
    const QString first = words.value(0);
    // Before anything is understood, the wish for JSON already shapes the message of a mistake.
    const qsizetype end = words.indexOf(u"--"_s);
    cli::Output output(words.mid(0, end < 0 ? words.size() : end).contains(u"--json"_s));
    if (first == u"--version"_s) {
        output.line(u"deskhand-executor "_s + QCoreApplication::applicationVersion());
        return cli::kOk;
    }
    if (first == u"--help"_s || first == u"help"_s) {
        output.text(cli::programHelp(cli::commandTable()));
        return cli::kOk;
    }
    const Result<cli::Invocation> invocation = cli::parseCommandLine(cli::commandTable(), words);
    if (!invocation) {
        return output.fail(invocation.error());
    }
    if (invocation->help) {
        output.text(invocation->command ? cli::commandHelp(*invocation->command)
                                        : cli::groupHelp(cli::commandTable(), first));
        return cli::kOk;
    }
    if (QLatin1StringView(invocation->command->name) == "sandbox"_L1) {
        return sandbox::runSandboxCommand(invocation->arguments,
            settings::readOwnerPolicy(ExecutorHome::fromEnvironment().settingsFile()));
    }
    if (QLatin1StringView(invocation->command->name) == "proxy"_L1) {
        return modelproxy::runProxyCommand(invocation->arguments);
    }

    int exitCode = cli::kFailed;
    {
        const std::unique_ptr<cli::Command> command
            = cli::makeCommand(*invocation, ExecutorHome::fromEnvironment(), output);
        QObject::connect(command.get(), &cli::Command::finished, command.get(),
            [](int code) { QCoreApplication::exit(code); });
        command->start();
        exitCode = QCoreApplication::exec();
    }
    logging::stop();
    return exitCode;
}
