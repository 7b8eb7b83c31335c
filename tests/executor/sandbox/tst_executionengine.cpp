// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/executionengine.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QSignalSpy>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

/// The engine as its users see it: order, fairness, output, terminals, endings, and one test for
/// each shape in which the rest of the program will use it.
class TestExecutionEngine final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void finishedExactlyOnceAndLast();
    void writersOfOneWorkspaceGoInTurn();
    void readersGoTogether();
    void sessionsTakeTurns();
    void backgroundIsCountedApart();
    void textIsHarmlessAndComplete();
    void deltasAreBounded();
    void cancelQueuedAndRunning();
    void stopEndsEverything();
    void destructionEndsRuns();
    void hostQuestionsReachTheOwner();
    void limitsReportWhichOneFired_data();
    void limitsReportWhichOneFired();
    void odd_workspaces_data();
    void odd_workspaces();
    void shape_remoteCommand();
    void shape_webTerminal();
    void shape_gitInAnUntrustedRepository();
    void shape_hook();
    void shape_engineWithoutASandboxOfItsOwn();

private:
    static Execution execution(
        const SandboxFolders &folders, const QByteArray &command, const QString &session = u"s"_s)
    {
        Execution result;
        result.request.directory = folders.workspace();
        result.request.command = { "/bin/sh", "-c", command };
        result.session = session;
        return result;
    }
    static SandboxResult resultOf(const QSignalSpy &finished, quint64 run)
    {
        for (const QList<QVariant> &arguments : finished) {
            if (arguments[0].toULongLong() == run) {
                return arguments[1].value<SandboxResult>();
            }
        }
        return SandboxResult();
    }
};

void TestExecutionEngine::finishedExactlyOnceAndLast()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QStringList order;
    connect(&engine, &ExecutionEngine::started, this, [&] { order.append(u"started"_s); });
    connect(&engine, &ExecutionEngine::text, this,
        [&](quint64, deskhand::process::Stream, const QString &text) {
            order.append(text.trimmed());
        });
    connect(&engine, &ExecutionEngine::finished, this, [&] { order.append(u"finished"_s); });
    QVERIFY(engine.submit(execution(folders, "echo out")).has_value());
    QTRY_VERIFY_WITH_TIMEOUT(order.contains(u"finished"_s), 20'000);
    QCOMPARE(order, (QStringList { u"started"_s, u"out"_s, u"finished"_s }));
}

void TestExecutionEngine::writersOfOneWorkspaceGoInTurn()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    const QByteArray critical = "mkdir busy || echo OVERLAP; sleep 0.1; rmdir busy";
    QList<quint64> runs;
    for (int i = 0; i < 4; ++i) {
        runs.append(*engine.submit(execution(folders, critical, QString::number(i % 2))));
    }
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 4, 30'000);
    for (const quint64 run : runs) {
        QCOMPARE(resultOf(finished, run).outcome.merged.joined(), QByteArray());
    }
}

void TestExecutionEngine::readersGoTogether()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionLimits limits;
    limits.atOnce = 3;
    ExecutionEngine engine(limits);
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    qsizetype most = 0;
    connect(&engine, &ExecutionEngine::started, this,
        [&] { most = std::max(most, engine.runningCount()); });
    for (int i = 0; i < 5; ++i) {
        Execution run = execution(folders, "sleep 0.3");
        run.request.profile = PermissionProfile::readOnly();
        QVERIFY(engine.submit(run).has_value());
    }
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 5, 30'000);
    QCOMPARE(most, 3);
}

void TestExecutionEngine::sessionsTakeTurns()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionLimits limits;
    limits.atOnce = 1;
    ExecutionEngine engine(limits);
    QStringList order;
    QMap<quint64, QString> sessions;
    connect(&engine, &ExecutionEngine::started, this,
        [&](quint64 run) { order.append(sessions.value(run)); });
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    for (const QString &session : { u"a"_s, u"a"_s, u"a"_s, u"b"_s, u"c"_s }) {
        sessions.insert(*engine.submit(execution(folders, "true", session)), session);
    }
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 5, 30'000);
    QCOMPARE(order, (QStringList { u"a"_s, u"b"_s, u"c"_s, u"a"_s, u"a"_s }));
}

