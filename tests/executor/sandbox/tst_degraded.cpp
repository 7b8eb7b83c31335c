// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/controlgroup.h"
#include "executor/sandbox/executionengine.h"
#include "executor/sandbox/probe.h"
#include "executor/sandbox/sandboxedrun.h"
#include "executor/sandbox/tools.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QSignalSpy>
#include <QTest>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

/// Systems that lack something, simulated: the engine refuses or degrades exactly as promised,
/// names the missing piece, and never runs a command behind a weaker wall in silence.
class TestDegraded final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void noBubblewrap();
    void oldBubblewrap();
    void bubblewrapThatFails_data();
    void bubblewrapThatFails();
    void bubblewrapThatHangs();
    void socketThatVanishesMeanwhile();
    void setUserIdBubblewrap();
    void plantedBubblewrap();
    void helperReplaced();
    void helperMissing();
    void landlockServesReadOnlyWhenAccepted();
    void landlockRefusesWhatItCannotHold();
    void externalWall();
    void readOnlyControlGroups();
    void unifiedControlGroups();
    void hybridControlGroups();
    void requiredControlGroupMissing();
    void proxyNeedsALiveRoute();
    void patternWithTooManyMatches();
    void probeNamesTheCauseOnce();
    void oneCardForManyRuns();

private:
    QString script(const QByteArray &content);
    SandboxResult attempt(const QStringList &candidates, bool allowDegraded = false);
    void writeFile(const QString &path, const QByteArray &content);

    std::unique_ptr<SandboxFolders> m_folders;
};

void TestDegraded::init()
{
    m_folders = std::make_unique<SandboxFolders>(SandboxFolders::Owner::Self);
    qputenv("DESKHAND_BUNDLED_BWRAP", "/no/such/bwrap"); // what it changes is in tst_bundled
}

void TestDegraded::cleanup()
{
    qunsetenv("DESKHAND_BUNDLED_BWRAP");
}

void TestDegraded::writeFile(const QString &path, const QByteArray &content)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(content);
}

/// A program in place of bubblewrap; its --help is the real one's unless it says otherwise.
QString TestDegraded::script(const QByteArray &content)
{
    const QString path = m_folders->outside() + u"/bwrap"_s;
    writeFile(path, "#!/bin/sh\n" + content);
    chmod(QFile::encodeName(path).constData(), 0755);
    return path;
}

SandboxResult TestDegraded::attempt(const QStringList &candidates, bool allowDegraded)
{
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.command = { "/bin/sh", "-c", "echo ran > ran" };
    request.bubblewrapCandidates = candidates;
    request.allowDegraded = allowDegraded;
    deskhand::process::RunControl control;
    SandboxResult result = runSandboxed(request, control);
    if (QFileInfo::exists(m_folders->workspace() + u"/ran"_s)) {
        qWarning("the command ran");
        result.endedBy = EndedBy::Command;
    }
    return result;
}

void TestDegraded::noBubblewrap()
{
    const SandboxResult result = attempt({ u"/no/such/bwrap"_s });
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QCOMPARE(result.exitStatus(), 126);
    QVERIFY(result.error.message.contains(u"not installed"_s));
    QVERIFY(result.error.hint.contains(u"bubblewrap"_s));
}

void TestDegraded::oldBubblewrap()
{
    const SandboxResult result
        = attempt({ script("echo 'usage: bwrap --args FD --tmpfs DEST'; exit 0\n") });
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY(result.error.message.contains(u"too old"_s));
}

void TestDegraded::bubblewrapThatFails_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("cause");
    QTest::newRow("user namespaces off")
        << QByteArray("bwrap: No permissions to create a new namespace, likely because the kernel "
                      "does not allow non-privileged user namespaces.")
        << u"does not allow user namespaces"_s;
    QTest::newRow("AppArmor, map")
        << QByteArray("bwrap: setting up uid map: Permission denied") << u"without power"_s;
    QTest::newRow("AppArmor, loopback")
        << QByteArray("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted")
        << u"without power"_s;
    QTest::newRow("container hides proc")
        << QByteArray("bwrap: Can't mount proc on /newroot/proc: Operation not permitted")
        << u"process view"_s;
    QTest::newRow("something new")
        << QByteArray("bwrap: the moon is in the way") << u"the moon is in the way"_s;
}

