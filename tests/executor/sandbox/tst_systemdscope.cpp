// SPDX-License-Identifier: Apache-2.0
#include "executor/process/sessionprocesses.h"
#include "executor/sandbox/controlgroup.h"
#include "executor/sandbox/probe.h"
#include "executor/sandbox/sandboxedrun.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QDirIterator>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

/// Limits through a transient scope of the user's systemd, against a scripted one: when it counts,
/// and that everything else ends in the order that holds without systemd.
class TestSystemdScope final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void works();
    void terminalAndWithoutWall();
    void limitsThatFired_data();
    void limitsThatFired();
    void absent();
    void fallsBack_data();
    void fallsBack();
    void neverAnswers();
    void cancelledWhileItHangs();
    void engineDiesInTheMiddle();
    void failingWallIsNotItsFault();
    void requiredLimits();

private:
    void setMode(const QByteArray &mode);
    QList<QStringList> calls();
    SandboxRequest request(const QByteArray &script);
    SandboxResult run(const SandboxRequest &request);
    QStringList groupsLeft();
    QString usualCounter();

    std::unique_ptr<SandboxFolders> m_folders;
    QString m_runtime;
};

namespace {

constexpr int kLimitMs = 30'000; // a guard against hanging, not a measurement
const QString kFake
    = QStringLiteral(DESKHAND_SOURCE_DIR "/tests/executor/sandbox/fakesystemdrun.py");

/// One that ended and that nobody has waited for yet has no command line.
bool isRunning(pid_t pid)
{
    QFile commandLine(u"/proc/%1/cmdline"_s.arg(pid));
    return commandLine.open(QIODevice::ReadOnly) && !commandLine.readAll().isEmpty();
}

void write(const QString &path, const QByteArray &content)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(content);
}

} // namespace

void TestSystemdScope::init()
{
    m_folders = std::make_unique<SandboxFolders>(SandboxFolders::Owner::Self);
    m_runtime = m_folders->outside() + u"/runtime"_s;
    write(m_runtime + u"/systemd/private"_s, "");
    write(m_runtime + u"/groups/cgroup.controllers"_s, "memory pids\n");
    qputenv("XDG_RUNTIME_DIR", QFile::encodeName(m_runtime));
}

void TestSystemdScope::cleanup()
{
    qunsetenv("XDG_RUNTIME_DIR");
}

void TestSystemdScope::setMode(const QByteArray &mode)
{
    write(m_runtime + u"/mode"_s, mode);
}

QList<QStringList> TestSystemdScope::calls()
{
    QList<QStringList> result;
    QFile file(m_runtime + u"/calls"_s);
    if (file.open(QIODevice::ReadOnly)) {
        for (const QByteArray &line : file.readAll().split('\n')) {
            if (!line.isEmpty()) {
                result.append(QJsonDocument::fromJson(line).toVariant().toStringList());
            }
        }
    }
    return result;
}

SandboxRequest TestSystemdScope::request(const QByteArray &script)
{
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.command = { "/bin/sh", "-c", script };
    request.profile.limits.memoryBytes = 512LL * 1024 * 1024 + 100; // no whole page
    request.profile.limits.processes = 77;
    request.systemd.program = kFake;
    request.systemd.groups = m_runtime + u"/groups"_s;
    request.systemd.processes = m_runtime + u"/processes"_s;
    request.systemd.deadline = std::chrono::seconds(30);
    return request;
}

SandboxResult TestSystemdScope::run(const SandboxRequest &request)
{
    deskhand::process::RunControl control;
    return runSandboxed(request, control);
}

QStringList TestSystemdScope::groupsLeft()
{
    QStringList result;
    QDirIterator groups(
        m_runtime + u"/groups"_s, { u"deskhand-*"_s }, QDir::Dirs, QDirIterator::Subdirectories);
    while (groups.hasNext()) {
        result.append(groups.next());
    }
    return result;
}

