// SPDX-License-Identifier: Apache-2.0
#include "tests/support/codex/enginebench.h"
#include "tests/support/codex/modelserver.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTest>

#include <csignal>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;
using testing::EngineBench;
using testing::ModelServer;

// The engine with the real codex program and a scripted model.
class TestCodexReal final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_codex = EngineBench::realCodex();
        if (m_codex.isEmpty()) {
            QSKIP("the codex program is not installed below DESKHAND_PEERS");
        }
    }

    void plainAnswer_streamsAndCompletes()
    {
        ModelServer model;
        QVERIFY(model.start({ { u"steps"_s,
            QJsonArray { QJsonObject { { u"text"_s, u"Hello from the model."_s } } } } }));
        EngineBench bench(m_codex);
        bench.routes.bearer = u"route-secret-1"_s;
        bench.engine->startTurn(bench.turn(u"1"_s, u"say hello"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), 30'000);
        const TurnEnded end = bench.ending(u"1"_s);
        QCOMPARE(end.errorMessage, QString());
        QCOMPARE(end.outcome, TurnOutcome::Completed);
        QCOMPARE(end.finalText, u"Hello from the model."_s);
        QCOMPARE(bench.streamed(u"1"_s), u"Hello from the model."_s);
        QCOMPARE(end.usage.inputTokens, 1200);
        QCOMPARE(end.usage.totalTokens, 1234);
        QVERIFY(std::holds_alternative<TurnStarted>(bench.events.value(u"1"_s).constFirst()));
        QVERIFY(std::holds_alternative<TurnEnded>(bench.events.value(u"1"_s).constLast()));
        QCOMPARE(bench.routes.threads.value(u"task-1"_s), bench.threadOf(u"1"_s));
        const QJsonObject request = model.requests().constFirst();
        QCOMPARE(request.value("authorization"_L1).toString(), u"Bearer route-secret-1"_s);
    }

private:
    QString m_codex;
};

QTEST_GUILESS_MAIN(TestCodexReal)
#include "tst_codexreal.moc"
