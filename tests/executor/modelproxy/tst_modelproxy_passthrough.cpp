// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/modelproxy/proxyfixture.h"

#include <QJsonDocument>
#include <QSignalSpy>
#include <QTest>

using namespace deskhand;
using namespace deskhand::test;
using namespace Qt::StringLiterals;

namespace {

// Odd spacing and key order on purpose: none of it may change.
const QByteArray kBody = "{ \"stream\":true,\"model\" : "
                         "\"client-name\",\"zeta\":1.50,\"input\":[{\"type\":\"message\",\"role\":"
                         "\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"h\\u00e9 "
                         "\\/\"}]}],\"alpha\":{\"b\":1,\"a\":[ ]} }";

/// `client_metadata` of a request.
QByteArray threadOf(const QByteArray &thread, const QByteArray &parent = {})
{
    QJsonObject metadata { { u"thread_id"_s, QString::fromLatin1(thread) } };
    if (!parent.isEmpty()) {
        metadata.insert(u"parent_thread_id"_s, QString::fromLatin1(parent));
    }
    return QJsonDocument(metadata).toJson(QJsonDocument::Compact);
}

void answerWith(UpstreamReply &reply, const QByteArray &stream)
{
    reply.respond(200, "text/event-stream", stream);
}

} // namespace

