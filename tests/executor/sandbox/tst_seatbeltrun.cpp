// SPDX-License-Identifier: Apache-2.0
#include "executor/process/spawn.h"
#include "executor/sandbox/seatbeltrun.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QSemaphore>
#include <QTcpServer>
#include <QTest>
#include <QThread>

#include <csignal>
#include <sys/wait.h>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

namespace {

const QStringList kFakes { u"sandbox-exec"_s, u"sandbox-exec-leaky"_s, u"sandbox-exec-nested"_s,
    u"sandbox-exec-old"_s, u"sandbox-exec-silent"_s };

/// The launcher and the stand-ins for sandbox-exec, where every user can start them.
class Programs final
{
public:
    Programs()
        : m_folder(SandboxFolders::visibleBase() + u"/deskhand-seatbelt-XXXXXX"_s)
    {
        chmod(QFile::encodeName(m_folder.path()).constData(), 0755);
        const QString built = QCoreApplication::applicationDirPath();
        if (!QFile::copy(built + u"/deskhand-sandbox-launch"_s, launcher())) {
            qFatal("copying the launcher");
        }
        for (const QString &name : kFakes) {
            if (!QFile::copy(
                    built + u"/deskhand-test-fakesandboxexec"_s, m_folder.filePath(name))) {
                qFatal("copying %s", qPrintable(name));
            }
        }
    }
    [[nodiscard]] QString launcher() const
    {
        return m_folder.filePath(u"deskhand-sandbox-launch"_s);
    }
    [[nodiscard]] QString folder() const { return m_folder.path(); }
    [[nodiscard]] SeatbeltTools tools(const QString &name = u"sandbox-exec"_s) const
    {
        return { m_folder.filePath(name), launcher() };
    }

private:
    QTemporaryDir m_folder;
};

} // namespace

/// The run as macOS has it, with a sandbox-exec that checks what it is given and holds the writable
/// roots. What the kernel of a Mac makes of the text is not tested here.
class TestSeatbeltRun final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folders.emplace(SandboxFolders::Owner::User); }
    void cleanup() { m_folders.reset(); }

    void outputStatusAndMarks();
    void onlyWritableRootsCanBeWritten();
    void hostileNamesStayParameters_data();
    void hostileNamesStayParameters();
    void scratchIsTheRunsOwn();
    void rootBecomesTheOwner();
    void exits_data();
    void exits();
    void timeOutEndsWhatIgnoresTerm();
    void cancelEndsTheGroup();
    void limits_data();
    void limits();
    void daemonsAreFound();
    void theGroupEndsWithTheEngine();
    void terminalAndInput();
    void proxyListensOnOnePort();
    void fullAccessNeedsNoWall();
    void aWallThatDoesNotStandRunsNothing_data();
    void aWallThatDoesNotStandRunsNothing();
    void requestsThatCannotBeHeld_data();
    void requestsThatCannotBeHeld();
    void probe_data();
    void probe();

private:
    SandboxRequest request(const QByteArray &script) const
    {
        SandboxRequest result;
        result.directory = m_folders->workspace();
        result.command = { "/bin/sh", "-c", script };
        return result;
    }
    SandboxResult run(const SandboxRequest &wanted, const QString &tool = u"sandbox-exec"_s)
    {
        process::RunControl control;
        const SandboxHooks hooks;
        const SeatbeltTools tools = m_programs.tools(tool);
        return SeatbeltRun(wanted, control, hooks, tools).run();
    }
    static QByteArray output(const SandboxResult &result)
    {
        return result.outcome.output.retained.joined();
    }

    Programs m_programs;
    std::optional<SandboxFolders> m_folders;
};

void TestSeatbeltRun::outputStatusAndMarks()
{
    SandboxRequest wanted
        = request("echo out; echo err >&2; pwd; echo $DESKHAND_SANDBOX "
                  "$CODEX_SANDBOX $DESKHAND_SANDBOX_NETWORK; ls /dev/fd/ | wc -w; exit 7");
    const SandboxResult result = run(wanted);
    QCOMPARE(result.error.message, QString());
    QCOMPARE(result.endedBy, EndedBy::Command);
    QCOMPARE(result.exitStatus(), 7);
    QCOMPARE(result.backend, u"seatbelt"_s);
    QCOMPARE(result.limitsBy, u"rlimit"_s);
    // The three streams and what ls itself opened: no descriptor of ours.
    QCOMPARE(output(result),
        "out\n" + QFile::encodeName(m_folders->workspace()) + "\nseatbelt seatbelt off\n4\n");
    QCOMPARE(result.outcome.error.retained.joined(), QByteArray("err\n"));
    QVERIFY(result.outcome.cpu.count() > 0);
    QVERIFY(result.outcome.peakMemory > 0);
    QVERIFY(result.outcome.survivors.isEmpty());
}

