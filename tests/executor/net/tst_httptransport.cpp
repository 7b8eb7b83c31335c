// SPDX-License-Identifier: Apache-2.0
// TLS, HTTP/2, compression and network proxies, with real peers on this computer.
#include "tests/executor/net/listener.h"
#include "tests/support/modelpeers/certificates.h"
#include "tests/support/modelpeers/proxypeer.h"
#include "tests/support/modelpeers/scriptedupstream.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

using namespace deskhand;
using namespace deskhand::net;
using namespace deskhand::test;
using namespace Qt::StringLiterals;

namespace {

/// The node program in http2peer.mjs.
class Http2Peer final
{
public:
    [[nodiscard]] bool start(const Certificates &certificates)
    {
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(u"node"_s,
            { QStringLiteral(DESKHAND_SOURCE_DIR "/tests/support/modelpeers/http2peer.mjs"),
                certificates.certificateFile(), certificates.keyFile() });
        const bool there = QTest::qWaitFor(
            [this] { return m_process.canReadLine() || m_process.state() == QProcess::NotRunning; },
            60000);
        m_port = m_process.readLine().trimmed();
        return there && !m_port.isEmpty();
    }
    ~Http2Peer()
    {
        m_process.closeWriteChannel();
        m_process.waitForFinished();
    }
    [[nodiscard]] QByteArray url(const QByteArray &path) const
    {
        return "https://localhost:" + m_port + path;
    }

private:
    QProcess m_process;
    QByteArray m_port;
};

QJsonObject object(const QByteArray &json)
{
    return QJsonDocument::fromJson(json).object();
}

} // namespace