void TestDegraded::bubblewrapThatFails()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, cause);
    const QString program = script(
        "[ \"$1\" = --help ] && exec /usr/bin/bwrap --help\necho \"" + text + "\" >&2\nexit 1\n");
    const SandboxResult result = attempt({ program }, true); // degrading was accepted, and still:
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY2(result.error.message.contains(cause), qPrintable(result.error.message));
    QVERIFY(!result.error.hint.isEmpty());
    QCOMPARE(QDir(m_folders->workspace())
                 .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList());
}

void TestDegraded::bubblewrapThatHangs()
{
    ProbeOptions options;
    options.deadline = std::chrono::milliseconds(300);
    options.bubblewrapCandidates
        = { script("[ \"$1\" = --help ] && exec /usr/bin/bwrap --help\nexec sleep 60\n") };
    const SandboxStatus status = probeBlocking(options);
    QCOMPARE(status.state, SandboxState::Unavailable);
    QVERIFY2(status.cause.contains(u"did not answer"_s), qPrintable(status.cause));
}

void TestDegraded::socketThatVanishesMeanwhile()
{
    // A datagram socket that the command could see, so it is masked.
    const QByteArray path = QFile::encodeName(m_folders->outside()) + "/s";
    sockaddr_un address {};
    address.sun_family = AF_UNIX;
    QVERIFY(path.size() < qsizetype(sizeof address.sun_path));
    std::copy(path.begin(), path.end(), address.sun_path);
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    QCOMPARE(::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    // It goes away between the look at the host and the mount.
    const QString program = script("[ \"$1\" = --help ] && exec /usr/bin/bwrap --help\nrm -f "
        + path + "\nexec /usr/bin/bwrap \"$@\"\n");
    const SandboxResult result = attempt({ program });
    ::close(socket);
    QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
    QCOMPARE(result.exitStatus(), 0);
}

void TestDegraded::setUserIdBubblewrap()
{
    const QString program = m_folders->outside() + u"/bwrap"_s;
    QVERIFY(QFile::copy(u"/usr/bin/bwrap"_s, program));
    chmod(QFile::encodeName(program).constData(), 04755);
    const deskhand::Result<BwrapFeatures> features = bubblewrapFeatures(program);
    QVERIFY(features.has_value());
    QVERIFY(features->setUserId);
    QVERIFY(features->sufficient());
}

void TestDegraded::plantedBubblewrap()
{
    const QString planted = m_folders->workspace() + u"/bwrap"_s;
    writeFile(
        planted, "#!/bin/sh\ntouch " + QFile::encodeName(m_folders->outside()) + "/planted-ran\n");
    chmod(QFile::encodeName(planted).constData(), 0755);
    const SandboxResult result = attempt({ planted, u"/usr/bin/bwrap"_s });
    QCOMPARE(result.endedBy, EndedBy::Command);
    QCOMPARE(result.exitStatus(), 0);
    QVERIFY(!QFileInfo::exists(m_folders->outside() + u"/planted-ran"_s));
}

void TestDegraded::helperReplaced()
{
    const QString other = m_folders->outside() + u"/deskhand-sandbox-init"_s;
    QVERIFY(
        QFile::copy(QCoreApplication::applicationDirPath() + u"/deskhand-sandbox-init"_s, other));
    qputenv("DESKHAND_SANDBOX_INIT", QFile::encodeName(other));
    QCOMPARE(attempt({}).endedBy, EndedBy::Command); // the same content at another place is fine
    QVERIFY(QFile::remove(m_folders->workspace() + u"/ran"_s));
    QFile file(other);
    QVERIFY(file.open(QIODevice::Append));
    file.write("x");
    file.close();
    const SandboxResult result = attempt({});
    qunsetenv("DESKHAND_SANDBOX_INIT");
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY(result.error.message.contains(u"not the one that belongs"_s));
}

void TestDegraded::helperMissing()
{
    qputenv("DESKHAND_SANDBOX_INIT", "/no/such/helper");
    const SandboxResult result = attempt({});
    qunsetenv("DESKHAND_SANDBOX_INIT");
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY(result.error.message.contains(u"missing"_s));
}

void TestDegraded::landlockServesReadOnlyWhenAccepted()
{
    if (landlockAbi() < 3) {
        QSKIP("this kernel's Landlock is too old");
    }
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.profile = PermissionProfile::readOnly();
    request.profile.files.secretPaths.clear();
    request.bubblewrapCandidates = { u"/no/such/bwrap"_s };
    request.command = { "/bin/sh", "-c",
        "cat /etc/hostname >/dev/null && echo read; echo x > written || echo held; mkdir d || echo "
        "held;"
        " python3 -c 'import socket; socket.socket()' || echo held" };
    deskhand::process::RunControl first;
    QCOMPARE(runSandboxed(request, first).endedBy, EndedBy::Unavailable);
    request.allowDegraded = true;
    deskhand::process::RunControl second;
    const SandboxResult result = runSandboxed(request, second);
    QCOMPARE(result.backend, u"landlock"_s);
    QVERIFY2(result.outcome.output.retained.joined() == "read\nheld\nheld\nheld\n",
        result.outcome.merged.joined().constData());
    QVERIFY(result.notes.join(u' ').contains(u"degraded"_s));
    QVERIFY(result.notes.join(u' ').contains(u"modes and times"_s));
}

void TestDegraded::landlockRefusesWhatItCannotHold()
{
    // A writable root, and a hidden path that could otherwise be read.
    QCOMPARE(attempt({ u"/no/such/bwrap"_s }, true).endedBy, EndedBy::Unavailable);
    writeFile(m_folders->outside() + u"/secret"_s, "x");
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.profile = PermissionProfile::readOnly();
    request.profile.files.secretPaths = { m_folders->outside() + u"/secret"_s };
    request.bubblewrapCandidates = { u"/no/such/bwrap"_s };
    request.allowDegraded = true;
    request.command = { "/bin/true" };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY(result.error.message.contains(u"cannot be held"_s));
}

void TestDegraded::externalWall()
{
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.profile.enforcement = Enforcement::External;
    request.command = { "/bin/sh", "-c",
        "echo $DESKHAND_SANDBOX; python3 -c 'import socket; socket.socket(socket.AF_INET)' 2>&1 | "
        "tail -1" };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    const QByteArray output = result.outcome.output.retained.joined();
    QVERIFY2(
        output.startsWith("container\n") && output.contains("not permitted"), output.constData());
    request.profile.network.mode = NetworkMode::Proxy;
    deskhand::process::RunControl second;
    QCOMPARE(runSandboxed(request, second).endedBy, EndedBy::Refused);
}

void TestDegraded::readOnlyControlGroups()
{
    QString why;
    writeFile(m_folders->outside() + u"/membership"_s, "0::/mine\n");
    const QString root = m_folders->outside() + u"/cgroup"_s;
    writeFile(root + u"/cgroup.controllers"_s, "memory pids\n");
    QVERIFY(QDir().mkpath(root + u"/mine"_s));
    // No cgroup.procs that could be written: as good as read-only.
    QVERIFY(
        !findControlGroupPlace(root, m_folders->outside() + u"/membership"_s, &why).has_value());
    QVERIFY(why.contains(u"may be written"_s));
    writeFile(m_folders->outside() + u"/membership"_s, "");
    QVERIFY(
        !findControlGroupPlace(root, m_folders->outside() + u"/membership"_s, &why).has_value());
    QVERIFY(why.contains(u"no control groups"_s));
}

void TestDegraded::unifiedControlGroups()
{
    QString why;
    const QString root = m_folders->outside() + u"/cgroup"_s;
    writeFile(m_folders->outside() + u"/membership"_s, "0::/app.slice/app.scope\n");
    writeFile(root + u"/cgroup.controllers"_s, "memory pids\n");
    for (const QString &group : { u"/app.slice"_s, u"/app.slice/app.scope"_s }) {
        writeFile(root + group + u"/cgroup.procs"_s, "");
        writeFile(root + group + u"/cgroup.controllers"_s, "cpu memory pids\n");
    }
    // Our own group holds processes and hands nothing down; its parent does.
    writeFile(root + u"/app.slice/cgroup.subtree_control"_s, "memory pids\n");
    const auto place = findControlGroupPlace(root, m_folders->outside() + u"/membership"_s, &why);
    QVERIFY2(place.has_value(), qPrintable(why));
    QCOMPARE(place->version, ControlGroupPlace::Version::V2);
    QCOMPARE(place->memoryParent, root + u"/app.slice"_s);
}

void TestDegraded::hybridControlGroups()
{
    QString why;
    const QString root = m_folders->outside() + u"/cgroup"_s;
    writeFile(m_folders->outside() + u"/membership"_s, "8:pids:/\n4:memory:/job\n0::/\n");
    writeFile(root + u"/unified/cgroup.controllers"_s, "hugetlb\n");
    writeFile(root + u"/unified/cgroup.procs"_s, "");
    writeFile(root + u"/memory/job/cgroup.procs"_s, "");
    writeFile(root + u"/pids/cgroup.procs"_s, "");
    const auto place = findControlGroupPlace(root, m_folders->outside() + u"/membership"_s, &why);
    QVERIFY2(place.has_value(), qPrintable(why));
    QCOMPARE(place->version, ControlGroupPlace::Version::V1);
    QCOMPARE(place->memoryParent, root + u"/memory/job"_s);
}

void TestDegraded::requiredControlGroupMissing()
{
    QString why;
    if (findControlGroupPlace(u"/sys/fs/cgroup"_s, u"/proc/self/cgroup"_s, &why)) {
        QSKIP("control groups can be written here");
    }
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.command = { "/bin/true" };
    request.cgroupRequired = true;
    deskhand::process::RunControl control;
    QCOMPARE(runSandboxed(request, control).endedBy, EndedBy::Unavailable);
}

void TestDegraded::proxyNeedsALiveRoute()
{
    // A proxy that cannot be started: its socket's path would be too long.
    const QString deep = m_folders->outside() + u'/' + QString(100, u'd');
    QVERIFY(QDir().mkpath(deep));
    const QByteArray before = qgetenv("TMPDIR");
    qputenv("TMPDIR", QFile::encodeName(deep));
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.profile.network.mode = NetworkMode::Proxy;
    request.command = { "/bin/true" };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    if (before.isNull()) {
        qunsetenv("TMPDIR");
    } else {
        qputenv("TMPDIR", before);
    }
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY2(result.error.message.contains(u"too long"_s), qPrintable(result.error.message));
}

void TestDegraded::patternWithTooManyMatches()
{
    for (int i = 0; i < 60; ++i) {
        writeFile(m_folders->workspace() + u"/f%1.key"_s.arg(i), "x");
    }
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.command = { "/bin/true" };
    request.profile.files.globMaxMatches = 50;
    request.profile.files.rules.append(
        { { RuleTarget::Kind::Glob, m_folders->workspace() + u"/**/*.key"_s }, Access::Deny,
            OnMissing::Default });
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    QCOMPARE(result.endedBy, EndedBy::Refused);
    QCOMPARE(result.exitStatus(), 125);
    QVERIFY(result.error.message.contains(u"more than 50"_s));
}

void TestDegraded::probeNamesTheCauseOnce()
{
    Probe probe;
    QSignalSpy finished(&probe, &Probe::finished);
    QCOMPARE(probe.status().state, SandboxState::Unavailable);
    ProbeOptions options;
    options.bubblewrapCandidates = { u"/no/such/bwrap"_s };
    probe.start(options);
    probe.start(options); // one is under way
    QVERIFY(probe.isRunning());
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 10'000);
    QVERIFY(!probe.isRunning());
    QCOMPARE(probe.status().state, SandboxState::Unavailable);
    QVERIFY(probe.status().cause.contains(u"not installed"_s));
    QVERIFY(!probe.status().fix.isEmpty());
    probe.start();
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 10'000);
    QVERIFY2(probe.status().state == SandboxState::Protected, qPrintable(probe.status().summary()));
    QCOMPARE(probe.status().toJson().value(u"state"_s).toString(), u"protected"_s);
}

void TestDegraded::oneCardForManyRuns()
{
    ExecutionEngine engine;
    QSignalSpy card(&engine, &ExecutionEngine::sandboxUnavailable);
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    QSignalSpy asked(&engine, &ExecutionEngine::hostAsked);
    for (int i = 0; i < 10; ++i) {
        Execution execution;
        execution.request.directory = m_folders->workspace();
        execution.request.command = { "/bin/true" };
        execution.request.bubblewrapCandidates = { u"/no/such/bwrap"_s };
        QVERIFY(engine.submit(execution).has_value());
    }
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 10, 20'000);
    QCOMPARE(card.count(), 1);
    QCOMPARE(asked.count(), 0);
}

QTEST_GUILESS_MAIN(TestDegraded)
#include "tst_degraded.moc"
