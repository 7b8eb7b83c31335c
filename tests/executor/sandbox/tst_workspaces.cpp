// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/bwraparguments.h"
#include "executor/sandbox/executionengine.h"
#include "executor/sandbox/probe.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>

#include <cerrno>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

namespace {

constexpr int kLimitMs = 120'000;

/// A small disk in memory, where this user may make one.
class SmallDisk final
{
public:
    SmallDisk(const QString &place, const QByteArray &options)
        : m_place(QFile::encodeName(place))
    {
        QDir().mkpath(place);
        m_mounted = mount("deskhand-test", m_place.constData(), "tmpfs", MS_NODEV | MS_NOSUID,
                        options.constData())
            == 0;
    }
    ~SmallDisk()
    {
        if (m_mounted) {
            umount2(m_place.constData(), MNT_DETACH);
        }
    }
    SmallDisk(const SmallDisk &) = delete;
    SmallDisk &operator=(const SmallDisk &) = delete;

    [[nodiscard]] bool mounted() const { return m_mounted; }

private:
    QByteArray m_place;
    bool m_mounted = false;
};

QStringList namesIn(const QString &folder)
{
    return QDir(folder).entryList(
        QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
}

SandboxRequest request(const QString &workspace, const QByteArray &script)
{
    SandboxRequest result;
    result.directory = workspace;
    result.command = { "/bin/sh", "-c", script };
    return result;
}

SandboxResult run(const SandboxRequest &request)
{
    deskhand::process::RunControl control;
    return runSandboxed(request, control);
}

QByteArray said(const SandboxResult &result)
{
    return result.outcome.merged.joined() + result.error.message.toUtf8();
}

} // namespace

/// Where a workspace may lie, how large it may be, what its disk may do, and who else may use it.
class TestWorkspaces final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void belowTmp();
    void onADiskInMemory();
    void onADiskThatFills();
    void onADiskWithoutRoomForGuards();
    void withVeryManyFiles();
    void growthIsStopped();
    void sharersComeAndGo();
    void insideAnotherSandbox();
};

void TestWorkspaces::belowTmp()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self, u"/tmp"_s);
    const SandboxResult result = run(request(folders.workspace(),
        "echo x > made; mkdir .git/x || echo held; ls -A /tmp | wc -l; ls "
            + QFile::encodeName(folders.outside()) + " || echo hidden"));
    QVERIFY2(QFile::exists(folders.workspace() + u"/made"_s), said(result).constData());
    // Held; of the host's /tmp only the way to the workspace is there. One stream alone, because
    // the two mix as they arrive.
    QVERIFY2(
        result.outcome.output.retained.joined() == "held\n1\nhidden\n", said(result).constData());
    QCOMPARE(namesIn(folders.workspace()), QStringList(u"made"_s));
}

void TestWorkspaces::onADiskInMemory()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const SmallDisk disk(folders.workspace(), "size=64m");
    if (!disk.mounted()) {
        QSKIP("only root may mount a file system");
    }
    const SandboxResult result
        = run(request(folders.workspace(), "echo x > made; mkdir .codex/x || echo held"));
    QVERIFY2(said(result).contains("held\n"), said(result).constData());
    QCOMPARE(namesIn(folders.workspace()), QStringList(u"made"_s));
}

void TestWorkspaces::onADiskThatFills()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const SmallDisk disk(folders.workspace(), "size=8m");
    if (!disk.mounted()) {
        QSKIP("only root may mount a file system");
    }
    SandboxRequest full = request(folders.workspace(),
        "head -c 50000000 /dev/zero > big || echo full; head -c 3000000 /dev/zero | tr '\\0' y");
    full.profile.limits.freeSpaceStopBytes = 0; // the disk itself is to end it
    // The spool lies on the same full disk: that ends the spooling, not the run.
    full.spoolFolder = folders.workspace();
    const SandboxResult result = run(full);
    QCOMPARE(result.endedBy, EndedBy::Command);
    QVERIFY2(said(result).contains("full\n"), said(result).left(500).constData());
    QCOMPARE(result.outcome.output.retained.total(), 3'000'000 + 5);
    // The stop on falling free space: the same with a floor that the disk falls below.
    QVERIFY(QFile::remove(folders.workspace() + u"/big"_s));
    SandboxRequest watched
        = request(folders.workspace(), "head -c 7000000 /dev/zero > big; sleep 60");
    watched.profile.limits.freeSpaceStopBytes = 6'000'000;
    const SandboxResult stopped = run(watched);
    QCOMPARE(stopped.endedBy, EndedBy::Limit);
    QCOMPARE(stopped.outcome.limit, u"free-space"_s);
}

void TestWorkspaces::onADiskWithoutRoomForGuards()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const SmallDisk disk(folders.workspace(), "size=1m,nr_inodes=3");
    if (!disk.mounted()) {
        QSKIP("only root may mount a file system");
    }
    const SandboxResult result = run(request(folders.workspace(), "echo ran > ran"));
    QCOMPARE(result.endedBy, EndedBy::Refused);
    QVERIFY2(result.error.message.contains(u"cannot be guarded"_s), said(result).constData());
    QVERIFY(result.error.hint.contains(u"disk space"_s));
    // What did find room is gone again.
    QCOMPARE(namesIn(folders.workspace()), QStringList());
}

