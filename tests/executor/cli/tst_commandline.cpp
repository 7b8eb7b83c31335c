// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/commandline.h"
#include "executor/cli/commandtable.h"
#include "executor/cli/exitcodes.h"
#include "executor/cli/logscommand.h"
#include "executor/cli/newmodel.h"
#include "executor/cli/output.h"

#include <QTest>

using namespace deskhand;
using namespace Qt::StringLiterals;

class TestCommandLine : public QObject
{
    Q_OBJECT

    static Result<cli::Invocation> parse(const QStringList &words)
    {
        return cli::parseCommandLine(cli::commandTable(), words);
    }

private Q_SLOTS:
    void twoWords_optionsAnywhere_areUnderstood()
    {
        const auto given = parse({ u"requests"_s, u"answer"_s, u"--note=why not"_s, u"abc"_s,
            u"--once"_s, u"--answer"_s, u"q=a=b"_s, u"--answer=q=c"_s });
        QVERIFY(given);
        QCOMPARE(QLatin1StringView(given->command->name), "requests answer"_L1);
        QCOMPARE(given->arguments, QStringList { u"abc"_s });
        QVERIFY(given->has("once"_L1));
        QVERIFY(!given->has("deny"_L1));
        QCOMPARE(given->value("note"_L1), u"why not"_s);
        QCOMPARE(given->values("answer"_L1), QStringList({ u"q=a=b"_s, u"q=c"_s }));
    }

    void doubleDash_endsTheOptions()
    {
        const auto given = parse({ u"task"_s, u"--cwd"_s, u"/w"_s, u"--"_s, u"--json"_s });
        QVERIFY(given);
        QVERIFY(!given->has("json"_L1));
        QCOMPARE(given->arguments, QStringList { u"--json"_s });
    }

    void singleDash_isAnArgument()
    {
        QCOMPARE(parse({ u"task"_s, u"-"_s })->arguments, QStringList { u"-"_s });
    }

    void help_ofAGroup_listsItsCommands()
    {
        for (const QString &group : { u"requests"_s, u"tasks"_s, u"models"_s }) {
            const auto given = parse({ group, u"--help"_s });
            QVERIFY2(given && given->help && !given->command, qPrintable(group));
            const QString help = cli::groupHelp(cli::commandTable(), group);
            QVERIFY2(help.contains(group + u" list"_s), qPrintable(help));
            QVERIFY2(!help.contains(u"  doctor"_s), qPrintable(help));
        }
        QVERIFY(!parse({ u"nothing"_s, u"--help"_s }));
    }

    void help_needsNoArguments()
    {
        const auto given = parse({ u"requests"_s, u"answer"_s, u"--help"_s });
        QVERIFY(given && given->help);
        for (const cli::CommandSpec &command : cli::commandTable()) {
            QVERIFY(cli::commandHelp(command).contains(QString::fromUtf8(command.help)));
            QVERIFY(
                cli::programHelp(cli::commandTable()).contains(QString::fromUtf8(command.name)));
        }
    }

    void durations_data()
    {
        QTest::addColumn<QString>("given");
        QTest::addColumn<qint64>("ms"); // 0: refused
        QTest::newRow("seconds") << u"90s"_s << 90'000LL;
        QTest::newRow("minutes") << u"15m"_s << 900'000LL;
        QTest::newRow("hours") << u"1h"_s << 3'600'000LL;
        QTest::newRow("most") << u"7d"_s << 604'800'000LL;
        QTest::newRow("more") << u"8d"_s << 0LL;
        QTest::newRow("no unit") << u"60"_s << 0LL;
        QTest::newRow("nothing") << u""_s << 0LL;
        QTest::newRow("unit alone") << u"h"_s << 0LL;
        QTest::newRow("zero") << u"0s"_s << 0LL;
        QTest::newRow("negative") << u"-1h"_s << 0LL;
        QTest::newRow("too large a number") << u"99999999999999999999d"_s << 0LL;
    }

    void durations()
    {
        QFETCH(QString, given);
        QFETCH(qint64, ms);
        const auto read
            = cli::readDuration(*parse({ u"pause"_s, u"--for="_s + given }), "for"_L1, 5);
        QCOMPARE(read.value_or(0), ms);
        QVERIFY(read || read.error().message.contains(u"--for"_s));
        QCOMPARE(cli::readDuration(*parse({ u"pause"_s }), "for"_L1, 5).value_or(0), 5);
    }

