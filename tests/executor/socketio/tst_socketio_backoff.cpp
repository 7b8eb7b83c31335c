// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/backoff.h"
#include "executor/socketio/url.h"

#include <QTest>

#include <algorithm>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace deskhand;
using namespace deskhand::socketio;

class TestSocketIoBackOff : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void failures_doubleUpToTheMaximum();
    void jitter_staysInItsRange();
    void loss_afterStableLink_isRetriedAtOnce();
    void loss_ofUnstableLinks_backsOff();
    void storm_tenMinutesOfCutLinks_staysBelow25Tries_data();
    void storm_tenMinutesOfCutLinks_staysBelow25Tries();
    void url_isReadAsPeopleWriteIt_data();
    void url_isReadAsPeopleWriteIt();
    void url_malformed_isAnError_data();
    void url_malformed_isAnError();
};

void TestSocketIoBackOff::failures_doubleUpToTheMaximum()
{
    BackOff backOff({}, [] { return 0.5; }); // the middle: no jitter
    for (const auto expected : { 1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s }) {
        QCOMPARE(backOff.afterFailure(), expected);
    }
    for (int i = 0; i < 10000; ++i) {
        QCOMPARE(backOff.afterFailure(), 60s);
    }
    backOff.reset();
    QCOMPARE(backOff.afterFailure(), 1s);
}

void TestSocketIoBackOff::jitter_staysInItsRange()
{
    BackOff low({}, [] { return 0.0; });
    QCOMPARE(low.afterFailure(), 700ms);
    BackOff high({}, [] { return 0.999999; });
    QCOMPARE(high.afterFailure(), 1300ms);
    std::chrono::milliseconds least = 1h;
    std::chrono::milliseconds most = 0ms;
    for (int i = 0; i < 1000; ++i) {
        BackOff backOff;
        const auto delay = backOff.afterFailure();
        least = std::min(least, delay);
        most = std::max(most, delay);
    }
    QVERIFY(least >= 700ms && least < 800ms);
    QVERIFY(most <= 1300ms && most > 1200ms);
}

void TestSocketIoBackOff::loss_afterStableLink_isRetriedAtOnce()
{
    BackOff backOff({}, [] { return 0.5; });
    QCOMPARE(backOff.afterFailure(), 1s);
    QCOMPARE(backOff.afterLoss(5s), 0s);
    QCOMPARE(backOff.afterFailure(), 1s);
    QCOMPARE(backOff.afterFailure(), 2s);
    ReconnectPolicy patient;
    patient.firstRetryImmediate = false;
    BackOff waiting(patient, [] { return 0.5; });
    QCOMPARE(waiting.afterLoss(1h), 1s);
}

void TestSocketIoBackOff::loss_ofUnstableLinks_backsOff()
{
    BackOff backOff({}, [] { return 0.5; });
    for (const auto expected : { 0s, 1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s }) {
        QCOMPARE(backOff.afterLoss(100ms), expected);
    }
    QCOMPARE(backOff.afterLoss(6s), 0s);
    QCOMPARE(backOff.afterLoss(1s), 1s);
}

void TestSocketIoBackOff::storm_tenMinutesOfCutLinks_staysBelow25Tries_data()
{
    QTest::addColumn<int>("livesMs");
    QTest::newRow("cut at once") << 0;
    QTest::newRow("cut just before it counts as stable") << 4900;
    QTest::newRow("pings missed after 45 s") << 45000;
}

void TestSocketIoBackOff::storm_tenMinutesOfCutLinks_staysBelow25Tries()
{
    QFETCH(int, livesMs);
    BackOff backOff({}, [] { return 0.0; }); // the shortest delays there can be
    int tries = 0;
    for (std::chrono::milliseconds now = 0ms; now < 10min; ++tries) {
        now += std::chrono::milliseconds(livesMs);
        now += backOff.afterLoss(std::chrono::milliseconds(livesMs));
    }
    QVERIFY2(tries < 25, QByteArray::number(tries).constData());
    QVERIFY(tries > 10);
}

void TestSocketIoBackOff::url_isReadAsPeopleWriteIt_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("expected");
    const QString query = u"?EIO=4&transport=websocket"_s;
    const auto row
        = [&](const char *name, const QString &url, const QString &path, const QString &expected) {
              QTest::newRow(name) << url << path << expected;
          };
    row("http", u"http://h.example:8000"_s, {}, u"ws://h.example:8000/socket.io/"_s + query);
    row("https with slash", u"https://h.example/"_s, {}, u"wss://h.example/socket.io/"_s + query);
    row("more slashes", u"http://h.example///"_s, {}, u"ws://h.example/socket.io/"_s + query);
    row("ws in capitals, blanks", u"  WS://H.example \n"_s, {},
        u"ws://h.example/socket.io/"_s + query);
    row("wss with its own path", u"wss://h.example/sub/socket.io/"_s, {},
        u"wss://h.example/sub/socket.io/"_s + query);
    row("a path setting wins", u"https://h.example/sub"_s, u"/x/socket.io/"_s,
        u"wss://h.example/x/socket.io/"_s + query);
    row("a path setting without slash", u"https://h.example"_s, u" io/ "_s,
        u"wss://h.example/io/"_s + query);
    row("query kept, ours replaced, no fragment",
        u"http://h.example/?a=b&EIO=3&transport=polling#x"_s, {},
        u"ws://h.example/socket.io/?a=b&EIO=4&transport=websocket"_s);
    row("IPv6", u"http://[::1]:8000"_s, {}, u"ws://[::1]:8000/socket.io/"_s + query);
}

void TestSocketIoBackOff::url_isReadAsPeopleWriteIt()
{
    QFETCH(QString, url);
    QFETCH(QString, path);
    QFETCH(QString, expected);
    const auto result = engineUrl(url, path);
    QVERIFY2(result, result ? "" : qPrintable(result.error().message));
    QCOMPARE(result->toString(), expected);
}

void TestSocketIoBackOff::url_malformed_isAnError_data()
{
    QTest::addColumn<QString>("url");
    QTest::newRow("empty") << QString();
    QTest::newRow("no scheme") << u"workspace.example.org"_s;
    QTest::newRow("another scheme") << u"ftp://workspace.example.org"_s;
    QTest::newRow("no host") << u"http:///socket.io/"_s;
    QTest::newRow("broken port") << u"http://h:99999999/"_s;
}

void TestSocketIoBackOff::url_malformed_isAnError()
{
    QFETCH(QString, url);
    const auto result = engineUrl(url);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Usage);
    QVERIFY(!result.error().message.isEmpty());
}

QTEST_APPLESS_MAIN(TestSocketIoBackOff)
#include "tst_socketio_backoff.moc"
