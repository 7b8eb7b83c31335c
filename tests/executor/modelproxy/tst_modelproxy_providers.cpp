// SPDX-License-Identifier: Apache-2.0
// Providers that behave oddly, behind a running proxy.
#include "tests/executor/modelproxy/proxyfixture.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

using namespace deskhand;
using namespace deskhand::test;
using namespace Qt::StringLiterals;

namespace {

const QByteArray kBody = "{\"model\":\"m\",\"stream\":true,\"input\":\"hello\"}";

QJsonObject object(const QByteArray &json)
{
    return QJsonDocument::fromJson(json).object();
}

#ifdef Q_OS_LINUX
qint64 residentBytes()
{
    QFile file(u"/proc/self/statm"_s);
    return file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').value(1).toLongLong() * 4096
                                          : 0;
}
#endif

} // namespace

class TestProviders final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void chat_isTranslatedBothWays()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(200, "text/event-stream", chatStream("hi"), { { "x-request-id", "r" } });
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        QSignalSpy usage(&fixture.proxy, &modelproxy::ModelProxy::usageReported);
        const auto client
            = fixture.post(kBody, { { "User-Agent", "codex" }, { "session-id", "s" } });
        QTRY_VERIFY(client->answer().complete);
        const ReceivedRequest &request = fixture.upstream.requests().first();
        QCOMPARE(request.path, "/v1/chat/completions");
        QCOMPARE(request.header("user-agent"), "codex");
        QVERIFY(
            request.header("session-id").isEmpty()); // Codex's own headers are for Responses only
        QCOMPARE(object(request.body).value("messages"_L1).toArray().size(), 1);
        QCOMPARE(client->answer().events().last().first, "response.completed");
        QTRY_COMPARE(usage.size(), 1);
        QCOMPARE(usage.first().first().value<modelproxy::UsageReport>().cachedTokens, 3);
    }

    void refusals_ofOtherProtocols_getCodexsForm()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(400, "application/json",
                "{\"message\":\"This model's maximum context length is 5, key "
                "provider-key-123456\"}");
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, 400);
        const QJsonObject error = object(client->answer().body).value("error"_L1).toObject();
        QCOMPARE(error.value("code"_L1).toString(), u"context_length_exceeded"_s);
        QVERIFY(!client->answer().body.contains("provider-key-123456"));
    }

    void pages_withStatus200_are502()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(200, "text/html", "<html><b>Please</b> <i>sign in</i></html>");
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, 502);
        QVERIFY(client->answer().body.contains("Please sign in"));
        QCOMPARE(fixture.upstream.requests().size(), 1);
    }

    void servers_withoutDone_areNotWaitedFor()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.beginStream();
            reply.chunk("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},"
                        "\"finish_reason\":\"stop\"}]}\n\n"); // and the socket stays open
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().events().last().first, "response.completed");
    }

    void silence_isBridgedThenEnded()
    {
        modelproxy::ProxyOptions options = quickOptions();
        options.timing.keepAlive = std::chrono::milliseconds(60);
        options.timing.idle = std::chrono::milliseconds(600);
        ProxyFixture fixture(options);
        QTimer drip;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            reply.beginStream();
            reply.chunk(
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata:");
            // A byte now and then is no sign of life: no event ever gets complete.
            connect(&drip, &QTimer::timeout, &reply, [&reply] { reply.chunk("x"); });
            drip.start(50);
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        int warm = 0;
        for (const auto &[event, data] : client->answer().events()) {
            warm += event == "response.in_progress" ? 1 : 0;
        }
        QVERIFY(warm >= 3);
        QCOMPARE(client->answer().events().last().first, "response.failed");
    }

    void provider_thatNeverAnswers_is502()
    {
        modelproxy::ProxyOptions options = quickOptions();
        options.timing.firstByte = std::chrono::milliseconds(60);
        ProxyFixture fixture(options);
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, 502);
        QCOMPARE(fixture.upstream.requests().size(), 1);
    }

    void slowClient_holdsTheProviderBack_withBoundedMemory()
    {
        ProxyFixture fixture;
        const QByteArray delta
            = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
              "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"obfuscation\":\""
            + QByteArray(16000, 'o') + "\",\"delta\":\"x\"}\n\n";
        constexpr int kCount = 2500; // 40 MB of events for 2.5 kB of answer
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            reply.beginStream();
            const QByteArray stream = responsesStream("x");
            reply.chunk(stream.left(stream.indexOf("event: response.output_text.delta")));
            for (int i = 0; i < kCount; ++i) {
                reply.chunk(delta);
            }
            reply.chunk(stream.mid(stream.indexOf("event: response.completed")));
            reply.endStream();
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const auto client = fixture.connectClient();
        client->setReading(false);
        client->post(fixture.path, kBody);
        QTRY_VERIFY(fixture.upstream.lastReply() != nullptr);
        UpstreamReply *reply = fixture.upstream.lastReply();
        qint64 before = 0;
        QTRY_VERIFY([&] { // until nothing moves any more
            const qint64 now = reply->pendingBytes();
            return now > 0 && now == std::exchange(before, now);
        }());
        // Kernel buffers on both sides take some megabytes; the proxy itself only a little.
        QVERIFY2(before > 16LL * 1024 * 1024, qPrintable(QString::number(before)));
        client->setReading(true);
        QTRY_VERIFY_WITH_TIMEOUT(client->received().endsWith("0\r\n\r\n"), 60000);
        QVERIFY(client->received().size() > kCount * delta.size());
    }

    void manyStreams_atOnce()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(200, "text/event-stream", chatStream("hi"));
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        std::vector<std::unique_ptr<RawClient>> clients;
        for (int i = 0; i < 100; ++i) {
            clients.push_back(fixture.post(kBody));
        }
        for (const auto &client : clients) {
            QTRY_VERIFY(client->answer().complete);
            QCOMPARE(client->answer().status, 200);
        }
    }

    void hugeString_passes()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(200, "text/event-stream", chatStream("hi"));
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.post(
            "{\"model\":\"m\",\"input\":\"" + QByteArray(10 * 1024 * 1024, 'x') + "\"}");
        QTRY_VERIFY_WITH_TIMEOUT(client->answer().complete, 20000);
        QCOMPARE(client->answer().status, 200);
    }

    void harness_speaksMessagesWithAnyProvider_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QByteArray>("stream");
        QTest::newRow("chat") << u"openai-chat-completions"_s << chatStream("hi");
        QTest::newRow("responses") << u"openai-responses"_s << responsesStream("hi");
        QTest::newRow("messages")
            << u"anthropic-messages"_s
            << QByteArray("event: message_start\ndata: "
                          "{\"type\":\"message_start\",\"message\":{\"id\":\"a\","
                          "\"content\":[],\"usage\":{\"input_tokens\":8,\"cache_read_input_"
                          "tokens\":3}}}\n\n"
                          "event: content_block_start\ndata: "
                          "{\"type\":\"content_block_start\",\"index\":0,"
                          "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: "
                          "content_block_delta\n"
                          "data: "
                          "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
                          "\"text_delta\","
                          "\"text\":\"hi\"}}\n\nevent: content_block_stop\ndata: "
                          "{\"type\":\"content_block_stop\","
                          "\"index\":0}\n\nevent: message_delta\ndata: "
                          "{\"type\":\"message_delta\",\"delta\":"
                          "{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n"
                          "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
    }
    void harness_speaksMessagesWithAnyProvider()
    {
        QFETCH(QString, format);
        QFETCH(QByteArray, stream);
        ProxyFixture fixture;
        fixture.upstream.setScript(
            [&](UpstreamReply &reply) { reply.respond(200, "text/event-stream", stream); });
        QVERIFY(fixture.addRoute(format));
        const auto upstream
            = modelproxy::Upstream::fromJson({ { u"base_url"_s, fixture.upstream.baseUrl() },
                { u"api_format"_s, format }, { u"model_id"_s, u"real"_s } });
        const auto grant = fixture.proxy.registerHarnessRoute(u"h"_s, *upstream);
        const QByteArray path = "/v1/harness-router/" + grant->token.toLatin1() + "/v1/messages";
        QSignalSpy usage(&fixture.proxy, &modelproxy::ModelProxy::usageReported);
        for (const bool whole : { false, true }) {
            const auto client = fixture.connectClient();
            client->post(path,
                "{\"model\":\"c\",\"max_tokens\":5,\"stream\":"
                    + QByteArray(whole ? "false" : "true")
                    + ",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}");
            QTRY_VERIFY(client->answer().complete);
            QCOMPARE(client->answer().status, 200);
            if (whole) {
                const QJsonObject message = object(client->answer().body);
                QCOMPARE(message.value("stop_reason"_L1).toString(), u"end_turn"_s);
                QCOMPARE(message.value("content"_L1)
                             .toArray()
                             .first()
                             .toObject()
                             .value("text"_L1)
                             .toString(),
                    u"hi"_s);
            } else {
                QCOMPARE(client->answer().events().first().first, "message_start");
                QCOMPARE(client->answer().events().last().first, "message_stop");
            }
            QCOMPARE(object(fixture.upstream.requests().last().body).value("model"_L1).toString(),
                u"real"_s);
        }
        QTRY_COMPARE(usage.size(), 2);
        QCOMPARE(usage.first().first().value<modelproxy::UsageReport>().inputTokens, 11);
        fixture.proxy.releaseRoute(u"h"_s);
        const auto late = fixture.connectClient();
        late->post(path, "{}");
        QTRY_COMPARE(late->answer().status, 404);
    }

    void modelSwitch_isConsumedByTheFirstSuccess()
    {
        ProxyFixture fixture;
        bool fail = true;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            if (fail) {
                reply.respond(400, "application/json", "{}");
            } else {
                reply.respond(200, "text/event-stream", responsesStream("hi"));
            }
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const QByteArray body = "{\"model\":\"m\",\"previous_response_id\":\"old\",\"input\":[]}";
        const auto sent = [&] {
            const auto client = fixture.post(body);
            [&] {
                QTRY_VERIFY(client->answer().complete);
            }();
            return fixture.upstream.requests().last().body.contains("previous_response_id");
        };
        fixture.proxy.markModelSwitch(u"task"_s);
        QVERIFY(!sent()); // refused: still pending
        fail = false;
        QVERIFY(!sent());
        QVERIFY(sent()); // state made since then is kept
    }

    void toolHistory_isFilledFromAnswers()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(200, "text/event-stream",
                "data: "
                "{\"id\":\"chatcmpl-7\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{"
                "\"id\":\"c1\","
                "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_"
                "calls\"}]}\n\n"
                "data: [DONE]\n\n");
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto first = fixture.post(kBody);
        QTRY_VERIFY(first->answer().complete);
        const auto second = fixture.post(
            "{\"model\":\"m\",\"previous_response_id\":\"resp_7\",\"input\":[{\"type\":"
            "\"function_call_output\",\"call_id\":\"c1\",\"output\":\"x\"}]}");
        QTRY_VERIFY(second->answer().complete);
        const QJsonArray messages
            = object(fixture.upstream.requests().last().body).value("messages"_L1).toArray();
        QCOMPARE(messages.size(), 2);
        QCOMPARE(messages.at(1).toObject().value("role"_L1).toString(), u"tool"_s);
        QVERIFY(!fixture.upstream.requests().last().body.contains("previous_response_id"));
    }

    void images_areDescribedForAModelThatCannotSee()
    {
        int described = 0;
        ScriptedUpstream seer([&](UpstreamReply &reply) {
            ++described;
            reply.respond(200, "application/json",
                "{\"choices\":[{\"message\":{\"content\":\"A red button.\"}}]}");
        });
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(200, "text/event-stream", chatStream("hi"));
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s,
            { { u"vision"_s,
                QJsonObject { { u"request_url"_s, seer.baseUrl() }, { u"model_id"_s, u"seer"_s },
                    { u"api_key"_s, u"seer-key"_s } } } }));
        const QByteArray body
            = "{\"model\":\"m\",\"client_metadata\":{\"thread_id\":\"t\"},\"input\":[{\"type\":"
              "\"message\",\"role\":\"user\","
              "\"content\":[{\"type\":\"input_text\",\"text\":\"see\"},{\"type\":\"input_image\"},{"
              "\"type\":\"input_image\","
              "\"image_url\":\"data:image/"
              "png;base64,QUJD\"},{\"type\":\"input_image\",\"image_url\":\"http://x/y\"}]}]}";
        for (int i = 0; i < 2; ++i) {
            const auto client = fixture.post(body);
            QTRY_VERIFY(client->answer().complete);
            QCOMPARE(client->answer().status, 200);
            const QByteArray sent = fixture.upstream.requests().last().body;
            QVERIFY(sent.contains("A red button."));
            QCOMPARE(sent.count("could not be described"), 2);
            QVERIFY(!sent.contains("QUJD"));
        }
        QCOMPARE(described, 1); // the second time from memory
        QCOMPARE(seer.requests().first().header("authorization"), "Bearer seer-key");
        seer.setScript([](UpstreamReply &reply) {
            reply.respond(307, "text/plain", "", { { "location", "/elsewhere" } });
        });
        QByteArray other = body;
        other.replace("QUJD", "QUJE");
        const auto client = fixture.post(other);
        QTRY_VERIFY(client->answer().complete);
        QVERIFY(fixture.upstream.requests().last().body.contains("HTTP 307"));
    }

    void modelTest_tellsWhatIsWrong_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<bool>("answered");
        QTest::addColumn<bool>("called");
        QTest::addColumn<QString>("problem");
        QTest::newRow("a good model")
            << 200
            << QByteArray("data: "
                          "{\"id\":\"x\",\"model\":\"real-name\",\"choices\":[{\"index\":0,"
                          "\"delta\":{\"tool_calls\":[{\"id\":\"c\","
                          "\"function\":{\"name\":\"report_ready\",\"arguments\":\"{\\\"ready\\\":"
                          "true}\"}}]},\"finish_reason\":"
                          "\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
            << true << true << QString();
        QTest::newRow("a model without tools")
            << 200 << chatStream("I am ready.") << true << false << u"did not call"_s;
        QTest::newRow("a wrong key") << 401 << QByteArray("{\"error\":{\"message\":\"bad key\"}}")
                                     << false << false << u"refuses the key"_s;
        QTest::newRow("an unknown model")
            << 404 << QByteArray("{}") << false << false << u"neither this model"_s;
        QTest::newRow("no balance") << 402 << QByteArray("{}") << false << false << u"no balance"_s;
        QTest::newRow("busy") << 429 << QByteArray("{}") << false << false << u"limits the rate"_s;
    }
    void modelTest_tellsWhatIsWrong()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, answer);
        QFETCH(bool, answered);
        QFETCH(bool, called);
        QFETCH(QString, problem);
        ProxyFixture fixture;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            reply.respond(status, status == 200 ? "text/event-stream" : "application/json", answer);
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto upstream
            = modelproxy::Upstream::fromJson({ { u"base_url"_s, fixture.upstream.baseUrl() },
                { u"api_format"_s, u"chat/completions"_s }, { u"model_id"_s, u"m"_s },
                { u"context_window"_s, 1234 } });
        std::optional<modelproxy::ModelTestReport> report;
        fixture.proxy.testModel(*upstream, this, [&](const auto &result) { report = result; });
        QTRY_VERIFY(report.has_value());
        QCOMPARE(report->answered, answered);
        QCOMPARE(report->calledTool, called);
        QCOMPARE(report->problem.isEmpty(), problem.isEmpty());
        QVERIFY2(report->problem.contains(problem), qPrintable(report->problem));
        QCOMPARE(report->hint.isEmpty(), problem.isEmpty());
        QCOMPARE(report->contextWindow.value_or(0), 1234);
        QCOMPARE(fixture.upstream.requests().size(), 1); // a test does not wait for better times
    }

    void modelList_isRead()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            if (reply.request.header("authorization") == "Bearer right") {
                reply.respond(200, "application/json",
                    "{\"data\":[{\"id\":\"a\",\"context_length\":5},{\"id\":\"b\"},{}]}");
            } else {
                reply.respond(401, "application/json", "{}");
            }
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        std::optional<Result<QList<modelproxy::ListedModel>>> models;
        for (const char *key : { "wrong", "right" }) {
            models.reset();
            const auto upstream
                = modelproxy::Upstream::fromJson({ { u"base_url"_s, fixture.upstream.baseUrl() },
                    { u"api_format"_s, u"chat/completions"_s },
                    { u"api_key"_s, QLatin1StringView(key) } });
            fixture.proxy.listModels(*upstream, this, [&](const auto &result) { models = result; });
            QTRY_VERIFY(models.has_value());
        }
        QCOMPARE(fixture.upstream.requests().last().method, "GET");
        QCOMPARE(fixture.upstream.requests().last().path, "/v1/models");
        QVERIFY(models->has_value());
        QCOMPARE((*models)->size(), 2);
        QCOMPARE((*models)->first().contextWindow.value_or(0), 5);
    }

    void contextWindow_thatSilentlyOverflows_isWarnedOf_data()
    {
        QTest::addColumn<int>("promptTokens");
        QTest::addColumn<QString>("expected");
        QTest::newRow("read a part only") << 900 << u"drops the beginning"_s;
        QTest::newRow("nearly full") << 7900 << u"fills 7900 of the 8000"_s;
        QTest::newRow("fits") << 5000 << QString();
    }
    void contextWindow_thatSilentlyOverflows_isWarnedOf()
    {
        QFETCH(int, promptTokens);
        QFETCH(QString, expected);
        ProxyFixture fixture;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            QByteArray stream = chatStream("hi");
            stream.replace(
                "\"prompt_tokens\":11", "\"prompt_tokens\":" + QByteArray::number(promptTokens));
            reply.respond(200, "text/event-stream", stream);
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s,
            { { u"family"_s, u"ollama"_s }, { u"context_window"_s, 8000 } }));
        QSignalSpy warnings(&fixture.proxy, &modelproxy::ModelProxy::contextWarned);
        QSignalSpy usage(&fixture.proxy, &modelproxy::ModelProxy::usageReported);
        for (int i = 0; i < 2; ++i) { // and said once only
            const auto client
                = fixture.post("{\"model\":\"m\",\"input\":\"" + QByteArray(20000, 'x') + "\"}");
            QTRY_VERIFY(client->answer().complete);
        }
        QTRY_COMPARE(usage.size(), 2);
        QCOMPARE(warnings.size(), expected.isEmpty() ? 0 : 1);
        if (!expected.isEmpty()) {
            const auto warning = warnings.first().first().value<modelproxy::ContextWarning>();
            QCOMPARE(warning.scope, u"task"_s);
            QVERIFY2(warning.message.contains(expected), qPrintable(warning.message));
        }
    }

#ifdef Q_OS_LINUX
    void memory_doesNotGrowWithRequests()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("the sanitizers keep memory of their own");
#endif
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(200, "text/event-stream", chatStream("hi"));
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.connectClient();
        const auto run = [&](int count) {
            for (int i = 0; i < count; ++i) {
                client->forget();
                client->post(fixture.path, kBody);
                QTRY_VERIFY(client->received().endsWith("0\r\n\r\n"));
            }
        };
        run(200);
        const qint64 before = residentBytes();
        run(500);
        QVERIFY(residentBytes() - before < 5 * 1024 * 1024);
    }
#endif
};

QTEST_GUILESS_MAIN(TestProviders)
#include "tst_modelproxy_providers.moc"