/// What counts here when no systemd is asked.
QString TestSystemdScope::usualCounter()
{
    QString why;
    const auto place = findControlGroupPlace(u"/sys/fs/cgroup"_s, u"/proc/self/cgroup"_s, &why);
    return !place
        ? u"rlimit"_s
        : (place->version == ControlGroupPlace::Version::V2 ? u"cgroup2"_s : u"cgroup1"_s);
}

void TestSystemdScope::works()
{
    setMode("works");
    const SandboxResult result
        = run(request("echo \"$XDG_RUNTIME_DIR.\"; ulimit -d; ls /proc/self/fd | wc -l; exit 3"));
    QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
    QCOMPARE(result.limitsBy, u"systemd-scope"_s);
    QCOMPARE(result.limitsNote, QString());
    QCOMPARE(result.exitStatus(), 3);
    // Nothing of the way through systemd is to be seen, and no limit for single processes is
    // needed.
    QCOMPARE(result.outcome.output.retained.joined(), QByteArray(".\nunlimited\n4\n"));
    const QList<QStringList> asked = calls();
    QCOMPARE(asked.size(), 1);
    const qsizetype separator = asked[0].indexOf(u"--"_s);
    QStringList options = asked[0].mid(0, separator);
    for (QString &option : options) {
        if (option.startsWith(u"--unit=deskhand-"_s) && option.endsWith(u".scope"_s)) {
            option = u"--unit=UNIT"_s;
        }
    }
    QCOMPARE(options,
        (QStringList { u"--user"_s, u"--scope"_s, u"--quiet"_s, u"--collect"_s,
            u"--no-ask-password"_s, u"--unit=UNIT"_s, u"--description=Command run by Deskhand"_s,
            u"--property"_s, u"CPUWeight=50"_s, u"--property"_s, u"MemoryMax=536871012"_s,
            u"--property"_s, u"MemorySwapMax=0"_s, u"--property"_s, u"TasksMax=77"_s }));
    QVERIFY(asked[0][separator + 1].endsWith(u"deskhand-sandbox-init"_s));
    // Released with the run.
    QTRY_COMPARE_WITH_TIMEOUT(groupsLeft(), QStringList(), kLimitMs);
    QCOMPARE(deskhand::process::descendantsOf(getpid()), QList<pid_t>());
    // Each run has a scope of its own.
    QCOMPARE(run(request("true")).limitsBy, u"systemd-scope"_s);
    QCOMPARE(calls().size(), 2);
}

void TestSystemdScope::terminalAndWithoutWall()
{
    setMode("works");
    SandboxRequest onTerminal = request("test -t 0 && echo terminal");
    onTerminal.terminal = deskhand::process::TerminalSize {};
    const SandboxResult first = run(onTerminal);
    QCOMPARE(first.limitsBy, u"systemd-scope"_s);
    QVERIFY(first.outcome.output.retained.joined().contains("terminal"));

    SandboxRequest open = request("echo open");
    const LimitPolicy limits = open.profile.limits;
    open.profile = PermissionProfile::fullAccess();
    open.profile.limits = limits;
    const SandboxResult second = run(open);
    QVERIFY2(second.endedBy == EndedBy::Command, qPrintable(second.error.message));
    QCOMPARE(second.backend, u"none"_s);
    QCOMPARE(second.limitsBy, u"systemd-scope"_s);
    QCOMPARE(second.outcome.output.retained.joined(), QByteArray("open\n"));
    QTRY_COMPARE_WITH_TIMEOUT(groupsLeft(), QStringList(), kLimitMs);
}

void TestSystemdScope::limitsThatFired_data()
{
    QTest::addColumn<QByteArray>("mode");
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("limit");
    QTest::newRow("memory") << QByteArray("memory") << QByteArray("kill -9 $$") << u"memory"_s;
    QTest::newRow("processes") << QByteArray("forks") << QByteArray("true") << u"processes"_s;
}

