// SPDX-License-Identifier: Apache-2.0
#include "executor/enginewallswitch.h"
#include "executor/sandbox/enginewall.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QSignalSpy>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using deskhand::test::SandboxFolders;
using State = EngineWallSwitch::State;

namespace {

constexpr int kLimitMs = 60'000;

} // namespace

/// The owner's switch, and a real codex process behind the wall.
class TestEngineWallSwitch final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void switchingOnAndOff();
    void appServerAnswersBehindTheWall();
    void turnInAHiddenFolderFailsWithTheReason();

private:
    SandboxFolders m_folders { SandboxFolders::Owner::Self };
};

void TestEngineWallSwitch::switchingOnAndOff()
{
    engines::codex::CodexOptions options;
    options.agentsFolder = m_folders.workspace();
    engines::codex::CodexEngine engine(options, nullptr);
    EngineWallSwitch wall(engine, {}, { m_folders.workspace() });
    QCOMPARE(wall.state(), State::Off);
    QCOMPARE(engineWallName(wall.state()), u"off"_s);
    const QSignalSpy changed(&wall, &EngineWallSwitch::changed);
    wall.setWanted(true, {});
    QVERIFY(wall.isBuilding());
    QTRY_VERIFY_WITH_TIMEOUT(!wall.isBuilding(), kLimitMs);
    QVERIFY(wall.state() == State::On || wall.state() == State::Impossible);
    QCOMPARE(wall.cause().isEmpty(), wall.state() == State::On);
    wall.setWanted(false, {});
    QCOMPARE(wall.state(), State::Off);
    QCOMPARE(changed.count(), 3);
    // Another list of secret paths is tried, the same one is not.
    wall.setWanted(true, { u"~/a"_s });
    QTRY_VERIFY_WITH_TIMEOUT(!wall.isBuilding(), kLimitMs);
    wall.setWanted(true, { u"~/a"_s });
    QVERIFY(!wall.isBuilding());
    wall.setWanted(true, { u"~/a"_s, u"~/b"_s });
    QVERIFY(wall.isBuilding());
    wall.setWanted(true, {}); // changed again meanwhile
    QTRY_VERIFY_WITH_TIMEOUT(!wall.isBuilding(), kLimitMs);
    wall.setWanted(false, { u"~/c"_s });
    QCOMPARE(wall.state(), State::Off);
    // Switched off while it is tried.
    wall.setWanted(true, {});
    wall.setWanted(false, {});
    QTRY_COMPARE_WITH_TIMEOUT(wall.state(), State::Off, kLimitMs);
}

void TestEngineWallSwitch::appServerAnswersBehindTheWall()
{
    const QString codex = QFileInfo(qEnvironmentVariable("DESKHAND_PEERS")
        + u"/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"_s)
                              .canonicalFilePath();
    sandbox::EngineWall::Options options;
    options.home = m_folders.home();
    options.shown = { m_folders.workspace(), QFileInfo(codex).path() };
    const Result<sandbox::EngineWall> wall = sandbox::EngineWall::build(options);
    if (codex.isEmpty() || !wall) {
        QSKIP("no codex, or no sandbox can be built inside another one here");
    }
    process::ChildSpec spec;
    spec.program = wall->program();
    spec.arguments = wall->arguments(codex, { u"app-server"_s });
    spec.environment = QProcessEnvironment::systemEnvironment();
    spec.environment.insert(u"CODEX_HOME"_s, m_folders.workspace());
    spec.environment.insert(u"HOME"_s, m_folders.workspace());
    spec.workingDirectory = m_folders.workspace();
    engines::codex::AppServer server { engines::codex::Timings {} };
    server.setCommand(spec);
    std::optional<Result<>> ready;
    server.whenReady(this, [&ready](const Result<> &result) { ready = result; });
    QTRY_VERIFY_WITH_TIMEOUT(ready.has_value(), kLimitMs);
    QVERIFY2(ready->has_value(), qPrintable(*ready ? QString() : ready->error().message));
    QVERIFY(!server.version().isEmpty());
    const QSignalSpy ended(&server, &engines::codex::AppServer::ended);
    server.stop({});
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, kLimitMs);
}

void TestEngineWallSwitch::turnInAHiddenFolderFailsWithTheReason()
{
    engines::codex::CodexOptions options;
    options.agentsFolder = m_folders.workspace();
    engines::codex::CodexEngine engine(options, nullptr);
    // Any program will do: it is never started.
    engine.setProgram(u"/bin/true"_s);
    engines::codex::EngineEnclosure enclosure;
    const QString hidden = m_folders.outside();
    enclosure.hides = [hidden](const QString &path) {
        return path == hidden;
    };
    engine.setWall(enclosure);
    QList<engines::TurnEnded> ends;
    connect(&engine, &engines::Engine::event, this,
        [&ends](const engines::TurnRef &, const engines::TaskEvent &event) {
            if (const auto *ended = std::get_if<engines::TurnEnded>(&event)) {
                ends.append(*ended);
            }
        });
    engines::TurnSpec turn;
    turn.ref = { u"1"_s, u"1"_s };
    turn.cwd = hidden;
    turn.prompt = u"hello"_s;
    engine.startTurn(turn);
    QTRY_COMPARE_WITH_TIMEOUT(ends.size(), 1, kLimitMs);
    QCOMPARE(ends[0].outcome, engines::TurnOutcome::Failed);
    QCOMPARE(ends[0].errorCode, u"engine_wall"_s);
    QVERIFY2(ends[0].errorMessage.contains(hidden), qPrintable(ends[0].errorMessage));
}

QTEST_GUILESS_MAIN(TestEngineWallSwitch)
#include "tst_enginewallswitch.moc"
