// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/containerarguments.h"
#include "executor/sandbox/sandboxoptions.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QJsonDocument>
#include <QTest>
#include <QThread>

#include <sys/stat.h>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::Result;
using deskhand::test::SandboxFolders;

/// A container engine as the wall: its arguments, what it cannot hold, a scripted engine, and a
/// real podman where one is installed.
class TestContainer final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void golden_data();
    void golden();
    void refusals_data();
    void refusals();
    void namesTellTheirOwner();
    void neverWithoutBeingAsked();
    void scriptedRun();
    void nothingStarts_data();
    void nothingStarts();
    void endsWhatHangs();
    void killedEngine();
    void sweepsWhatDeadEnginesLeft();
    void terminalIsRefused();
    void plantedEngine();
    void realPodman();

private:
    QString engine(const QByteArray &mode);
    void endsWhenItsEngineIsKilled(const QString &program);
    QList<QStringList> calls() const;
    QStringList containers() const;
    SandboxRequest request(const QString &program, const QByteArray &script);
    SandboxResult run(const SandboxRequest &request);
    void write(const QString &path, const QByteArray &content);
    [[nodiscard]] QByteArray read(const QString &name) const;

    std::unique_ptr<SandboxFolders> m_folders;
};

namespace {

constexpr int kLimitMs = 30'000; // a guard against hanging, not a measurement

/// Seconds to sleep, which no other process sleeps.
QByteArray endlessMark()
{
    return "600." + QByteArray::number(QRandomGenerator::global()->bounded(100'000, 999'999));
}

PolicyEntry entry(const char *path, Access access, PathKind kind = PathKind::Directory)
{
    PolicyEntry result;
    result.path = path;
    result.access = access;
    result.kind = kind;
    result.origin = Origin::Rule;
    return result;
}

/// A small workspace with everything that is held in it.
ContainerPlan examplePlan()
{
    ContainerPlan plan;
    plan.image = "localhost/work:1";
    plan.name = "deskhand-7-8-ab";
    plan.uid = 1000;
    plan.gid = 1001;
    plan.limits.memoryBytes = 1000000;
    plan.limits.processes = 64;
    plan.limits.openFiles = 512;
    plan.limits.fileBytes = 4096;
    PolicyEntry guard = entry("/w/.codex", Access::Read, PathKind::Missing);
    guard.guard = true;
    PolicyEntry secret = entry("/home/u/.ssh", Access::Deny);
    plan.entries = { secret, guard, entry("/w/.git", Access::Read),
        entry("/w/key", Access::Deny, PathKind::File), entry("/w/hidden", Access::Deny),
        entry("/w", Access::Write), entry("/etc", Access::Read), entry("/data", Access::Read) };
    plan.shown = { "/w", "/w/sub" };
    plan.imagesOwn = { "/etc", "/usr" };
    plan.privatePlaces = { { "/tmp", 2000, false }, { "/run", 1000, false } };
    plan.sharedMemoryBytes = 3000;
    plan.binds = { { "/opt/helper", "/run/deskhand/sandbox-init" } };
    plan.emptyFile = "/x/empty";
    plan.environmentFile = "/x/environment";
    plan.directory = "/w/sub";
    plan.command = { "/run/deskhand/sandbox-init", "init", "--", "make" };
    return plan;
}

} // namespace

void TestContainer::init()
{
    m_folders = std::make_unique<SandboxFolders>(SandboxFolders::Owner::Self);
}

void TestContainer::write(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(content);
}

