// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/elicitation.h"
#include "executor/engines/codex/errormapper.h"
#include "executor/engines/codex/itemmapper.h"
#include "executor/engines/codex/requestmapper.h"
#include "executor/engines/codex/turnstream.h"
#include "executor/engines/codex/wire.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand::engines;
using namespace deskhand::engines::codex;

namespace {

// JSON with single quotes, which reads better inside C++.
QJsonObject object(QByteArray json)
{
    return QJsonDocument::fromJson(json.replace('\'', '"')).object();
}

struct Recorder
{
    QList<TaskEvent> events;
    TurnStream stream { u"/home/user/project"_s, true, [this](const TaskEvent &event) {
                           events.append(event);
                       } };

    template <typename T> [[nodiscard]] QList<T> all() const
    {
        QList<T> found;
        for (const TaskEvent &event : events) {
            if (const T *one = std::get_if<T>(&event)) {
                found.append(*one);
            }
        }
        return found;
    }
};

QList<QJsonObject> serverMessages(const QString &name)
{
    QList<QJsonObject> messages;
    QFile file(QStringLiteral(DESKHAND_FIXTURES "/codex/") + name);
    if (file.open(QIODevice::ReadOnly)) {
        while (!file.atEnd()) {
            const QJsonObject record = QJsonDocument::fromJson(file.readLine()).object();
            if (record.value("dir"_L1).toString() == "server->client"_L1) {
                messages.append(record.value("msg"_L1).toObject());
            }
        }
    }
    return messages;
}

} // namespace