void TestExecutionEngine::backgroundIsCountedApart()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionLimits limits;
    limits.atOnce = 1;
    limits.background = 1;
    ExecutionEngine engine(limits);
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    Execution server = execution(folders, "sleep 60");
    server.background = true;
    const quint64 first = *engine.submit(server);
    const auto second = engine.submit(server);
    QVERIFY(!second.has_value());
    QCOMPARE(second.error().kind, deskhand::ErrorKind::Conflict);
    QVERIFY(engine.submit(execution(folders, "true")).has_value());
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    engine.cancel(first, std::chrono::milliseconds(0));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 20'000);
}

void TestExecutionEngine::textIsHarmlessAndComplete()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QString seen;
    connect(&engine, &ExecutionEngine::text, this,
        [&](quint64, deskhand::process::Stream, const QString &text) { seen += text; });
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    const quint64 run = *engine.submit(execution(folders,
        "printf 'a\\033]52;c;eA==\\007\\344\\270'; sleep 0.1; printf '\\255\\033[2Jz\\377'"));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    QCOMPARE(seen, u"a\u4e2dz\ufffd"_s);
    QVERIFY2(resultOf(finished, run).outcome.output.retained.joined().contains("\x1b]52"),
        "the raw bytes are kept");
}

void TestExecutionEngine::deltasAreBounded()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionLimits limits;
    limits.deltasPerRun = 5;
    limits.deltaBytes = 100;
    ExecutionEngine engine(limits);
    QSignalSpy text(&engine, &ExecutionEngine::text);
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    QVERIFY(engine.submit(execution(folders, "seq 1 100000")).has_value());
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    QVERIFY(text.count() <= 5);
    for (const QList<QVariant> &delta : text) {
        QVERIFY(delta[2].toString().size() <= 100);
    }
}

void TestExecutionEngine::cancelQueuedAndRunning()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QSignalSpy started(&engine, &ExecutionEngine::started);
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    const quint64 running = *engine.submit(execution(folders, "sleep 60"));
    const quint64 queued = *engine.submit(execution(folders, "echo never"));
    QTRY_COMPARE_WITH_TIMEOUT(started.count(), 1, 20'000);
    engine.cancel(queued);
    QTRY_COMPARE(finished.count(), 1);
    engine.cancel(running);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 20'000);
    QCOMPARE(resultOf(finished, queued).endedBy, EndedBy::Cancel);
    QCOMPARE(resultOf(finished, running).endedBy, EndedBy::Cancel);
    QCOMPARE(started.count(), 1);
}

void TestExecutionEngine::stopEndsEverything()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    QSignalSpy stopped(&engine, &ExecutionEngine::stopped);
    for (int i = 0; i < 3; ++i) {
        QVERIFY(engine.submit(execution(folders, "sleep 60")).has_value());
    }
    engine.requestStop();
    QVERIFY(!engine.submit(execution(folders, "true")).has_value());
    QTRY_VERIFY_WITH_TIMEOUT(!stopped.isEmpty(), 20'000);
    QCOMPARE(finished.count(), 3);
}

void TestExecutionEngine::destructionEndsRuns()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    const QString mark = u"destroymark-%1"_s.arg(QRandomGenerator::global()->generate());
    {
        ExecutionEngine engine;
        QSignalSpy text(&engine, &ExecutionEngine::text);
        QVERIFY(engine
                    .submit(execution(
                        folders, "echo up; while :; do sleep 0.1; done # " + mark.toUtf8()))
                    .has_value());
        QTRY_VERIFY_WITH_TIMEOUT(!text.isEmpty(), 20'000);
    }
    QVERIFY(!SandboxFolders::processMatching(mark));
}

void TestExecutionEngine::hostQuestionsReachTheOwner()
{
    if (SandboxFolders::findProgram(u"curl"_s).isEmpty()) {
        QSKIP("curl is not installed");
    }
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    engine.setAsksForHosts(true);
    QStringList asked;
    connect(&engine, &ExecutionEngine::hostAsked, this,
        [&](quint64, quint64 question, const HostQuestion &what) {
            asked.append(what.host);
            engine.answerHost(question, HostAnswer::Deny);
        });
    QSignalSpy decided(&engine, &ExecutionEngine::hostDecided);
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    Execution run = execution(
        folders, "curl -s -m 10 -o /dev/null -w '%{http_code}' http://example.invalid/");
    run.request.profile.network.mode = NetworkMode::Proxy;
    const quint64 id = *engine.submit(run);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    QCOMPARE(asked, QStringList(u"example.invalid"_s));
    QCOMPARE(resultOf(finished, id).outcome.output.retained.joined(), QByteArray("403"));
    QCOMPARE(decided.count(), 1);
}