QByteArray TestContainer::read(const QString &name) const
{
    QFile file(m_folders->outside() + u'/' + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void TestContainer::golden_data()
{
    QTest::addColumn<int>("engine");
    QTest::addColumn<bool>("full");
    QTest::addColumn<bool>("rootless");
    QTest::addColumn<QString>("expected");
    const QString begin
        = u"run --rm --name deskhand-7-8-ab --label io.github.deskhand.run=1 --pull never "
          "--log-driver none --sig-proxy=false "_s;
    const QString off = u"--network none --hostname sandbox "_s;
    const QString confine
        = u"--read-only --cap-drop all --security-opt no-new-privileges --user 1000:1001 "_s;
    const QString podman = u"--read-only-tmpfs=false --image-volume ignore "_s;
    const QString counted = u"--pids-limit 64 --memory 1000000 --memory-swap 1000000 "_s;
    const QString rest
        = u"--ulimit core=0:0 --ulimit nofile=512:512 --ulimit nproc=64:64 --ulimit "
          u"fsize=4096:4096 "
          "--shm-size 3000 --tmpfs /tmp:rw,exec,nosuid,nodev,size=2000,mode=1777 "
          "--tmpfs /run:rw,exec,nosuid,nodev,size=1000,mode=755 "
          "--mount type=bind,source=/data,destination=/data,readonly "
          "--mount type=bind,source=/w,destination=/w "
          "--tmpfs /w/.codex:ro,size=4096,mode=555 "
          "--mount type=bind,source=/w/.git,destination=/w/.git,readonly "
          "--tmpfs /w/hidden:ro,size=4096,mode=000 "
          "--mount type=bind,source=/x/empty,destination=/w/key,readonly "
          "--mount type=bind,source=/opt/helper,destination=/run/deskhand/sandbox-init,readonly "
          "--workdir /w/sub --env-file /x/environment --entrypoint /run/deskhand/sandbox-init "
          "localhost/work:1 init -- make"_s;
    const int usesPodman = static_cast<int>(ContainerChoice::Engine::Podman);
    QTest::newRow("podman") << usesPodman << false << false
                            << begin + off + confine + podman + counted + rest;
    QTest::newRow("podman, rootless, version 1 groups")
        << usesPodman << false << true
        << begin + off + confine + podman + u"--userns keep-id "_s + rest;
    QTest::newRow("docker, full network")
        << static_cast<int>(ContainerChoice::Engine::Docker) << true << false
        << begin + u"--network host "_s + confine + counted + rest;
}

void TestContainer::golden()
{
    QFETCH(const int, engine);
    QFETCH(const bool, full);
    QFETCH(const bool, rootless);
    QFETCH(const QString, expected);
    ContainerPlan plan = examplePlan();
    plan.engine = static_cast<ContainerChoice::Engine>(engine);
    plan.network.mode = full ? NetworkMode::Full : NetworkMode::Off;
    plan.keepId = rootless;
    plan.engineLimits = !rootless;
    const Result<ContainerCommand> command = buildContainerCommand(plan);
    QVERIFY2(command.has_value(), command ? "" : qPrintable(command.error().message));
    QCOMPARE(QString::fromUtf8(command->arguments.join(' ')), expected);
    QCOMPARE(command->mounts,
        (QStringList { u"/data (read-only)"_s, u"/w (writable)"_s, u"/w/.git (read-only)"_s }));
}

void TestContainer::refusals_data()
{
    QTest::addColumn<int>("change");
    QTest::addColumn<QString>("named");
    const QStringList named { u"network local"_s, u"network proxy"_s, u"sockets (/run/x.sock)"_s,
        u"the whole disk writable"_s, u"scratch places"_s, u"/w/hidden/open open inside"_s,
        u"/a,b"_s, u"the special file /w/dev"_s, u"no name of an image"_s };
    for (int i = 0; i < named.size(); ++i) {
        QTest::newRow(qPrintable(named[i])) << i << named[i];
    }
}

void TestContainer::refusals()
{
    QFETCH(const int, change);
    QFETCH(const QString, named);
    ContainerPlan plan = examplePlan();
    switch (change) {
    case 0:
        plan.network.mode = NetworkMode::Local;
        break;
    case 1:
        plan.network.mode = NetworkMode::Proxy;
        break;
    case 2:
        plan.network.mode = NetworkMode::Full;
        plan.network.unixSockets = { u"/run/x.sock"_s };
        break;
    case 3:
        plan.root = Access::Write;
        break;
    case 4:
        plan.scratch = Scratch::Host;
        break;
    case 5:
        plan.entries.push_back(entry("/w/hidden/open", Access::Read));
        break;
    case 6:
        plan.entries.push_back(entry("/a,b", Access::Write));
        break;
    case 7:
        plan.entries.push_back(entry("/dev/x", Access::Write, PathKind::Other));
        plan.entries.back().path = "/w/dev";
        plan.entries.back().access = Access::Read;
        break;
    default:
        plan.image = "--privileged";
        break;
    }
    const Result<ContainerCommand> command = buildContainerCommand(plan);
    QVERIFY(!command.has_value());
    QVERIFY2(command.error().message.contains(named), qPrintable(command.error().message));
}

void TestContainer::namesTellTheirOwner()
{
    const QByteArray name = containerName(12, 3456, u"ab12"_s);
    QCOMPARE(name, QByteArray("deskhand-12-3456-ab12"));
    QCOMPARE(containerOwner(name)->pid, 12);
    QCOMPARE(containerOwner(name)->startTime, 3456);
    for (const char *other : { "", "web", "deskhand", "deskhand-x-1-a", "deskhand-1-2-3-4" }) {
        QVERIFY(!containerOwner(other));
    }
}

void TestContainer::neverWithoutBeingAsked()
{
    const auto parse = [](const QStringList &options) {
        return SandboxOptions::parse(options + QStringList { u"--"_s, u"true"_s }, {});
    };
    QVERIFY(!parse({})->request.container.has_value());
    QVERIFY(!parse({ u"--backend"_s, u"native"_s })->request.container.has_value());
    QVERIFY(!parse({ u"--backend"_s, u"container"_s }).has_value()); // which image?
    QVERIFY(!parse({ u"--image"_s, u"x"_s }).has_value());
    QVERIFY(!parse({ u"--backend"_s, u"vm"_s }).has_value());
    QVERIFY(!parse({ u"--engine"_s, u"lxc"_s }).has_value());
    const auto asked = parse(
        { u"--backend"_s, u"container"_s, u"--engine"_s, u"docker"_s, u"--image"_s, u"x:1"_s });
    QVERIFY(asked.has_value());
    QCOMPARE(asked->request.container->image, u"x:1"_s);
    QVERIFY(asked->request.container->engine == ContainerChoice::Engine::Docker);
}

QString TestContainer::engine(const QByteArray &mode)
{
    write(m_folders->outside() + u"/mode"_s, mode);
    const QString program = m_folders->outside() + u"/podman"_s;
    QFile::remove(program);
    write(program,
        "#!/bin/sh\nexec /usr/bin/python3 -c 'import sys; sys.argv[0] = \""
            + QFile::encodeName(program) + "\"; exec(open(\""
            + QByteArray(DESKHAND_SOURCE_DIR "/tests/executor/sandbox/fakecontainerengine.py")
            + "\").read())' \"$@\"\n");
    chmod(QFile::encodeName(program).constData(), 0755);
    return program;
}

QList<QStringList> TestContainer::calls() const
{
    QList<QStringList> result;
    for (const QByteArray &line : read(u"calls"_s).split('\n')) {
        if (!line.isEmpty()) {
            result.append(QJsonDocument::fromJson(line).toVariant().toStringList());
        }
    }
    return result;
}

QStringList TestContainer::containers() const
{
    return QString::fromUtf8(read(u"containers"_s)).split(u'\n', Qt::SkipEmptyParts);
}

SandboxRequest TestContainer::request(const QString &program, const QByteArray &script)
{
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.command = { "/bin/sh", "-c", script };
    request.container
        = ContainerChoice { ContainerChoice::Engine::Podman, u"localhost/work"_s, program };
    return request;
}

SandboxResult TestContainer::run(const SandboxRequest &request)
{
    deskhand::process::RunControl control;
    return runSandboxed(request, control);
}

void TestContainer::scriptedRun()
{
    SandboxRequest wanted
        = request(engine("works"), "pwd; echo \"$SECRET_NAME\"; echo made > made; exit 7");
    wanted.environment.insert(u"SECRET_NAME"_s, u"a b"_s);
    const SandboxResult result = run(wanted);
    QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
    QCOMPARE(result.backend, u"podman"_s);
    QCOMPARE(result.exitStatus(), 7);
    QCOMPARE(result.outcome.output.retained.joined(),
        QFile::encodeName(m_folders->workspace()) + "\na b\n");
    QVERIFY(result.outcome.cpu.count() > 0); // reported by the helper
    const QString told = result.notes.join(u'\n');
    QVERIFY2(told.contains(u"image localhost/work"_s)
            && told.contains(m_folders->workspace() + u" (writable)"_s),
        qPrintable(told));
    QVERIFY(QFile::exists(m_folders->workspace() + u"/made"_s));
    // Guards are gone, the container is, and no value went through an argument.
    QCOMPARE(QDir(m_folders->workspace())
                 .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList(u"made"_s));
    QCOMPARE(containers(), QStringList());
    const QList<QStringList> asked = calls();
    QCOMPARE(asked.size(), 2); // the sweep, then the run
    QVERIFY(asked[1].indexOf(u"a b"_s) < 0);
    QVERIFY(asked[1].contains(u"--read-only"_s));
}

void TestContainer::nothingStarts_data()
{
    QTest::addColumn<QByteArray>("mode");
    QTest::addColumn<QString>("cause");
    QTest::newRow("no daemon") << QByteArray("broken") << u"cannot connect to the daemon"_s;
    QTest::newRow("no image") << QByteArray("no-image") << u"image not known"_s;
}

void TestContainer::nothingStarts()
{
    QFETCH(const QByteArray, mode);
    QFETCH(const QString, cause);
    const SandboxResult result = run(request(engine(mode), "echo ran > ran"));
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY2(result.error.message.contains(cause), qPrintable(result.error.message));
    QVERIFY(!result.error.hint.isEmpty());
    // No other wall steps in.
    QCOMPARE(QDir(m_folders->workspace())
                 .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList());
}

void TestContainer::endsWhatHangs()
{
    SandboxRequest hanging = request(engine("hangs"), "true");
    hanging.profile.limits.wall = std::chrono::milliseconds(300);
    hanging.profile.limits.grace = std::chrono::milliseconds(0);
    const SandboxResult never = run(hanging);
    QCOMPARE(never.endedBy, EndedBy::Timeout);
    QCOMPARE(containers(), QStringList());
    QCOMPARE(calls().last().first(), u"rm"_s);

    // A command that goes on: asked through the socket, then killed with all it started.
    const QByteArray mark = endlessMark();
    SandboxRequest stubborn
        = request(engine("works"), "trap '' TERM; (sleep " + mark + " &) ; sleep " + mark);
    stubborn.profile.limits.wall = std::chrono::milliseconds(500);
    stubborn.profile.limits.grace = std::chrono::milliseconds(0);
    QCOMPARE(run(stubborn).endedBy, EndedBy::Timeout);
    QTRY_VERIFY_WITH_TIMEOUT(!SandboxFolders::processMatching(QString::fromLatin1(mark)), kLimitMs);
}

/// Whatever kills this program: the container's process 1 notices and takes all along.
void TestContainer::endsWhenItsEngineIsKilled(const QString &program)
{
    const QByteArray mark = endlessMark();
    QProcess ours;
    QProcessEnvironment environment = m_folders->environment();
    environment.insert(u"DESKHAND_CONTAINER_ENGINE"_s, program);
    ours.setProcessEnvironment(environment);
    ours.start(SandboxFolders::program(),
        { u"--backend"_s, u"container"_s, u"--image"_s, u"localhost/work"_s, u"--cwd"_s,
            m_folders->workspace(), u"--"_s, u"/bin/sh"_s, u"-c"_s,
            u"(sleep %1 &); echo up; sleep %1"_s.arg(QString::fromLatin1(mark)) });
    QByteArray seen;
    QTRY_VERIFY_WITH_TIMEOUT((seen += ours.readAllStandardOutput()).contains("up"), kLimitMs);
    QVERIFY(SandboxFolders::processMatching(QString::fromLatin1(mark)));
    ours.kill();
    QVERIFY(ours.waitForFinished(kLimitMs));
    QTRY_VERIFY_WITH_TIMEOUT(!SandboxFolders::processMatching(QString::fromLatin1(mark)), kLimitMs);
}

void TestContainer::killedEngine()
{
    endsWhenItsEngineIsKilled(engine("works"));
}

void TestContainer::sweepsWhatDeadEnginesLeft()
{
    const QString program = engine("works");
    // The same number with another start is another process.
    const QString dead = u"deskhand-%1-1-aa"_s.arg(getpid());
    write(m_folders->outside() + u"/containers"_s, (u"web\n"_s + dead + u"\n"_s).toUtf8());
    QCOMPARE(run(request(program, "true")).exitStatus(), 0);
    QCOMPARE(containers(), QStringList(u"web"_s));
    QVERIFY(calls().contains(QStringList { u"rm"_s, u"--force"_s, dead }));
}

void TestContainer::terminalIsRefused()
{
    SandboxRequest onTerminal = request(engine("works"), "true");
    onTerminal.terminal = deskhand::process::TerminalSize {};
    const SandboxResult result = run(onTerminal);
    QCOMPARE(result.endedBy, EndedBy::Refused);
    QVERIFY(result.error.message.contains(u"terminal"_s));
    SandboxRequest open = request(engine("works"), "true");
    open.profile = PermissionProfile::fullAccess();
    QCOMPARE(run(open).endedBy, EndedBy::Refused);
    QCOMPARE(calls().size(), 0);
}

void TestContainer::plantedEngine()
{
    const QString planted = m_folders->workspace() + u"/podman"_s;
    QVERIFY(QFile::copy(engine("works"), planted));
    const SandboxResult result = run(request(planted, "true"));
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QCOMPARE(calls().size(), 0);
}

/// With runc and an image of one static program, both in the places of this test.
void TestContainer::realPodman()
{
    const QString podman = SandboxFolders::findProgram(u"podman"_s);
    const QString runc = SandboxFolders::findProgram(u"runc"_s);
    const QString busybox = SandboxFolders::findProgram(u"busybox"_s);
    if (podman.isEmpty() || runc.isEmpty() || busybox.isEmpty()) {
        QSKIP("podman, runc and a static busybox are not installed");
    }
    const QString place = m_folders->outside();
    const QString program = place + u"/podman"_s;
    write(program,
        u"#!/bin/sh\nexec %1 --root %2/root --runroot %2/runroot --runtime %3 "
        "--cgroup-manager cgroupfs \"$@\"\n"_s.arg(podman, place, runc)
            .toUtf8());
    chmod(QFile::encodeName(program).constData(), 0755);
    QProcess make;
    make.start(u"/bin/sh"_s,
        { u"-c"_s,
            u"set -e; cd %1; mkdir -p img/bin; cp %2 img/bin/busybox; for a in sh cat ls echo "
            u"touch "
            "mkdir sleep id; do ln -s busybox img/bin/$a; done; tar -C img -cf img.tar .; "
            "./podman import img.tar localhost/work"_s.arg(place, busybox) });
    if (!make.waitForFinished(60'000) || make.exitCode() != 0) {
        QSKIP(("podman does not work here: " + make.readAllStandardError()).constData());
    }
    write(m_folders->workspace() + u"/key"_s, "SECRET77\n");
    SandboxRequest wanted = request(program,
        "touch made && echo wrote; touch /outside || echo held; touch .git/x || echo guarded;"
        " cat key || echo hidden; ls /home /root 2>/dev/null; cat " DESKHAND_SOURCE_DIR
        "/README.md || echo absent; while read n v; do case $n in Seccomp:|NoNewPrivs:|CapEff:)"
        " echo $n $v;; esac; done < /proc/self/status; echo pid $PPID; exit 5");
    wanted.profile.files.rules.append(
        { { RuleTarget::Kind::Path, m_folders->workspace() + u"/key"_s }, Access::Deny,
            OnMissing::Default });
    const SandboxResult result = run(wanted);
    QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
    const QByteArray said = result.outcome.output.retained.joined();
    QVERIFY2(said
            == "wrote\nheld\nguarded\nhidden\nabsent\nCapEff: 0000000000000000\nNoNewPrivs: 1\n"
               "Seccomp: 2\npid 1\n",
        result.outcome.merged.joined().constData());
    QCOMPARE(result.exitStatus(), 5);
    QVERIFY(QFile::exists(m_folders->workspace() + u"/made"_s));

    // Ended with everything in it, and removed.
    SandboxRequest endless = request(program, "trap '' TERM; while :; do sleep 1; done");
    endless.profile.limits.wall = std::chrono::milliseconds(3000);
    endless.profile.limits.grace = std::chrono::milliseconds(0);
    QCOMPARE(run(endless).endedBy, EndedBy::Timeout);
    const auto left = [&program] {
        QProcess list;
        list.start(program, { u"ps"_s, u"--all"_s, u"--format"_s, u"{{.Names}}"_s });
        return list.waitForFinished(kLimitMs) ? list.readAllStandardOutput().trimmed() : "?";
    };
    QCOMPARE(left(), QByteArray());
    endsWhenItsEngineIsKilled(program);
    QTRY_COMPARE_WITH_TIMEOUT(left(), QByteArray(), kLimitMs);
    QProcess::execute(program, { u"system"_s, u"reset"_s, u"--force"_s });
}

QTEST_GUILESS_MAIN(TestContainer)
#include "tst_container.moc"
