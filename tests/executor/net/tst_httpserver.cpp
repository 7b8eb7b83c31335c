// SPDX-License-Identifier: Apache-2.0
#include "executor/net/httpserver.h"
#include "tests/support/modelpeers/rawclient.h"

#include <QPointer>
#include <QSignalSpy>
#include <QTest>

#include <functional>

using namespace deskhand;
using namespace deskhand::net;
using namespace deskhand::test;

namespace {

/// Records requests and lets the test answer.
class Handler final : public HttpHandler
{
public:
    std::function<void(HttpExchange &)> answer;
    std::optional<HttpReply> refusal;
    QList<HttpRequestHead> heads;
    std::vector<std::string> bodies;
    QPointer<HttpExchange> last;

    std::optional<HttpReply> admit(const HttpRequestHead &head) override
    {
        heads.append(head);
        return refusal;
    }
    void serve(HttpExchange &exchange) override
    {
        bodies.push_back(exchange.takeBody());
        last = &exchange;
        if (answer) {
            answer(exchange);
        }
    }
};

HttpServerLimits quickLimits()
{
    using std::chrono::milliseconds;
    HttpServerLimits limits;
    limits.headerBytes = 2048;
    limits.bodyBytes = 1000;
    limits.header = milliseconds(150);
    limits.bodyIdle = milliseconds(150);
    limits.body = milliseconds(400);
    limits.keepAlive = milliseconds(300);
    limits.writeStall = milliseconds(300);
    limits.connections = 4;
    return limits;
}

void sayOk(HttpExchange &exchange)
{
    exchange.reply({ 200, { { "Content-Type", "text/plain" } }, "ok" });
}

const QByteArray kGet = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n";

} // namespace