void TestExecutionEngine::limitsReportWhichOneFired_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QString>("limit");
    QTest::newRow("time") << QByteArray("sleep 60") << u"wall-time"_s;
    QTest::newRow("one file") << QByteArray("exec head -c 3000000 /dev/zero > big")
                              << u"file-size"_s;
    QTest::newRow("many files") << QByteArray("i=0; while :; do : > f$i; i=$((i+1)); done")
                                << u"new-files"_s;
}

void TestExecutionEngine::limitsReportWhichOneFired()
{
    QFETCH(const QByteArray, command);
    QFETCH(const QString, limit);
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    Execution run = execution(folders, command);
    run.request.profile.limits.wall
        = std::chrono::milliseconds(limit == u"wall-time"_s ? 300 : 30'000);
    run.request.profile.limits.grace = std::chrono::milliseconds(100);
    run.request.profile.limits.fileBytes = 1'000'000;
    run.request.profile.limits.newFilesStop = 500;
    const quint64 id = *engine.submit(run);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 40'000);
    QCOMPARE(resultOf(finished, id).outcome.limit, limit);
}

void TestExecutionEngine::odd_workspaces_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("spaces") << u"a b  c"_s;
    QTest::newRow("line break") << u"a\nb"_s;
    QTest::newRow("quotes and shell words") << u"a'\"$(id);&"_s;
    QTest::newRow("a dash") << u"--bind"_s;
    QTest::newRow("beyond ASCII") << u"größe 中文"_s;
}

void TestExecutionEngine::odd_workspaces()
{
    QFETCH(const QString, name);
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const QString workspace = folders.workspace() + u'/' + name;
    QVERIFY(QDir().mkpath(workspace));
    ExecutionEngine engine;
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    Execution run = execution(folders, "echo x > made; mkdir .codex/x || echo held");
    run.request.directory = workspace;
    const quint64 id = *engine.submit(run);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    QVERIFY2(resultOf(finished, id).outcome.output.retained.joined() == "held\n",
        qPrintable(resultOf(finished, id).error.message));
    QCOMPARE(QDir(workspace).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList(u"made"_s));
}

void TestExecutionEngine::shape_remoteCommand()
{
    // A device command: argv, folder, additions to the environment, time, bounded output, no input.
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    Execution run;
    run.session = u"device"_s;
    run.request.directory = folders.workspace();
    run.request.command = { "env" };
    run.request.environment = { { u"ASKED"_s, u"1"_s } };
    run.request.profile.limits.outputBytes = 5000;
    const quint64 id = *engine.submit(run);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    const QByteArray output = resultOf(finished, id).outcome.output.retained.joined();
    QVERIFY(output.contains("ASKED=1\n"));
    QVERIFY(output.contains("DESKHAND_SANDBOX=bwrap\n"));
}

