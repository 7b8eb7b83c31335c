// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/modelproxy/proxyfixture.h"

#include <QFile>
#include <QJsonDocument>
#include <QPointer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#ifdef Q_OS_UNIX
#include <csignal>
#endif

using namespace deskhand::test;
using namespace Qt::StringLiterals;

namespace {

QByteArray json(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

} // namespace

class TestStandalone final : public QObject
{
    Q_OBJECT

private:
    void writeConfig(const QByteArray &text)
    {
        QFile file(m_dir.filePath(u"models.json"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

    void start(QProcess &program)
    {
        program.setProgram(QStringLiteral(DESKHAND_BINARY_DIR "/bin/proxyprogram"));
        program.setArguments({ u"--config"_s, m_dir.filePath(u"models.json"_s) });
        program.start();
    }

    QTemporaryDir m_dir;

private Q_SLOTS:
    void serves_modelsByName_andReadsTheFileAgain()
    {
        ScriptedUpstream chat([](UpstreamReply &reply) {
            reply.respond(200, "text/event-stream", chatStream("hi"));
        });
        const QJsonObject one { { u"base_url"_s, chat.baseUrl() },
            { u"api_format"_s, u"chat/completions"_s }, { u"api_key"_s, u"standalone-secret"_s },
            { u"model_id"_s, u"real"_s },
            { u"profile"_s, QJsonObject { { u"output_field"_s, u"max_completion_tokens"_s } } } };
        writeConfig(json({ { u"models"_s, QJsonObject { { u"one"_s, one } } } }));
        QProcess program;
        start(program);
        QTRY_VERIFY(program.canReadLine() || program.state() == QProcess::NotRunning);
        const QByteArray line = program.readLine();
        const QJsonObject greeting = QJsonDocument::fromJson(line).object();
        const QUrl base(greeting.value("base_url"_L1).toString());
        QVERIFY2(base.port() > 0 && base.path() == "/v1"_L1, line.constData());
        const QByteArray bearer = "Bearer " + greeting.value("token"_L1).toString().toLatin1();
        const auto port = static_cast<quint16>(base.port());

        const auto exchange
            = [&](const QByteArray &path, const QByteArray &body, const QByteArray &authorization) {
                  RawClient client(port);
                  if (body.isEmpty()) {
                      client.get(path, { { "Authorization", authorization } });
                  } else {
                      client.post(path, body, { { "Authorization", authorization } });
                  }
                  [&] {
                      QTRY_VERIFY(client.answer().complete);
                  }();
                  return client.answer();
              };
        const QByteArray request
            = "{\"model\":\"one\",\"stream\":true,\"input\":\"hello\",\"max_output_tokens\":9}";
        const ClientAnswer streamed = exchange("/v1/responses", request, bearer);
        QCOMPARE(streamed.status, 200);
        QCOMPARE(streamed.events().last().first, "response.completed");
        QCOMPARE(chat.requests().last().header("authorization"), "Bearer standalone-secret");
        QVERIFY(chat.requests().last().body.contains("\"model\":\"real\""));
        QVERIFY(chat.requests().last().body.contains("\"max_completion_tokens\":9"));
        const ClientAnswer whole = exchange(
            "/v1/responses", "{\"model\":\"one\",\"stream\":false,\"input\":\"x\"}", bearer);
        QCOMPARE(QJsonDocument::fromJson(whole.body).object().value("status"_L1).toString(),
            u"completed"_s);
        const ClientAnswer message = exchange("/v1/messages",
            "{\"model\":\"one\",\"max_tokens\":5,\"stream\":true,\"messages\":[{\"role\":\"user\","
            "\"content\":\"x\"}]}",
            bearer);
        QCOMPARE(message.events().last().first, "message_stop");
        const ClientAnswer models = exchange("/v1/models", {}, bearer);
        QVERIFY(models.body.contains("\"slug\":\"one\""));
        QVERIFY(!models.body.contains("standalone-secret"));
        QCOMPARE(
            exchange("/v1/responses", "{\"model\":\"two\",\"input\":\"x\"}", bearer).status, 404);
        QCOMPARE(exchange("/v1/responses", request, "Bearer wrong").status, 401);
        QCOMPARE(exchange("/v1/responses", {}, bearer).status, 405);
        RawClient foreign(port);
        foreign.send("GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nAuthorization: " + bearer
            + "\r\n\r\n");
        QTRY_COMPARE(foreign.answer().status, 403);
#ifdef Q_OS_UNIX
        writeConfig(json({ { u"models"_s, QJsonObject { { u"two"_s, one } } } }));
        ::kill(static_cast<pid_t>(program.processId()), SIGHUP);
        QTRY_COMPARE(
            exchange("/v1/responses", "{\"model\":\"two\",\"input\":\"x\"}", bearer).status, 200);
        QCOMPARE(exchange("/v1/responses", request, bearer).status, 404);
        writeConfig("{\"models\":\n{\"two\":{}}}");
        ::kill(static_cast<pid_t>(program.processId()), SIGHUP);
        QByteArray complaint;
        QTRY_VERIFY((complaint += program.readAllStandardError()).contains("models.json:2:"));
        QCOMPARE(
            exchange("/v1/responses", "{\"model\":\"two\",\"input\":\"x\"}", bearer).status, 200);
        ::kill(static_cast<pid_t>(program.processId()), SIGTERM);
        QTRY_COMPARE(program.state(), QProcess::NotRunning);
        QCOMPARE(program.exitCode(), 0);
#else
        program.kill();
        QTRY_COMPARE(program.state(), QProcess::NotRunning);
#endif
    }

    void configuration_thatCannotBeRead_endsWithTwo_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("broken JSON")
            << QByteArray("{\n\"models\": {,}}") << QByteArray("models.json:2:");
        QTest::newRow("no models") << QByteArray("{}") << QByteArray("\"models\"");
        QTest::newRow("a model without an address")
            << QByteArray("{\"models\":{\n\"a\":{}}}") << QByteArray("models.json:2: model \"a\"");
        QTest::newRow("a model without what another one has")
            << QByteArray("{\"models\":{\n\"a\":{},\n\"b\":{\n\"base_url\":\"https://x\"}}}")
            << QByteArray("models.json:2: model \"a\"");
        QTest::newRow("a model of the name of the list")
            << QByteArray("{\"models\":{\n\"models\":{\n\"base_url\":\"ftp://x\"}}}")
            << QByteArray("models.json:3: model \"models\": \"base_url\"");
        QTest::newRow("models of the wrong kind")
            << QByteArray("{\n\n\"models\":[]}") << QByteArray("models.json:3: \"models\"");
        QTest::newRow("a header that may not be set")
            << QByteArray("{\"models\":{\"a\":{\"base_url\":\"https://x\",\n\"default_headers\":"
                          "{\n\"Host\":\"y\"}}}}")
            << QByteArray("models.json:3: model \"a\": \"default_headers.Host\"");
        QTest::newRow("a key of the wrong kind")
            << QByteArray("{\"models\":{\"a\":{\n\"base_url\":\"https://x\",\n\"api_key\":5}}}")
            << QByteArray("models.json:3: model \"a\": \"api_key\"");
        QTest::newRow("an unknown profile key") << QByteArray(
            "{\"models\":{\"a\":{\"base_url\":\"https://x\",\n\"profile\":{\n\"magic\":1}}}}")
                                                << QByteArray(
                                                       "models.json:3: model \"a\": \"magic\"");
    }
    void configuration_thatCannotBeRead_endsWithTwo()
    {
        QFETCH(QByteArray, config);
        QFETCH(QByteArray, words);
        writeConfig(config);
        QProcess program;
        start(program);
        QTRY_COMPARE(program.state(), QProcess::NotRunning);
        QCOMPARE(program.exitCode(), 2);
        const QByteArray errors = program.readAllStandardError();
        QVERIFY2(errors.contains(words), errors.constData());
        QVERIFY(program.readAllStandardOutput().isEmpty());
    }

    void arguments_thatAreWrong_endWithTwo()
    {
        QProcess program;
        program.start(QStringLiteral(DESKHAND_BINARY_DIR "/bin/proxyprogram"), { u"--port"_s });
        QTRY_COMPARE(program.state(), QProcess::NotRunning);
        QCOMPARE(program.exitCode(), 2);
        program.start(QStringLiteral(DESKHAND_BINARY_DIR "/bin/proxyprogram"),
            { u"--config"_s, m_dir.filePath(u"absent.json"_s) });
        QTRY_COMPARE(program.state(), QProcess::NotRunning);
        QCOMPARE(program.exitCode(), 2);
    }

#ifdef Q_OS_LINUX
    void slowReaders_costLessThanFourMegabytesEach()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("the sanitizers keep memory of their own");
#endif
        // 24 MB of events whose own text is nothing, on each of eight streams.
        const QByteArray delta
            = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
              "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"obfuscation\":\""
            + QByteArray(16000, 'o') + "\",\"delta\":\"x\"}\n\n";
        QList<QPointer<UpstreamReply>> replies;
        ScriptedUpstream provider([&](UpstreamReply &reply) {
            replies.append(&reply);
            reply.beginStream();
            for (int i = 0; i < 1500; ++i) {
                reply.chunk(delta);
            }
        });
        writeConfig(json(
            { { u"models"_s,
                QJsonObject {
                    { u"one"_s,
                        QJsonObject {
                            { u"base_url"_s, provider.baseUrl() },
                            { u"api_format"_s,
                                u"responses"_s }
                        } }
                } } }));
        QProcess program;
        start(program);
        QTRY_VERIFY(program.canReadLine() || program.state() == QProcess::NotRunning);
        const QJsonObject greeting = QJsonDocument::fromJson(program.readLine()).object();
        const auto port
            = static_cast<quint16>(QUrl(greeting.value("base_url"_L1).toString()).port());
        const auto resident = [&program] {
            QFile file(u"/proc/%1/statm"_s.arg(program.processId()));
            return file.open(QIODevice::ReadOnly)
                ? file.readAll().split(' ').value(1).toLongLong() * 4096
                : 0;
        };
        const auto connectSlow = [&] {
            auto client = std::make_unique<RawClient>(port);
            client->setReading(false);
            client->post("/v1/responses", "{\"model\":\"one\",\"input\":\"x\"}",
                { { "Authorization",
                    "Bearer " + greeting.value("token"_L1).toString().toLatin1() } });
            return client;
        };
        const auto settle = [&replies](qsizetype count) {
            QTRY_COMPARE_WITH_TIMEOUT(replies.size(), count, 60000);
            qint64 before = -1;
            QTRY_VERIFY_WITH_TIMEOUT(
                [&] { // until nothing moves any more
                    qint64 now = 0;
                    for (const auto &reply : replies) {
                        now += reply != nullptr ? reply->pendingBytes() : 0;
                    }
                    return now > 0 && now == std::exchange(before, now);
                }(),
                60000);
        };
        std::vector<std::unique_ptr<RawClient>> clients;
        clients.push_back(connectSlow()); // what the first request of all costs is not counted
        settle(1);
        const qint64 before = resident();
        constexpr int kStreams = 8;
        for (int i = 0; i < kStreams; ++i) {
            clients.push_back(connectSlow());
        }
        settle(1 + kStreams);
        const qint64 each = (resident() - before) / kStreams;
        QVERIFY2(each < 4 * 1024 * 1024, qPrintable(QString::number(each)));
        clients.clear();
        program.terminate();
        QTRY_COMPARE_WITH_TIMEOUT(program.state(), QProcess::NotRunning, 30000);
    }
#endif
};

QTEST_GUILESS_MAIN(TestStandalone)
#include "tst_modelproxy_standalone.moc"