void TestSeatbeltRun::onlyWritableRootsCanBeWritten()
{
    const QString recorded = m_folders->workspace() + u"/policy"_s;
    SandboxRequest wanted = request(
        "echo in > inside; echo out > " + QFile::encodeName(m_folders->outside()) + "/file");
    wanted.environment.insert(u"RECORD_POLICY"_s, recorded);
    const SandboxResult result = run(wanted);
    QVERIFY(QFile::exists(m_folders->workspace() + u"/inside"_s));
    QVERIFY(!QFile::exists(m_folders->outside() + u"/file"_s));
    QCOMPARE(result.denials.size(), 1);
    QCOMPARE(result.denials.first().target, m_folders->outside() + u"/file"_s);
    QCOMPARE(result.denials.first().grade, DenialGrade::Likely);
    QFile text(recorded);
    QVERIFY(text.open(QIODevice::ReadOnly));
    const QByteArray policy = text.readAll();
    QVERIFY(!policy.contains("network"));
    QVERIFY(policy.contains("(allow file-write*\n"));
    QVERIFY(!policy.contains(QFile::encodeName(m_folders->workspace())));
}

void TestSeatbeltRun::hostileNamesStayParameters_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("quote") << u"a\"b"_s;
    QTest::newRow("parenthesis") << u"a)(allow default)"_s;
    QTest::newRow("line break") << u"a\nb"_s;
    QTest::newRow("equals") << u"P0=x"_s;
    QTest::newRow("spaces") << u" a  b "_s;
}

void TestSeatbeltRun::hostileNamesStayParameters()
{
    QFETCH(QString, name);
    SandboxRequest wanted = request("echo in > inside && pwd -P");
    wanted.directory = m_folders->workspace() + u'/' + name;
    const QByteArray path = QFile::encodeName(wanted.directory);
    QVERIFY(QDir().mkpath(wanted.directory));
    if (const std::optional<uid_t> owner = m_folders->ownerToBecome()) {
        QCOMPARE(chown(path.constData(), *owner, *owner), 0);
    }
    const SandboxResult result = run(wanted);
    QCOMPARE(result.outcome.error.retained.joined(), QByteArray());
    QCOMPARE(result.exitStatus(), 0);
    QCOMPARE(output(result), path + '\n');
}

void TestSeatbeltRun::scratchIsTheRunsOwn()
{
    const SandboxResult result
        = run(request("echo \"$TMPDIR\"; echo x > \"$TMPDIR/file\" || exit 1;"
                      " (: > /tmp/deskhand-must-not) 2>/dev/null && exit 2;"
                      " cat <<. \nhere\n.\n"));
    QCOMPARE(result.exitStatus(), 0);
    const QStringList lines = QString::fromUtf8(output(result)).split(u'\n');
    QVERIFY2(lines[0].contains(u"deskhand-run-"_s), qPrintable(lines[0]));
    QCOMPARE(lines[1], u"here"_s);
    QVERIFY(!QFile::exists(lines[0]));
}

void TestSeatbeltRun::rootBecomesTheOwner()
{
    const SandboxResult result = run(request("id -u; id -g; id -G; echo x > mine"));
    QCOMPARE(result.exitStatus(), 0);
    const QByteArray uid = QByteArray::number(m_folders->ownerToBecome().value_or(geteuid()));
    QCOMPARE(output(result).split('\n').first(), uid);
    if (m_folders->ownerToBecome()) {
        QCOMPARE(output(result), uid + '\n' + uid + '\n' + uid + '\n');
    }
}

void TestSeatbeltRun::exits_data()
{
    QTest::addColumn<QByteArray>("program");
    QTest::addColumn<int>("status");
    QTest::newRow("not found") << QByteArray("no-such-program-here") << 127;
    QTest::newRow("absolute and missing") << QByteArray("/no/such/program") << 127;
    QTest::newRow("not runnable") << QByteArray("/etc/passwd") << 126;
    QTest::newRow("itself killed") << QByteArray() << 128 + SIGSEGV;
}

