// SPDX-License-Identifier: Apache-2.0
#include "executor/process/sessionprocesses.h"
#include "executor/sandbox/executionengine.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QDirIterator>
#include <QSignalSpy>
#include <QTest>

#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

namespace {

/// Everything a run might leave behind, as one list that can be compared.
QStringList traces(const SandboxFolders &folders)
{
    QStringList result;
    for (const QString &name :
        QDir(folders.workspace())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)) {
        result.append(u"workspace "_s + name);
    }
    for (const pid_t pid : deskhand::process::descendantsOf(getpid())) {
        result.append(u"process %1"_s.arg(pid));
    }
    // Watches are kept for the next runs, up to a number that does not grow with the runs.
    constexpr int kKeptWatches = 16;
    int descriptors = 0;
    int watches = 0;
    const QDir table(u"/proc/self/fd"_s);
    for (const QString &name : table.entryList(QDir::Files | QDir::System | QDir::NoDotAndDotDot)) {
        ++(QFile::symLinkTarget(table.filePath(name)).contains(u"inotify"_s) ? watches
                                                                             : descriptors);
    }
    result.append(u"descriptors %1"_s.arg(descriptors));
    if (watches > kKeptWatches) {
        result.append(u"watches %1"_s.arg(watches));
    }
    QFile mounts(u"/proc/self/mountinfo"_s);
    if (mounts.open(QIODevice::ReadOnly)) {
        result.append(u"mounts %1"_s.arg(mounts.readAll().count('\n')));
    }
    QDirIterator groups(
        u"/sys/fs/cgroup"_s, { u"deskhand-*"_s }, QDir::Dirs, QDirIterator::Subdirectories);
    int count = 0;
    while (groups.hasNext()) {
        groups.next();
        ++count;
    }
    result.append(u"groups %1"_s.arg(count));
    return result;
}

} // namespace

class TestLeftovers final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void thousandRunsLeaveNothing();
};

void TestLeftovers::thousandRunsLeaveNothing()
{
    constexpr int kRuns = 1000;
    const SandboxFolders folders(SandboxFolders::Owner::User);
    const QByteArray temporary = QFile::encodeName(folders.outside());
    const QByteArray before = qgetenv("TMPDIR");
    qputenv("TMPDIR", temporary); // so that nobody else's files are counted
    ExecutionEngine engine;
    QSignalSpy finished(&engine, &ExecutionEngine::finished);
    const auto runAll = [&](int count) {
        for (int i = 0; i < count; ++i) {
            Execution execution;
            execution.request.directory = folders.workspace();
            execution.request.command = { "/bin/true" };
            execution.parallelWrites = true;
            if (i % 50 == 0) {
                execution.request.profile.network.mode = NetworkMode::Proxy;
            }
            if (i % 50 == 1) {
                execution.request.terminal = deskhand::process::TerminalSize {};
            }
            QVERIFY(engine.submit(execution).has_value());
        }
    };
    runAll(10); // what is made once and kept
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 10, 60'000);
    const QStringList atStart = traces(folders);
    runAll(kRuns);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 10 + kRuns, 400'000);
    for (const QList<QVariant> &arguments : finished) {
        const SandboxResult result = arguments[1].value<SandboxResult>();
        QVERIFY2(result.exitStatus() == 0,
            qPrintable(QString::number(result.exitStatus()) + u' ' + result.error.message));
    }
    QTRY_COMPARE(traces(folders), atStart);
    QCOMPARE(
        QDir(folders.outside()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList());
    if (before.isNull()) {
        qunsetenv("TMPDIR");
    } else {
        qputenv("TMPDIR", before);
    }
}

QTEST_GUILESS_MAIN(TestLeftovers)
#include "tst_leftovers.moc"
