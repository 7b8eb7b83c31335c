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

namespace {

QJsonObject said(const QString &text)
{
    return { { u"text"_s, text } };
}

QJsonObject calls(const QJsonArray &list)
{
    return { { u"calls"_s, list } };
}

QJsonObject command(const QString &line)
{
    return { { u"name"_s, u"exec_command"_s },
        { u"arguments"_s, QJsonObject { { u"cmd"_s, line } } } };
}

QJsonObject escalated(const QString &line)
{
    return { { u"name"_s, u"exec_command"_s },
        { u"arguments"_s,
            QJsonObject { { u"cmd"_s, line }, { u"sandbox_permissions"_s, u"require_escalated"_s },
                { u"justification"_s, u"needed for the test"_s } } } };
}

QJsonObject patch()
{
    return { { u"custom"_s, u"apply_patch"_s },
        { u"input"_s,
            u"*** Begin Patch\n*** Add File: new.txt\n+line one\n+line two\n*** End Patch"_s } };
}

Decision decided(Choice choice)
{
    Decision decision;
    decision.choice = choice;
    decision.by = u"owner"_s;
    return decision;
}

QJsonObject script(std::initializer_list<QJsonValue> steps)
{
    return { { u"steps"_s, QJsonArray(steps) } };
}

QString inputOf(const QJsonObject &request)
{
    return QString::fromUtf8(
        QJsonDocument(request.value("body"_L1).toObject().value("input"_L1).toArray()).toJson());
}

} // namespace

