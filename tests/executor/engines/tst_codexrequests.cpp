// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/engines/fakebench.h"

#include <QTest>

using namespace fake;

// What the engine asks the owner, against the stand-in.
class TestCodexRequests final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idsOfBothDirectionsCollide_bothAreSettled()
    {
        // our turn/start has the same id as its question
        auto bench = make({ { u"steps"_s,
            QJsonArray { expect(u"turn/start"_s),
                ask(5, u"item/commandExecution/requestApproval"_s,
                    { { u"itemId"_s, u"c1"_s }, { u"command"_s, u"ls"_s } }),
                ask(u"text-id"_s, u"item/commandExecution/requestApproval"_s,
                    { { u"itemId"_s, u"c2"_s }, { u"command"_s, u"id"_s } }),
                reply(u"turn/start"_s, { { u"turn"_s, turnFrame(u"inProgress"_s) } }), started(),
                QJsonObject { { u"expect_reply"_s, 5 } },
                QJsonObject { { u"expect_reply"_s, u"text-id"_s } }, completed() } } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(bench->requests.size(), 2, kWait);
        QVERIFY(bench->requests.at(0).id != bench->requests.at(1).id);
        Decision allow;
        allow.choice = Choice::AllowOnce;
        bench->engine->decide(bench->requests.at(0).id, allow);
        bench->engine->decide(bench->requests.at(1).id, {});
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).outcome, TurnOutcome::Completed);
        const QList<QJsonObject> sent = answers(*bench);
        QCOMPARE(sent.size(), 2);
        QCOMPARE(sent.at(0).value("id"_L1).toInt(), 5);
        QCOMPARE(
            sent.at(0).value("result"_L1).toObject().value("decision"_L1).toString(), u"accept"_s);
        QCOMPARE(sent.at(1).value("id"_L1).toString(), u"text-id"_s);
        QCOMPARE(
            sent.at(1).value("result"_L1).toObject().value("decision"_L1).toString(), u"decline"_s);
        // confirmed although the engine never says "resolved"
        QTRY_COMPARE_WITH_TIMEOUT(bench->delivered.size(), 2, kWait);
        QCOMPARE(bench->delivered.at(0).second, QString());
    }

    void sameDecisionTwice_secondIsRefused()
    {
        auto bench = make({ { u"steps"_s,
            begun(
                { ask(0, u"item/commandExecution/requestApproval"_s, { { u"itemId"_s, u"c1"_s } }),
                    QJsonObject { { u"expect_reply"_s, 0 } },
                    notify(u"serverRequest/resolved"_s, { { u"requestId"_s, 0 } }),
                    expect(u"never"_s) }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(bench->requests.size(), 1, kWait);
        bench->engine->decide(bench->requests.at(0).id, {});
        bench->engine->decide(bench->requests.at(0).id, {});
        QTRY_COMPARE_WITH_TIMEOUT(bench->delivered.size(), 2, kWait);
        QVERIFY(bench->delivered.at(0).second.contains("already answered"_L1));
        QCOMPARE(bench->delivered.at(1).second, QString());
        QCOMPARE(answers(*bench).size(), 1);
    }

    void answerThatTheEngineNeverConfirms_isToldSo()
    {
        auto bench = make({ { u"steps"_s,
            begun(
                { ask(0, u"item/commandExecution/requestApproval"_s, { { u"itemId"_s, u"c1"_s } }),
                    QJsonObject { { u"expect_reply"_s, 0 } }, expect(u"never"_s) }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(bench->requests.size(), 1, kWait);
        bench->engine->decide(bench->requests.at(0).id, {});
        QTRY_COMPARE_WITH_TIMEOUT(bench->delivered.size(), 1, kWait);
        QVERIFY(bench->delivered.at(0).second.contains("not confirmed"_L1));
        bench->engine->decide(bench->requests.at(0).id, {});
        QTRY_COMPARE_WITH_TIMEOUT(bench->delivered.size(), 2, kWait);
        QVERIFY(bench->delivered.at(1).second.contains("is closed"_L1));
    }

    void exitWithOpenRequest_decisionIsRefusedAndRequestWithdrawn()
    {
        auto bench = make({ { u"steps"_s,
            begun(
                { ask(0, u"item/commandExecution/requestApproval"_s, { { u"itemId"_s, u"c1"_s } }),
                    QJsonObject { { u"pause_ms"_s, 50 } }, QJsonObject { { u"exit"_s, 3 } } }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).errorCode, u"engine_exited"_s);
        QVERIFY(bench->ending(u"1"_s).errorMessage.contains("exit code 3"_L1));
        QCOMPARE(bench->withdrawn.size(), 1);
        bench->engine->decide(bench->requests.at(0).id, {});
        QVERIFY(bench->delivered.value(0).second.contains("exited"_L1));
    }

    void waitingForTheOwner_suspendsTheWatches()
    {
        codex::Timings timings = quick();
        timings.firstProgress = ms(150);
        timings.silence = ms(150);
        auto bench
            = make({ { u"steps"_s,
                       begun({ ask(0, u"item/commandExecution/requestApproval"_s,
                                   { { u"itemId"_s, u"c1"_s } }),
                           QJsonObject { { u"expect_reply"_s, 0 } },
                           item(u"item/completed"_s, message(u"m"_s, u"ok"_s)), completed() }) } },
                timings);
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(bench->requests.size(), 1, kWait);
        // A turn that waits for nobody meets both watches meanwhile.
        auto other = make({ { u"steps"_s, begun({}) } }, timings);
        other->engine->startTurn(other->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(other->over(u"1"_s), kWait);
        QCOMPARE(other->ending(u"1"_s).errorCode, u"engine_silent"_s);
        QVERIFY(!bench->over(u"1"_s));
        QVERIFY(received(*bench, u"turn/interrupt"_s).isEmpty());
        QVERIFY(received(*bench, u"server/diagnostics"_s).isEmpty());
        bench->engine->decide(bench->requests.at(0).id, {});
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).outcome, TurnOutcome::Completed);
    }

    void unknownRequest_isRefusedAtOnce()
    {
        auto bench = make({ { u"steps"_s,
            begun({ ask(7, u"item/somethingNew/request"_s, {}),
                QJsonObject { { u"expect_reply"_s, 7 } }, completed() }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        const QJsonObject answer = answers(*bench).value(0);
        QCOMPARE(answer.value("error"_L1).toObject().value("code"_L1).toInt(), -32601);
        QVERIFY(bench->requests.isEmpty());
        QCOMPARE(bench->all<StatusNote>(u"1"_s).value(0).code, u"request_unsupported"_s);
    }

    void permissionProfile_isPutInWordsAndNeverWidened_data()
    {
        QTest::addColumn<Choice>("choice");
        QTest::newRow("deny") << Choice::Deny;
        QTest::newRow("once") << Choice::AllowOnce;
        QTest::newRow("task") << Choice::AllowForTask;
    }

    void permissionProfile_isPutInWordsAndNeverWidened()
    {
        QFETCH(const Choice, choice);
        const QJsonObject fileSystem { { u"write"_s, QJsonArray { u"../shared"_s } },
            { u"somethingNew"_s, true } };
        const QJsonObject profile { { u"network"_s, QJsonObject { { u"enabled"_s, true } } },
            { u"fileSystem"_s, fileSystem }, { u"devices"_s, u"all"_s } };
        auto bench = make({ { u"steps"_s,
            begun({ ask(1, u"item/permissions/requestApproval"_s,
                        { { u"itemId"_s, u"p"_s }, { u"permissions"_s, profile },
                            { u"reason"_s, QJsonValue() } }),
                QJsonObject { { u"expect_reply"_s, 1 } }, completed() }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(bench->requests.size(), 1, kWait);
        const QStringList words { u"Use the network"_s, u"Write to ../shared"_s };
        QCOMPARE(bench->requests.at(0).grants, words);
        Decision decision;
        decision.choice = choice;
        bench->engine->decide(bench->requests.at(0).id, decision);
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        const QJsonObject result = answers(*bench).value(0).value("result"_L1).toObject();
        const QJsonObject shown { { u"network"_s, QJsonObject { { u"enabled"_s, true } } },
            { u"fileSystem"_s, QJsonObject { { u"write"_s, QJsonArray { u"../shared"_s } } } } };
        QCOMPARE(result.value("permissions"_L1).toObject(),
            choice == Choice::Deny ? QJsonObject() : shown);
        // Never for the session: the engine asks again and the broker answers for the owner.
        QCOMPARE(result.value("scope"_L1).toString(), u"turn"_s);
    }

    void networkRequest_namesTheHost()
    {
        auto bench = make({ { u"steps"_s,
            begun({ ask(1, u"item/commandExecution/requestApproval"_s,
                        { { u"itemId"_s, u"c"_s },
                            { u"command"_s, u"curl https://api.example.com"_s },
                            { u"networkApprovalContext"_s,
                                QJsonObject { { u"host"_s, u"api.example.com"_s },
                                    { u"protocol"_s, u"https"_s } } } }),
                QJsonObject { { u"expect_reply"_s, 1 } }, completed() }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(bench->requests.size(), 1, kWait);
        QCOMPARE(bench->requests.at(0).kind, RequestKind::Network);
        QCOMPARE(bench->requests.at(0).host, u"api.example.com"_s);
        bench->engine->decide(bench->requests.at(0).id, {});
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
    }

    void fileRequestBeforeItsItem_waitsForTheDiff()
    {
        const QJsonObject change { { u"path"_s, u"/w/a.txt"_s },
            { u"kind"_s, QJsonObject { { u"type"_s, u"add"_s } } }, { u"diff"_s, u"text\n"_s } };
        auto bench = make({ { u"steps"_s,
            begun({ ask(1, u"item/fileChange/requestApproval"_s, { { u"itemId"_s, u"p"_s } }),
                item(u"item/started"_s,
                    { { u"type"_s, u"fileChange"_s }, { u"id"_s, u"p"_s },
                        { u"changes"_s, QJsonArray { change } },
                        { u"status"_s, u"inProgress"_s } }),
                ask(2, u"item/fileChange/requestApproval"_s, { { u"itemId"_s, u"missing"_s } }),
                QJsonObject { { u"expect_reply"_s, 1 } }, QJsonObject { { u"expect_reply"_s, 2 } },
                completed() }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(bench->requests.size(), 2, kWait);
        QCOMPARE(bench->requests.at(0).files.value(0).path, u"/w/a.txt"_s);
        QVERIFY(bench->requests.at(1).files.isEmpty());
        bench->engine->decide(bench->requests.at(0).id, {});
        bench->engine->decide(bench->requests.at(1).id, {});
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
    }

    void withdrawnByTheEngine_isTold()
    {
        auto bench = make({ { u"steps"_s,
            begun({ ask(5, u"item/commandExecution/requestApproval"_s, { { u"itemId"_s, u"c"_s } }),
                notify(u"serverRequest/resolved"_s, { { u"requestId"_s, 5 } }),
                expect(u"never"_s) }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(bench->withdrawn.size(), 1, kWait);
        QCOMPARE(bench->withdrawn.at(0).first, bench->requests.value(0).id);
    }

    void moreAccessThanAsked_isRefusedBeforeThePrompt()
    {
        auto bench = make({ { u"steps"_s,
            QJsonArray { expect(u"thread/start"_s),
                reply(u"thread/start"_s,
                    { { u"thread"_s, QJsonObject { { u"id"_s, kThread } } },
                        { u"modelProvider"_s, u"fake"_s },
                        { u"sandbox"_s,
                            QJsonObject { { u"type"_s, u"dangerFullAccess"_s } } } }) } } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).errorCode, u"engine_protocol"_s);
        QVERIFY(received(*bench, u"turn/start"_s).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestCodexRequests)
#include "tst_codexrequests.moc"
