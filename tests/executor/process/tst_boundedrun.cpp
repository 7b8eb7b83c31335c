// SPDX-License-Identifier: Apache-2.0
#include "executor/process/boundedrun.h"
#include "executor/process/sessionprocesses.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace deskhand::process;

namespace {

RunSpec shell(const QByteArray &text)
{
    RunSpec spec;
    spec.program = "/bin/sh";
    spec.arguments = { "-c", text };
    spec.environment = { "PATH=/usr/bin:/bin", "LC_ALL=C" };
    spec.directory = "/";
    spec.wallLimit = milliseconds(20'000);
    return spec;
}

RunOutcome run(const RunSpec &spec)
{
    RunControl control;
    return runBounded(spec, control);
}

int openDescriptors()
{
    return static_cast<int>(QDir(u"/proc/self/fd"_s)
                                .entryList(QDir::NoDotAndDotDot | QDir::System | QDir::Files)
                                .size());
}

} // namespace

/// The blocking run without a sandbox around it: bytes, times, endings, and that nothing stays.
class TestBoundedRun final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void exitCodesAndSignals();
    void missingProgramIsNotStarted();
    void streamsAreApartAndMerged();
    void inputIsClosedUnlessAsked();
    void inputIsWritten();
    void timeOutAsksThenKills();
    void cancelShortensTheGrace();
    void ignoringTermIsKilled();
    void stoppedChildIsEnded();
    void backgroundChildDoesNotHoldTheResult();
    void daemonOfTheSessionIsKilled();
    void floodIsBounded();
    void hugeLineWithNulsIsBounded();
    void spoolKeepsTheMiddle();
    void fullSpoolDoesNotEndTheRun();
    void watchEndsAsALimit();
    void terminalHasSizeAndJobControl();
    void terminalIsResized();
    void backgroundWriterDoesNotKeepTheTerminal();
    void descriptorsDoNotGoOver();
    void ignoredSignalsAreReset();
    void nothingStaysOpen();
};

void TestBoundedRun::exitCodesAndSignals()
{
    RunOutcome outcome = run(shell("exit 7"));
    QCOMPARE(outcome.end, RunEnd::Exited);
    QCOMPARE(outcome.exitCode, 7);
    QCOMPARE(outcome.shellStatus(), 7);
    outcome = run(shell("kill -SEGV $$"));
    QCOMPARE(outcome.signal, SIGSEGV);
    QCOMPARE(outcome.shellStatus(), 128 + SIGSEGV);
}

void TestBoundedRun::missingProgramIsNotStarted()
{
    RunSpec spec = shell({});
    spec.program = "/no/such/program";
    const RunOutcome outcome = run(spec);
    QCOMPARE(outcome.end, RunEnd::NotStarted);
    QCOMPARE(outcome.shellStatus(), 125);
    QVERIFY(outcome.startError.message.contains(u"/no/such/program"_s));
}

void TestBoundedRun::streamsAreApartAndMerged()
{
    const RunOutcome outcome = run(shell("echo one; echo two >&2; sleep 0.05; echo three"));
    QCOMPARE(outcome.output.retained.joined(), QByteArray("one\nthree\n"));
    QCOMPARE(outcome.error.retained.joined(), QByteArray("two\n"));
    QCOMPARE(outcome.merged.total(), 14);
    QVERIFY(outcome.merged.joined().endsWith("three\n"));
}

void TestBoundedRun::inputIsClosedUnlessAsked()
{
    const RunOutcome outcome = run(shell("cat; readlink /proc/self/fd/0"));
    QCOMPARE(outcome.output.retained.joined(), QByteArray("/dev/null\n"));
}

void TestBoundedRun::inputIsWritten()
{
    RunSpec spec = shell("cat");
    spec.openInput = true;
    RunControl control;
    QVERIFY(control.write("hello "));
    QVERIFY(control.write("there"));
    QVERIFY(!control.write(QByteArray(2 * 1024 * 1024, 'x')));
    control.closeInput();
    QCOMPARE(runBounded(spec, control).output.retained.joined(), QByteArray("hello there"));
}

void TestBoundedRun::timeOutAsksThenKills()
{
    RunSpec spec
        = shell("trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.02; done");
    spec.wallLimit = milliseconds(200);
    const RunOutcome outcome = run(spec);
    QCOMPARE(outcome.end, RunEnd::TimedOut);
    QCOMPARE(outcome.shellStatus(), 124);
    QCOMPARE(outcome.output.retained.joined(), QByteArray("ready\nasked\n"));
}