class TestPassThrough final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void body_withoutARealModelId_passesByteForByte()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript(
            [](UpstreamReply &reply) { answerWith(reply, responsesStream("hi")); });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(fixture.upstream.requests().size(), 1);
        QCOMPARE(fixture.upstream.requests().first().body, kBody);
        QCOMPARE(fixture.upstream.requests().first().path, "/v1/responses");
    }

    void body_withARealModelId_changesOnlyThatValue()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript(
            [](UpstreamReply &reply) { answerWith(reply, responsesStream("hi")); });
        QVERIFY(fixture.addRoute(u"responses"_s, { { u"model_id"_s, u"real \"id\""_s } }));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QByteArray expected = kBody;
        expected.replace("\"client-name\"", "\"real \\\"id\\\"\"");
        QCOMPARE(fixture.upstream.requests().first().body, expected);
    }

    void stream_thatIsCorrect_passesByteForByte()
    {
        ProxyFixture fixture;
        const QByteArray stream = responsesStream("h\xc3\xa9llo");
        fixture.upstream.setScript([&](UpstreamReply &reply) { answerWith(reply, stream); });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        QSignalSpy usage(&fixture.proxy, &modelproxy::ModelProxy::usageReported);
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, 200);
        QCOMPARE(client->answer().body, stream);
        QCOMPARE(client->answer().header("content-type"), "text/event-stream");
        QCOMPARE(client->answer().header("cache-control"), "no-cache");
        QTRY_COMPARE(usage.size(), 1);
        const auto report = usage.first().first().value<modelproxy::UsageReport>();
        QCOMPARE(report.scope, u"task"_s);
        QCOMPARE(report.inputTokens, 11);
        QCOMPARE(report.cachedTokens, 3);
        QCOMPARE(report.outputTokens, 2);
    }

    void headers_ofTheClient_neverCarrySecretsToTheProvider()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(200, "text/event-stream", responsesStream("hi"),
                { { "x-request-id", "r1" }, { "set-cookie", "a=b" },
                    { "x-codex-turn-state", "ts" } });
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s,
            { { u"default_headers"_s,
                QJsonObject {
                    { u"X-Title"_s, u"Deskhand"_s }, { u"user-agent"_s, u"other"_s } } } }));
        const auto client = fixture.post(kBody,
            { { "Authorization", "Bearer local" }, { "Cookie", "c=1" },
                { "chatgpt-account-id", "acc" }, { "x-oai-attestation", "att" },
                { "User-Agent", "codex/1" }, { "session-id", "s-1" } });
        QTRY_VERIFY(client->answer().complete);
        const ReceivedRequest &request = fixture.upstream.requests().first();
        QCOMPARE(request.header("authorization"), "Bearer provider-key-123456");
        QCOMPARE(request.header("session-id"), "s-1");
        QCOMPARE(request.header("x-title"), "Deskhand");
        QCOMPARE(request.header("user-agent"), "other");
        for (const char *name : { "cookie", "chatgpt-account-id", "x-oai-attestation", "expect" }) {
            QVERIFY2(request.header(name).isEmpty(), name);
        }
        const ClientAnswer answer = client->answer();
        QCOMPARE(answer.header("x-request-id"), "r1");
        QCOMPARE(answer.header("x-codex-turn-state"), "ts");
        QVERIFY(answer.header("set-cookie").isEmpty());
        QVERIFY(answer.header("access-control-allow-origin").isEmpty());
    }

    void key_thatIsEmpty_sendsNoAuthorization()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript(
            [](UpstreamReply &reply) { answerWith(reply, responsesStream("hi")); });
        QVERIFY(fixture.addRoute(u"openai-responses"_s, { { u"api_key"_s, u""_s } }));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QVERIFY(fixture.upstream.requests().first().header("authorization").isEmpty());
    }

    void door_refusesStrangers_data()
    {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<int>("status");
        const QByteArray host = "Host: 127.0.0.1\r\n";
        const QByteArray length = "Content-Length: 2\r\n\r\n{}";
        QTest::newRow("a wrong token is unknown")
            << QByteArray("POST /v1/codex-router/task-00/responses HTTP/1.1\r\n" + host + length)
            << 404;
        QTest::newRow("a wrong token for models is unknown")
            << QByteArray("GET /v1/codex-router/task-00/models HTTP/1.1\r\n" + host + "\r\n")
            << 404;
        QTest::newRow("the shared route wants the bearer key")
            << QByteArray("POST /v1/codex-router/responses HTTP/1.1\r\n" + host + length) << 401;
        QTest::newRow("a wrong bearer key is refused") << QByteArray(
            "POST /v1/codex-router/responses HTTP/1.1\r\nAuthorization: Bearer nope\r\n" + host
            + length) << 401;
        QTest::newRow("the catalog wants the bearer key")
            << QByteArray("GET /v1/codex-router/models HTTP/1.1\r\n" + host + "\r\n") << 401;
        QTest::newRow("a foreign host is refused before the token counts") << QByteArray(
            "POST /v1/codex-router/TOKEN/responses HTTP/1.1\r\nHost: evil.example\r\n" + length)
                                                                           << 403;
        QTest::newRow("a host that starts like ours is foreign") << QByteArray(
            "POST /v1/codex-router/TOKEN/responses HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n"
            + length) << 403;
        QTest::newRow("no host is foreign")
            << QByteArray("POST /v1/codex-router/TOKEN/responses HTTP/1.1\r\n" + length) << 403;
        QTest::newRow("GET on a model route")
            << QByteArray("GET /v1/codex-router/TOKEN/responses HTTP/1.1\r\n" + host + "\r\n")
            << 405;
        QTest::newRow("OPTIONS gets no permission")
            << QByteArray("OPTIONS /v1/codex-router/TOKEN/responses HTTP/1.1\r\n" + host + "\r\n")
            << 405;
        QTest::newRow("an unknown path")
            << QByteArray("GET /other HTTP/1.1\r\n" + host + "\r\n") << 404;
        QTest::newRow("the stand-alone path is not there")
            << QByteArray("POST /v1/responses HTTP/1.1\r\n" + host + length) << 404;
        QTest::newRow("a body that is no JSON") << QByteArray(
            "POST /v1/codex-router/TOKEN/responses HTTP/1.1\r\n" + host
            + "Content-Length: 1\r\n\r\n{") << 400;
        QTest::newRow("a body that is no object") << QByteArray(
            "POST /v1/codex-router/TOKEN/responses HTTP/1.1\r\n" + host
            + "Content-Length: 2\r\n\r\n[]") << 400;
        QTest::newRow("an unknown encoding") << QByteArray(
            "POST /v1/codex-router/TOKEN/responses HTTP/1.1\r\nContent-Encoding: br\r\n" + host
            + length) << 415;
        QTest::newRow("a deeply nested body") << QByteArray(
            "POST /v1/codex-router/TOKEN/responses HTTP/1.1\r\n" + host
            + "Content-Length: 2005\r\n\r\n{\"a\":" + QByteArray(1000, '[') + QByteArray(1000, ']'))
                                              << 400;
    }
    void door_refusesStrangers()
    {
        QFETCH(QByteArray, request);
        QFETCH(int, status);
        ProxyFixture fixture;
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        request.replace("TOKEN", fixture.grant.token.toLatin1());
        const auto client = fixture.connectClient();
        client->send(request);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, status);
        QVERIFY(fixture.upstream.requests().isEmpty());
        const QJsonObject error = QJsonDocument::fromJson(client->answer().body).object();
        QVERIFY2(!error.value("error"_L1).toObject().value("message"_L1).toString().isEmpty(),
            client->answer().body.constData());
    }

    void sharedRoute_findsTheRouteOfTheThread()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript(
            [](UpstreamReply &reply) { answerWith(reply, responsesStream("hi")); });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const auto status = [&](const QByteArray &metadata) {
            const auto client = fixture.connectClient();
            client->post("/v1/codex-router/responses",
                "{\"model\":\"x\",\"input\":[],\"client_metadata\":" + metadata + '}',
                { { "authorization",
                    "bEaReR " + fixture.proxy.bearerKey().toLatin1() + " extra" } });
            [&] {
                QTRY_VERIFY(client->answer().complete);
            }();
            return client->answer().status;
        };
        QCOMPARE(status(threadOf("t1")), 404);
        QCOMPARE(status("{}"), 409);
        fixture.proxy.bindThread(u"task"_s, u"t1"_s);
        QCOMPARE(status(threadOf("t1")), 200);
        QCOMPARE(status(threadOf("child", "t1")), 200);
        QCOMPARE(status(threadOf("child")), 200);
        const QByteArray inTurnMetadata = "{\"thread_id\":\"other\",\"x-codex-turn-metadata\":\"{"
                                          "\\\"parent_thread_id\\\":\\\"t1\\\"}\"}";
        QCOMPARE(status(inTurnMetadata), 200);
        QCOMPARE(status(threadOf("stranger")), 404);
        // The same thread in two routes is ambiguous.
        const auto second
            = modelproxy::Upstream::fromJson({ { u"base_url"_s, fixture.upstream.baseUrl() } });
        QVERIFY(fixture.proxy.registerRoute(u"second"_s, *second));
        fixture.proxy.bindThread(u"second"_s, u"t1"_s);
        QCOMPARE(status(threadOf("t1")), 409);
    }

    void taskRoute_ofABoundThread_refusesOthers()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript(
            [](UpstreamReply &reply) { answerWith(reply, responsesStream("hi")); });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const auto status = [&](const QByteArray &metadata) {
            const auto client = fixture.post(
                "{\"model\":\"x\",\"input\":[],\"client_metadata\":" + metadata + '}');
            [&] {
                QTRY_VERIFY(client->answer().complete);
            }();
            return client->answer().status;
        };
        QCOMPARE(status("{}"), 200); // the first request of a new thread
        fixture.proxy.bindThread(u"task"_s, u"t1"_s);
        QCOMPARE(status("{}"), 409);
        QCOMPARE(status(threadOf("t2")), 409);
        QCOMPARE(status(threadOf("t2", "t1")), 200);
        QCOMPARE(status(threadOf("t2")), 200);
    }

    void registration_ofTheSameScope_keepsTokenAndReplacesTheProvider()
    {
        ProxyFixture fixture;
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const QString token = fixture.grant.token;
        ScriptedUpstream second(
            [](UpstreamReply &reply) { answerWith(reply, responsesStream("two")); });
        QVERIFY(fixture.addRoute(u"openai-responses"_s, { { u"base_url"_s, second.baseUrl() } }));
        QCOMPARE(fixture.grant.token, token);
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(second.requests().size(), 1);
        QVERIFY(token.startsWith("task-"_L1));
        QCOMPARE(token.size(), 5 + 48);
        const auto other = modelproxy::Upstream::fromJson({ { u"base_url"_s, second.baseUrl() } });
        QVERIFY(fixture.proxy.registerRoute(u"another"_s, *other)->token != token);
    }

    void tooManyRequests_fiveTimesThenSuccess_isOneAnswer()
    {
        ProxyFixture fixture;
        int count = 0;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            if (++count <= 5) {
                reply.respond(429, "application/json",
                    "{\"error\":{\"message\":\"slow\",\"code\":\"rate_limit_exceeded\"}}");
            } else {
                answerWith(reply, responsesStream("at last"));
            }
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        QSignalSpy waits(&fixture.proxy, &modelproxy::ModelProxy::retryWaiting);
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, 200);
        QCOMPARE(count, 6);
        for (const ReceivedRequest &request : fixture.upstream.requests()) {
            QCOMPARE(request.body, kBody);
        }
        QTRY_COMPARE(waits.size(), 5);
        QList<int> delays;
        for (const QList<QVariant> &wait : waits) {
            delays.append(
                static_cast<int>(wait.first().value<modelproxy::RetryNotice>().delay.count()));
        }
        QCOMPARE(delays, QList<int>({ 1, 5, 10, 30, 60 }));
    }

    void tooManyRequests_sixTimes_returnsTheLastAnswerUnchanged()
    {
        ProxyFixture fixture;
        int count = 0;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            reply.respond(
                429, "application/problem+json", "{\"no\": " + QByteArray::number(++count) + "}");
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        QSignalSpy failures(&fixture.proxy, &modelproxy::ModelProxy::upstreamFailed);
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, 429);
        QCOMPARE(client->answer().body, "{\"no\": 6}");
        QCOMPARE(client->answer().header("content-type"), "application/problem+json");
        QTRY_COMPARE(failures.size(), 1);
    }

    void refusals_thatWaitingDoesNotCure_areNotRepeated_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("retryAfter");
        QTest::newRow("bad request") << 400 << QByteArray("{}") << QByteArray();
        QTest::newRow("unauthorized") << 401 << QByteArray("{}") << QByteArray();
        QTest::newRow("not found") << 404 << QByteArray("{}") << QByteArray();
        QTest::newRow("conflict without a wait") << 409 << QByteArray("{}") << QByteArray();
        QTest::newRow("no quota left")
            << 429 << QByteArray("{\"error\":{\"code\":\"insufficient_quota\"}}")
            << QByteArray("1");
        QTest::newRow("no balance left") << 402 << QByteArray("{}") << QByteArray();
        QTest::newRow("a hopeless wait") << 429 << QByteArray("{}") << QByteArray("301");
    }
    void refusals_thatWaitingDoesNotCure_areNotRepeated()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, retryAfter);
        ProxyFixture fixture;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            reply.respond(status, "application/json", body,
                retryAfter.isEmpty()
                    ? QList<std::pair<QByteArray, QByteArray>>()
                    : QList<std::pair<QByteArray, QByteArray>> { { "retry-after", retryAfter } });
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, status);
        QCOMPARE(client->answer().body, body);
        QCOMPARE(client->answer().header("retry-after"), retryAfter);
        QCOMPARE(fixture.upstream.requests().size(), 1);
    }

    void errorInTheFirstEvent_isRetriedLikeARefusal()
    {
        ProxyFixture fixture;
        int count = 0;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            if (++count == 1) {
                answerWith(reply,
                    "event: error\ndata: "
                    "{\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n");
            } else {
                answerWith(reply, responsesStream("fine"));
            }
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(count, 2);
        QCOMPARE(client->answer().body, responsesStream("fine"));
    }

    void errorAfterTheFirstByte_isNeverRetried()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            reply.beginStream();
            const QByteArray stream = responsesStream("half");
            reply.chunk(stream.left(stream.indexOf("event: response.output_item.done")));
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().body.contains("half"));
        fixture.upstream.lastReply()->cut();
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(fixture.upstream.requests().size(), 1);
        const auto events = client->answer().events();
        QCOMPARE(events.last().first, "response.failed");
        QVERIFY(events.last().second.contains("server_error"));
    }

    void provider_thatCannotBeReached_isTriedThreeTimesThen502()
    {
        ProxyFixture fixture;
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        fixture.upstream.close();
        QSignalSpy waits(&fixture.proxy, &modelproxy::ModelProxy::retryWaiting);
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, 502);
        QTRY_COMPARE(waits.size(), 2);
        QVERIFY(!client->answer().body.contains("provider-key"));
        QVERIFY(client->answer().body.contains("127.0.0.1:"));
    }

    void networkProxy_thatIsNotThere_isNamed()
    {
        ScriptedUpstream closed;
        const QString address = u"127.0.0.1:%1"_s.arg(closed.port());
        closed.close();
        ProxyFixture fixture;
        QVERIFY(fixture.addRoute(u"openai-responses"_s,
            { { u"base_url"_s, u"http://model.example/v1"_s },
                { u"proxy_url"_s, u"http://ann:hidden@"_s + address } }));
        const auto client = fixture.post(kBody);
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().status, 502);
        QVERIFY2(
            client->answer().body.contains(address.toLatin1()), client->answer().body.constData());
        QVERIFY(client->answer().body.contains("configuration"));
        QVERIFY(!client->answer().body.contains("hidden"));
    }

    void client_thatLeaves_closesTheProvidersStream()
    {
        ProxyFixture fixture;
        bool gone = false;
        fixture.upstream.setScript([&](UpstreamReply &reply) {
            connect(&reply, &UpstreamReply::disconnected, this, [&gone] { gone = true; });
            reply.beginStream();
            reply.chunk(responsesStream("x").left(300));
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        auto client = fixture.post(kBody);
        QTRY_VERIFY(!client->received().isEmpty());
        client->close();
        QTRY_VERIFY(gone); // how soon, the benchmark measures
    }

    void client_thatLeavesDuringAWait_endsTheWait()
    {
        modelproxy::ProxyOptions options = quickOptions();
        options.timing.retryDelays = { std::chrono::milliseconds(200) };
        ProxyFixture fixture(options);
        fixture.upstream.setScript(
            [](UpstreamReply &reply) { reply.respond(503, "text/plain", "busy"); });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        QSignalSpy waits(&fixture.proxy, &modelproxy::ModelProxy::retryWaiting);
        auto client = fixture.post(kBody);
        QTRY_COMPARE(waits.size(), 1);
        client->close();
        // A second request afterwards shows that the first one's repetition never came.
        const auto second = fixture.post("{\"model\":\"second\"}");
        QTRY_VERIFY(second->answer().complete);
        QCOMPARE(second->answer().status, 503);
        for (const ReceivedRequest &request : fixture.upstream.requests().mid(1)) {
            QVERIFY(request.body.contains("second"));
        }
    }

    void stop_refusesNewRequestsAndEndsRunningOnes()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.beginStream();
            reply.chunk(responsesStream("x").left(300));
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const auto running = fixture.post(kBody);
        QTRY_VERIFY(!running->received().isEmpty());
        QSignalSpy stopped(&fixture.proxy, &modelproxy::ModelProxy::stopped);
        fixture.proxy.requestStop();
        QTRY_COMPARE(stopped.size(), 1);
        QTRY_VERIFY(running->answer().complete);
        QVERIFY(running->answer().body.contains("response.failed"));
        const auto late = fixture.post(kBody);
        QTRY_VERIFY(late->answer().complete);
        QCOMPARE(late->answer().status, 503);
    }
};

QTEST_GUILESS_MAIN(TestPassThrough)
#include "tst_modelproxy_passthrough.moc"