/// The group is gone with its last process: what it counted is read before.
void TestSystemdScope::limitsThatFired()
{
    QFETCH(const QByteArray, mode);
    QFETCH(const QByteArray, script);
    QFETCH(const QString, limit);
    setMode(mode);
    const SandboxResult result = run(request(script));
    QCOMPARE(result.limitsBy, u"systemd-scope"_s);
    QCOMPARE(result.outcome.limit, limit);
    QCOMPARE(result.endedBy, limit == u"memory"_s ? EndedBy::Limit : EndedBy::Command);
}

void TestSystemdScope::absent()
{
    setMode("works");
    QVERIFY(QFile::remove(m_runtime + u"/systemd/private"_s));
    const SandboxResult noSocket = run(request("true"));
    QCOMPARE(noSocket.exitStatus(), 0);
    QCOMPARE(noSocket.limitsBy, usualCounter());
    QCOMPARE(noSocket.limitsNote, QString());

    write(m_runtime + u"/systemd/private"_s, "");
    SandboxRequest noProgram = request("true");
    noProgram.systemd.program = u"/no/such/systemd-run"_s;
    QCOMPARE(run(noProgram).limitsBy, usualCounter());

    qunsetenv("XDG_RUNTIME_DIR");
    QCOMPARE(run(request("true")).limitsBy, usualCounter());
    QCOMPARE(calls().size(), 0);
}

void TestSystemdScope::fallsBack_data()
{
    QTest::addColumn<QByteArray>("mode");
    QTest::addColumn<QString>("note");
    const auto row = [](const char *mode, const QString &note) {
        QTest::newRow(mode) << QByteArray(mode) << note;
    };
    row("refuses", u"Access denied"_s);
    row("dies", u"no scope of systemd"_s);
    row("nothing", u"does not limit: memory, processes"_s);
    row("only-processes", u"does not limit: memory"_s);
    row("unset", u"does not limit: memory"_s);
    row("elsewhere", u"did not put the command into its scope"_s);
}

void TestSystemdScope::fallsBack()
{
    QFETCH(const QByteArray, mode);
    QFETCH(const QString, note);
    setMode(mode);
    for (int i = 0; i < 2; ++i) {
        QByteArray streamed;
        SandboxHooks hooks;
        hooks.output = [&streamed](deskhand::process::Stream, const char *data, qint64 size) {
            streamed.append(data, size);
        };
        deskhand::process::RunControl control;
        const SandboxResult result = runSandboxed(request("echo once"), control, hooks);
        QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
        QCOMPARE(result.limitsBy, usualCounter());
        QVERIFY2(result.limitsNote.contains(note), qPrintable(result.limitsNote));
        QCOMPARE(streamed, QByteArray("once\n")); // nothing of the failed attempt
        QCOMPARE(result.outcome.error.retained.joined(), QByteArray());
    }
    QCOMPARE(calls().size(), 1); // it is not asked again at once
    QTRY_COMPARE_WITH_TIMEOUT(groupsLeft(), QStringList(), kLimitMs);
    QCOMPARE(deskhand::process::descendantsOf(getpid()), QList<pid_t>());
    // A systemd that was started anew is another one.
    QVERIFY(QFile::remove(m_runtime + u"/systemd/private"_s));
    write(m_runtime + u"/systemd/private"_s, "x");
    setMode("works");
    QCOMPARE(run(request("true")).limitsBy, u"systemd-scope"_s);
}

void TestSystemdScope::neverAnswers()
{
    setMode("hangs");
    SandboxRequest impatient = request("echo ran");
    impatient.systemd.deadline = std::chrono::milliseconds(200);
    const SandboxResult result = run(impatient);
    QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
    QCOMPARE(result.outcome.output.retained.joined(), QByteArray("ran\n"));
    QCOMPARE(result.limitsBy, usualCounter());
    QVERIFY2(result.limitsNote.contains(u"within 200 ms"_s), qPrintable(result.limitsNote));
    QCOMPARE(deskhand::process::descendantsOf(getpid()), QList<pid_t>());
}

