// SPDX-License-Identifier: Apache-2.0
#include "executor/device/taskrequest.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::device;

namespace {

QJsonObject with(const QJsonObject &more)
{
    QJsonObject payload { { u"task_id"_s, 8121 }, { u"subtask_id"_s, 20417 },
        { u"message_id"_s, 6 }, { u"prompt"_s, u"List the failing tests"_s },
        { u"bot"_s, QJsonArray { QJsonObject { { u"shell_type"_s, u"ClaudeCode"_s } } } } };
    for (auto it = more.constBegin(); it != more.constEnd(); ++it) {
        payload.insert(it.key(), it.value());
    }
    return payload;
}

Result<ExecuteRequest> read(const QJsonObject &payload)
{
    const auto address = readAddress(payload, true, u"http://server:80"_s);
    if (!address) {
        return tl::unexpected(address.error());
    }
    return readExecute(payload, *address);
}

QJsonObject bot(const QJsonObject &fields)
{
    return { { u"bot"_s, QJsonArray { fields } } };
}

} // namespace

class TaskRequestTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ids_data()
    {
        QTest::addColumn<QJsonValue>("value");
        QTest::addColumn<qint64>("id");
        QTest::newRow("number") << QJsonValue(41) << qint64(41);
        QTest::newRow("text") << QJsonValue(u" 41 "_s) << qint64(41);
        QTest::newRow("64 bits") << QJsonValue(qint64(9007199254740993))
                                 << qint64(9007199254740993);
        QTest::newRow("zero") << QJsonValue(0) << qint64(0);
        QTest::newRow("negative") << QJsonValue(-4) << qint64(0);
        QTest::newRow("fraction") << QJsonValue(1.5) << qint64(0);
        QTest::newRow("word") << QJsonValue(u"x41"_s) << qint64(0);
        QTest::newRow("null") << QJsonValue(QJsonValue::Null) << qint64(0);
        QTest::newRow("boolean") << QJsonValue(true) << qint64(0);
        QTest::newRow("list") << QJsonValue(QJsonArray { 1 }) << qint64(0);
        QTest::newRow("too large") << QJsonValue(u"99999999999999999999"_s) << qint64(0);
    }
    void ids()
    {
        QFETCH(QJsonValue, value);
        QFETCH(qint64, id);
        QCOMPARE(readId(value).value_or(0), id);
        QCOMPARE(readAddress(with({ { u"task_id"_s, value } }), true, {}).has_value(), id > 0);
        QCOMPARE(readAddress(with({ { u"subtask_id"_s, value } }), true, {}).has_value(), id > 0);
        QVERIFY(readAddress(with({ { u"subtask_id"_s, value } }), false, {}).has_value());
    }

    void subtask_hasAnAlias()
    {
        const auto address
            = readAddress({ { u"task_id"_s, 1 }, { u"turn_id"_s, u"7"_s } }, true, {});
        QCOMPARE(address->subtaskId, 7);
    }

    void wholeRequest_isUnderstood()
    {
        const auto request = read(with({ { u"project_workspace_path"_s, u" /srv/src/demo "_s },
            { u"runtime_permission_profile"_s, u":read-only"_s }, { u"new_session"_s, true },
            { u"system_prompt"_s, u"Be brief."_s }, { u"executor_name"_s, u"device-x"_s },
            { u"task_title"_s, u" Failing \n tests "_s },
            { u"model_config"_s,
                QJsonObject { { u"protocol"_s, u"openai-responses"_s },
                    { u"model_id"_s, u"m-large"_s }, { u"api_key"_s, u"sk-secret-key"_s },
                    { u"base_url"_s, u"https://llm.example/v1"_s } } },
            { u"bot"_s,
                QJsonArray { QJsonObject { { u"shell_type"_s, u"ClaudeCode"_s },
                    { u"system_prompt"_s, u"You are a coder."_s } } } } }));
        QVERIFY(request);
        const tasks::TurnRequest &turn = request->turn;
        QCOMPARE(turn.ref, (engines::TurnRef { u"8121"_s, u"20417"_s }));
        QCOMPARE(turn.origin, tasks::Origin::Backend);
        QVERIFY(turn.replacesRunning);
        QVERIFY(turn.newSession);
        QCOMPARE(turn.cwd, u"/srv/src/demo"_s);
        QCOMPARE(turn.profileWish, u":read-only"_s);
        QCOMPARE(turn.prompt, u"List the failing tests"_s);
        QCOMPARE(turn.title, u"Failing tests"_s);
        QCOMPARE(turn.developerInstructions, u"Be brief.\n\nYou are a coder."_s);
        QCOMPARE(turn.agentName, u"default"_s);
        QVERIFY(turn.model);
        QCOMPARE(turn.model->modelId, u"m-large"_s);
        QVERIFY(request->notes.isEmpty());
        // The echo finds the way back, without secrets.
        const auto echoed = TurnAddress::fromJson(turn.echo);
        QVERIFY(echoed);
        QCOMPARE(echoed->taskId, 8121);
        QCOMPARE(echoed->messageId, 6);
        QCOMPARE(echoed->executorName, u"device-x"_s);
        QCOMPARE(echoed->shellType, u"claudecode"_s);
        QCOMPARE(echoed->model, u"m-large"_s);
        QCOMPARE(echoed->server, u"http://server:80"_s);
        QVERIFY(!QJsonDocument(turn.echo).toJson().contains("secret"));
    }

    void longNames_areEchoedInPart()
    {
        const QString name = QString(199, u'n') + u"😀tail"_s;
        const auto request = read(with({ { u"executor_name"_s, name },
            { u"executor_namespace"_s, QString(990'000, u's') },
            { u"task_title"_s, QString(119, u't') + u"😀"_s },
            { u"model_config"_s, QJsonObject { { u"model_id"_s, QString(990'000, u'm') } } } }));
        QVERIFY(request);
        const auto echoed = TurnAddress::fromJson(request->turn.echo);
        QCOMPARE(echoed->executorName, QString(199, u'n'));
        QCOMPARE(echoed->executorNamespace.size(), 200);
        QCOMPARE(echoed->model.size(), 200);
        QCOMPARE(request->turn.title, QString(119, u't'));
    }

    void promptBlocks_areTextAndImages()
    {
        const auto request = read(with({ { u"prompt"_s,
            QJsonArray { QJsonObject { { u"type"_s, u"input_text"_s }, { u"text"_s, u"One"_s } },
                QJsonObject { { u"type"_s, u"input_image"_s },
                    { u"image_url"_s, u"data:image/png;base64,AA=="_s } },
                QJsonObject { { u"type"_s, u"input_image"_s },
                    { u"image_url"_s, QJsonObject { { u"url"_s, u"https://x/y.png"_s } } } },
                QJsonObject { { u"type"_s, u"text"_s }, { u"text"_s, u"Two"_s } } } } }));
        QVERIFY(request);
        QCOMPARE(request->turn.prompt, u"One\n\nTwo"_s);
        QCOMPARE(request->turn.images.size(), 2);
        QCOMPARE(request->turn.images.last().url, u"https://x/y.png"_s);
    }

    void hugePrompt_isFine()
    {
        const QString prompt = u"中\"\n🙂 "_s.repeated(500'000);
        const auto request = read(with({ { u"prompt"_s, prompt } }));
        QVERIFY(request);
        QVERIFY(request->turn.prompt == prompt);
        QVERIFY(request->turn.title.size() <= 120);
    }

    void blankAndMissingThings_areDefaults()
    {
        QJsonObject payload = with({ { u"system_prompt"_s, QJsonValue::Null },
            { u"model_config"_s, QJsonValue::Null }, { u"new_session"_s, QJsonValue::Null },
            { u"project_workspace_path"_s, u"  "_s }, { u"bot"_s, QJsonArray() } });
        for (int i = 0; i < 2; ++i) {
            const auto request = read(payload);
            QVERIFY(request);
            QVERIFY(request->turn.cwd.isEmpty());
            QVERIFY(!request->turn.model);
            QVERIFY(!request->turn.newSession);
            QCOMPARE(TurnAddress::fromJson(request->turn.echo)->shellType, u"codex"_s);
            payload.remove(u"bot"_s);
        }
        payload.insert(u"bot"_s, QJsonObject { { u"shell_type"_s, u" codex "_s } });
        QVERIFY(read(payload));
    }

    void botsModel_countsWithoutOneOfTheRequest()
    {
        const QJsonObject env { { u"protocol"_s, u"openai-responses"_s },
            { u"model_id"_s, u"of-the-bot"_s }, { u"base_url"_s, u"https://llm.example/v1"_s } };
        QJsonObject payload
            = with(bot({ { u"agent_config"_s, QJsonObject { { u"env"_s, env } } } }));
        QCOMPARE(read(payload)->turn.model->modelId, u"of-the-bot"_s);
        QJsonObject own = env;
        own.insert(u"model_id"_s, u"of-the-request"_s);
        payload.insert(u"model_config"_s, own);
        QCOMPARE(read(payload)->turn.model->modelId, u"of-the-request"_s);
        payload.insert(u"model_config"_s, QJsonObject { { u"model_id"_s, u"no address"_s } });
        QCOMPARE(read(payload)->turn.model->modelId, u"of-the-bot"_s);
    }

    void agentHome_needsAPlainName()
    {
        QCOMPARE(read(with(bot({ { u"name"_s, u"../coder"_s } })))->turn.agentName, u"default"_s);
        QCOMPARE(
            read(with(bot({ { u"agent_home"_s, u"coder_2"_s } })))->turn.agentName, u"coder_2"_s);
        for (const QString &bad :
            { u"../x"_s, u"a/b"_s, u".hidden"_s, u"名"_s, u"x"_s.repeated(65) }) {
            QVERIFY(!read(with(bot({ { u"agent_home"_s, bad } }))));
        }
    }

    void unreadableRequests_nameTheField_data()
    {
        QTest::addColumn<QJsonObject>("fields");
        QTest::addColumn<QString>("named");
        const auto image = [](const QJsonValue &url) {
            return QJsonObject { { u"prompt"_s,
                QJsonArray {
                    QJsonObject { { u"type"_s, u"input_image"_s }, { u"image_url"_s, url } } } } };
        };
        QTest::newRow("no prompt")
            << QJsonObject { { u"prompt"_s, QJsonValue::Null } } << u"prompt"_s;
        QTest::newRow("empty prompt") << QJsonObject { { u"prompt"_s, u" \n"_s } } << u"prompt"_s;
        QTest::newRow("prompt is a number") << QJsonObject { { u"prompt"_s, 7 } } << u"prompt"_s;
        QTest::newRow("unknown block") << QJsonObject {
            { u"prompt"_s, QJsonArray { QJsonObject { { u"type"_s, u"video"_s } } } }
        } << u"video"_s;
        QTest::newRow("image from a file") << image(u"file:///etc/passwd"_s) << u"image"_s;
        QTest::newRow("image without address") << image(QJsonValue::Null) << u"image"_s;
        QTest::newRow("another engine") << bot({ { u"shell_type"_s, u"Dify"_s } }) << u"Dify"_s;
        QTest::newRow("shell type is a list")
            << bot({ { u"shell_type"_s, QJsonArray() } }) << u"shell_type"_s;
        QTest::newRow("bot is a word") << QJsonObject { { u"bot"_s, u"coder"_s } } << u"bot"_s;
        QTest::newRow("bots are words")
            << QJsonObject { { u"bot"_s, QJsonArray { u"coder"_s } } } << u"bot"_s;
        QTest::newRow("path is a number")
            << QJsonObject { { u"project_workspace_path"_s, 7 } } << u"project_workspace_path"_s;
        QTest::newRow("profile is a list")
            << QJsonObject { { u"runtime_permission_profile"_s, QJsonArray() } }
            << u"runtime_permission_profile"_s;
        QTest::newRow("new_session is a word")
            << QJsonObject { { u"new_session"_s, u"yes"_s } } << u"new_session"_s;
        QTest::newRow("system_prompt is a number")
            << QJsonObject { { u"system_prompt"_s, 7 } } << u"system_prompt"_s;
        QTest::newRow("model_config is a list")
            << QJsonObject { { u"model_config"_s, QJsonArray() } } << u"model_config"_s;
        QTest::newRow("unknown model format") << QJsonObject { { u"model_config"_s,
            QJsonObject { { u"base_url"_s, u"https://x/v1"_s }, { u"model_id"_s, u"m"_s },
                { u"protocol"_s, u"telepathy"_s } } } }
                                              << u"telepathy"_s;
    }
    void unreadableRequests_nameTheField()
    {
        QFETCH(QJsonObject, fields);
        QFETCH(QString, named);
        const auto request = read(with(fields));
        QVERIFY(!request);
        QVERIFY2(request.error().message.contains(named), qPrintable(request.error().message));
    }

    void thingsThatAreNotDone_areSaid()
    {
        const auto request = read(with({ { u"attachments"_s, QJsonArray { QJsonObject() } },
            { u"mcp_servers"_s, QJsonArray { QJsonObject(), QJsonObject() } },
            { u"git_url"_s, u"https://example/x.git"_s } }));
        QVERIFY(request);
        QCOMPARE(request->notes.size(), 3);
    }
};

QTEST_GUILESS_MAIN(TaskRequestTest)
#include "tst_taskrequest.moc"