// The engine with the real codex program and a scripted model.
class TestCodexReal final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_codex = EngineBench::realCodex();
        if (m_codex.isEmpty()) {
            QFAIL("the codex program is not installed below DESKHAND_PEERS");
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

    void followUpTurn_sameProcessAndAfterRestart_keepsTheConversation()
    {
        ModelServer model;
        QVERIFY(model.start(script({ said(u"one"_s), said(u"two"_s), said(u"three"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"first prompt"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        const QString thread = bench.threadOf(u"1"_s);
        TurnSpec second = bench.turn(u"2"_s, u"second prompt"_s, model.baseUrl());
        second.threadId = thread;
        bench.engine->startTurn(second);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"2"_s), kLong);
        QCOMPARE(bench.ending(u"2"_s).finalText, u"two"_s);
        QCOMPARE(bench.threadOf(u"2"_s), thread);
        bench.restartEngine();
        TurnSpec third = bench.turn(u"3"_s, u"third prompt"_s, model.baseUrl());
        third.threadId = thread;
        bench.engine->startTurn(third);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"3"_s), kLong);
        QCOMPARE(bench.ending(u"3"_s).finalText, u"three"_s);
        QCOMPARE(bench.threadOf(u"3"_s), thread);
        QCOMPARE(bench.ending(u"3"_s).usage.totalTokens, 1234);
        const QString last = inputOf(model.requests().constLast());
        QVERIFY(last.contains("first prompt"_L1) && last.contains("second prompt"_L1));
    }

    void unknownThread_beginsANewOneAndSaysSo()
    {
        ModelServer model;
        QVERIFY(model.start(script({ said(u"fresh"_s) })));
        EngineBench bench(m_codex);
        TurnSpec spec = bench.turn(u"1"_s, u"go"_s, model.baseUrl());
        spec.threadId = u"01a22c99-d1b5-7f60-97e1-a7eb0bc8e158"_s;
        bench.engine->startTurn(spec);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QCOMPARE(bench.ending(u"1"_s).finalText, u"fresh"_s);
        QCOMPARE(bench.all<StatusNote>(u"1"_s).value(0).code, u"history_lost"_s);
        QVERIFY(std::holds_alternative<TurnStarted>(bench.events.value(u"1"_s).constFirst()));
    }

    void commandApproval_data()
    {
        QTest::addColumn<Choice>("choice");
        QTest::addColumn<ItemStatus>("status");
        QTest::addColumn<TurnOutcome>("outcome");
        QTest::addColumn<int>("asked");
        QTest::newRow("allowed once")
            << Choice::AllowOnce << ItemStatus::Completed << TurnOutcome::Completed << 2;
        QTest::newRow("allowed for the task")
            << Choice::AllowForTask << ItemStatus::Completed << TurnOutcome::Completed << 2;
        QTest::newRow("denied") << Choice::Deny << ItemStatus::Declined << TurnOutcome::Completed
                                << 2;
        QTest::newRow("denied and stopped")
            << Choice::DenyAndStop << ItemStatus::Declined << TurnOutcome::Cancelled << 1;
    }

    void commandApproval()
    {
        QFETCH(const Choice, choice);
        const QJsonObject call = escalated(u"echo allowed-output"_s);
        ModelServer model;
        QVERIFY(model.start(script({ calls({ call }), calls({ call }), said(u"done"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, model.baseUrl()));
        int answered = 0;
        while (!bench.over(u"1"_s)) {
            QTRY_VERIFY_WITH_TIMEOUT(bench.requests.size() > answered || bench.over(u"1"_s), kLong);
            if (bench.requests.size() > answered) {
                bench.engine->decide(bench.requests.at(answered++).id, decided(choice));
                QTRY_COMPARE_WITH_TIMEOUT(bench.delivered.size(), answered, kLong);
            }
        }
        QTEST(answered, "asked");
        QTEST(bench.ending(u"1"_s).outcome, "outcome");
        const PermissionRequest request = bench.requests.constFirst();
        QCOMPARE(request.kind, RequestKind::Command);
        QVERIFY(request.command.contains("echo allowed-output"_L1));
        QCOMPARE(request.reason, u"needed for the test"_s);
        QCOMPARE(request.taskId, u"task-1"_s);
        QCOMPARE(request.cwd, bench.workFolder());
        const QList<ItemEnded> ended = bench.all<ItemEnded>(u"1"_s);
        QTEST(ended.value(0).item.status, "status");
        QCOMPARE(ended.value(0).item.output.contains("allowed-output"_L1),
            choice == Choice::AllowOnce || choice == Choice::AllowForTask);
        for (const auto &[id, error] : std::as_const(bench.delivered)) {
            QCOMPARE(error, QString());
        }
        bench.engine->decide(request.id, decided(choice));
        QVERIFY(bench.delivered.constLast().second.contains("closed"_L1));
        bench.engine->decide(u"req-nothing"_s, decided(choice));
        QVERIFY(bench.delivered.constLast().second.contains("no request"_L1));
    }

    void denialWithAReason_tellsTheModelWhy()
    {
        ModelServer model;
        QVERIFY(model.start(script({ calls({ escalated(u"echo never"_s) }), said(u"understood"_s),
            said(u"understood"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, model.baseUrl()));
        QTRY_COMPARE_WITH_TIMEOUT(bench.requests.size(), 1, kLong);
        Decision decision = decided(Choice::Deny);
        decision.note = u"use the 沙箱 copy"_s;
        bench.engine->decide(bench.requests.constFirst().id, decision);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QCOMPARE(bench.ending(u"1"_s).outcome, TurnOutcome::Completed);
        const QByteArray last = QJsonDocument(model.requests().constLast()).toJson();
        QVERIFY(last.contains("The owner denied the request and says: use the 沙箱 copy"));
    }

    void fileApproval_data()
    {
        QTest::addColumn<Choice>("choice");
        QTest::addColumn<bool>("written");
        QTest::addColumn<TurnOutcome>("outcome");
        QTest::newRow("allowed once") << Choice::AllowOnce << true << TurnOutcome::Completed;
        QTest::newRow("allowed for the task")
            << Choice::AllowForTask << true << TurnOutcome::Completed;
        QTest::newRow("denied") << Choice::Deny << false << TurnOutcome::Completed;
        QTest::newRow("denied and stopped")
            << Choice::DenyAndStop << false << TurnOutcome::Cancelled;
    }

    void fileApproval()
    {
        QFETCH(const Choice, choice);
        QFETCH(const bool, written);
        ModelServer model;
        QVERIFY(model.start(script({ calls({ patch() }), said(u"done"_s) })));
        EngineBench bench(m_codex);
        TurnSpec spec = bench.turn(u"1"_s, u"go"_s, model.baseUrl());
        spec.profile = PermissionProfile::ReadOnly;
        bench.engine->startTurn(spec);
        QTRY_COMPARE_WITH_TIMEOUT(bench.requests.size(), 1, kLong);
        const PermissionRequest request = bench.requests.constFirst();
        QCOMPARE(request.kind, RequestKind::FileChange);
        QCOMPARE(request.files.size(), 1);
        QCOMPARE(request.files.constFirst().path, bench.workFolder() + u"/new.txt"_s);
        QCOMPARE(request.files.constFirst().action, u"add"_s);
        QVERIFY(request.files.constFirst().diff.contains("line one"_L1));
        bench.engine->decide(request.id, decided(choice));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QTEST(bench.ending(u"1"_s).outcome, "outcome");
        QCOMPARE(QFile::exists(bench.workFolder() + u"/new.txt"_s), written);
        const ItemStatus expected = written ? ItemStatus::Completed
            : choice == Choice::Deny        ? ItemStatus::Declined
                                            : ItemStatus::Cancelled;
        QCOMPARE(bench.all<ItemEnded>(u"1"_s).value(0).item.status, expected);
    }

    void workspaceChange_isSilentAndStreamed()
    {
        ModelServer model;
        QVERIFY(model.start(script({ calls({ patch() }), said(u"done"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QVERIFY(bench.requests.isEmpty());
        QVERIFY(QFile::exists(bench.workFolder() + u"/new.txt"_s));
        QCOMPARE(bench.all<ItemStarted>(u"1"_s).size(), 1);
        const Item item = bench.all<ItemEnded>(u"1"_s).value(0).item;
        QCOMPARE(item.kind, ItemKind::FileChange);
        QCOMPARE(item.status, ItemStatus::Completed);
        QCOMPARE(item.changes.value(0).path, bench.workFolder() + u"/new.txt"_s);
        QCOMPARE(bench.ending(u"1"_s).usage.totalTokens, 2 * 1234);
        QVERIFY(!QFile::exists(bench.homeFolder() + u"/codex/config.toml"_s));
    }

    void question_isAskedAndAnswered()
    {
        const QJsonObject call { { u"name"_s, u"request_user_input"_s },
            { u"arguments"_s,
                QJsonObject { { u"questions"_s,
                    QJsonArray { QJsonObject { { u"id"_s, u"db"_s }, { u"header"_s, u"Database"_s },
                        { u"question"_s, u"Which one?"_s },
                        { u"options"_s,
                            QJsonArray { QJsonObject { { u"label"_s, u"SQLite"_s },
                                             { u"description"_s, u"no server"_s } },
                                QJsonObject { { u"label"_s, u"Postgres"_s },
                                    { u"description"_s, u"a server"_s } } } } } } } } } };
        ModelServer model;
        QVERIFY(model.start(script({ calls({ call }), said(u"done"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, model.baseUrl()));
        QTRY_COMPARE_WITH_TIMEOUT(bench.requests.size(), 1, kLong);
        const PermissionRequest request = bench.requests.constFirst();
        QCOMPARE(request.kind, RequestKind::Question);
        QCOMPARE(request.questions.value(0).options.value(1).label, u"Postgres"_s);
        Decision decision;
        decision.choice = Choice::AllowOnce;
        decision.answers.insert(u"db"_s, { u"Postgres"_s });
        bench.engine->decide(request.id, decision);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QVERIFY(inputOf(model.requests().constLast()).contains("Postgres"_L1));
    }

    void interrupt_inEveryState_data()
    {
        QTest::addColumn<int>("moment");
        QTest::newRow("before anything was started") << 0;
        QTest::newRow("while the process starts") << 1;
        QTest::newRow("as soon as the turn is accepted") << 2;
        QTest::newRow("in the middle of the text") << 3;
        QTest::newRow("while a command runs") << 4;
        QTest::newRow("while a request is open") << 5;
    }

    void interrupt_inEveryState()
    {
        QFETCH(const int, moment);
        ModelServer model;
        QJsonObject slow { { u"text"_s, u"a long text that streams"_s },
            { u"wait_for"_s, u"never"_s }, { u"wait_after_chunks"_s, 1 } };
        if (moment == 4) {
            slow = calls({ command(u"echo begun; sleep 600"_s) });
        } else if (moment == 5) {
            slow = calls({ escalated(u"echo hi"_s) });
        }
        QVERIFY(model.start({ { u"steps"_s, QJsonArray { slow } },
            { u"routes"_s,
                QJsonArray { QJsonObject { { u"contains"_s, u"go on with it"_s },
                    { u"steps"_s, QJsonArray { said(u"after"_s) } } } } } }));
        EngineBench bench(m_codex);
        const TurnSpec spec = bench.turn(u"1"_s, u"go"_s, model.baseUrl());
        bench.engine->startTurn(spec);
        const auto has = [&bench](auto kind) {
            return !bench.all<decltype(kind)>(u"1"_s).isEmpty();
        };
        switch (moment) {
        case 1:
            QTRY_VERIFY_WITH_TIMEOUT(!bench.engine->processIds().isEmpty(), kLong);
            break;
        case 2:
            QTRY_VERIFY_WITH_TIMEOUT(has(TurnStarted()), kLong);
            break;
        case 3:
            QTRY_VERIFY_WITH_TIMEOUT(has(TextDelta()), kLong);
            break;
        case 4:
            QTRY_VERIFY_WITH_TIMEOUT(has(ItemStarted()), kLong);
            break;
        case 5:
            QTRY_COMPARE_WITH_TIMEOUT(bench.requests.size(), 1, kLong);
            break;
        default:
            break;
        }
        bench.engine->interruptTurn(spec.ref, u"stopped by the test"_s);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QCOMPARE(bench.ending(u"1"_s).outcome, TurnOutcome::Cancelled);
        QCOMPARE(bench.ending(u"1"_s).errorMessage, u"stopped by the test"_s);
        if (moment == 3) {
            QCOMPARE(bench.all<TextAbandoned>(u"1"_s).size(), 1);
        }
        if (moment == 4) {
            QCOMPARE(bench.all<ItemEnded>(u"1"_s).value(0).item.status, ItemStatus::Cancelled);
            // the command itself is ended afterwards, and what it printed still arrives
            QTRY_COMPARE_WITH_TIMEOUT(bench.all<ItemEnded>(u"1"_s).size(), 2, kLong);
            QVERIFY(bench.all<ItemEnded>(u"1"_s).value(1).item.output.contains("begun"_L1));
        }
        if (moment == 5) {
            QTRY_COMPARE_WITH_TIMEOUT(bench.withdrawn.size(), 1, kLong);
        }
        QCOMPARE(bench.all<TurnEnded>(u"1"_s).size(), 1);
        // the conversation, or a new one, goes on
        TurnSpec next = bench.turn(u"2"_s, u"go on with it"_s, model.baseUrl());
        next.threadId = bench.threadOf(u"1"_s);
        bench.engine->startTurn(next);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"2"_s), kLong);
        QCOMPARE(bench.ending(u"2"_s).finalText, u"after"_s);
    }

    void modelErrors_data()
    {
        QTest::addColumn<QJsonObject>("step");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("contains");
        const auto http = [](int status, const QString &message) {
            return QJsonObject { { u"status"_s, status }, { u"repeat"_s, 20 },
                { u"body"_s,
                    QJsonObject { { u"error"_s, QJsonObject { { u"message"_s, message } } } } } };
        };
        const auto failed = [](const QString &code, const QString &message) {
            return QJsonObject {
                { u"failed"_s, QJsonObject { { u"code"_s, code }, { u"message"_s, message } } },
                { u"repeat"_s, 20 }
            };
        };
        QTest::newRow("400") << http(400, u"the tool list is wrong"_s) << u"model_bad_request"_s
                             << u"the tool list is wrong"_s;
        QTest::newRow("401") << http(401, u"no such key"_s) << u"model_auth"_s << u"no such key"_s;
        QTest::newRow("429") << http(429, u"slow down"_s) << u"model_rate_limited"_s << u"429"_s;
        QTest::newRow("500") << http(500, u"broken"_s) << u"model_unavailable"_s << u"internal"_s;
        QTest::newRow("quota") << failed(u"insufficient_quota"_s, u"no credit"_s)
                               << u"model_quota"_s << u"quota"_s;
        QTest::newRow("context") << failed(u"context_length_exceeded"_s, u"too long"_s)
                                 << u"model_context"_s << u"too long"_s;
        QTest::newRow("overloaded") << failed(u"server_is_overloaded"_s, u"busy"_s)
                                    << u"model_overloaded"_s << u"overloaded"_s;
        QTest::newRow("cut") << QJsonObject { { u"text"_s, u"half of the text is sent"_s },
            { u"cut_after_chunks"_s, 1 }, { u"repeat"_s, 20 } }
                             << u"model_stream"_s << u"broke off"_s;
        QTest::newRow("incomplete")
            << QJsonObject { { u"text"_s, u"half"_s }, { u"incomplete"_s, u"max_output_tokens"_s } }
            << u"model_incomplete"_s << u"max_output_tokens"_s;
    }

    void modelErrors()
    {
        QFETCH(const QJsonObject, step);
        ModelServer model;
        QVERIFY(model.start({ { u"steps"_s, QJsonArray { step } } }));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), 60'000);
        const TurnEnded end = bench.ending(u"1"_s);
        QCOMPARE(end.outcome, TurnOutcome::Failed);
        QTEST(end.errorCode, "code");
        QFETCH(const QString, contains);
        QVERIFY2(
            end.errorMessage.contains(contains, Qt::CaseInsensitive), qPrintable(end.errorMessage));
        QCOMPARE(bench.all<TurnEnded>(u"1"_s).size(), 1);
    }

    void notSignedIn_endsAtOnceAndASignInIsSeenByTheNextTurn()
    {
        ModelServer account;
        QVERIFY(account.start(script({ said(u"from the account"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QCOMPARE(bench.ending(u"1"_s).errorCode, u"model_not_signed_in"_s);
        QVERIFY(bench.ending(u"1"_s).errorMessage.contains("codex login"_L1));
        const QString home = bench.homeFolder() + u"/codex"_s;
        for (const auto &[name, content] :
            { std::pair(u"/auth.json"_s,
                  QByteArray("{\"auth_mode\":\"apikey\",\"OPENAI_API_KEY\":\"sk-own-account\"}")),
                std::pair(u"/config.toml"_s,
                    "openai_base_url = \"" + account.baseUrl().toUtf8() + "\"\n") }) {
            QFile file(home + name);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(content);
        }
        bench.engine->startTurn(bench.turn(u"2"_s, u"again"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"2"_s), 60'000);
        QCOMPARE(bench.ending(u"2"_s).errorMessage, QString());
        QCOMPARE(bench.ending(u"2"_s).finalText, u"from the account"_s);
        QCOMPARE(account.requests().constLast().value("authorization"_L1).toString(),
            u"Bearer sk-own-account"_s);
    }

    void cutStream_recovers_partialTextIsAbandoned()
    {
        ModelServer model;
        QVERIFY(model.start(script({ QJsonObject { { u"text"_s, u"half of the text is sent"_s },
                                         { u"cut_after_chunks"_s, 1 } },
            said(u"whole"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QCOMPARE(bench.ending(u"1"_s).outcome, TurnOutcome::Completed);
        QCOMPARE(bench.ending(u"1"_s).finalText, u"whole"_s);
        QCOMPARE(bench.streamed(u"1"_s), u"half of the |whole"_s);
        QCOMPARE(bench.all<TextAbandoned>(u"1"_s).size(), 1);
        QCOMPARE(bench.all<RetryNotice>(u"1"_s).size(), 1);
    }

    void killedMidTurn_oneEnding_nextTurnResumes()
    {
        ModelServer model;
        QVERIFY(
            model.start(script({ QJsonObject { { u"text"_s, u"a text that hangs"_s },
                                     { u"wait_for"_s, u"never"_s }, { u"wait_after_chunks"_s, 1 } },
                said(u"second answer"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"the only prompt"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.all<TextDelta>(u"1"_s).isEmpty(), kLong);
        ::kill(static_cast<pid_t>(bench.engine->processIds().value(0)), SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QCOMPARE(bench.ending(u"1"_s).outcome, TurnOutcome::Failed);
        QCOMPARE(bench.ending(u"1"_s).errorCode, u"engine_exited"_s);
        QCOMPARE(bench.all<TextAbandoned>(u"1"_s).size(), 1);
        TurnSpec next = bench.turn(u"2"_s, u"go on"_s, model.baseUrl());
        next.threadId = bench.threadOf(u"1"_s);
        bench.engine->startTurn(next);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"2"_s), kLong);
        QCOMPARE(bench.ending(u"2"_s).outcome, TurnOutcome::Completed);
        QCOMPARE(bench.threadOf(u"2"_s), next.threadId);
        QCOMPARE(model.requests().size(), 2); // nothing was sent again by itself
        QCOMPARE(bench.all<TurnEnded>(u"1"_s).size(), 1);
    }

    void ownAccountAndModel_switchForksAndNeverMixes()
    {
        ModelServer account;
        ModelServer model;
        QVERIFY(account.start(script({ said(u"from the account"_s) })));
        QVERIFY(model.start(script({ said(u"from the model"_s) })));
        EngineBench bench(m_codex);
        QVERIFY(QDir().mkpath(bench.homeFolder() + u"/codex"_s));
        QFile config(bench.homeFolder() + u"/codex/config.toml"_s);
        QVERIFY(config.open(QIODevice::WriteOnly));
        const QByteArray written = "# kept\nmodel_provider = \"own\"\nmodel = \"own-model\"\n"
                                   "[model_providers.own]\nname = \"Own\"\nbase_url = \""
            + account.baseUrl().toUtf8() + "\"\nwire_api = \"responses\"\n";
        config.write(written);
        config.close();
        bench.engine->startTurn(bench.turn(u"1"_s, u"first"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QCOMPARE(bench.ending(u"1"_s).finalText, u"from the account"_s);
        TurnSpec second = bench.turn(u"2"_s, u"second"_s, model.baseUrl());
        second.threadId = bench.threadOf(u"1"_s);
        bench.engine->startTurn(second);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"2"_s), kLong);
        QCOMPARE(bench.ending(u"2"_s).finalText, u"from the model"_s);
        QVERIFY(bench.threadOf(u"2"_s) != second.threadId);
        QVERIFY(inputOf(model.requests().constFirst()).contains("first"_L1));
        bench.restartEngine();
        TurnSpec third = bench.turn(u"3"_s, u"third"_s);
        third.threadId = bench.threadOf(u"2"_s);
        bench.engine->startTurn(third);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"3"_s), kLong);
        QCOMPARE(bench.ending(u"3"_s).errorMessage, QString());
        QCOMPARE(bench.ending(u"3"_s).outcome, TurnOutcome::Completed);
        QCOMPARE(account.requests().size(), 2);
        QCOMPARE(model.requests().size(), 1);
        QVERIFY(inputOf(account.requests().constLast()).contains("second"_L1));
        QVERIFY(config.open(QIODevice::ReadOnly));
        QCOMPARE(config.readAll(), written);
    }

    void modelAddressChanged_takesEffectInTheSameConversation()
    {
        ModelServer first;
        ModelServer second;
        QVERIFY(first.start(script({ said(u"from the first"_s) })));
        QVERIFY(second.start(script({ said(u"from the second"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, first.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        TurnSpec next = bench.turn(u"2"_s, u"go on"_s, second.baseUrl());
        next.threadId = bench.threadOf(u"1"_s);
        bench.engine->startTurn(next);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"2"_s), kLong);
        QCOMPARE(bench.ending(u"2"_s).finalText, u"from the second"_s);
        QCOMPARE(bench.threadOf(u"2"_s), next.threadId);
    }

    void unknownModel_getsTheFullTools()
    {
        ModelServer model;
        QVERIFY(model.start(script({ said(u"ok"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QStringList tools;
        const QJsonObject body = model.requests().constFirst().value("body"_L1).toObject();
        for (const QJsonValue &tool : body.value("tools"_L1).toArray()) {
            tools.append(tool.toObject().value("name"_L1).toString());
        }
        QVERIFY(tools.contains(u"apply_patch"_s));
        QVERIFY(body.value("parallel_tool_calls"_L1).toBool());
        QVERIFY(bench.all<StatusNote>(u"1"_s).isEmpty());
    }

    void twoTasks_runSideBySide()
    {
        ModelServer model;
        QVERIFY(model.start(script({ said(u"answer"_s) })));
        EngineBench bench(m_codex);
        for (int i = 0; i < 6; ++i) {
            TurnSpec spec = bench.turn(QString::number(i), u"go"_s, model.baseUrl());
            spec.ref.taskId = u"task-%1"_s.arg(i);
            bench.engine->startTurn(spec);
        }
        for (int i = 0; i < 6; ++i) {
            QTRY_VERIFY_WITH_TIMEOUT(bench.over(QString::number(i)), kLong);
            QCOMPARE(bench.ending(QString::number(i)).finalText, u"answer"_s);
        }
        QCOMPARE(bench.engine->processIds().size(), 1);
    }

    void conversationLetGoOf_isResumedForItsNextTurn()
    {
        ModelServer model;
        QVERIFY(model.start(script({ said(u"one"_s), said(u"two"_s) })));
        EngineBench bench(m_codex);
        bench.options.keptThreads = 1;
        bench.restartEngine();
        for (const QString &id : { u"1"_s, u"2"_s }) {
            TurnSpec spec = bench.turn(id, u"go"_s, model.baseUrl());
            spec.ref.taskId = u"task-"_s + id;
            bench.engine->startTurn(spec);
            QTRY_VERIFY_WITH_TIMEOUT(bench.over(id), kLong);
        }
        TurnSpec next = bench.turn(u"3"_s, u"go on"_s, model.baseUrl());
        next.threadId = bench.threadOf(u"1"_s);
        bench.engine->startTurn(next);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"3"_s), kLong);
        QCOMPARE(bench.ending(u"3"_s).finalText, u"two"_s);
        QCOMPARE(bench.threadOf(u"3"_s), next.threadId);
        bench.engine->forgetTask(u"task-1"_s);
        QCOMPARE(bench.routes.released, QStringList { u"task-1"_s });
    }

    void turnsOfOneConversation_areSerialised()
    {
        ModelServer model;
        QVERIFY(model.start(script({ said(u"one"_s), said(u"two"_s), said(u"three"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"first"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        for (const QString &id : { u"2"_s, u"3"_s }) {
            TurnSpec next = bench.turn(id, u"prompt "_s + id, model.baseUrl());
            next.threadId = bench.threadOf(u"1"_s);
            bench.engine->startTurn(next);
        }
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"2"_s) && bench.over(u"3"_s), kLong);
        QCOMPARE(bench.ending(u"2"_s).finalText, u"two"_s);
        QCOMPARE(bench.ending(u"3"_s).finalText, u"three"_s);
    }

    void brokenConfiguration_isReportedWithItsPlace()
    {
        EngineBench bench(m_codex);
        QVERIFY(QDir().mkpath(bench.homeFolder() + u"/codex"_s));
        QFile config(bench.homeFolder() + u"/codex/config.toml"_s);
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write("model = \"x\"\nthis is = = broken\n");
        config.close();
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        QCOMPARE(bench.ending(u"1"_s).errorCode, u"engine_config"_s);
        const QString message = bench.ending(u"1"_s).errorMessage;
        QVERIFY2(message.contains("config.toml"_L1) && message.contains("line 2"_L1),
            qPrintable(message));
    }

    void repositoryConfiguration_isNotTrusted()
    {
        ModelServer model;
        QVERIFY(model.start(script({ said(u"ok"_s), said(u"ok"_s) })));
        EngineBench bench(m_codex);
        QDir work(bench.workFolder());
        QVERIFY(work.mkpath(u".git"_s) && work.mkpath(u".codex"_s) && work.mkpath(u"sub"_s));
        QFile config(work.filePath(u".codex/config.toml"_s));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write("developer_instructions = \"instruction-of-the-repository\"\n");
        config.close();
        TurnSpec spec = bench.turn(u"1"_s, u"go"_s, model.baseUrl());
        spec.developerInstructions = u"instruction-of-the-task"_s;
        bench.engine->startTurn(spec);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        spec = bench.turn(u"2"_s, u"go"_s, model.baseUrl());
        spec.cwd = work.filePath(u"sub"_s);
        bench.engine->startTurn(spec);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"2"_s), kLong);
        QCOMPARE(bench.ending(u"2"_s).outcome, TurnOutcome::Completed);
        for (const QJsonObject &request : model.requests()) {
            QVERIFY(!inputOf(request).contains("instruction-of-the-repository"_L1));
        }
        QVERIFY(inputOf(model.requests().constFirst()).contains("instruction-of-the-task"_L1));
        QVERIFY(!QFile::exists(bench.homeFolder() + u"/codex/config.toml"_s));
    }

    void hugePrompt_isTakenOrRefusedPrecisely()
    {
        ModelServer model;
        QVERIFY(model.start(script({ said(u"ok"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, QString(3'000'000, u'p'), model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        const TurnEnded end = bench.ending(u"1"_s);
        if (end.outcome == TurnOutcome::Failed) {
            QCOMPARE(end.errorCode, u"engine_refused"_s);
            QVERIFY2(end.errorMessage.contains("length"_L1), qPrintable(end.errorMessage));
        }
        TurnSpec next = bench.turn(u"2"_s, u"short"_s, model.baseUrl());
        next.threadId = bench.threadOf(u"1"_s);
        bench.engine->startTurn(next);
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"2"_s), kLong);
        QCOMPARE(bench.ending(u"2"_s).outcome, TurnOutcome::Completed);
    }

    void commandOutput_wholeAndNotUtf8()
    {
        ModelServer model;
        QVERIFY(model.start(script(
            { calls(
                  { command(u"printf 'head\\n'; printf '\\326\\320\\n'; seq 1 20000; exit 3"_s) }),
                said(u"done"_s) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.over(u"1"_s), kLong);
        const Item item = bench.all<ItemEnded>(u"1"_s).value(0).item;
        QCOMPARE(item.kind, ItemKind::Command);
        QVERIFY(item.output.startsWith("head"_L1));
        QVERIFY(item.output.contains("\n20000"_L1));
        QCOMPARE(item.exitCode.value_or(-1), 3);
        QCOMPARE(item.status, ItemStatus::Failed);
        QCOMPARE(bench.ending(u"1"_s).outcome, TurnOutcome::Completed);
    }

    void withoutRoutes_theTasksModelIsAnError()
    {
        EngineBench bench(m_codex);
        bench.engine = std::make_unique<codex::CodexEngine>(bench.options, nullptr);
        QSignalSpy spy(bench.engine.get(), &Engine::event);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, u"http://127.0.0.1:9"_s));
        QTRY_COMPARE_WITH_TIMEOUT(spy.size(), 1, kLong);
        const auto event = spy.at(0).at(1).value<TaskEvent>();
        QCOMPARE(std::get<TurnEnded>(event).errorCode, u"model_config"_s);
    }

    void stop_leavesNoProcess()
    {
        ModelServer model;
        QVERIFY(model.start(script({ calls({ command(u"sleep 600"_s) }) })));
        EngineBench bench(m_codex);
        bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, model.baseUrl()));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.all<ItemStarted>(u"1"_s).isEmpty(), kLong);
        const auto pid = static_cast<pid_t>(bench.engine->processIds().value(0));
        bench.engine->requestStop(std::chrono::seconds(5));
        QVERIFY(bench.over(u"1"_s));
        QCOMPARE(bench.ending(u"1"_s).outcome, TurnOutcome::Cancelled);
        QTRY_COMPARE_WITH_TIMEOUT(bench.stops, 1, 6'000);
        QCOMPARE(::kill(pid, 0), -1);
        QVERIFY(bench.engine->processIds().isEmpty());
        bench.engine->startTurn(bench.turn(u"2"_s, u"go"_s, model.baseUrl()));
        QTRY_COMPARE(bench.ending(u"2"_s).errorCode, u"engine_stopped"_s);
    }

private:
    static constexpr int kLong = 30'000;
    QString m_codex;
};

QTEST_GUILESS_MAIN(TestCodexReal)
#include "tst_codexreal.moc"