void TestSystemdScope::cancelledWhileItHangs()
{
    setMode("hangs");
    SandboxRequest patient = request("echo ran > ran");
    patient.systemd.deadline = std::chrono::minutes(10);
    patient.profile.limits.grace = std::chrono::milliseconds(0);
    deskhand::process::RunControl control;
    const auto thread = std::unique_ptr<QThread>(QThread::create([this, &control] {
        (void)QTest::qWaitFor([this] { return !calls().isEmpty(); }, kLimitMs);
        control.cancel();
    }));
    thread->start();
    const SandboxResult result = runSandboxed(patient, control);
    thread->wait();
    QCOMPARE(result.endedBy, EndedBy::Cancel);
    QVERIFY(!QFileInfo::exists(m_folders->workspace() + u"/ran"_s));
    QCOMPARE(deskhand::process::descendantsOf(getpid()), QList<pid_t>());
}

void TestSystemdScope::engineDiesInTheMiddle()
{
    setMode("gate");
    const QByteArray gate = QFile::encodeName(m_runtime) + "/gate";
    QCOMPARE(mkfifo(gate.constData(), 0600), 0);
    QProcess engine;
    QProcessEnvironment environment = m_folders->environment();
    environment.insert(u"XDG_RUNTIME_DIR"_s, m_runtime);
    environment.insert(u"DESKHAND_SYSTEMD_RUN"_s, kFake);
    engine.setProcessEnvironment(environment);
    engine.start(SandboxFolders::program(),
        { u"--cwd"_s, m_folders->workspace(), u"--"_s, u"/bin/sh"_s, u"-c"_s, u"echo x > ran"_s });
    QTRY_COMPARE_WITH_TIMEOUT(calls().size(), 1, kLimitMs);
    const QList<pid_t> between = deskhand::process::descendantsOf(engine.processId());
    QVERIFY(!between.isEmpty());
    engine.kill();
    QVERIFY(engine.waitForFinished(kLimitMs));
    // systemd answers only now; the launcher finds nobody to run for.
    const bool opened = QTest::qWaitFor(
        [&gate] {
            const int writing = ::open(gate.constData(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
            return writing >= 0 && ::close(writing) == 0;
        },
        kLimitMs);
    QVERIFY(opened);
    for (const pid_t pid : between) {
        QTRY_VERIFY_WITH_TIMEOUT(!isRunning(pid), kLimitMs);
    }
    QTRY_COMPARE_WITH_TIMEOUT(groupsLeft(), QStringList(), kLimitMs);
    QVERIFY(!QFileInfo::exists(m_folders->workspace() + u"/ran"_s));
}

void TestSystemdScope::failingWallIsNotItsFault()
{
    setMode("works");
    const QString bwrap = m_folders->outside() + u"/bwrap"_s;
    write(bwrap,
        "#!/bin/sh\n[ \"$1\" = --help ] && exec /usr/bin/bwrap --help\n"
        "echo 'bwrap: the moon is in the way' >&2\nexit 1\n");
    chmod(QFile::encodeName(bwrap).constData(), 0755);
    qputenv("DESKHAND_BUNDLED_BWRAP", "/no/such/bwrap");
    SandboxRequest broken = request("true");
    broken.bubblewrapCandidates = { bwrap };
    const SandboxResult result = run(broken);
    qunsetenv("DESKHAND_BUNDLED_BWRAP");
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY(result.error.message.contains(u"the moon is in the way"_s));
    QCOMPARE(run(request("true")).limitsBy, u"systemd-scope"_s);
    QTRY_COMPARE_WITH_TIMEOUT(groupsLeft(), QStringList(), kLimitMs);
}

void TestSystemdScope::requiredLimits()
{
    setMode("works");
    SandboxRequest strict = request("true");
    strict.cgroupRequired = true;
    QCOMPARE(run(strict).limitsBy, u"systemd-scope"_s);
}

QTEST_GUILESS_MAIN(TestSystemdScope)
#include "tst_systemdscope.moc"
