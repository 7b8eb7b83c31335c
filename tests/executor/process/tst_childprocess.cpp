// SPDX-License-Identifier: Apache-2.0
#include "executor/process/childenvironment.h"
#include "executor/process/childprocess.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::process;
using ms = std::chrono::milliseconds;

namespace {

ChildSpec shell(const QString &script)
{
    ChildSpec spec;
    spec.program = u"/bin/sh"_s;
    spec.arguments = { u"-c"_s, script };
    spec.environment.insert(u"PATH"_s, u"/usr/bin:/bin"_s);
    spec.workingDirectory = u"/"_s;
    return spec;
}

bool isAlive(qint64 pid)
{
    QFile stat(u"/proc/%1/stat"_s.arg(pid));
    if (!stat.open(QIODevice::ReadOnly)) {
        return false;
    }
    // A zombie that nobody has reaped yet is dead all the same.
    const QByteArray text = stat.readAll();
    return text.mid(text.lastIndexOf(')') + 2, 1) != "Z";
}

} // namespace

class TestChildProcess final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void streams_goBothWays()
    {
        ChildProcess child;
        QSignalSpy exited(&child, &ChildProcess::exited);
        child.start(shell(u"read line; echo got $line; echo bad >&2; exit 3"_s));
        child.io()->write("hello\n");
        QTRY_COMPARE(exited.size(), 1);
        QCOMPARE(child.io()->readAll(), QByteArray("got hello\n"));
        QCOMPARE(child.errorTail(), QByteArray("bad\n"));
        const auto exit = exited.at(0).at(0).value<ChildExit>();
        QVERIFY(!exit.crashed);
        QCOMPARE(exit.code, 3);
        QCOMPARE(child.processId(), 0);
    }

    void missingProgram_isToldOnce()
    {
        ChildProcess child;
        QSignalSpy failed(&child, &ChildProcess::failedToStart);
        QSignalSpy exited(&child, &ChildProcess::exited);
        ChildSpec spec;
        spec.program = u"/nowhere/program"_s;
        child.start(spec);
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(failed.at(0).at(0).value<Error>().message.contains("/nowhere/program"_L1));
        QCOMPARE(exited.size(), 0);
    }

    void errorOutput_isBounded()
    {
        ChildProcess child;
        QSignalSpy exited(&child, &ChildProcess::exited);
        child.start(shell(u"head -c 300000 /dev/zero | tr '\\0' x >&2; printf end >&2"_s));
        QTRY_COMPARE(exited.size(), 1);
        QCOMPARE(child.errorTail().size(), ChildProcess::kErrorTailBytes);
        QVERIFY(child.errorTail().endsWith("xend"));
    }

    void environment_isExactlyTheGivenOne()
    {
        qputenv("DESKHAND_TEST_LEAK", "1");
        ChildProcess child;
        QSignalSpy exited(&child, &ChildProcess::exited);
        ChildSpec spec = shell(u"env"_s);
        spec.environment.insert(u"GIVEN"_s, u"yes"_s);
        child.start(spec);
        QTRY_COMPARE(exited.size(), 1);
        const QByteArray output = child.io()->readAll();
        QVERIFY(output.contains("GIVEN=yes"));
        QVERIFY(!output.contains("LEAK"));
    }

    void descriptors_areNotInherited()
    {
        QTemporaryDir folder;
        const int open
            = ::open(folder.filePath(u"f"_s).toUtf8().constData(), O_CREAT | O_RDWR, 0600);
        QVERIFY(open > 2);
        ::fcntl(open, F_SETFD, 0); // inheritable, as other libraries leave them
        ChildProcess child;
        QSignalSpy exited(&child, &ChildProcess::exited);
        child.start(shell(u"ls -l /proc/self/fd"_s));
        QTRY_COMPARE(exited.size(), 1);
        ::close(open);
        const QByteArray list = child.io()->readAll();
        QVERIFY2(!list.contains(folder.path().toUtf8()), list.constData());
        QVERIFY(list.contains("0 -> pipe"));
    }

    void child_leadsAGroupOfItsOwn()
    {
        ChildProcess child;
        QSignalSpy started(&child, &ChildProcess::started);
        child.start(shell(u"read x"_s));
        QTRY_COMPARE(started.size(), 1);
        QCOMPARE(::getpgid(static_cast<pid_t>(child.processId())), child.processId());
        child.kill();
        QTRY_VERIFY(!child.isRunning());
    }

    void stop_endsPolitelyWhenTheInputEnds()
    {
        ChildProcess child;
        QSignalSpy exited(&child, &ChildProcess::exited);
        child.start(shell(u"cat >/dev/null; exit 7"_s));
        QTRY_VERIFY(child.processId() > 0);
        child.stop({ ms(10'000), ms(10'000) });
        child.stop(); // changes nothing
        QTRY_COMPARE(exited.size(), 1);
        QCOMPARE(exited.at(0).at(0).value<ChildExit>().code, 7);
    }

    void stop_escalates_data()
    {
        QTest::addColumn<QString>("trap");
        QTest::addColumn<bool>("crashed");
        QTest::newRow("ends on the wish to terminate") << u"trap 'exit 9' TERM"_s << false;
        QTest::newRow("is killed in the end") << u"trap '' TERM"_s << true;
    }

    void stop_escalates()
    {
        QFETCH(const QString, trap);
        ChildProcess child;
        QSignalSpy exited(&child, &ChildProcess::exited);
        child.start(shell(trap + u"; echo ready; while :; do sleep 0.05; done"_s));
        QTRY_COMPARE(child.io()->bytesAvailable(), 6);
        child.stop({ ms(50), ms(200) });
        QTRY_COMPARE(exited.size(), 1);
        QTEST(exited.at(0).at(0).value<ChildExit>().crashed, "crashed");
    }

    void groupMembers_dieWithTheLeader()
    {
        ChildProcess child;
        QSignalSpy exited(&child, &ChildProcess::exited);
        child.start(shell(u"sleep 600 & echo $!; exit 0"_s));
        QTRY_COMPARE(exited.size(), 1);
        const qint64 grandchild = child.io()->readAll().trimmed().toLongLong();
        QVERIFY(grandchild > 0);
        QTRY_VERIFY(!isAlive(grandchild));
    }

    void stoppedProcessOutsideTheGroup_diesWithTheKill()
    {
        ChildProcess child;
        QSignalSpy exited(&child, &ChildProcess::exited);
        child.start(shell(u"setsid sh -c 'echo $$; kill -STOP $$' & wait"_s));
        QTRY_VERIFY(child.io()->bytesAvailable() > 0);
        const qint64 other = child.io()->readAll().trimmed().toLongLong();
        QVERIFY(other > 0);
        child.kill();
        QTRY_COMPARE(exited.size(), 1);
        QTRY_VERIFY(!isAlive(other));
    }

    void destroyedWhileRunning_killsTheGroup()
    {
        qint64 pid = 0;
        qint64 grandchild = 0;
        {
            ChildProcess child;
            child.start(shell(u"sleep 600 & echo $!; wait"_s));
            QTRY_VERIFY(child.io()->bytesAvailable() > 0);
            pid = child.processId();
            grandchild = child.io()->readAll().trimmed().toLongLong();
        }
        QTRY_VERIFY(!isAlive(pid));
        QTRY_VERIFY(!isAlive(grandchild));
    }

    void withheldVariables_data()
    {
        QTest::addColumn<bool>("withheld");
        for (const char *name :
            { "WEGENT_AUTH_TOKEN", "WEGENT_EXECUTOR_HOME", "DEVICE_ID", "LOCAL_HEARTBEAT_INTERVAL",
                "BIND_SHELL", "OPENAI_API_KEY", "aws_secret_access_key", "GITHUB_TOKEN",
                "DB_PASSWORD", "CODEX_HOME", "DESKHAND_X", "SSH_PRIVATE_KEY", "SIGNING_KEY" }) {
            QTest::newRow(name) << true;
        }
        for (const char *name : { "PATH", "HOME", "LANG", "HTTPS_PROXY", "http_proxy", "SHELL",
                 "SSH_AUTH_SOCK", "KEYBOARD", "XDG_RUNTIME_DIR" }) {
            QTest::newRow(name) << false;
        }
    }

    void withheldVariables()
    {
        QFETCH(const bool, withheld);
        QCOMPARE(isWithheldVariable(QString::fromLatin1(QTest::currentDataTag())), withheld);
    }

    void noProxy_isCompletedWithLoopback()
    {
        QProcessEnvironment given;
        given.insert(u"no_proxy"_s, u"intern.example, localhost"_s);
        const QProcessEnvironment child = childEnvironment(given);
        QCOMPARE(child.value(u"NO_PROXY"_s), u"intern.example,localhost,127.0.0.1,::1"_s);
        QCOMPARE(child.value(u"no_proxy"_s), child.value(u"NO_PROXY"_s));
    }
};

QTEST_GUILESS_MAIN(TestChildProcess)
#include "tst_childprocess.moc"