void TestBoundedRun::cancelShortensTheGrace()
{
    RunSpec spec = shell("trap '' TERM; echo ready; while :; do sleep 0.02; done");
    spec.grace = milliseconds(15'000);
    RunControl control;
    std::thread impatient;
    const RunOutcome outcome = runBounded(spec, control, [&](Stream, const char *, qint64) {
        if (!impatient.joinable()) {
            impatient = std::thread([&control] {
                control.cancel();
                control.cancel(milliseconds(50));
            });
        }
    });
    impatient.join();
    QCOMPARE(outcome.end, RunEnd::Cancelled);
    QCOMPARE(outcome.signal, SIGKILL);
    QVERIFY(outcome.wall < milliseconds(10'000));
}

void TestBoundedRun::ignoringTermIsKilled()
{
    RunSpec spec = shell("trap '' TERM INT HUP; echo kept; while :; do sleep 0.02; done");
    spec.wallLimit = milliseconds(150);
    spec.grace = milliseconds(100);
    const RunOutcome outcome = run(spec);
    QCOMPARE(outcome.end, RunEnd::TimedOut);
    QCOMPARE(outcome.signal, SIGKILL);
    QCOMPARE(outcome.output.retained.joined(), QByteArray("kept\n"));
}

void TestBoundedRun::stoppedChildIsEnded()
{
    RunSpec spec = shell("kill -STOP $$");
    spec.wallLimit = milliseconds(150);
    spec.grace = milliseconds(100);
    QCOMPARE(run(spec).end, RunEnd::TimedOut);
}

void TestBoundedRun::backgroundChildDoesNotHoldTheResult()
{
    RunSpec spec = shell("(trap '' TERM HUP; sleep 30) & echo done");
    const RunOutcome outcome = run(spec);
    QCOMPARE(outcome.exitCode, 0);
    QCOMPARE(outcome.output.retained.joined(), QByteArray("done\n"));
    QVERIFY(outcome.wall < milliseconds(10'000));
}

void TestBoundedRun::daemonOfTheSessionIsKilled()
{
    const RunOutcome outcome = run(shell("sleep 77.7 & echo $!"));
    const auto pid = static_cast<pid_t>(outcome.output.retained.joined().trimmed().toInt());
    QVERIFY(pid > 0);
    QTRY_VERIFY(::kill(pid, 0) != 0);
}

void TestBoundedRun::floodIsBounded()
{
    RunSpec spec = shell("head -c 60000000 /dev/zero | tr '\\0' a; echo; echo TAIL");
    const RunOutcome outcome = run(spec);
    QCOMPARE(outcome.output.retained.total(), 60'000'006);
    QVERIFY(outcome.truncated());
    const QByteArray kept = outcome.output.retained.joined();
    QVERIFY(kept.size() < 1024 * 1024 + 100);
    QVERIFY(kept.startsWith("aaaa"));
    QVERIFY(kept.endsWith("\nTAIL\n"));
    QVERIFY(kept.contains(
        "[... " + QByteArray::number(outcome.output.retained.omitted()) + " bytes omitted ...]"));
}

void TestBoundedRun::hugeLineWithNulsIsBounded()
{
    RunSpec spec = shell("head -c 100000000 /dev/zero");
    spec.retainedBytes = 4096;
    const RunOutcome outcome = run(spec);
    QCOMPARE(outcome.exitCode, 0);
    QCOMPARE(outcome.output.retained.total(), 100'000'000);
    QCOMPARE(outcome.output.retained.head(), QByteArray(2048, '\0'));
}

void TestBoundedRun::spoolKeepsTheMiddle()
{
    const QTemporaryDir folder;
    RunSpec spec = shell("seq 1 20000");
    spec.retainedBytes = 100;
    spec.spoolFolder = folder.path();
    const RunOutcome outcome = run(spec);
    QFile spool(outcome.output.spoolFile);
    QVERIFY(spool.open(QIODevice::ReadOnly));
    QCOMPARE(spool.size(), outcome.output.retained.total());
    QVERIFY(spool.readAll().contains("\n10000\n"));
    QVERIFY((spool.permissions() & (QFileDevice::ReadGroup | QFileDevice::ReadOther)) == 0);
}

void TestBoundedRun::fullSpoolDoesNotEndTheRun()
{
    const QTemporaryDir folder;
    RunSpec spec = shell("seq 1 20000");
    spec.spoolFolder = folder.path();
    spec.spoolCeiling = 1000;
    RunOutcome outcome = run(spec);
    QCOMPARE(outcome.exitCode, 0);
    QCOMPARE(QFileInfo(outcome.output.spoolFile).size(), 1000);
    spec.spoolFolder = u"/no/such/folder"_s;
    outcome = run(spec);
    QCOMPARE(outcome.exitCode, 0);
    QVERIFY(outcome.output.spoolFile.isEmpty());
}

void TestBoundedRun::watchEndsAsALimit()
{
    RunSpec spec = shell("sleep 30");
    spec.watchInterval = milliseconds(20);
    spec.watch = [](qint64 pid) {
        return pid > 0 ? u"something"_s : QString();
    };
    const RunOutcome outcome = run(spec);
    QCOMPARE(outcome.end, RunEnd::Limit);
    QCOMPARE(outcome.limit, u"something"_s);
}

void TestBoundedRun::terminalHasSizeAndJobControl()
{
    RunSpec spec = shell("stty size; tty; set -m; sleep 0.01 & wait; echo -n fine");
    spec.terminal = TerminalSize { 33, 101 };
    const QByteArray output = run(spec).output.retained.joined();
    QVERIFY2(output.startsWith("33 101\r\n/dev/pts/"), output.constData());
    QVERIFY2(output.contains("fine"), output.constData());
}

void TestBoundedRun::terminalIsResized()
{
    RunSpec spec
        = shell("trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.02; done");
    spec.terminal = TerminalSize {};
    spec.openInput = true;
    RunControl control;
    bool resized = false;
    const RunOutcome outcome = runBounded(spec, control, [&](Stream, const char *, qint64) {
        if (!resized) {
            resized = true;
            control.resize({ 40, 120 });
        }
    });
    QVERIFY2(outcome.output.retained.joined().contains("40 120"),
        outcome.output.retained.joined().constData());
}

void TestBoundedRun::backgroundWriterDoesNotKeepTheTerminal()
{
    RunSpec spec = shell("(trap '' HUP TERM; while :; do echo x; sleep 0.01; done) & echo started");
    spec.terminal = TerminalSize {};
    const RunOutcome outcome = run(spec);
    QCOMPARE(outcome.end, RunEnd::Exited);
    QVERIFY(outcome.wall < milliseconds(10'000));
}

void TestBoundedRun::descriptorsDoNotGoOver()
{
    const int leaked = ::open("/etc/passwd", O_RDONLY); // without close-on-exec, on purpose
    QVERIFY(leaked >= 0);
    const RunOutcome outcome = run(shell("ls /proc/self/fd | wc -l"));
    ::close(leaked);
    // 0, 1, 2 and the one ls reads the directory with
    QCOMPARE(outcome.output.retained.joined().trimmed(), QByteArray("4"));
}

void TestBoundedRun::ignoredSignalsAreReset()
{
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    const RunOutcome outcome = run(shell("yes | head -1; grep SigIgn /proc/self/status"));
    std::signal(SIGPIPE, before);
    // Signals 32 and 33 are the C library's own: it leaves them ignored in what it spawns.
    const QByteArray shown = outcome.output.retained.joined();
    const qsizetype at = shown.indexOf("SigIgn:\t");
    QVERIFY2(at >= 0, shown.constData());
    bool read = false;
    const quint64 ignored = shown.mid(at + 8, 16).toULongLong(&read, 16);
    QVERIFY(read);
    QCOMPARE(ignored & Q_UINT64_C(0x7fffffff), Q_UINT64_C(0));
}

void TestBoundedRun::nothingStaysOpen()
{
    (void)run(shell("true"));
    const int before = openDescriptors();
    for (int i = 0; i < 20; ++i) {
        RunSpec spec = shell("echo x");
        if (i % 2 == 0) {
            spec.terminal = TerminalSize {};
        }
        (void)run(spec);
    }
    QCOMPARE(openDescriptors(), before);
    QVERIFY(descendantsOf(getpid()).isEmpty());
}

QTEST_GUILESS_MAIN(TestBoundedRun)
#include "tst_boundedrun.moc"