void TestWorkspaces::withVeryManyFiles()
{
    constexpr int kFolders = 200;
    constexpr int kFilesEach = 1000;
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const SmallDisk disk(folders.workspace(), "size=256m");
    if (!disk.mounted()) {
        QSKIP("only root may mount a file system");
    }
    for (int folder = 0; folder < kFolders; ++folder) {
        const QByteArray path
            = QFile::encodeName(folders.workspace()) + '/' + QByteArray::number(folder);
        QCOMPARE(::mkdir(path.constData(), 0755), 0);
        const int directory = ::open(path.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        for (int file = 0; file < kFilesEach; ++file) {
            const int made = ::openat(directory, QByteArray::number(file).constData(),
                O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
            QVERIFY(made >= 0);
            ::close(made);
        }
        ::close(directory);
    }
    // Neither the policy nor the wall knows of single files: both are as large as for an empty one.
    const auto entries = [](const QString &workspace) {
        const auto policy = ResolvedPolicy::resolve(
            PermissionProfile::workspace(), { { workspace }, u"/nonexistent"_s, {}, {}, {} });
        return policy ? policy->entries().size() : 0;
    };
    const SandboxFolders empty(SandboxFolders::Owner::Self);
    QCOMPARE(entries(folders.workspace()), entries(empty.workspace()));
    const SandboxResult result = run(request(folders.workspace(), "echo x > made; ls | wc -l"));
    QVERIFY2(said(result).contains(QByteArray::number(kFolders + 1)), said(result).constData());
    QCOMPARE(result.exitStatus(), 0);
}

void TestWorkspaces::growthIsStopped()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    SandboxRequest growing = request(folders.workspace(),
        "i=0; while :; do head -c 4000000 /dev/zero > f$i; i=$((i+1)); sleep 0.01; done");
    growing.profile.limits.growthReportBytes = 8'000'000;
    growing.profile.limits.growthStopBytes = 40'000'000;
    growing.profile.limits.wall = std::chrono::milliseconds(kLimitMs);
    const SandboxResult result = run(growing);
    QCOMPARE(result.endedBy, EndedBy::Limit);
    QCOMPARE(result.outcome.limit, u"disk-growth"_s);
    QVERIFY(result.grewMuch);
}

void TestWorkspaces::sharersComeAndGo()
{
    constexpr int kRuns = 40;
    const SandboxFolders folders(SandboxFolders::Owner::User);
    ExecutionLimits limits;
    limits.atOnce = 6;
    ExecutionEngine engine(limits);
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    for (int i = 0; i < kRuns; ++i) {
        Execution execution;
        execution.parallelWrites = true;
        // Each tries to make what is guarded, before and after a pause of its own length.
        const QByteArray pause
            = "0.0" + QByteArray::number(QRandomGenerator::global()->bounded(10));
        execution.request = request(folders.workspace(),
            "mkdir .codex/x .agents/x && echo LOST; mkdir .git && echo LOST; sleep " + pause
                + "; mkdir .codex && echo LOST; echo x > .git/HEAD && echo LOST; exit 0");
        const auto id = engine.submit(execution);
        QVERIFY(id.has_value());
        if (i % 8 == 7) {
            engine.cancel(*id, std::chrono::milliseconds(0));
        }
    }
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), kRuns, kLimitMs);
    for (const QList<QVariant> &arguments : finished) {
        const SandboxResult result = arguments[1].value<SandboxResult>();
        QVERIFY2(!said(result).contains("LOST"), said(result).constData());
        QVERIFY2(result.endedBy == EndedBy::Command || result.endedBy == EndedBy::Cancel,
            said(result).constData());
    }
    QCOMPARE(namesIn(folders.workspace()), QStringList());
}

void TestWorkspaces::insideAnotherSandbox()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("the sanitizers' own runtime does not start inside the sandbox");
#endif
    const SandboxFolders folders(SandboxFolders::Owner::User);
    const auto nested = [&folders](const QStringList &inner) {
        QProcess outer;
        folders.applyOwner(outer);
        outer.setProcessChannelMode(QProcess::MergedChannels);
        outer.start(SandboxFolders::program(),
            QStringList { u"--cwd"_s, folders.workspace(), u"--"_s, SandboxFolders::program() }
                + inner);
        outer.waitForFinished(kLimitMs);
        return std::pair { outer.exitCode(), outer.readAll() };
    };
    const auto [status, text] = nested(
        { u"--cwd"_s, folders.workspace(), u"--"_s, u"/bin/sh"_s, u"-c"_s, u"echo ran > ran"_s });
    QCOMPARE(status, 126);
    QVERIFY2(text.contains("already runs inside a sandbox"), text.constData());
    QVERIFY2(text.contains("external"), text.constData());
    QVERIFY(!QFile::exists(folders.workspace() + u"/ran"_s));
    const auto [probed, json] = nested({ u"probe"_s, u"--json"_s });
    QCOMPARE(probed, 0);
    const QJsonObject status2 = QJsonDocument::fromJson(json).object();
    QVERIFY2(status2.value(u"state"_s) == u"external"_s, json.constData());
}

QTEST_GUILESS_MAIN(TestWorkspaces)
#include "tst_workspaces.moc"