void TestSeatbeltRun::exits()
{
    QFETCH(QByteArray, program);
    QFETCH(int, status);
    SandboxRequest wanted = request("kill -SEGV $$");
    if (!program.isEmpty()) {
        wanted.command = { program };
    }
    const SandboxResult result = run(wanted);
    QCOMPARE(result.endedBy, EndedBy::Command);
    QCOMPARE(result.exitStatus(), status);
    QCOMPARE(result.outcome.execError != 0, !program.isEmpty());
}

void TestSeatbeltRun::timeOutEndsWhatIgnoresTerm()
{
    SandboxRequest wanted
        = request("trap 'echo asked' TERM; echo begun; while :; do sleep 86399.5; done");
    wanted.profile.limits.wall = std::chrono::milliseconds(1'500);
    wanted.profile.limits.grace = std::chrono::milliseconds(300);
    const SandboxResult result = run(wanted);
    QCOMPARE(result.endedBy, EndedBy::Timeout);
    QCOMPARE(result.exitStatus(), 124);
    QCOMPARE(result.outcome.limit, u"wall-time"_s);
    QVERIFY(output(result).startsWith("begun\n"));
    QVERIFY(!SandboxFolders::processMatching(u"86399.5"_s));
}

void TestSeatbeltRun::cancelEndsTheGroup()
{
    process::RunControl control;
    QSemaphore begun;
    SandboxHooks hooks;
    hooks.output = [&begun](process::Stream, const char *, qint64) {
        begun.release();
    };
    SandboxRequest wanted = request("sleep 86398.5 & sleep 86398.6 & echo begun; wait");
    wanted.profile.limits.wall = std::chrono::minutes(5);
    const SeatbeltTools tools = m_programs.tools();
    SandboxResult result;
    const std::unique_ptr<QThread> thread(
        QThread::create([&] { result = SeatbeltRun(wanted, control, hooks, tools).run(); }));
    thread->start();
    QVERIFY(begun.tryAcquire(1, 60'000));
    control.cancel();
    QVERIFY(thread->wait(60'000));
    QCOMPARE(result.endedBy, EndedBy::Cancel);
    QCOMPARE(result.exitStatus(), 128 + SIGTERM);
    QVERIFY(!SandboxFolders::processMatching(u"86398."_s));
}

void TestSeatbeltRun::limits_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("limit");
    QTest::newRow("one file") << QByteArray("exec head -c 3000000 /dev/zero > big")
                              << u"file-size"_s;
    QTest::newRow("processes") << QByteArray(
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do sleep 86397.5 & done; wait")
                               << u"processes"_s;
    QTest::newRow("memory of all")
        << QByteArray("for i in 1 2 3 4 5 6; do (x=$(head -c 15000000 /dev/zero | tr '\\0' x);"
                      " sleep 86397.5; true) & done; wait") // "true": no shell becomes its sleep
        << u"memory"_s;
}

void TestSeatbeltRun::limits()
{
    QFETCH(QByteArray, script);
    QFETCH(QString, limit);
    SandboxRequest wanted = request(script);
    wanted.profile.limits.wall = std::chrono::minutes(5);
    wanted.profile.limits.fileBytes = 1'000'000;
    wanted.profile.limits.processes = limit == u"processes"_s ? 6 : 0;
    wanted.profile.limits.memoryBytes = limit == u"memory"_s ? 60'000'000 : 0;
    const SandboxResult result = run(wanted);
    QCOMPARE(result.endedBy, EndedBy::Limit);
    QCOMPARE(result.outcome.limit, limit);
    QVERIFY(!SandboxFolders::processMatching(u"86397.5"_s));
}

void TestSeatbeltRun::daemonsAreFound()
{
    const SandboxResult result = run(request("setsid sleep 86396.5 & echo done"));
    QCOMPARE(result.exitStatus(), 0);
    QCOMPARE(output(result), QByteArray("done\n"));
    QVERIFY(result.outcome.survivors.isEmpty());
    QVERIFY(!SandboxFolders::processMatching(u"86396.5"_s));
}

void TestSeatbeltRun::theGroupEndsWithTheEngine()
{
    process::RunSpec spec;
    spec.supervised = true;
    spec.program = QFile::encodeName(m_programs.launcher());
    spec.directory = "/";
    spec.environment = { "PATH=/usr/bin:/bin" };
    spec.arguments = { "supervise", "--control", "3", "--", spec.program, "enter", "open", "/",
        "--", "/bin/sh", "-c", "trap '' TERM HUP; sleep 86395.5 & echo begun; wait" };
    Result<process::SpawnedChild> child = process::spawnChild(spec);
    QVERIFY(child.has_value());
    QByteArray seen;
    const auto begun = [&] {
        char buffer[64];
        const ssize_t got = read(child->output, buffer, sizeof buffer);
        seen.append(buffer, std::max<ssize_t>(got, 0));
        return seen.contains("begun");
    };
    QTRY_VERIFY_WITH_TIMEOUT(begun(), 30'000);
    process::closeDescriptor(child->supervisor); // all that a killed engine leaves
    int status = 0;
    bool gone = false;
    const auto reaped = [&] {
        gone = gone || waitpid(child->pid, &status, WNOHANG) == child->pid;
        return gone;
    };
    QTRY_VERIFY_WITH_TIMEOUT(reaped(), 30'000);
    QCOMPARE(WEXITSTATUS(status), 128 + SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(!SandboxFolders::processMatching(u"86395.5"_s), 30'000);
    process::closeDescriptor(child->output);
    process::closeDescriptor(child->error);
}

void TestSeatbeltRun::terminalAndInput()
{
    SandboxRequest wanted
        = request("test -t 0 && test -t 1 && stty size && ps -o tty= -p $$ | grep -c pts");
    wanted.terminal = process::TerminalSize { 30, 90 };
    SandboxResult result = run(wanted);
    QCOMPARE(result.exitStatus(), 0);
    QCOMPARE(output(result), QByteArray("30 90\r\n1\r\n"));

    wanted = request("cat");
    wanted.openInput = true;
    process::RunControl control;
    QVERIFY(control.write("through\n"));
    control.closeInput();
    const SandboxHooks hooks;
    const SeatbeltTools tools = m_programs.tools();
    result = SeatbeltRun(wanted, control, hooks, tools).run();
    QCOMPARE(output(result), QByteArray("through\n"));
}

void TestSeatbeltRun::proxyListensOnOnePort()
{
    const QString bash = SandboxFolders::findProgram(u"bash"_s);
    if (bash.isEmpty()) {
        QSKIP("bash is not there");
    }
    const QString recorded = m_folders->workspace() + u"/policy"_s;
    SandboxRequest wanted = request({});
    wanted.environment.insert(u"RECORD_POLICY"_s, recorded);
    wanted.command = { QFile::encodeName(bash), "-c",
        "echo \"$HTTPS_PROXY\"; port=${HTTPS_PROXY##*:};"
        "exec 3<>/dev/tcp/127.0.0.1/$port || exit 1;"
        "printf 'CONNECT unlisted.example:443 HTTP/1.1\\r\\nHost: unlisted.example\\r\\n\\r\\n' "
        ">&3;"
        "read -r line <&3; echo \"$line\"" };
    wanted.profile.network.mode = NetworkMode::Proxy;
    wanted.profile.network.domains.insert(u"listed.example"_s, true);
    const SandboxResult result = run(wanted);
    QCOMPARE(result.exitStatus(), 0);
    const QList<QByteArray> lines = output(result).split('\n');
    QVERIFY2(lines.value(1).contains(" 403 "), output(result).constData());
    QVERIFY(result.denials.size() > 0);
    QCOMPARE(result.denials.first().target, u"unlisted.example"_s);
    QCOMPARE(result.denials.first().grade, DenialGrade::Certain);
    QFile text(recorded);
    QVERIFY(text.open(QIODevice::ReadOnly));
    const QByteArray port = lines.value(0).mid(lines.value(0).lastIndexOf(':') + 1);
    QVERIFY(text.readAll().endsWith(
        "(allow network-outbound (remote ip \"localhost:" + port + "\"))\n"));
}

void TestSeatbeltRun::fullAccessNeedsNoWall()
{
    SandboxRequest wanted = request("echo x > ../out/file; echo $DESKHAND_SANDBOX");
    wanted.profile = PermissionProfile::fullAccess();
    const SandboxResult result = run(wanted, u"sandbox-exec-nested"_s);
    QCOMPARE(result.backend, u"none"_s);
    QCOMPARE(output(result), QByteArray("none\n"));
    QCOMPARE(QFile::exists(m_folders->outside() + u"/file"_s), true);
}

void TestSeatbeltRun::aWallThatDoesNotStandRunsNothing_data()
{
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QString>("says");
    QTest::newRow("inside another sandbox")
        << u"sandbox-exec-nested"_s << u"already runs inside a sandbox"_s;
    QTest::newRow("policy not understood")
        << u"sandbox-exec-old"_s << u"does not understand the policy text"_s;
    QTest::newRow("success without having run anything")
        << u"sandbox-exec-silent"_s << u"before it was ready"_s;
    QTest::newRow("not there") << u"sandbox-exec-missing"_s << u"sandbox-exec: No such file"_s;
}

void TestSeatbeltRun::aWallThatDoesNotStandRunsNothing()
{
    QFETCH(QString, tool);
    QFETCH(QString, says);
    const SandboxResult result = run(request("echo x > ran"), tool);
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QCOMPARE(result.exitStatus(), 126);
    QVERIFY2(result.error.message.contains(says), qPrintable(result.error.message));
    QVERIFY(!result.error.hint.isEmpty());
    QVERIFY(!QFile::exists(m_folders->workspace() + u"/ran"_s));
}

void TestSeatbeltRun::requestsThatCannotBeHeld_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("says");
    QTest::addColumn<int>("status");
    QTest::newRow("no command") << u"command"_s << u"no command"_s << 125;
    QTest::newRow("no such folder") << u"folder"_s << u"does not exist"_s << 125;
    QTest::newRow("kernel's count") << u"count"_s << u"no control groups"_s << 126;
    QTest::newRow("closed network inside another sandbox")
        << u"external"_s << u"can only be full"_s << 125;
    QTest::newRow("own programs writable") << u"programs"_s << u"programs of the sandbox"_s << 125;
}

void TestSeatbeltRun::requestsThatCannotBeHeld()
{
    QFETCH(QString, what);
    QFETCH(QString, says);
    QFETCH(int, status);
    SandboxRequest wanted = request("echo x > ran");
    if (what == u"command"_s) {
        wanted.command.clear();
    } else if (what == u"folder"_s) {
        wanted.directory += u"/missing"_s;
    } else if (what == u"count"_s) {
        wanted.cgroupRequired = true;
    } else if (what == u"external"_s) {
        wanted.profile.enforcement = Enforcement::External;
    } else {
        wanted.grantedWritable = { m_programs.folder() };
    }
    const SandboxResult result = run(wanted);
    QCOMPARE(result.exitStatus(), status);
    QVERIFY2(result.error.message.contains(says), qPrintable(result.error.message));
    QVERIFY(!QFile::exists(m_folders->workspace() + u"/ran"_s));
}

void TestSeatbeltRun::probe_data()
{
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QString>("state");
    QTest::addColumn<QString>("says");
    QTest::newRow("holds") << u"sandbox-exec"_s << u"protected"_s << QString();
    QTest::newRow("holds nothing")
        << u"sandbox-exec-leaky"_s << u"unavailable"_s << u"could write outside"_s;
    QTest::newRow("nested") << u"sandbox-exec-nested"_s << u"external"_s << u"already runs"_s;
    QTest::newRow("old") << u"sandbox-exec-old"_s << u"unavailable"_s << u"policy text"_s;
    QTest::newRow("runs nothing") << u"sandbox-exec-silent"_s << u"unavailable"_s << u"ready"_s;
}

void TestSeatbeltRun::probe()
{
    QFETCH(QString, tool);
    QFETCH(QString, state);
    QFETCH(QString, says);
    process::RunControl control;
    ProbeOptions options;
    options.deadline = std::chrono::minutes(1);
    const SandboxStatus status = probeSeatbelt(options, control, m_programs.tools(tool));
    QCOMPARE(sandboxStateName(status.state), state);
    QVERIFY2(status.cause.contains(says), qPrintable(status.cause));
    QCOMPARE(status.cause.isEmpty(), says.isEmpty());
    QCOMPARE(status.kind == u"seatbelt"_s, state == u"protected"_s);

    const Result<SeatbeltTools> missing = SeatbeltTools::find();
    if (!missing) { // wherever this is no Mac
        const SandboxStatus none = probeSeatbelt(options, control, missing);
        QCOMPARE(none.state, SandboxState::Unavailable);
        QVERIFY(none.cause.contains(u"sandbox-exec"_s));
    }
}

QTEST_GUILESS_MAIN(TestSeatbeltRun)
#include "tst_seatbeltrun.moc"