class TestHttpTransport final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(m_certificates.problem().isEmpty(), qPrintable(m_certificates.problem()));
    }

    void tls_trustsTheSystemAndTheExtraAuthority_nobodyElse()
    {
        ScriptedUpstream upstream(m_certificates,
            [](UpstreamReply &reply) { reply.respond(200, "text/plain", "private"); });
        const QByteArray port = QByteArray::number(upstream.port());
        const auto fetch = [&](HttpClient &client, const HttpRequest &request, Listener &listener) {
            const auto handle = client.send(request, listener);
            QTRY_VERIFY_WITH_TIMEOUT(listener.finished, 60000);
        };
        HttpClient strict;
        Listener unknown;
        fetch(strict, requestTo("https://localhost:" + port + "/x"), unknown);
        QCOMPARE(unknown.fault, TransferFault::Certificate);
        QVERIFY(upstream.requests().isEmpty()); // and never saw the key

        HttpClient extended(m_certificates.authorityFile());
        Listener trusted;
        fetch(extended, requestTo("https://localhost:" + port + "/x"), trusted);
        QCOMPARE(trusted.fault, TransferFault::None);
        QCOMPARE(trusted.body, "private");

        Listener otherName;
        fetch(extended, requestTo("https://127.0.0.1:" + port + "/x"), otherName);
        QCOMPARE(otherName.fault, TransferFault::Certificate);

        Listener insecure;
        HttpRequest request = requestTo("https://127.0.0.1:" + port + "/x");
        request.insecureTls = true; // one model's explicit wish
        fetch(strict, request, insecure);
        QCOMPARE(insecure.body, "private");
        QCOMPARE(upstream.requests().size(), 2);

        HttpClient broken(u"/no/such/file.pem"_s);
        Listener unreadable;
        fetch(broken, requestTo("https://localhost:" + port + "/x"), unreadable);
        QCOMPARE(unreadable.fault, TransferFault::Library);
        QVERIFY2(
            unreadable.message.contains("/no/such/file.pem"_L1), qPrintable(unreadable.message));
    }

    void http2_isAgreedUponAndSharesOneConnection()
    {
        Http2Peer peer;
        QVERIFY(peer.start(m_certificates));
        HttpClient client(m_certificates.authorityFile());
        Listener first;
        HttpRequest request = requestTo(peer.url("/x"));
        net::setHeader(request.headers, "Authorization", "Bearer k");
        const auto handle = client.send(request, first);
        QTRY_VERIFY_WITH_TIMEOUT(first.finished, 60000);
        QCOMPARE(first.fault, TransferFault::None);
        QCOMPARE(first.status, 200);
        QCOMPARE(object(first.body).value("version"_L1).toString(), u"2.0"_s);
        QCOMPARE(object(first.body).value("body"_L1).toString(), u"{}"_s);
        QCOMPARE(object(first.body).value("authorization"_L1).toString(), u"Bearer k"_s);

        // A stream that is left is closed, the connection stays for the others.
        Listener half;
        auto stream = client.send(requestTo(peer.url("/stream")), half);
        Listener beside;
        const auto besideHandle = client.send(requestTo(peer.url("/x")), beside);
        QTRY_VERIFY_WITH_TIMEOUT(half.body == "part" && beside.finished, 60000);
        stream.reset();
        QJsonObject last;
        QTRY_VERIFY_WITH_TIMEOUT(
            [&] {
                Listener later;
                const auto again = client.send(requestTo(peer.url("/x")), later);
                if (!QTest::qWaitFor([&later] { return later.finished; }, 60000)) {
                    return false;
                }
                last = object(later.body);
                return last.value("cancelled"_L1).toInt() == 1;
            }(),
            60000);
        QCOMPARE(last.value("sessions"_L1).toInt(), 1);
        QVERIFY(!half.finished);
    }

    void bodies_areDecompressed_data()
    {
        QTest::addColumn<QByteArray>("encoding");
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("gzip") << QByteArray("gzip")
                              << QByteArray("H4sIAAAAAAACA6tWKkmtKFGyUkrOzy0oSi0uTk1RSMxLUShKTQQy0"
                                            "hMz85RqAZ62FnskAAAA");
        QTest::newRow("br") << QByteArray("br")
                            << QByteArray("GyMA+AXqZKn+rkStGaLZVJOSrFJLikCGRg7DiOk9bctT4QE=");
        QTest::newRow("zstd") << QByteArray("zstd")
                              << QByteArray("KLUv/QRYIQEAeyJ0ZXh0IjoiY29tcHJlc3NlZCBhbmQgcmVhZCBhZ2"
                                            "FpbiJ9s3RSBQ==");
    }
    void bodies_areDecompressed()
    {
        QFETCH(QByteArray, encoding);
        QFETCH(QByteArray, bytes);
        ScriptedUpstream upstream([&](UpstreamReply &reply) {
            reply.respond(200, "application/json", QByteArray::fromBase64(bytes),
                { { "Content-Encoding", encoding } });
        });
        HttpClient client;
        Listener listener;
        const auto handle = client.send(requestTo(upstream.baseUrl().toLatin1() + "/x"), listener);
        QTRY_VERIFY_WITH_TIMEOUT(listener.finished, 60000);
        const QByteArray offered = upstream.requests().first().header("accept-encoding");
        if (!offered.contains(encoding)) {
            QSKIP("this libcurl was built without it, and does not ask for it");
        }
        QCOMPARE(listener.fault, TransferFault::None);
        QCOMPARE(listener.body, R"({"text":"compressed and read again"})");
    }

    void proxies_carryTls_andAreAskedByName_data()
    {
        QTest::addColumn<QByteArray>("scheme");
        QTest::newRow("HTTP CONNECT") << QByteArray("http");
        QTest::newRow("SOCKS5 that resolves") << QByteArray("socks5h");
    }
    void proxies_carryTls_andAreAskedByName()
    {
        QFETCH(QByteArray, scheme);
        ScriptedUpstream upstream(m_certificates,
            [](UpstreamReply &reply) { reply.respond(200, "text/plain", "through"); });
        ProxyPeer proxy(upstream.port());
        HttpClient client(m_certificates.authorityFile());
        HttpRequest request = requestTo("https://model.example/v1/x");
        request.proxyUrl
            = scheme + "://ann:pass%20word@127.0.0.1:" + QByteArray::number(proxy.port());
        Listener listener;
        const auto handle = client.send(request, listener);
        QTRY_VERIFY_WITH_TIMEOUT(listener.finished, 60000);
        QVERIFY2(listener.fault == TransferFault::None, qPrintable(listener.message));
        QCOMPARE(listener.body, "through");
        QCOMPARE(proxy.asked(), QList<QByteArray>({ "model.example:443" }));
        QCOMPARE(proxy.credentials(), "ann:pass word");
        QCOMPARE(upstream.requests().first().path, "/v1/x");
        QVERIFY(upstream.requests().first().header("proxy-authorization").isEmpty());

        proxy.refuse();
        HttpClient other(m_certificates.authorityFile());
        Listener refused;
        const auto second = other.send(request, refused);
        QTRY_VERIFY_WITH_TIMEOUT(refused.finished, 60000);
        QCOMPARE(refused.fault, TransferFault::Proxy);
        QVERIFY2(refused.message.contains(u"127.0.0.1:%1"_s.arg(proxy.port())),
            qPrintable(refused.message));
        QVERIFY(!refused.message.contains("pass"_L1));
        QCOMPARE(upstream.requests().size(), 1);
    }

    void proxy_thatIsNotThere_isNamedWithItsSource()
    {
        ScriptedUpstream closed;
        const QByteArray address = "127.0.0.1:" + QByteArray::number(closed.port());
        closed.close();
        HttpClient client;
        HttpRequest request = requestTo("http://model.example/v1/x");
        request.proxyUrl = "http://user:secret@" + address;
        Listener configured;
        const auto first = client.send(request, configured);
        QTRY_VERIFY_WITH_TIMEOUT(configured.finished, 60000);
        QCOMPARE(configured.fault, TransferFault::Proxy);
        QVERIFY2(configured.message.contains(QString::fromLatin1(address)),
            qPrintable(configured.message));
        QVERIFY(configured.message.contains("configuration"_L1));
        QVERIFY(!configured.message.contains("secret"_L1));

        qputenv("http_proxy", "http://" + address);
        request.proxyUrl.clear();
        Listener inherited;
        const auto second = client.send(request, inherited);
        QTRY_VERIFY_WITH_TIMEOUT(inherited.finished, 60000);
        qunsetenv("http_proxy");
        QCOMPARE(inherited.fault, TransferFault::Proxy);
        QVERIFY2(inherited.message.contains("http_proxy"_L1), qPrintable(inherited.message));
    }

private:
    Certificates m_certificates;
};

QTEST_GUILESS_MAIN(TestHttpTransport)
#include "tst_httptransport.moc"
