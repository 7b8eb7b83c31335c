// SPDX-License-Identifier: Apache-2.0
#include "executor/process/sessionprocesses.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>

using namespace Qt::StringLiterals;
using deskhand::test::SandboxFolders;

namespace {

constexpr int kLimitMs = 30'000; // a guard against hanging, not a measurement

} // namespace

/// SIGKILL to each process between the engine and the command: whichever dies, nothing lives on,
/// and the workspace is clean after the next run at the latest.
class TestKillChain final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anyLink_data();
    void anyLink();
    void oneOfTwoSharersDies();
    void terminationIsPassedOn();
};

void TestKillChain::anyLink_data()
{
    QTest::addColumn<QString>("profile");
    QTest::addColumn<bool>("terminal");
    QTest::addColumn<int>("link");
    for (const QString &profile : { u":workspace"_s, u":danger-full-access"_s }) {
        for (const bool terminal : { false, true }) {
            // 0 is the engine itself, the others follow towards the command.
            const int last
                = profile == u":workspace"_s ? 3 : 2; // further ones are the command's own
            for (int link = 0; link <= last; ++link) {
                QTest::addRow(
                    "%s%s, link %d", qPrintable(profile), terminal ? " on a terminal" : "", link)
                    << profile << terminal << link;
            }
        }
    }
}

void TestKillChain::anyLink()
{
    QFETCH(const QString, profile);
    QFETCH(const bool, terminal);
    QFETCH(const int, link);
    const SandboxFolders folders(SandboxFolders::Owner::User);
    const QString mark = u"chainmark-%1"_s.arg(QRandomGenerator::global()->generate());
    QStringList arguments { u"--profile"_s, profile, u"--cwd"_s, folders.workspace(),
        u"--timeout-ms"_s, u"600000"_s };
    if (terminal) {
        arguments << u"--pty"_s;
    }
    arguments << u"--"_s << u"/bin/sh"_s << u"-c"_s
              << u"trap '' TERM HUP INT; (setsid sh -c 'trap \"\" HUP TERM; while :; do sleep 0.2; "
                 u"done # %1' &);"
                 " echo started; while :; do sleep 0.2; done # %1"_s.arg(mark);
    QProcess engine;
    folders.applyOwner(engine);
    engine.setProcessChannelMode(QProcess::MergedChannels);
    engine.start(SandboxFolders::program(), arguments);
    QByteArray seen;
    QTRY_VERIFY_WITH_TIMEOUT((seen += engine.readAll()).contains("started"), kLimitMs);
    QTRY_VERIFY_WITH_TIMEOUT(SandboxFolders::processMatching(mark), kLimitMs);

    QList<pid_t> chain { static_cast<pid_t>(engine.processId()) };
    chain += deskhand::process::descendantsOf(chain.first());
    QVERIFY(link < chain.size());
    QCOMPARE(::kill(chain[link], SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(!SandboxFolders::processMatching(mark), kLimitMs);
    // The engine survives the death of its children and ends by itself.
    QTRY_COMPARE_WITH_TIMEOUT(engine.state(), QProcess::NotRunning, kLimitMs);

    QProcess next;
    folders.applyOwner(next);
    next.start(SandboxFolders::program(), { u"--cwd"_s, folders.workspace(), u"--"_s, u"true"_s });
    QVERIFY(next.waitForFinished(kLimitMs));
    QVERIFY2(next.exitCode() == 0, next.readAllStandardError().constData());
    QCOMPARE(
        QDir(folders.workspace()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList());
}

void TestKillChain::oneOfTwoSharersDies()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    const auto start = [&folders](QProcess &process, const QString &command) {
        folders.applyOwner(process);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(SandboxFolders::program(),
            { u"--cwd"_s, folders.workspace(), u"--"_s, u"/bin/sh"_s, u"-c"_s, command });
    };
    QProcess dying;
    start(dying, u"echo up; sleep 60"_s);
    QByteArray seen;
    QTRY_VERIFY_WITH_TIMEOUT((seen += dying.readAll()).contains("up"), kLimitMs);
    QProcess living;
    start(living,
        u"echo up; while [ ! -e go ]; do sleep 0.05; done; mkdir .codex/x && echo LOST; mkdir .git && echo LOST; true"_s);
    seen.clear();
    QTRY_VERIFY_WITH_TIMEOUT((seen += living.readAll()).contains("up"), kLimitMs);
    dying.kill();
    QTRY_COMPARE_WITH_TIMEOUT(dying.state(), QProcess::NotRunning, kLimitMs);
    // Others come and go meanwhile.
    for (int i = 0; i < 5; ++i) {
        QProcess passing;
        start(passing, u"true"_s);
        QVERIFY(passing.waitForFinished(kLimitMs));
    }
    QFile go(folders.workspace() + u"/go"_s);
    QVERIFY(go.open(QIODevice::WriteOnly));
    QTRY_COMPARE_WITH_TIMEOUT(living.state(), QProcess::NotRunning, kLimitMs);
    seen += living.readAll();
    QVERIFY2(!seen.contains("LOST"), seen.constData());
    QCOMPARE(
        QDir(folders.workspace()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList(u"go"_s));
}

void TestKillChain::terminationIsPassedOn()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    QProcess engine;
    folders.applyOwner(engine);
    engine.start(SandboxFolders::program(),
        { u"--cwd"_s, folders.workspace(), u"--"_s, u"/bin/sh"_s, u"-c"_s,
            u"trap 'echo handled; exit 5' TERM; echo ready; while :; do sleep 0.05; done"_s });
    QByteArray seen;
    QTRY_VERIFY_WITH_TIMEOUT((seen += engine.readAllStandardOutput()).contains("ready"), kLimitMs);
    engine.terminate();
    QTRY_COMPARE_WITH_TIMEOUT(engine.state(), QProcess::NotRunning, kLimitMs);
    seen += engine.readAllStandardOutput();
    QVERIFY2(seen.contains("handled"), seen.constData());
    QVERIFY(engine.readAllStandardError().contains("sandbox: cancelled"));
}

QTEST_GUILESS_MAIN(TestKillChain)
#include "tst_killchain.moc"