class TestHttpServer final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepAlive_servesOneRequestAfterTheOther()
    {
        Handler handler;
        handler.answer = sayOk;
        HttpServer server(handler);
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient client(server.port());
        for (int i = 1; i <= 3; ++i) {
            client.forget();
            client.send(kGet);
            QTRY_VERIFY(client.answer().complete);
            QCOMPARE(client.answer().body, "ok");
            QCOMPARE(handler.heads.size(), i);
        }
        QCOMPARE(handler.heads.first().path, "/a");
        QCOMPARE(handler.heads.first().query, "b=c");
        QCOMPARE(server.connectionCount(), 1);
    }

    void body_isTakenWholeHoweverItIsSent_data()
    {
        QTest::addColumn<QByteArray>("request");
        QTest::newRow("with a length")
            << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello world");
        QTest::newRow("in chunks") << QByteArray(
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n"
            "5;note=1\r\nworld\r\n0\r\nTrailer: t\r\n\r\n");
    }
    void body_isTakenWholeHoweverItIsSent()
    {
        QFETCH(QByteArray, request);
        Handler handler;
        handler.answer = sayOk;
        HttpServer server(handler);
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient whole(server.port());
        whole.send(request);
        QTRY_VERIFY(whole.answer().complete);
        RawClient pieces(server.port());
        for (const char byte : request) {
            pieces.send(QByteArray(1, byte));
            QCoreApplication::processEvents();
        }
        QTRY_VERIFY(pieces.answer().complete);
        QCOMPARE(handler.bodies.size(), size_t(2));
        for (const std::string &body : handler.bodies) {
            QCOMPARE(body, std::string("hello world"));
        }
    }

    void expectation_isMetBeforeTheBody()
    {
        Handler handler;
        handler.answer = sayOk;
        HttpServer server(handler);
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient client(server.port());
        client.send(
            "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
        QTRY_COMPARE(client.received(), "HTTP/1.1 100 Continue\r\n\r\n");
        client.forget();
        client.send("hi");
        QTRY_VERIFY(client.answer().complete);
        QCOMPARE(handler.bodies.back(), std::string("hi"));
    }

    void expectation_ofARefusedRequest_isNotMet()
    {
        Handler handler;
        handler.refusal = HttpReply { 401, {}, "no" };
        HttpServer server(handler);
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient client(server.port());
        client.send(
            "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
        QTRY_COMPARE(client.answer().status, 401);
        QCOMPARE(client.answer().header("connection"), "close");
        QVERIFY(handler.bodies.empty());
    }

    void pipelining_isNotServed_andTheConnectionClosesAfterTheFirstAnswer()
    {
        Handler handler;
        handler.answer = sayOk;
        HttpServer server(handler);
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient client(server.port());
        client.send(kGet + kGet);
        QTRY_VERIFY(client.answer().complete);
        QTRY_VERIFY(client.isClosed());
        QCOMPARE(client.answer().header("connection"), "close");
        QCOMPARE(handler.heads.size(), 1);
    }

    void peers_thatAreSlowOrTooLarge_areCut_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("status");
        QTest::newRow("a head that never ends")
            << QByteArray("GET / HTTP/1.1\r\nHost: x\r\nX:") << 408;
        QTest::newRow("a body that never comes")
            << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab") << 408;
        QTest::newRow("a head that is too large")
            << QByteArray("GET / HTTP/1.1\r\nX: " + QByteArray(4000, 'a')) << 431;
        QTest::newRow("an announced body that is too large")
            << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n") << 413;
        QTest::newRow("a chunked body that is too large") << QByteArray(
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n"
            + QByteArray(1024, 'a') + "\r\n0\r\n\r\n") << 413;
        QTest::newRow("two lengths") << QByteArray(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc")
                                     << 400;
        QTest::newRow("a length and chunks") << QByteArray(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: "
            "chunked\r\n\r\n0\r\n\r\n") << 400;
        QTest::newRow("two hosts")
            << QByteArray("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n") << 400;
        QTest::newRow("a transfer encoding that is not served") << QByteArray(
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n")
                                                                << 501;
        QTest::newRow("not HTTP") << QByteArray("\x16\x03\x01 hello\r\n\r\n") << 400;
        QTest::newRow("an unknown expectation")
            << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nExpect: gold\r\nContent-Length: 0\r\n\r\n")
            << 417;
    }
    void peers_thatAreSlowOrTooLarge_areCut()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, status);
        Handler handler;
        handler.answer = sayOk;
        HttpServer server(handler, quickLimits());
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient client(server.port());
        client.send(bytes);
        QTRY_COMPARE(client.answer().status, status);
        QTRY_VERIFY(client.isClosed());
        QVERIFY(handler.bodies.empty());
        QTRY_COMPARE(server.connectionCount(), 0);
    }

    void sender_thatDribbles_isCutByTheTimeOfTheWholeBody()
    {
        Handler handler;
        handler.answer = sayOk;
        HttpServer server(handler, quickLimits());
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient client(server.port());
        client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n");
        QTimer drip; // each byte comes well before the limit between bytes
        connect(&drip, &QTimer::timeout, &client, [&client] { client.send("x"); });
        drip.start(40);
        QTRY_COMPARE(client.answer().status, 408);
        QVERIFY(handler.bodies.empty());
    }

    void idleConnections_areClosed()
    {
        Handler handler;
        handler.answer = sayOk;
        HttpServer server(handler, quickLimits());
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient client(server.port());
        client.send(kGet);
        QTRY_VERIFY(client.answer().complete);
        QTRY_VERIFY(client.isClosed());
    }

    void connections_beyondTheLimit_areClosedAtOnce()
    {
        Handler handler;
        HttpServer server(handler, quickLimits());
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        QList<RawClient *> clients;
        for (int i = 0; i < 5; ++i) {
            clients.append(new RawClient(server.port(), this));
            clients.last()->send(kGet);
        }
        QTRY_COMPARE(handler.heads.size(), 4);
        QTRY_COMPARE(std::count_if(clients.begin(), clients.end(),
                         [](const RawClient *client) { return client->isClosed(); }),
            1);
        QCOMPARE(server.connectionCount(), 4);
    }

    void client_thatLeaves_isNoticedAtOnce()
    {
        Handler handler;
        HttpServer server(handler);
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        bool gone = false;
        handler.answer = [&](HttpExchange &exchange) {
            connect(&exchange, &HttpExchange::clientGone, this, [&gone] { gone = true; });
            exchange.begin(200, {});
            exchange.write("first");
        };
        RawClient client(server.port());
        client.send(kGet);
        QTRY_VERIFY(client.answer().body.contains("first"));
        client.close();
        QTRY_VERIFY_WITH_TIMEOUT(gone, 1000);
        QTRY_VERIFY(handler.last.isNull());
        QTRY_COMPARE(server.connectionCount(), 0);
    }

    void reader_thatIsSlow_isToldByPendingBytesAndDrained()
    {
        Handler handler;
        HttpServer server(handler);
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient client(server.port());
        client.setReading(false);
        client.send(kGet);
        QTRY_VERIFY(handler.last != nullptr);
        QSignalSpy drained(handler.last, &HttpExchange::drained);
        handler.last->begin(200, {});
        const std::string piece(1024 * 1024, 'x');
        qint64 written = 0;
        while (handler.last->pendingBytes() < 4 * 1024 * 1024) {
            handler.last->write(piece);
            written += static_cast<qint64>(piece.size());
            QVERIFY(written < 64 * 1024 * 1024);
        }
        drained.clear(); // until here the system's own buffers took everything
        client.setReading(true);
        QTRY_VERIFY(!drained.isEmpty());
        QCOMPARE(handler.last->pendingBytes(), 0);
        handler.last->end();
        QTRY_VERIFY(client.answer().complete);
        QCOMPARE(client.answer().body.size(), written);
    }

    void reader_thatReadsNothing_isCut()
    {
        Handler handler;
        HttpServer server(handler, quickLimits());
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        RawClient client(server.port());
        client.setReading(false);
        client.send(kGet);
        QTRY_VERIFY(handler.last != nullptr);
        handler.last->begin(200, {});
        handler.last->write(std::string(16 * 1024 * 1024, 'x'));
        QTRY_VERIFY(handler.last.isNull());
        QTRY_COMPARE(server.connectionCount(), 0);
    }

    void oldClients_getTheBodyUntilTheEndOfTheConnection()
    {
        Handler handler;
        HttpServer server(handler);
        QVERIFY(server.listen(QHostAddress::LocalHost, 0));
        handler.answer = [](HttpExchange &exchange) {
            exchange.begin(200, {});
            exchange.write("a");
            exchange.write("b");
            exchange.end();
        };
        RawClient client(server.port());
        client.send("GET / HTTP/1.0\r\nHost: x\r\n\r\n");
        QTRY_VERIFY(client.isClosed());
        QCOMPARE(client.answer().body, "ab");
        QVERIFY(client.answer().header("transfer-encoding").isEmpty());
    }

    void hosts_ofThisComputerOnly_data()
    {
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<bool>("ours");
        for (const char *host :
            { "127.0.0.1", "127.0.0.1:1", "localhost", "LocalHost:65535", "[::1]", "[::1]:8080" }) {
            QTest::addRow("%s is ours", host) << QByteArray(host) << true;
        }
        for (const char *host : { "", "evil.example", "127.0.0.1.evil.example",
                 "localhost.evil.example", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:1:2", "0.0.0.0",
                 "192.168.0.1", "::1", "127.0.0.1@evil" }) {
            QTest::addRow("\"%s\" is foreign", host) << QByteArray(host) << false;
        }
    }
    void hosts_ofThisComputerOnly()
    {
        QFETCH(QByteArray, host);
        QFETCH(bool, ours);
        QCOMPARE(isLoopbackHostHeader(host), ours);
    }
};

QTEST_GUILESS_MAIN(TestHttpServer)
#include "tst_httpserver.moc"
