// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/net/listener.h"
#include "tests/support/modelpeers/scriptedupstream.h"

#include <QTest>

using namespace deskhand;
using namespace deskhand::net;
using namespace deskhand::test;

namespace {

QByteArray urlOf(const ScriptedUpstream &upstream)
{
    return upstream.baseUrl().toLatin1() + "/x";
}

} // namespace

class TestHttpClient final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void post_sendsBodyAndHeaders()
    {
        ScriptedUpstream upstream([](UpstreamReply &reply) {
            reply.respond(201, "text/plain", "fine", { { "x-a", "b" } });
        });
        HttpClient client;
        Listener listener;
        const auto handle = client.send(requestTo(urlOf(upstream)), listener);
        QTRY_VERIFY(listener.finished);
        QCOMPARE(listener.fault, TransferFault::None);
        QCOMPARE(listener.status, 201);
        QCOMPARE(listener.body, "fine");
        QCOMPARE(headerValue(listener.headers, "X-A"), "b");
        QCOMPARE(upstream.requests().first().method, "POST");
        QCOMPARE(upstream.requests().first().body, "{}");
        QVERIFY(upstream.requests().first().header("expect").isEmpty());
    }

    void connections_areUsedAgain()
    {
        ScriptedUpstream upstream(
            [](UpstreamReply &reply) { reply.respond(200, "text/plain", "x"); });
        HttpClient client;
        for (int i = 0; i < 3; ++i) {
            Listener listener;
            const auto handle = client.send(requestTo(urlOf(upstream)), listener);
            QTRY_VERIFY(listener.finished);
        }
        QCOMPARE(upstream.connectionCount(), 1);
    }

    void redirect_toTheSameOriginIsFollowed_toAnotherIsNot()
    {
        ScriptedUpstream other(
            [](UpstreamReply &reply) { reply.respond(200, "text/plain", "stolen"); });
        ScriptedUpstream upstream;
        upstream.setScript([&](UpstreamReply &reply) {
            if (reply.request.path == "/v1/x") {
                reply.respond(307, "text/plain", "", { { "location", "/v1/y" } });
            } else if (reply.request.path == "/v1/y") {
                reply.respond(200, "text/plain", "here");
            } else {
                reply.respond(
                    308, "text/plain", "", { { "location", other.baseUrl().toLatin1() } });
            }
        });
        HttpClient client;
        Listener same;
        const auto first = client.send(requestTo(urlOf(upstream)), same);
        QTRY_VERIFY(same.finished);
        QCOMPARE(same.status, 200);
        QCOMPARE(same.body, "here");
        QCOMPARE(upstream.requests().last().body, "{}");
        QCOMPARE(upstream.requests().last().header("x-key"), "secret");
        Listener away;
        const auto second = client.send(requestTo(upstream.baseUrl().toLatin1() + "/z"), away);
        QTRY_VERIFY(away.finished);
        QCOMPARE(away.status, 308);
        QVERIFY(other.requests().isEmpty());
    }

    void faults_areToldApart()
    {
        HttpClient client;
        ScriptedUpstream closed;
        const QByteArray refused = urlOf(closed);
        closed.close();
        ScriptedUpstream mute([](UpstreamReply &reply) { reply.cut(); });
        ScriptedUpstream partial([](UpstreamReply &reply) {
            reply.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
            reply.close();
        });
        ScriptedUpstream cutChunk([](UpstreamReply &reply) {
            reply.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nabc");
            reply.close();
        });
        ScriptedUpstream foreign([](UpstreamReply &reply) {
            reply.raw("SSH-2.0-OpenSSH_9\r\n");
            reply.close();
        });
        struct Case
        {
            QByteArray url;
            TransferFault fault;
        };
        for (const Case &item : { Case { refused, TransferFault::Connect },
                 Case { urlOf(mute), TransferFault::ClosedEarly },
                 Case { urlOf(foreign), TransferFault::NotHttp },
                 Case { urlOf(partial), TransferFault::CutBody },
                 Case { urlOf(cutChunk), TransferFault::CutBody },
                 Case { "ftp://127.0.0.1/", TransferFault::Url },
                 Case { "nonsense", TransferFault::Url },
                 Case { "http://no.such.host.invalid/", TransferFault::Resolve } }) {
            Listener listener;
            HttpRequest request = requestTo(item.url);
            const auto handle = client.send(request, listener);
            QTRY_VERIFY2(listener.finished, item.url.constData());
            QVERIFY2(
                listener.fault == item.fault || item.url.contains("invalid"), item.url.constData());
            QVERIFY(listener.fault != TransferFault::None);
        }
    }

    void silence_isLimited()
    {
        using std::chrono::milliseconds;
        HttpClient client;
        ScriptedUpstream mute;
        Listener waiting;
        HttpRequest request = requestTo(urlOf(mute));
        request.firstByteTimeout = milliseconds(60);
        const auto first = client.send(request, waiting);
        QTRY_VERIFY(waiting.finished);
        QCOMPARE(waiting.fault, TransferFault::FirstByteTimeout);
        ScriptedUpstream stalled([](UpstreamReply &reply) {
            reply.beginStream();
            reply.chunk("x");
        });
        Listener half;
        request = requestTo(urlOf(stalled));
        request.idleTimeout = milliseconds(60);
        const auto second = client.send(request, half);
        QTRY_VERIFY(half.finished);
        QCOMPARE(half.fault, TransferFault::IdleTimeout);
        QCOMPARE(half.body, "x");
    }

    void cancelling_closesTheStream_alsoFromWithinACallback()
    {
        bool gone = false;
        ScriptedUpstream upstream([&](UpstreamReply &reply) {
            connect(&reply, &UpstreamReply::disconnected, this, [&gone] { gone = true; });
            reply.beginStream();
            reply.chunk("x");
        });
        HttpClient client;
        Listener listener;
        std::unique_ptr<TransferHandle> handle = client.send(requestTo(urlOf(upstream)), listener);
        listener.cancelAtFirstByte = &handle;
        QTRY_VERIFY(gone);
        QVERIFY(!listener.finished);
        QVERIFY(handle == nullptr);
    }

    void pausing_stallsTheSender()
    {
        ScriptedUpstream upstream;
        qint64 sent = 0;
        const QByteArray piece(256 * 1024, 'x');
        upstream.setScript([&](UpstreamReply &reply) {
            reply.beginStream();
            for (int i = 0; i < 64; ++i) {
                reply.chunk(piece);
                sent += piece.size();
            }
            reply.endStream();
        });
        HttpClient client;
        Listener listener;
        const auto handle = client.send(requestTo(urlOf(upstream)), listener);
        handle->pause();
        QTRY_VERIFY(sent == 64 * piece.size());
        // The sockets' own buffers are full, the rest stays with the sender.
        QTRY_VERIFY(listener.status == 200);
        QVERIFY(listener.body.size() < piece.size());
        QVERIFY(upstream.lastReply()->pendingBytes() > 4 * 1024 * 1024);
        handle->resume();
        QTRY_VERIFY(listener.finished);
        QCOMPARE(listener.body.size(), sent);
    }

    void loopback_bypassesTheProxyOfTheEnvironment()
    {
        qputenv("http_proxy", "http://127.0.0.1:9");
        ScriptedUpstream upstream(
            [](UpstreamReply &reply) { reply.respond(200, "text/plain", "x"); });
        HttpClient client;
        Listener listener;
        HttpRequest request = requestTo(urlOf(upstream));
        request.proxyUrl = "http://127.0.0.1:9";
        const auto handle = client.send(request, listener);
        QTRY_VERIFY(listener.finished);
        qunsetenv("http_proxy");
        QCOMPARE(listener.status, 200);
    }

    void proxy_isUsedForOtherHosts()
    {
        // An HTTP proxy gets the whole address in the request line.
        ScriptedUpstream proxy(
            [](UpstreamReply &reply) { reply.respond(200, "text/plain", "via"); });
        HttpClient client;
        Listener listener;
        HttpRequest request = requestTo("http://model.example/v1/x");
        request.proxyUrl = "http://user:pass@127.0.0.1:" + QByteArray::number(proxy.port());
        const auto handle = client.send(request, listener);
        QTRY_VERIFY(listener.finished);
        QCOMPARE(listener.body, "via");
        QCOMPARE(proxy.requests().first().path, "http://model.example/v1/x");
        QVERIFY(proxy.requests().first().header("proxy-authorization").startsWith("Basic "));
    }

    void clientGone_beforeItsHandles_isHarmless()
    {
        ScriptedUpstream upstream;
        Listener listener;
        auto client = std::make_unique<HttpClient>();
        const auto handle = client->send(requestTo(urlOf(upstream)), listener);
        QTRY_COMPARE(upstream.requests().size(), 1);
        client.reset();
        handle->resume();
        QVERIFY(!listener.finished);
    }
};

QTEST_GUILESS_MAIN(TestHttpClient)
#include "tst_httpclient.moc"
