// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/engines/fakebench.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>

using namespace fake;

Q_DECLARE_METATYPE(deskhand::engines::RouteFailure)

// Turns and processes against the stand-in.
class TestCodexFake final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void recordedTurns_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<TurnOutcome>("outcome");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *file, TurnOutcome outcome, const QString &text) {
            QTest::newRow(file) << QString::fromLatin1(file) << outcome << text;
        };
        row("02-turn-plain-text", TurnOutcome::Completed,
            u"Hello from the model. This answer is streamed in several deltas."_s);
        row("18-reasoning-and-phases", TurnOutcome::Completed, u"The final answer."_s);
        row("26-error-500-then-ok", TurnOutcome::Completed, {});
        row("28-error-400", TurnOutcome::Failed, {});
        row("32-error-response-failed-quota", TurnOutcome::Failed, {});
    }

    void recordedTurns()
    {
        QFETCH(const QString, file);
        QFETCH(const QString, text);
        auto bench = make(
            { { u"fixture"_s, QStringLiteral(DESKHAND_FIXTURES "/codex/") + file + u".jsonl"_s },
                { u"chunk"_s, 4096 } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), 20'000);
        QTEST(bench->ending(u"1"_s).outcome, "outcome");
        if (!text.isEmpty()) {
            QCOMPARE(bench->ending(u"1"_s).finalText, text);
        }
    }

    void exitDuringStart_namesTheProgramAndWhatItSaid()
    {
        auto bench = make({ { u"steps"_s,
            QJsonArray { expect(u"initialize"_s),
                QJsonObject { { u"stderr"_s,
                    u"Error: no such folder.\n\nStack backtrace:\n   0: <unknown>\n"_s } },
                QJsonObject { { u"exit"_s, 3 } } } } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).errorCode, u"engine_start"_s);
        const QString message = bench->ending(u"1"_s).errorMessage;
        const QString program = bench->engine->status().path;
        QVERIFY(!program.isEmpty());
        QVERIFY2(message.contains(program), qPrintable(message));
        QVERIFY2(message.contains(u"exit code 3. It said: Error: no such folder. "_s),
            qPrintable(message));
        QTRY_VERIFY(bench->engine->status().cause.contains(program));
    }

    void interruptRace_realIdRefused_emptyIdFollows()
    {
        auto bench = make({ { u"steps"_s,
            begun({ item(u"item/completed"_s, message(u"m"_s, u"running"_s)),
                expect(u"turn/interrupt"_s),
                QJsonObject { { u"send"_s,
                    QJsonObject { { u"id"_s, u"@turn/interrupt"_s },
                        { u"error"_s,
                            QJsonObject { { u"code"_s, -32600 },
                                { u"message"_s, u"no active turn to interrupt"_s } } } } } },
                expect(u"turn/interrupt"_s), reply(u"turn/interrupt"_s, {}),
                completed(u"interrupted"_s) }) } });
        const TurnSpec spec = bench->turn(u"1"_s, u"go"_s);
        bench->engine->startTurn(spec);
        QTRY_VERIFY_WITH_TIMEOUT(!bench->all<TextEnded>(u"1"_s).isEmpty(), kWait);
        bench->engine->interruptTurn(spec.ref, u"enough"_s);
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).outcome, TurnOutcome::Cancelled);
        const QList<QJsonObject> sent = received(*bench, u"turn/interrupt"_s);
        QCOMPARE(sent.size(), 2);
        QCOMPARE(sent.at(1).value("params"_L1).toObject().value("turnId"_L1).toString(), QString());
    }

    void interruptNeverConfirmed_endsWithinTheLimitAndRestarts()
    {
        auto bench = make({ { u"steps"_s, begun({}) },
            { u"never_answer"_s, QJsonArray { u"turn/interrupt"_s } } });
        const TurnSpec spec = bench->turn(u"1"_s, u"go"_s);
        bench->engine->startTurn(spec);
        QTRY_VERIFY_WITH_TIMEOUT(!bench->all<TurnStarted>(u"1"_s).isEmpty(), kWait);
        const qint64 pid = bench->engine->processIds().value(0);
        bench->engine->interruptTurn(spec.ref, u"enough"_s);
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).outcome, TurnOutcome::Cancelled);
        QCOMPARE(bench->ending(u"1"_s).errorMessage, u"enough"_s);
        QTRY_VERIFY_WITH_TIMEOUT(!bench->engine->processIds().contains(pid), kWait);
    }

    void promptNeverAnswered_watchEndsTheTurn_promptSentOnce()
    {
        codex::Timings timings = quick();
        timings.firstProgress = ms(200);
        timings.firstProgressGrace = ms(200);
        auto bench = make({ { u"never_answer"_s, QJsonArray { u"turn/start"_s } } }, timings);
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).errorCode, u"engine_silent"_s);
        QCOMPARE(received(*bench, u"turn/start"_s).size(), 1);
        QCOMPARE(received(*bench, u"turn/interrupt"_s).size() >= 1, true);
    }

    void longSilenceAfterACommand_lateCompletionIsAccepted()
    {
        codex::Timings timings = quick();
        timings.silence = ms(100);
        auto bench = make(
            { { u"steps"_s,
                begun({ item(u"item/started"_s, commandItem(u"inProgress"_s)),
                    QJsonObject { { u"expect"_s, u"server/diagnostics"_s } },
                    reply(u"server/diagnostics"_s, {}),
                    QJsonObject { { u"expect"_s, u"server/diagnostics"_s } },
                    reply(u"server/diagnostics"_s, {}),
                    item(u"item/completed"_s, commandItem(u"completed"_s, u"out"_s)),
                    item(u"item/completed"_s, message(u"m1"_s, u"late"_s)), completed() }) } },
            timings);
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).outcome, TurnOutcome::Completed);
        QCOMPARE(bench->ending(u"1"_s).finalText, u"late"_s);
        QCOMPARE(received(*bench, u"turn/start"_s).size(), 1);
        QVERIFY(bench->all<StatusNote>(u"1"_s).value(0).text.contains("ls"_L1));
    }

    void silentAndDead_countsAsExit()
    {
        codex::Timings timings = quick();
        timings.silence = ms(100);
        timings.interrupt = ms(200);
        auto bench = make(
            { { u"steps"_s, begun({ item(u"item/started"_s, commandItem(u"inProgress"_s)) }) },
                { u"never_answer"_s, QJsonArray { u"server/diagnostics"_s } } },
            timings);
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).errorCode, u"engine_exited"_s);
        QCOMPARE(bench->all<ItemEnded>(u"1"_s).value(0).item.status, ItemStatus::Cancelled);
    }

    void networkGone_retriesAreBounded_data()
    {
        QTest::addColumn<bool>("worked");
        QTest::newRow("before anything was done") << false;
        QTest::newRow("in the middle") << true;
    }

    void networkGone_retriesAreBounded()
    {
        QFETCH(const bool, worked);
        codex::Timings timings = quick();
        // The other limit is out of reach, so the one that counts is the right one.
        (worked ? timings.reconnecting : timings.reconnectingAtStart) = ms(200);
        (worked ? timings.reconnectingAtStart : timings.reconnecting) = std::chrono::hours(1);
        const QJsonObject before
            = worked ? item(u"item/completed"_s, message(u"m"_s, u"begun"_s)) : started();
        auto bench = make(
            { { u"steps"_s,
                begun({ before,
                    notify(u"error"_s,
                        { { u"willRetry"_s, true },
                            { u"error"_s,
                                QJsonObject {
                                    { u"message"_s, u"Reconnecting... waiting for network"_s },
                                    { u"additionalDetails"_s,
                                        u"connection refused by 127.0.0.1:9"_s } } } }),
                    expect(u"turn/interrupt"_s), reply(u"turn/interrupt"_s, {}),
                    completed(u"interrupted"_s) }) } },
            timings);
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).errorCode, u"model_unreachable"_s);
        QVERIFY(bench->ending(u"1"_s).errorMessage.contains("127.0.0.1:9"_L1));
        QCOMPARE(bench->all<RetryNotice>(u"1"_s).size(), 1);
    }

    void hopelessRetries_endAtOnce_data()
    {
        QTest::addColumn<QJsonObject>("info");
        QTest::addColumn<RouteFailure>("route");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("contains");
        const QJsonObject unauthorized { { u"httpConnectionFailed"_s,
            QJsonObject { { u"httpStatusCode"_s, 401 } } } };
        const QJsonObject unavailable { { u"httpConnectionFailed"_s,
            QJsonObject { { u"httpStatusCode"_s, 502 } } } };
        QTest::newRow("refused key")
            << unauthorized << RouteFailure {} << u"model_auth"_s << u"Check the key"_s;
        QTest::newRow("the proxy reaches nobody")
            << unavailable
            << RouteFailure { u"models.example:8443"_s, 502, u"upstream_unreachable"_s,
                   u"the host name cannot be resolved"_s }
            << u"model_unreachable"_s << u"models.example:8443"_s;
        QTest::newRow("the proxy saw a refusal")
            << unavailable
            << RouteFailure { u"models.example"_s, 403, u"server_error"_s, u"no such project"_s }
            << u"model_auth"_s << u"models.example, HTTP 403: no such project"_s;
    }

    void hopelessRetries_endAtOnce()
    {
        QFETCH(const QJsonObject, info);
        QFETCH(const RouteFailure, route);
        QFETCH(const QString, contains);
        codex::Timings timings = quick();
        timings.reconnectingAtStart = timings.reconnecting = std::chrono::hours(1);
        const QString routeUrl = u"http://127.0.0.1:4711/v1/codex-router/secret-part/responses"_s;
        QJsonObject answer { { u"thread"_s, QJsonObject { { u"id"_s, kThread } } },
            { u"modelProvider"_s, u"deskhand"_s } };
        QJsonArray steps { expect(u"thread/start"_s), reply(u"thread/start"_s, answer) };
        for (const QJsonValue &step :
            begun({ notify(u"error"_s,
                        { { u"willRetry"_s, true },
                            { u"error"_s,
                                QJsonObject { { u"message"_s, u"again"_s },
                                    { u"additionalDetails"_s, u"failed, url: "_s + routeUrl },
                                    { u"codexErrorInfo"_s, info } } } }),
                expect(u"turn/interrupt"_s), reply(u"turn/interrupt"_s, {}),
                completed(u"interrupted"_s) })) {
            steps.append(step);
        }
        auto bench = make({ { u"steps"_s, steps } }, timings);
        if (!route.provider.isEmpty()) {
            bench->routes.failure = route;
        }
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s, routeUrl));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        const TurnEnded end = bench->ending(u"1"_s);
        QCOMPARE(end.outcome, TurnOutcome::Failed);
        QTEST(end.errorCode, "code");
        QVERIFY2(end.errorMessage.contains(contains), qPrintable(end.errorMessage));
        QVERIFY2(!end.errorMessage.contains("secret-part"_L1), qPrintable(end.errorMessage));
        QVERIFY(!bench->all<RetryNotice>(u"1"_s).value(0).cause.contains("secret-part"_L1));
    }

    void refusedWebSocket_isNotTakenForARefusedKey()
    {
        const QJsonObject refused { { u"httpConnectionFailed"_s,
            QJsonObject { { u"httpStatusCode"_s, 403 } } } };
        auto bench = make({ { u"steps"_s,
            begun({ notify(u"error"_s,
                        { { u"willRetry"_s, true },
                            { u"error"_s,
                                QJsonObject { { u"message"_s, u"again"_s },
                                    { u"additionalDetails"_s,
                                        u"status 403, url: wss://models.example/v1"_s },
                                    { u"codexErrorInfo"_s, refused } } } }),
                item(u"item/completed"_s, message(u"m"_s, u"went on"_s)), completed() }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).finalText, u"went on"_s);
    }

    void notSignedIn_failsWithTheNextStepAndReadsTheSignInAnew()
    {
        auto bench = make({ { u"steps"_s,
            QJsonArray { expect(u"account/read"_s),
                reply(u"account/read"_s,
                    { { u"account"_s, QJsonValue::Null },
                        { u"requiresOpenaiAuth"_s, true } }) } } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        const TurnEnded end = bench->ending(u"1"_s);
        QCOMPARE(end.errorCode, u"model_not_signed_in"_s);
        QVERIFY2(end.errorMessage.contains("codex login"_L1), qPrintable(end.errorMessage));
        QVERIFY2(end.errorMessage.contains(bench->homeFolder()), qPrintable(end.errorMessage));
        QVERIFY(received(*bench, u"turn/start"_s).isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(bench->engine->processIds().isEmpty(), kWait);
        bench->engine->startTurn(bench->turn(u"2"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"2"_s), kWait);
        QCOMPARE(received(*bench, u"initialize"_s).size(), 2);
        QCOMPARE(bench->engine->status().state, EngineStatus::State::Idle);
    }

    void accountNeverTold_theTurnRunsAllTheSame()
    {
        codex::Timings timings = quick();
        timings.accountCheck = ms(100);
        auto bench = make(
            { { u"steps"_s,
                  begun({ item(u"item/completed"_s, message(u"m"_s, u"ran"_s)), completed() }) },
                { u"never_answer"_s, QJsonArray { u"account/read"_s } } },
            timings);
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).finalText, u"ran"_s);
    }

    void finalErrorWithoutEnd_endsByItself()
    {
        auto bench = make({ { u"steps"_s,
            begun({ notify(u"error"_s,
                        { { u"willRetry"_s, false },
                            { u"error"_s, QJsonObject { { u"message"_s, u"broken"_s } } } }),
                expect(u"never"_s) }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).errorCode, u"runtime_error"_s);
        QCOMPARE(bench->ending(u"1"_s).errorMessage, u"broken"_s);
    }

    void badLines_areSkipped_data()
    {
        QTest::addColumn<QJsonObject>("line");
        QTest::newRow("garbage") << QJsonObject { { u"raw"_s, u"thread 'main' panicked"_s } };
        QTest::newRow("an array") << QJsonObject { { u"raw"_s, u"[1,2]"_s } };
        QTest::newRow("five megabytes") << QJsonObject { { u"giant"_s, 5'000'000 } };
        QTest::newRow("an answer to nothing")
            << QJsonObject { { u"raw"_s, u"{\"id\":999,\"result\":{}}"_s } };
        QTest::newRow("an unknown notification")
            << notify(u"something/new"_s, { { u"x"_s, QJsonArray { 1 } } });
        QTest::newRow("an unknown item")
            << item(u"item/started"_s, { { u"type"_s, u"teleport"_s }, { u"id"_s, u"t"_s } });
        QTest::newRow("an item without anything") << item(u"item/completed"_s, {});
        QTest::newRow("wrong types") << notify(
            u"item/agentMessage/delta"_s, { { u"itemId"_s, 5 }, { u"delta"_s, QJsonArray() } });
    }

    void badLines_areSkipped()
    {
        QFETCH(const QJsonObject, line);
        auto bench = make({ { u"steps"_s,
                                begun({ line, item(u"item/completed"_s, message(u"m"_s, u"fine"_s)),
                                    completed() }) },
            { u"crlf"_s, true } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), 10'000);
        QCOMPARE(bench->ending(u"1"_s).outcome, TurnOutcome::Completed);
        QCOMPARE(bench->ending(u"1"_s).finalText, u"fine"_s);
    }

    void onlyGarbage_countsAsExit()
    {
        const QJsonObject bad { { u"raw"_s, u"panic"_s } };
        auto bench = make({ { u"steps"_s, begun({ bad, bad, bad, expect(u"never"_s) }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).errorCode, u"engine_exited"_s);
        QVERIFY(bench->ending(u"1"_s).errorMessage.contains("unreadable"_L1));
    }

    void everyLineTwice_changesNothing()
    {
        auto bench = make(
            { { u"fixture"_s, QStringLiteral(DESKHAND_FIXTURES "/codex/02-turn-plain-text.jsonl") },
                { u"twice"_s, true }, { u"drop"_s, QJsonArray { u"item/agentMessage/delta"_s } } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).outcome, TurnOutcome::Completed);
        QCOMPARE(bench->ending(u"1"_s).usage.totalTokens, 1234);
        bench->engine->requestStop(std::chrono::seconds(3));
        QTRY_COMPARE_WITH_TIMEOUT(bench->stops, 1, kWait); // all it said was read
        QCOMPARE(bench->all<TurnEnded>(u"1"_s).size(), 1);
    }

    void sandboxMissing_oneNoteAndNoPrompts()
    {
        const QString output = u"bwrap: No permissions to create new namespace"_s;
        QJsonObject failed = commandItem(u"failed"_s, output);
        failed.insert(u"exitCode"_s, 1);
        QJsonArray steps = begun({});
        for (int i = 0; i < 10; ++i) {
            steps.append(item(u"item/started"_s, commandItem(u"inProgress"_s)));
            steps.append(item(u"item/completed"_s, failed));
            steps.append(ask(i, u"item/commandExecution/requestApproval"_s,
                { { u"itemId"_s, u"c1"_s }, { u"command"_s, u"ls"_s } }));
            steps.append(QJsonObject { { u"expect_reply"_s, i } });
        }
        steps.append(completed());
        auto bench = make({ { u"steps"_s, steps } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QVERIFY(bench->requests.isEmpty());
        QCOMPARE(bench->all<StatusNote>(u"1"_s).size(), 1);
        QCOMPARE(bench->all<StatusNote>(u"1"_s).at(0).code, u"sandbox_unavailable"_s);
        QVERIFY(bench->engine->status().cause.contains("bwrap"_L1));
    }

    void missingItemEnd_isClosedAndALateOneStillArrives()
    {
        auto bench = make({ { u"steps"_s,
            begun({ item(u"item/started"_s, message(u"m"_s, {})),
                notify(u"item/agentMessage/delta"_s,
                    { { u"itemId"_s, u"m"_s }, { u"delta"_s, u"half"_s } }),
                item(u"item/started"_s, commandItem(u"inProgress"_s)), completed(),
                item(u"item/completed"_s, commandItem(u"failed"_s, u"out"_s)) }) } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(bench->all<ItemEnded>(u"1"_s).size(), 2, kWait);
        QCOMPARE(bench->all<TextAbandoned>(u"1"_s).size(), 1);
        QCOMPARE(bench->all<ItemEnded>(u"1"_s).at(0).item.status, ItemStatus::Cancelled);
        QCOMPARE(bench->all<ItemEnded>(u"1"_s).at(1).item.output, u"out"_s);
        QCOMPARE(bench->all<TurnEnded>(u"1"_s).size(), 1);
    }

    void wordsOfAnEarlierTurn_areNotTakenForOurs()
    {
        QJsonObject old = item(u"item/completed"_s, message(u"o"_s, u"old"_s));
        QJsonObject send = old.value("send"_L1).toObject();
        QJsonObject params = send.value("params"_L1).toObject();
        params.insert(u"turnId"_s, u"turn-0"_s);
        send.insert(u"params"_s, params);
        old.insert(u"send"_s, send);
        auto bench = make({ { u"steps"_s,
            QJsonArray { expect(u"turn/start"_s), old,
                item(u"item/completed"_s, message(u"n"_s, u"new"_s)),
                reply(u"turn/start"_s, { { u"turn"_s, turnFrame(u"inProgress"_s) } }), started(),
                old, completed() } } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->all<TurnStarted>(u"1"_s).value(0).engineTurnId, u"turn-1"_s);
        QCOMPARE(bench->all<TextEnded>(u"1"_s).size(), 1);
        QCOMPARE(bench->ending(u"1"_s).finalText, u"new"_s);
    }

    void exitAtStart_namesTheReason_fiveTimesFails()
    {
        auto bench = make({ { u"steps"_s,
            QJsonArray { QJsonObject { { u"stderr"_s, u"cannot read the home"_s } },
                QJsonObject { { u"exit"_s, 1 } } } } });
        for (int i = 1; i <= 5; ++i) {
            const QString id = QString::number(i);
            bench->engine->startTurn(bench->turn(id, u"go"_s));
            QTRY_VERIFY_WITH_TIMEOUT(bench->over(id), kWait);
            QVERIFY2(bench->ending(id).errorMessage.contains("cannot read the home"_L1),
                qPrintable(bench->ending(id).errorMessage));
            QCOMPARE(bench->all<TurnEnded>(id).size(), 1);
        }
        QCOMPARE(bench->engine->status().state, EngineStatus::State::Failed);
        bench->engine->startTurn(bench->turn(u"6"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"6"_s), kWait);
        QVERIFY(bench->ending(u"6"_s).errorMessage.contains("5 times"_L1));
        // Once its pause is over it is tried again.
        int number = 6;
        const auto triedAgain = [&] {
            const QString id = QString::number(++number);
            bench->engine->startTurn(bench->turn(id, u"go"_s));
            return QTest::qWaitFor([&] { return bench->over(id); }, kWait)
                && bench->ending(id).errorMessage.contains("while it was started"_L1)
                && !bench->ending(id).errorMessage.contains("5 times"_L1);
        };
        QTRY_VERIFY_WITH_TIMEOUT(triedAgain(), kWait);
    }

    void handshakeNeverAnswered_isBounded()
    {
        codex::Timings timings = quick();
        timings.initialize = ms(200);
        auto bench = make({ { u"never_answer"_s, QJsonArray { u"initialize"_s } } }, timings);
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QVERIFY(bench->ending(u"1"_s).errorMessage.contains("handshake"_L1));
        QTRY_VERIFY_WITH_TIMEOUT(bench->engine->processIds().isEmpty(), kWait);
    }

    void threadVanished_isResumedAndThePromptSentOnceMore()
    {
        auto bench = make(
            { { u"refuse"_s, QJsonObject { { u"turn/start"_s, u"thread not found: x"_s } } } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QCOMPARE(bench->ending(u"1"_s).errorCode, u"engine_refused"_s);
        QCOMPARE(received(*bench, u"turn/start"_s).size(), 2);
        QCOMPARE(received(*bench, u"thread/resume"_s).size(), 1);
    }

    void stop_ignoresEofAndTerm_isKilled()
    {
        auto bench = make(
            { { u"steps"_s, begun({}) }, { u"ignore_eof"_s, true }, { u"ignore_term"_s, true } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!bench->all<TurnStarted>(u"1"_s).isEmpty(), kWait);
        const auto pid = static_cast<pid_t>(bench->engine->processIds().value(0));
        bench->engine->requestStop(std::chrono::seconds(3));
        QTRY_COMPARE_WITH_TIMEOUT(bench->stops, 1, kWait);
        QCOMPARE(::kill(pid, 0), -1);
        QVERIFY(bench->over(u"1"_s));
    }

    void environment_carriesNothingOfOurs()
    {
        auto bench = make({ { u"steps"_s, QJsonArray() } });
        for (const QString &name :
            { u"WEGENT_AUTH_TOKEN"_s, u"DEVICE_ID"_s, u"OPENAI_API_KEY"_s, u"MY_SECRET"_s }) {
            bench->options.environment.insert(name, u"leak"_s);
        }
        bench->options.environment.insert(u"https_proxy"_s, u"http://proxy:3128"_s);
        bench->restartEngine();
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!bench->all<TurnStarted>(u"1"_s).isEmpty(), kWait);
        QFile file(u"/proc/%1/environ"_s.arg(bench->engine->processIds().value(0)));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArrayList variables = file.readAll().split('\0');
        QVERIFY(!variables.join('\n').contains("leak"));
        QVERIFY(variables.contains("https_proxy=http://proxy:3128"));
        QVERIFY(variables.contains("CODEX_HOME=" + bench->homeFolder().toUtf8() + "/codex"));
        QVERIFY(variables.contains("TMPDIR=" + bench->homeFolder().toUtf8() + "/tmp"));
    }

    void wallChanged_idleProcessIsReplacedBeforeItsNextTurn()
    {
        auto bench = make({ { u"fixture"_s,
            QStringLiteral(DESKHAND_FIXTURES "/codex/02-turn-plain-text.jsonl") } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        const QList<qint64> before = bench->engine->processIds();
        QCOMPARE(before.size(), 1);
        int wrapped = 0;
        codex::EngineEnclosure wall;
        wall.wrap = [&wrapped](process::ChildSpec &) {
            ++wrapped;
            return Result<>();
        };
        wall.hides = [](const QString &) {
            return false;
        };
        bench->engine->setWall(wall);
        bench->engine->startTurn(bench->turn(u"2"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!bench->all<TurnStarted>(u"2"_s).isEmpty(), kWait);
        QVERIFY(wrapped > 0);
        QVERIFY(!bench->engine->processIds().contains(before.first()));
    }

    void secondEngineOnTheSameHome_isRefused()
    {
        auto bench = make({ { u"steps"_s, QJsonArray() } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!bench->all<TurnStarted>(u"1"_s).isEmpty(), kWait);
        codex::CodexEngine other(bench->options, nullptr);
        QSignalSpy spy(&other, &Engine::event);
        other.startTurn(bench->turn(u"2"_s, u"go"_s));
        QTRY_COMPARE_WITH_TIMEOUT(spy.size(), 1, kWait);
        const auto event = spy.at(0).at(1).value<TaskEvent>();
        const TurnEnded end = std::get<TurnEnded>(event);
        QCOMPARE(end.errorCode, u"engine_home"_s);
        QVERIFY2(end.errorMessage.contains("in use"_L1), qPrintable(end.errorMessage));
    }

    void wrongSpecs_failWithTheReason_data()
    {
        QTest::addColumn<QString>("cwd");
        QTest::addColumn<QString>("agent");
        QTest::addColumn<QString>("code");
        QTest::newRow("folder is missing")
            << u"/nowhere/at/all"_s << u"default"_s << u"working_directory"_s;
        QTest::newRow("folder is relative") << u"src"_s << u"default"_s << u"working_directory"_s;
        QTest::newRow("name climbs out") << u"/"_s << u"../../evil"_s << u"engine_home"_s;
        QTest::newRow("name is empty") << u"/"_s << QString() << u"engine_home"_s;
    }

    void wrongSpecs_failWithTheReason()
    {
        QFETCH(const QString, cwd);
        QFETCH(const QString, agent);
        auto bench = make({});
        TurnSpec spec = bench->turn(u"1"_s, u"go"_s);
        spec.cwd = cwd;
        spec.agentName = agent;
        bench->engine->startTurn(spec);
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), kWait);
        QTEST(bench->ending(u"1"_s).errorCode, "code");
    }

    void manyDeltas_stayInOrder()
    {
        QJsonArray steps = begun({ item(u"item/started"_s, message(u"m"_s, {})) });
        QString expected;
        for (int i = 0; i < 20'000; ++i) {
            const QString piece = u"%1,"_s.arg(i);
            expected += piece;
            steps.append(notify(
                u"item/agentMessage/delta"_s, { { u"itemId"_s, u"m"_s }, { u"delta"_s, piece } }));
        }
        steps.append(item(u"item/completed"_s, message(u"m"_s, expected)));
        steps.append(completed());
        auto bench = make({ { u"steps"_s, steps } });
        bench->engine->startTurn(bench->turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench->over(u"1"_s), 30'000);
        QCOMPARE(bench->streamed(u"1"_s), expected);
    }
};

QTEST_GUILESS_MAIN(TestCodexFake)
#include "tst_codexfake.moc"