    void newModel_fromAPreset_takesAddressAndProtocol()
    {
        const auto model = cli::readNewModel(*parse({ u"models"_s, u"add"_s, u"--provider"_s,
            u"deepseek"_s, u"--model-id"_s, u"deepseek-chat"_s }));
        QVERIFY(model);
        QCOMPARE(model->name, u"deepseek/deepseek-chat"_s);
        QCOMPARE(model->values.value("base_url"_L1).toString(), u"https://api.deepseek.com/v1"_s);
        QCOMPARE(model->values.value("api_format"_L1).toString(), u"openai-chat-completions"_s);
        QCOMPARE(model->values.value("family"_L1).toString(), u"deepseek"_s);
        QVERIFY(!model->values.contains("context_window"_L1));
        QVERIFY(model->needsKey);
        QVERIFY(!model->keyUrl.isEmpty());
        QVERIFY(model->remarks.isEmpty());

        const auto local = cli::readNewModel(*parse({ u"models"_s, u"add"_s, u"mine"_s,
            u"--provider=ollama"_s, u"--model-id=q"_s, u"--context-window=32768"_s }));
        QVERIFY(local);
        QCOMPARE(local->name, u"mine"_s);
        QVERIFY(!local->needsKey);
        QCOMPARE(local->values.value("context_window"_L1).toInt(), 32768);
    }

    void newModel_pastedEndpoint_isShortenedAndSaid()
    {
        const auto model = cli::readNewModel(*parse(
            { u"models"_s, u"add"_s, u"--base-url=https://models.example/v1/chat/completions/"_s,
                u"--protocol=chat"_s, u"--model-id=m"_s }));
        QVERIFY(model);
        QCOMPARE(model->values.value("base_url"_L1).toString(), u"https://models.example/v1"_s);
        QCOMPARE(model->remarks.size(), 1);
        QVERIFY(model->needsKey);
        QCOMPARE(cli::providerShown({}, u"https://models.example/v1"_s), u"models.example"_s);
        QCOMPARE(cli::providerShown(u"deepseek"_s, u"https://relay.example/v1"_s), u"DeepSeek"_s);
    }

