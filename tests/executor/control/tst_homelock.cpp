// SPDX-License-Identifier: Apache-2.0
#include "executor/control/homelock.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#ifdef Q_OS_UNIX
#include <unistd.h>
#endif

using namespace deskhand;
using namespace Qt::StringLiterals;
using control::HomeLock;

namespace {

/// Started again by the tests as another process: takes the lock, says so, and holds it until it
/// is killed or its input ends.
int holdLock(const QString &root)
{
    const auto lock = HomeLock::acquire(ExecutorHome { root }, u"holder"_s);
    QFile out;
    if (!out.open(stdout, QIODevice::WriteOnly)) {
        return 3;
    }
    out.write(lock ? "locked\n" : "refused\n");
    out.flush();
    QFile in;
    if (!in.open(stdin, QIODevice::ReadOnly)) {
        return 3;
    }
    in.readLine();
    return lock ? 0 : 1;
}

} // namespace

class TestHomeLock : public QObject
{
    Q_OBJECT

    void startHolder(QProcess &process, const QString &root)
    {
        process.start(QCoreApplication::applicationFilePath(), { u"--hold"_s, root });
        QVERIFY(process.waitForStarted());
        QVERIFY(process.waitForReadyRead());
        QCOMPARE(process.readLine(), "locked\n");
    }

private Q_SLOTS:
    void acquire_missingHome_createsItForTheOwnerOnly()
    {
        const QTemporaryDir folder;
        const ExecutorHome home { folder.filePath(u"新 家/with space"_s) };
        const auto lock = HomeLock::acquire(home, u"deskhand-executor"_s);
        QVERIFY2(lock, qPrintable(lock ? QString() : lock.error().message));
        QVERIFY(QFile::exists(home.lockFile()));
#ifdef Q_OS_UNIX
        QCOMPARE(QFile::permissions(home.root) & 0x0077, QFile::Permissions());
        QCOMPARE(QFile::permissions(home.lockFile()) & 0x0077, QFile::Permissions());
#endif
    }

    void acquire_heldByThisProcess_namesProgramAndPid()
    {
        const QTemporaryDir folder;
        const ExecutorHome home { folder.path() };
        const auto first = HomeLock::acquire(home, u"deskhand"_s);
        QVERIFY(first);
        const auto second = HomeLock::acquire(home, u"deskhand-executor"_s);
        QVERIFY(!second);
        QCOMPARE(second.error().kind, ErrorKind::Conflict);
        QCOMPARE(second.error().message,
            u"deskhand is already running for %1 (pid %2)"_s.arg(home.root).arg(
                QCoreApplication::applicationPid()));
        QVERIFY(!second.error().hint.isEmpty());
    }

    void acquire_afterRelease_succeedsAndHolderIsGone()
    {
        const QTemporaryDir folder;
        const ExecutorHome home { folder.path() };
        auto first = HomeLock::acquire(home, u"deskhand"_s);
        QVERIFY(first);
        const auto holder = HomeLock::holder(home);
        QVERIFY(holder);
        QCOMPARE(holder->program, u"deskhand"_s);
        QCOMPARE(holder->pid, QCoreApplication::applicationPid());
        QVERIFY(holder->startedAt.isValid());
        first->reset();
        QVERIFY(!HomeLock::holder(home));
        QVERIFY(HomeLock::acquire(home, u"deskhand"_s));
    }

    void acquire_heldByAnotherProcess_namesItUntilItIsKilled()
    {
        const QTemporaryDir folder;
        const ExecutorHome home { folder.path() };
        QProcess other;
        startHolder(other, home.root);
        const auto refused = HomeLock::acquire(home, u"deskhand"_s);
        QVERIFY(!refused);
        QVERIFY(refused.error().message.contains(u"holder is already running"_s));
        QVERIFY(refused.error().message.contains(u"pid %1"_s.arg(other.processId())));
        other.kill(); // no chance to clean up
        QVERIFY(other.waitForFinished());
        QVERIFY(!HomeLock::holder(home));
        const auto lock = HomeLock::acquire(home, u"deskhand"_s);
        QVERIFY2(lock, qPrintable(lock ? QString() : lock.error().message));
        QCOMPARE(HomeLock::holder(home)->pid, QCoreApplication::applicationPid());
    }

    void acquire_garbageInLockFile_isTakenOver()
    {
        const QTemporaryDir folder;
        const ExecutorHome home { folder.path() };
        QFile file(home.lockFile());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(100000, '\xff'));
        file.close();
        QVERIFY(!HomeLock::holder(home));
        QVERIFY(HomeLock::acquire(home, u"deskhand"_s));
    }

    void acquire_homeIsAFile_saysSo()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"file"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const auto lock = HomeLock::acquire(ExecutorHome { path }, u"deskhand"_s);
        QVERIFY(!lock);
        QCOMPARE(lock.error().kind, ErrorKind::Io);
        QVERIFY(lock.error().message.contains(path));
    }

    void acquire_readOnlyHome_saysWhyAndWhatToDo()
    {
#ifdef Q_OS_UNIX
        if (::geteuid() == 0) {
            QSKIP("the superuser may write everywhere");
        }
#endif
        const QTemporaryDir folder;
        QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::ExeOwner));
        const auto lock = HomeLock::acquire(ExecutorHome { folder.path() }, u"deskhand"_s);
        QFile::setPermissions(
            folder.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        QVERIFY(!lock);
        QCOMPARE(lock.error().kind, ErrorKind::Io);
        QVERIFY(lock.error().hint.contains(u"WEGENT_EXECUTOR_HOME"_s));
    }

    void holder_childProcesses_doNotInheritTheLock()
    {
#ifndef Q_OS_UNIX
        QSKIP("needs a POSIX shell");
#endif
        const QTemporaryDir folder;
        const ExecutorHome home { folder.path() };
        auto lock = HomeLock::acquire(home, u"deskhand"_s);
        QVERIFY(lock);
        QProcess child;
        child.start(u"/bin/sh"_s, { u"-c"_s, u"read x"_s });
        QVERIFY(child.waitForStarted());
        lock->reset();
        QVERIFY(!HomeLock::holder(home));
        child.closeWriteChannel();
        QVERIFY(child.waitForFinished());
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() == 3 && arguments.at(1) == u"--hold"_s) {
        return holdLock(arguments.at(2));
    }
    TestHomeLock test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_homelock.moc"
