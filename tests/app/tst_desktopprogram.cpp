// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace Qt::StringLiterals;

namespace {

/// The real program with a home of its own.
struct Program
{
    explicit Program(const QString &home, const QStringList &arguments = {})
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"WEGENT_EXECUTOR_HOME"_s, home + "/wegent"_L1);
        environment.insert(u"HOME"_s, home);
        environment.remove(u"WEGENT_BACKEND_URL"_s);
        environment.remove(u"WEGENT_AUTH_TOKEN"_s);
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(DESKHAND_PROGRAM), arguments);
    }
    ~Program()
    {
        if (process.state() != QProcess::NotRunning) {
            process.kill();
            process.waitForFinished(5000);
        }
    }
    QProcess process;
};

/// A visible window of the program, found by the window system.
bool hasWindow(const QStringList &criteria)
{
    QProcess tool;
    tool.start(u"xdotool"_s, QStringList { u"search"_s, u"--onlyvisible"_s } + criteria);
    tool.waitForFinished(30'000);
    return tool.exitCode() == 0 && !tool.readAllStandardOutput().trimmed().isEmpty();
}

} // namespace

/// The program as people start it: tray, second start, signals.
class TestDesktopProgram final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void version_needsNoDisplay();
    void background_showsTheIconAndEndsOnSigterm();
    void secondStart_raisesTheWindowAndEnds();
};

void TestDesktopProgram::version_needsNoDisplay()
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(u"DISPLAY"_s);
    environment.insert(u"QT_QPA_PLATFORM"_s, u"nothing"_s);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(DESKHAND_PROGRAM), { u"--version"_s });
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(process.readAllStandardOutput().startsWith("deskhand "));
}

void TestDesktopProgram::background_showsTheIconAndEndsOnSigterm()
{
    QTemporaryDir home;
    Program program(home.path(), { u"--background"_s });
    QVERIFY(program.process.waitForStarted(60'000));
    QTRY_VERIFY_WITH_TIMEOUT(hasWindow({ u"--class"_s, u"deskhand"_s }), 60'000);
    QVERIFY(!hasWindow({ u"--name"_s, u"^Deskhand$"_s }));
    // The core took its home.
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(home.filePath(u"wegent/.writer.lock"_s)), 60'000);
    ::kill(static_cast<pid_t>(program.process.processId()), SIGTERM);
    QVERIFY(program.process.waitForFinished(30'000));
    QCOMPARE(program.process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.process.exitCode(), 0);
}

void TestDesktopProgram::secondStart_raisesTheWindowAndEnds()
{
    QTemporaryDir home;
    Program first(home.path(), { u"--background"_s });
    QVERIFY(first.process.waitForStarted(60'000));
    QTRY_VERIFY_WITH_TIMEOUT(hasWindow({ u"--class"_s, u"deskhand"_s }), 60'000);
    Program second(home.path());
    QVERIFY(second.process.waitForFinished(60'000));
    QCOMPARE(second.process.exitCode(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(hasWindow({ u"--name"_s, u"^Deskhand$"_s }), 60'000);
    QCOMPARE(first.process.state(), QProcess::Running);
    ::kill(static_cast<pid_t>(first.process.processId()), SIGTERM);
    QVERIFY(first.process.waitForFinished(30'000));
    QCOMPARE(first.process.exitCode(), 0);
}

QTEST_GUILESS_MAIN(TestDesktopProgram)
#include "tst_desktopprogram.moc"