    void newModel_mistakes_nameTheOption_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("named");
        const QString id = u"--model-id=m"_s;
        const QString chat = u"--protocol=chat"_s;
        QTest::newRow("nothing") << QStringList {} << u"--provider"_s;
        QTest::newRow("unknown provider")
            << QStringList { u"--provider=nobody"_s, id } << u"kimi"_s;
        QTest::newRow("placeholder")
            << QStringList { u"--provider=azure"_s, id } << u"--base-url"_s;
        QTest::newRow("no protocol")
            << QStringList { u"--base-url=https://a.example/v1"_s, id } << u"--protocol"_s;
        QTest::newRow("unknown protocol") << QStringList { u"--base-url=https://a.example/v1"_s, id,
            u"--protocol=soap"_s } << u"--protocol"_s;
        QTest::newRow("no model") << QStringList { u"--provider=kimi"_s } << u"--model-id"_s;
        QTest::newRow("no address")
            << QStringList { u"--base-url=models"_s, id, chat } << u"--base-url"_s;
        QTest::newRow("open network")
            << QStringList { u"--base-url=http://a.example/v1"_s, id, chat } << u"encryption"_s;
        QTest::newRow("key in the address")
            << QStringList { u"--base-url=https://u:p@a.example/v1"_s, id, chat } << u"password"_s;
        QTest::newRow("small window")
            << QStringList { u"--provider=kimi"_s, id, u"--context-window=100"_s }
            << u"--context-window"_s;
    }

    void newModel_mistakes_nameTheOption()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, named);
        const auto model = cli::readNewModel(*parse(QStringList { u"models"_s, u"add"_s } + words));
        QVERIFY(!model);
        QCOMPARE(model.error().kind, ErrorKind::Usage);
        QVERIFY2(model.error().message.contains(named), qPrintable(model.error().message));
    }

    void takesAll_leavesEverythingUnread()
    {
        const auto given = parse({ u"sandbox"_s, u"--help"_s, u"--"_s, u"ls"_s });
        QVERIFY(given);
        QCOMPARE(given->arguments, QStringList({ u"--help"_s, u"--"_s, u"ls"_s }));
    }

    void mistakes_areUsageErrorsNamingTheWord_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("named");
        QTest::newRow("nothing") << QStringList() << u"no command"_s;
        QTest::newRow("unknown command") << QStringList { u"fly"_s } << u"fly"_s;
        QTest::newRow("half a command") << QStringList { u"requests"_s } << u"answer"_s;
        QTest::newRow("unknown second word")
            << QStringList { u"tasks"_s, u"explode"_s } << u"explode"_s;
        QTest::newRow("unknown option") << QStringList { u"status"_s, u"--jsn"_s } << u"--jsn"_s;
        QTest::newRow("short option") << QStringList { u"status"_s, u"-j"_s } << u"-j"_s;
        QTest::newRow("option without its value")
            << QStringList { u"task"_s, u"x"_s, u"--cwd"_s } << u"--cwd"_s;
        QTest::newRow("switch with a value")
            << QStringList { u"status"_s, u"--json=yes"_s } << u"--json"_s;
        QTest::newRow("missing argument")
            << QStringList { u"requests"_s, u"answer"_s, u"--once"_s } << u"ID"_s;
        QTest::newRow("one argument too many")
            << QStringList { u"tasks"_s, u"stop"_s, u"a"_s, u"b"_s } << u"\"b\""_s;
        QTest::newRow("a token on the command line")
            << QStringList { u"login"_s, u"wg-secret"_s } << u"login"_s;
    }

    void mistakes_areUsageErrorsNamingTheWord()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, named);
        const auto given = parse(words);
        QVERIFY(!given);
        QCOMPARE(given.error().kind, ErrorKind::Usage);
        QCOMPARE(cli::exitCodeOf(given.error()), 2);
        QVERIFY2(given.error().message.contains(named), qPrintable(given.error().message));
    }

    void seconds_outsideTheRange_areRefused()
    {
        for (const QString &bad : { u"-1"_s, u"x"_s, u"nan"_s, u"inf"_s, u"1e99"_s, QString() }) {
            const auto given = parse({ u"run"_s, u"--drain-timeout="_s + bad });
            QVERIFY(given);
            QVERIFY2(!cli::readSeconds(*given, "drain-timeout"_L1, 0, 5), qPrintable(bad));
        }
        const auto half = parse({ u"run"_s, u"--drain-timeout"_s, u"0.5"_s });
        QCOMPARE(*cli::readSeconds(*half, "drain-timeout"_L1, 0, 5), 500);
        QCOMPARE(*cli::readSeconds(*parse({ u"run"_s }), "drain-timeout"_L1, 0, 5), 5);
    }

    void everyCommand_canBeMade()
    {
        cli::Output output(false);
        for (const cli::CommandSpec &command : cli::commandTable()) {
            if (command.takesAll) {
                continue; // carried out before there is an event loop
            }
            cli::Invocation invocation;
            invocation.command = &command;
            invocation.arguments = { u"x"_s };
            QVERIFY2(
                cli::makeCommand(invocation, ExecutorHome { u"/nowhere"_s }, output), command.name);
        }
    }

    void terminalSafe_removesWhatSteersATerminal()
    {
        QCOMPARE(cli::terminalSafe(u"a\x1b[2Jb\r\x07\u009bc\n\td"_s),
            u"a\ufffd[2Jb\ufffd\ufffd\ufffdc\n\td"_s);
        QCOMPARE(cli::terminalSafe(u"rm\u202e/x\u2066"_s), u"rm\ufffd/x\ufffd"_s);
        QCOMPARE(cli::terminalSafe(u"你好 😀"_s), u"你好 😀"_s);
        QCOMPARE(cli::oneLine(u"a\nb\n"_s + QString(500, u'x'), 10).size(), 10);
    }

    void logLine_isReadAndContinuationsAreTold()
    {
        const cli::LogFileLine line
            = cli::readLogLine(u"2026-01-31T12:00:00.000+00:00 W engine.codex: a: b"_s);
        QCOMPARE(line.level, 3);
        QCOMPARE(line.source, u"engine.codex"_s);
        QCOMPARE(line.text, u"a: b"_s);
        QCOMPARE(cli::readLogLine(u"    at somewhere: x"_s).level, -1);
    }
};

QTEST_GUILESS_MAIN(TestCommandLine)

#include "tst_commandline.moc"