// The pure translations between codex's words and ours.
class TestCodexMapping final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyRecordedTurn_closesWhatItOpens_data()
    {
        QTest::addColumn<QString>("file");
        const QDir folder(QStringLiteral(DESKHAND_FIXTURES "/codex"));
        for (const QString &name : folder.entryList({ u"*.jsonl"_s })) {
            QTest::newRow(qPrintable(name)) << name;
        }
    }

    void everyRecordedTurn_closesWhatItOpens()
    {
        QFETCH(const QString, file);
        QHash<QString, std::shared_ptr<Recorder>> turns;
        for (const QJsonObject &message : serverMessages(file)) {
            const QJsonObject params = message.value("params"_L1).toObject();
            const QString turn = wire::turnId(params);
            const QString method = message.value("method"_L1).toString();
            if (turn.isEmpty() || method == "turn/completed"_L1) {
                continue;
            }
            auto &recorder = turns[turn];
            if (!recorder) {
                recorder = std::make_shared<Recorder>();
            }
            recorder->stream.handle(method, params);
        }
        for (const auto &recorder : std::as_const(turns)) {
            recorder->stream.closeOpen();
            QStringList open;
            for (const TaskEvent &event : std::as_const(recorder->events)) {
                if (const auto *begun = std::get_if<ItemStarted>(&event)) {
                    QVERIFY(!open.contains(begun->item.id));
                    QVERIFY(!begun->item.id.isEmpty());
                    open.append(begun->item.id);
                } else if (const auto *ended = std::get_if<ItemEnded>(&event)) {
                    QVERIFY(open.removeOne(ended->item.id));
                    QVERIFY(ended->item.status != ItemStatus::Running);
                } else if (const auto *delta = std::get_if<TextDelta>(&event)) {
                    const QString key = u"text "_s + delta->itemId;
                    if (!open.contains(key)) {
                        open.append(key);
                    }
                } else if (const auto *text = std::get_if<TextEnded>(&event)) {
                    open.removeOne(u"text "_s + text->itemId);
                } else if (const auto *broken = std::get_if<TextAbandoned>(&event)) {
                    open.removeOne(u"text "_s + broken->itemId);
                }
            }
            QVERIFY2(open.isEmpty(), qPrintable(open.join(u' ')));
        }
    }

    void patchStream_paths_statuses()
    {
        Recorder recorder;
        for (const QJsonObject &message : serverMessages(u"09-filechange-auto-workspace.jsonl"_s)) {
            recorder.stream.handle(
                message.value("method"_L1).toString(), message.value("params"_L1).toObject());
        }
        QVERIFY(!recorder.all<ItemStarted>().isEmpty());
        QVERIFY(!recorder.all<ItemProgress>().isEmpty());
        for (const ItemProgress &progress : recorder.all<ItemProgress>()) {
            for (const FileChange &change : progress.changes) {
                QVERIFY(change.path.startsWith("/home/user/project/"_L1));
            }
        }
        QVERIFY(!recorder.all<DiffUpdated>().isEmpty());
        for (const ItemEnded &ended : recorder.all<ItemEnded>()) {
            QCOMPARE(ended.item.status, ItemStatus::Completed);
        }
    }

    void reasoning_partsAreSeparated()
    {
        Recorder recorder;
        const auto delta = [&](const QString &item, int index, const QString &text) {
            recorder.stream.handle(u"item/reasoning/summaryPartAdded"_s,
                { { u"itemId"_s, item }, { u"summaryIndex"_s, index } });
            recorder.stream.handle(u"item/reasoning/summaryTextDelta"_s,
                { { u"itemId"_s, item }, { u"summaryIndex"_s, index }, { u"delta"_s, text } });
        };
        delta(u"r1"_s, 0, u"one"_s);
        delta(u"r1"_s, 1, u"two"_s);
        delta(u"r2"_s, 0, u"three"_s);
        recorder.stream.handle(
            u"item/reasoning/textDelta"_s, { { u"itemId"_s, u"r2"_s }, { u"delta"_s, u"raw"_s } });
        QString text;
        for (const ReasoningDelta &part : recorder.all<ReasoningDelta>()) {
            text += part.text;
        }
        QCOMPARE(text, u"one\n\ntwo\n\nthree"_s);
    }

    void usage_isSummedOverTheTurn_repetitionsAreNot()
    {
        Recorder recorder;
        const auto say = [&](int total, int last) {
            recorder.stream.handle(u"thread/tokenUsage/updated"_s,
                { { u"tokenUsage"_s,
                    QJsonObject { { u"total"_s, QJsonObject { { u"totalTokens"_s, total } } },
                        { u"last"_s,
                            QJsonObject { { u"totalTokens"_s, last },
                                { u"inputTokens"_s, last - 1 }, { u"outputTokens"_s, 1 } } },
                        { u"modelContextWindow"_s, 1000 } } } });
        };
        say(110, 10);
        say(110, 10);
        say(130, 20);
        QCOMPARE(recorder.stream.usage().totalTokens, 30);
        QCOMPARE(recorder.stream.usage().inputTokens, 28);
        QCOMPARE(recorder.stream.usage().contextUsed, 20);
        QCOMPARE(recorder.stream.usage().contextWindow, 1000);
        QCOMPARE(recorder.all<UsageUpdated>().size(), 2);
    }

    void repeatedIds_getNamesOfTheirOwn()
    {
        Recorder recorder;
        for (int i = 0; i < 2; ++i) {
            recorder.stream.handle(u"item/completed"_s,
                object("{'item':{'type':'agentMessage','id':'m','text':'x'}}"));
        }
        const auto ended = recorder.all<TextEnded>();
        QCOMPARE(ended.size(), 2);
        QVERIFY(ended.at(0).itemId != ended.at(1).itemId);
    }

    void plans_bothForms()
    {
        Recorder recorder;
        recorder.stream.handle(u"turn/plan/updated"_s,
            object("{'explanation':'why','plan':[{'step':'a','status':'completed'},"
                   "{'step':'b','status':'in_progress'},{'step':'c','status':'strange'}]}"));
        recorder.stream.handle(
            u"item/completed"_s, object("{'item':{'type':'plan','id':'p','text':'# Plan'}}"));
        const auto plans = recorder.all<PlanUpdated>();
        QCOMPARE(plans.size(), 2);
        QCOMPARE(plans.at(0).steps.at(1).status, u"inProgress"_s);
        QCOMPARE(plans.at(0).steps.at(2).status, u"pending"_s);
        QCOMPARE(plans.at(1).markdown, u"# Plan"_s);
        QCOMPARE(recorder.stream.finalText(), QString());
    }

    void items_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<ItemKind>("kind");
        QTest::addColumn<ItemStatus>("status");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("output");
        const auto row = [](const char *tag, const char *json, ItemKind kind, ItemStatus status,
                             const QString &name, const QString &output) {
            QTest::newRow(tag) << QByteArray(json) << kind << status << name << output;
        };
        row("a command in older spelling",
            "{'type':'command_execution','id':'1','status':'completed','aggregated_output':'o'}",
            ItemKind::Command, ItemStatus::Completed, u"shell"_s, u"o"_s);
        row("a declined command", "{'type':'commandExecution','id':'1','status':'declined'}",
            ItemKind::Command, ItemStatus::Declined, u"shell"_s, {});
        row("a server's tool",
            "{'type':'mcpToolCall','id':'1','server':'files','tool':'read','status':'completed',"
            "'result':{'content':[{'type':'text','text':'abc'},{'type':'image'}]}}",
            ItemKind::ToolCall, ItemStatus::Completed, u"files.read"_s, u"abc\n[image]"_s);
        row("a tool that says it failed",
            "{'type':'dynamicToolCall','id':'1','tool':'ask','success':false,'contentItems':[]}",
            ItemKind::ToolCall, ItemStatus::Failed, u"ask"_s, {});
        row("a search", "{'type':'webSearch','id':'1','query':'qt'}", ItemKind::WebSearch,
            ItemStatus::Completed, u"web_search"_s, {});
        row("a compaction", "{'type':'contextCompaction','id':'1'}", ItemKind::Compaction,
            ItemStatus::Completed, u"compaction"_s, {});
        row("something new", "{'type':'teleport','id':'1','status':'beaming'}", ItemKind::Other,
            ItemStatus::Completed, u"teleport"_s, {});
    }

    void items()
    {
        QFETCH(const QByteArray, json);
        const Item item = mapItem(object(json), u"/w"_s, true);
        QTEST(item.kind, "kind");
        QTEST(item.status, "status");
        QTEST(item.name, "name");
        QTEST(item.output, "output");
        QCOMPARE(mapItem(object(json), u"/w"_s, false).id, u"1"_s);
    }

    void errors_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("code");
        const auto row = [](const char *json, const QString &code) {
            QTest::newRow(json) << QByteArray(json) << code;
        };
        row("{'codexErrorInfo':'contextWindowExceeded','message':'x'}", u"model_context"_s);
        row("{'codexErrorInfo':'context_window_exceeded','message':'x'}", u"model_context"_s);
        row("{'codexErrorInfo':'usageLimitExceeded'}", u"model_quota"_s);
        row("{'codexErrorInfo':'serverOverloaded'}", u"model_overloaded"_s);
        row("{'codexErrorInfo':{'responseTooManyFailedAttempts':{'httpStatusCode':429}}}",
            u"model_rate_limited"_s);
        row("{'codexErrorInfo':{'httpConnectionFailed':{'httpStatusCode':401}}}", u"model_auth"_s);
        row("{'codexErrorInfo':{'httpConnectionFailed':{'httpStatusCode':502}}}",
            u"model_unavailable"_s);
        row("{'codexErrorInfo':'other','message':'Missing environment variable: `K`.'}",
            u"model_auth"_s);
        row("{'codexErrorInfo':'other','message':'stream disconnected before completion: x'}",
            u"model_stream"_s);
        row("{'codexErrorInfo':'other','message':'{\\'error\\':{\\'message\\':\\'bad tool\\'}}'}",
            u"model_bad_request"_s);
        row("{'codexErrorInfo':['odd'],'message':'x'}", u"runtime_error"_s);
        row("{}", u"runtime_error"_s);
    }

    void errors()
    {
        QFETCH(const QByteArray, json);
        const TurnError error = mapTurnError(object(json), false);
        QTEST(error.code, "code");
        QVERIFY(!error.message.isEmpty());
        if (json.contains("bad tool")) {
            QVERIFY(error.message.endsWith("bad tool"_L1));
        }
    }

    void toolApproval_onceAndForTheTask()
    {
        QJsonObject params;
        for (const QJsonObject &message : serverMessages(u"44-mcp-server.jsonl"_s)) {
            if (message.value("method"_L1).toString() == "mcpServer/elicitation/request"_L1) {
                params = message.value("params"_L1).toObject();
            }
        }
        QVERIFY(!params.isEmpty());
        QCOMPARE(askOf(u"mcpServer/elicitation/request"_s, params), Ask::ToolApproval);
        const PermissionRequest request = mapRequest(Ask::ToolApproval, params);
        QCOMPARE(request.kind, RequestKind::ToolServer);
        QVERIFY(!request.server.isEmpty());
        QVERIFY(!request.tool.isEmpty());
        QVERIFY(request.choices.contains(Choice::AllowForTask));
        Decision decision;
        decision.choice = Choice::AllowOnce;
        QJsonObject answer = mapDecision(Ask::ToolApproval, params, decision);
        QCOMPARE(answer.value("action"_L1).toString(), u"accept"_s);
        QVERIFY(answer.value("_meta"_L1).isNull());
        decision.choice = Choice::AllowForTask;
        answer = mapDecision(Ask::ToolApproval, params, decision);
        QCOMPARE(answer.value("action"_L1).toString(), u"accept"_s);
        QVERIFY(answer.value("_meta"_L1).isNull()); // other arguments are asked for again
        decision.choice = Choice::Deny;
        QCOMPARE(mapDecision(Ask::ToolApproval, params, decision).value("action"_L1).toString(),
            u"decline"_s);
    }

    void decisionsForTheTask_areGivenToTheEngineOneByOne()
    {
        Decision decision;
        decision.choice = Choice::AllowForTask;
        for (const Ask ask : { Ask::Command, Ask::FileChange }) {
            QCOMPARE(mapDecision(ask, {}, decision).value("decision"_L1).toString(), u"accept"_s);
        }
        const QJsonObject params = object("{'permissions':{'network':{'enabled':true}}}");
        const QJsonObject granted = mapDecision(Ask::Permissions, params, decision);
        QCOMPARE(granted.value("scope"_L1).toString(), u"turn"_s);
        QVERIFY(granted.value("permissions"_L1).toObject().contains("network"_L1));
    }

    void typingIntoACommand_isAllowedOnceAtMost()
    {
        const auto choices = [](const char *kind) {
            return mapRequest(
                Ask::Command, object(QByteArray("{'command':'python3','kind':'") + kind + "'}"))
                .choices;
        };
        QVERIFY(choices("command").contains(Choice::AllowForTask));
        for (const char *kind : { "writeStdin", "write_stdin", "humanCommand", "newKind" }) {
            QVERIFY2(!choices(kind).contains(Choice::AllowForTask), kind);
            QVERIFY2(choices(kind).contains(Choice::AllowOnce), kind);
        }
    }

    void toolForm_answersHaveTheirTypes()
    {
        const QJsonObject params
            = object("{'mode':'form','serverName':'s','message':'m',"
                     "'requestedSchema':{'type':'object','properties':{"
                     "'sure':{'type':'boolean'},"
                     "'count':{'type':'integer'},"
                     "'colour':{'type':'string','oneOf':[{'const':'r','title':'Red'},"
                     "{'const':'g','title':'Green'}]},"
                     "'tags':{'type':'array','items':{'enum':['a','b']}},"
                     "'name':{'type':'string'}}}}");
        QVERIFY(isAnswerable(params));
        QVERIFY(!isAnswerable(object("{'mode':'url','url':'http://x'}")));
        QVERIFY(!isAnswerable(object("{'mode':'form','requestedSchema':{'properties':"
                                     "{'x':{'type':'object'}}}}")));
        const PermissionRequest request = mapRequest(Ask::ToolForm, params);
        QCOMPARE(request.kind, RequestKind::Question);
        QCOMPARE(request.questions.size(), 5);
        Decision decision;
        decision.choice = Choice::AllowOnce;
        decision.answers = { { u"sure"_s, { u"Yes"_s } }, { u"count"_s, { u"12"_s } },
            { u"colour"_s, { u"Green"_s } }, { u"tags"_s, { u"a"_s, u"b"_s } },
            { u"name"_s, { u"n"_s } } };
        const QJsonObject content
            = mapDecision(Ask::ToolForm, params, decision).value("content"_L1).toObject();
        QCOMPARE(content.value("sure"_L1), QJsonValue(true));
        QCOMPARE(content.value("count"_L1), QJsonValue(12));
        QCOMPARE(content.value("colour"_L1), QJsonValue(u"g"_s));
        QCOMPARE(content.value("tags"_L1).toArray().size(), 2);
        QCOMPARE(content.value("name"_L1), QJsonValue(u"n"_s));
    }

    void profile_specialFoldersInWords()
    {
        const PermissionRequest request = mapRequest(Ask::Permissions,
            object("{'permissions':{'fileSystem':{'entries':["
                   "{'access':'write','path':{'type':'special','value':{'kind':'root'}}},"
                   "{'access':'read','path':{'type':'path','path':'/etc'}},"
                   "{'access':'conquer','path':{'type':'path','path':'/'}}]}}}"));
        const QStringList words { u"Write to the whole file system"_s, u"Read /etc"_s };
        QCOMPARE(request.grants, words);
        QCOMPARE(request.grantsAsked.value("fileSystem"_L1)
                     .toObject()
                     .value("entries"_L1)
                     .toArray()
                     .size(),
            2);
        const PermissionRequest nothing
            = mapRequest(Ask::Permissions, object("{'permissions':{'x':1}}"));
        QVERIFY(!nothing.choices.contains(Choice::AllowOnce));
    }
};

QTEST_APPLESS_MAIN(TestCodexMapping)
#include "tst_codexmapping.moc"