void TestExecutionEngine::shape_webTerminal()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QByteArray seen;
    connect(&engine, &ExecutionEngine::bytes, this,
        [&](quint64, const QByteArray &bytes) { seen += bytes; });
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    Execution run = execution(folders, "exec /bin/sh");
    run.background = true;
    run.rawOutput = true;
    run.request.terminal = deskhand::process::TerminalSize { 30, 90 };
    run.request.openInput = true;
    run.request.profile.limits.wall = std::chrono::milliseconds(0);
    const quint64 id = *engine.submit(run);
    QTRY_VERIFY_WITH_TIMEOUT(!seen.isEmpty(), 20'000); // the prompt
    QVERIFY(engine.write(id, "stty size; sleep 60 & jobs; echo $((40+2))\n"));
    QTRY_VERIFY_WITH_TIMEOUT(seen.contains("42\r\n"), 20'000);
    QVERIFY2(seen.contains("30 90\r\n"), seen.constData());
    engine.resize(id, { 50, 140 });
    QVERIFY(engine.write(id, "stty size\n"));
    QTRY_VERIFY_WITH_TIMEOUT(seen.contains("50 140\r\n"), 20'000);
    QVERIFY(engine.write(id, "sleep 100\n"));
    QTRY_VERIFY_WITH_TIMEOUT(seen.count("sleep 100") > 0, 20'000);
    QVERIFY(engine.write(id, "\x03")); // interrupts the foreground command, not the shell
    QVERIFY(engine.write(id, "exit 9\n"));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    QCOMPARE(resultOf(finished, id).outcome.exitCode, 9);
}

void TestExecutionEngine::shape_gitInAnUntrustedRepository()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    QProcess git;
    folders.applyOwner(git);
    git.setWorkingDirectory(folders.workspace());
    git.start(u"/bin/sh"_s,
        { u"-c"_s,
            u"git init -q . && printf '#!/bin/sh\\ntouch %1/hooked\\n' > evil && chmod +x evil && cp evil .git/hooks/post-index-change && git config core.fsmonitor ./evil"_s
                .arg(folders.outside()) });
    QVERIFY(git.waitForFinished());
    Execution run;
    run.request.directory = folders.workspace();
    run.request.profile = PermissionProfile::readOnly();
    run.request.command = { "git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
        "status", "--porcelain" };
    const quint64 id = *engine.submit(run);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    const SandboxResult result = resultOf(finished, id);
    QVERIFY2(result.outcome.output.retained.joined().contains("?? evil"),
        result.outcome.merged.joined().constData());
    QVERIFY(!QFileInfo::exists(folders.outside() + u"/hooked"_s));
}

void TestExecutionEngine::shape_hook()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    Execution run = execution(folders,
        "cat; echo done > result; echo x > " + QFile::encodeName(folders.outside()) + "/y");
    run.request.openInput = true;
    run.request.profile.limits.wall = std::chrono::milliseconds(10'000);
    const quint64 id = *engine.submit(run);
    QTRY_COMPARE_WITH_TIMEOUT(engine.runningCount(), 1, 20'000);
    QVERIFY(engine.write(id, "{\"event\":\"x\"}\n"));
    engine.closeInput(id);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    const SandboxResult result = resultOf(finished, id);
    QVERIFY(result.outcome.output.retained.joined().contains("event"));
    QCOMPARE(result.denials.value(0).target, folders.outside() + u"/y"_s);
    QVERIFY(QFileInfo::exists(folders.workspace() + u"/result"_s));
    QVERIFY(!QFileInfo::exists(folders.outside() + u"/y"_s));
}

void TestExecutionEngine::shape_engineWithoutASandboxOfItsOwn()
{
    // A long-lived process that speaks over pipes, with its own home writable and hosts through the
    // proxy.
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionEngine engine;
    QByteArray seen;
    connect(&engine, &ExecutionEngine::bytes, this,
        [&](quint64, const QByteArray &bytes) { seen += bytes; });
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    Execution run = execution(folders,
        "while read -r line; do echo \"{\\\"echo\\\":\\\"$line\\\"}\"; echo $line >> "
            + QFile::encodeName(folders.outside()) + "/state; done");
    run.background = true;
    run.rawOutput = true;
    run.request.openInput = true;
    run.request.grantedWritable = { folders.outside() };
    run.request.profile.network.mode = NetworkMode::Proxy;
    run.request.profile.network.domains = { { u"api.example.invalid"_s, true } };
    run.request.profile.limits.wall = std::chrono::milliseconds(0);
    const quint64 id = *engine.submit(run);
    QTRY_COMPARE_WITH_TIMEOUT(engine.runningCount(), 1, 20'000);
    QVERIFY(engine.write(id, "one\n"));
    QTRY_VERIFY_WITH_TIMEOUT(seen.contains("{\"echo\":\"one\"}"), 20'000);
    engine.closeInput(id);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20'000);
    QCOMPARE(resultOf(finished, id).outcome.exitCode, 0);
    QVERIFY(QFileInfo::exists(folders.outside() + u"/state"_s));
}

QTEST_GUILESS_MAIN(TestExecutionEngine)
#include "tst_executionengine.moc"
