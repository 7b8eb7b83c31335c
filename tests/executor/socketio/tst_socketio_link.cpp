// SPDX-License-Identifier: Apache-2.0
// The client against servers that are silent, cut, or speak nonsense.
#include "executor/socketio/client.h"
#include "tests/executor/socketio/rawserver.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace deskhand;
using namespace deskhand::socketio;

namespace {

constexpr auto kRoot = "/"_L1;

ClientOptions optionsFor(const QString &url)
{
    ClientOptions options;
    options.url = url;
    options.reconnect.initialDelay = 10ms;
    options.reconnect.maxDelay = 200ms;
    options.reconnect.jitter = 0;
    return options;
}

/// Waits are planned far ahead, so that a state after a loss can be looked at.
ClientOptions patientOptionsFor(const QString &url)
{
    ClientOptions options = optionsFor(url);
    options.reconnect.firstRetryImmediate = false;
    options.reconnect.initialDelay = 1h;
    options.reconnect.maxDelay = 1h;
    return options;
}

QByteArray openFrame()
{
    return RawTcpServer::frame(1, R"(0{"sid":"raw","pingInterval":25000,"pingTimeout":20000})");
}

} // namespace

class TestSocketIoLink : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void start_malformedOptions_areUsageErrors();
    void malformedPacket_isReportedAndTheLinkGoesOn_data();
    void malformedPacket_isReportedAndTheLinkGoesOn();
    void malformedBinary_isReportedAndTheLinkGoesOn();
    void badBeginning_cutsTheLink_data();
    void badBeginning_cutsTheLink();
    void brokenWebSocket_cutsTheLink_data();
    void brokenWebSocket_cutsTheLink();
    void connectWithoutSid_namesAnOldServer();
    void earlyEvents_followConnected();
    void serverClose_isAnLossWithItsReason();
    void dropLink_failsPendingAcksAndConnectsAgain();
    void ping_isAnsweredWithItsContent();
    void pingsMissed_cutTheLinkAndConnectAgain();
    void pingsMissed_isNoticedWhileASlotBlocks();
    void silentServer_reachesTheLinkTimeLimit();
    void unansweredConnect_reachesTheNamespaceTimeLimit();
    void refusedTcp_isTriedForEver();
    void deadProxy_isNamedInTheCause();
    void httpError_isNamedInTheCause();
    void storm_ofCutLinks_isSlowedDown();
    void reconnectDisabled_staysIdle();
    void incomingAboveLimit_cutsTheLink();
    void unreadQueueAboveLimit_cutsTheLink();
    void answer_behindABlockingSlot_isNotATimeout();
    void stop_whileWaiting_orConnecting_endsOnce();
    void stop_serverThatDoesNotRead_endsAtTheDeadline();
    void slot_mayDeleteTheClient();
    void slot_mayStopAndStartAgain();
    void destruction_whileConnected_isQuiet();
};

void TestSocketIoLink::start_malformedOptions_areUsageErrors()
{
    SocketIoClient client;
    ClientOptions options;
    QCOMPARE(client.start(options).error().kind, ErrorKind::Usage);
    options.url = u"http://127.0.0.1:1"_s;
    options.namespaces = { u"device"_s };
    QCOMPARE(client.start(options).error().kind, ErrorKind::Usage);
    options.namespaces = { u"/a,b"_s };
    QCOMPARE(client.start(options).error().kind, ErrorKind::Usage);
    options.namespaces = {};
    QCOMPARE(client.start(options).error().kind, ErrorKind::Usage);
    QVERIFY(client.isStopped());
    options.namespaces = { u"/"_s };
    QVERIFY(client.start(options));
    QCOMPARE(client.start(options).error().kind, ErrorKind::Usage);
}

void TestSocketIoLink::malformedPacket_isReportedAndTheLinkGoesOn_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("empty frame") << u""_s;
    QTest::newRow("unknown engine type") << u"9"_s;
    QTest::newRow("no engine type") << u"hello"_s;
    QTest::newRow("second open packet") << u"0{\"sid\":\"x\"}"_s;
    QTest::newRow("pong nobody asked for") << u"3"_s;
    QTest::newRow("upgrade") << u"5"_s;
    QTest::newRow("empty message") << u"4"_s;
    QTest::newRow("unknown packet type") << u"47[]"_s;
    QTest::newRow("broken JSON") << u"42[\"a\","_s;
    QTest::newRow("event without a name") << u"42[{}]"_s;
    QTest::newRow("negative ack id") << u"43-1[]"_s;
    QTest::newRow("huge ack id") << u"4399999999999999999999[]"_s;
    QTest::newRow("answer nobody waits for") << u"43123[]"_s;
    QTest::newRow("unknown namespace") << u"42/x,[\"a\"]"_s;
    QTest::newRow("disconnect of an unknown namespace") << u"41/x,"_s;
    QTest::newRow("second connect") << u"40{\"sid\":\"again\"}"_s;
    QTest::newRow("late refusal") << u"44\"late\""_s;
    QTest::newRow("binary header without count") << u"45[\"a\"]"_s;
    QTest::newRow("binary header with a wrong count")
        << u"451-[\"a\",{\"_placeholder\":true,\"num\":1}]"_s;
    QTest::newRow("too deep") << u"42[\"a\","_s + QString(100000, u'[');
}

void TestSocketIoLink::malformedPacket_isReportedAndTheLinkGoesOn()
{
    QFETCH(QString, text);
    RawServer server;
    SocketIoClient client;
    QSignalSpy rejected(&client, &SocketIoClient::packetRejected);
    QSignalSpy events(&client, &SocketIoClient::eventReceived);
    QSignalSpy disconnected(&client, &SocketIoClient::disconnected);
    QVERIFY(client.start(optionsFor(server.url())));
    QTRY_VERIFY(client.isConnected(kRoot));
    server.peer->sendTextMessage(text);
    server.peer->sendTextMessage(u"42[\"good\",1]"_s);
    QTRY_COMPARE(events.size(), 1);
    QCOMPARE(rejected.size(), 1);
    const auto error = rejected.at(0).at(0).value<Error>();
    QCOMPARE(error.kind, ErrorKind::Protocol);
    QVERIFY(!error.message.isEmpty());
    QVERIFY(disconnected.isEmpty());
}

void TestSocketIoLink::malformedBinary_isReportedAndTheLinkGoesOn()
{
    RawServer server;
    SocketIoClient client;
    QSignalSpy rejected(&client, &SocketIoClient::packetRejected);
    QSignalSpy events(&client, &SocketIoClient::eventReceived);
    QVERIFY(client.start(optionsFor(server.url())));
    QTRY_VERIFY(client.isConnected(kRoot));
    server.peer->sendBinaryMessage("unannounced");
    server.peer->sendTextMessage(u"451-[\"a\",{\"_placeholder\":true,\"num\":0}]"_s);
    server.peer->sendTextMessage(u"42[\"lost with it\"]"_s);
    server.peer->sendBinaryMessage("late");
    server.peer->sendTextMessage(u"451-[\"b\",{\"_placeholder\":true,\"num\":0}]"_s);
    server.peer->sendTextMessage(u"2"_s); // Engine.IO packets may come between
    server.peer->sendBinaryMessage("bytes");
    QTRY_COMPARE(events.size(), 1);
    QCOMPARE(events.at(0).at(1).toString(), u"b");
    QCOMPARE(events.at(0).at(2).value<Payload>().attachments, QList<QByteArray> { "bytes" });
    QCOMPARE(rejected.size(), 2);
}

void TestSocketIoLink::badBeginning_cutsTheLink_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("message first") << u"40"_s;
    QTest::newRow("nonsense") << u"hello"_s;
    QTest::newRow("open packet without JSON") << u"0{"_s;
    QTest::newRow("open packet without times") << u"0{\"sid\":\"x\"}"_s;
    QTest::newRow("older protocol")
        << u"0{\"sid\":\"x\",\"pingInterval\":-5,\"pingTimeout\":60000}"_s;
}

void TestSocketIoLink::badBeginning_cutsTheLink()
{
    QFETCH(QString, text);
    RawServer server;
    server.openPacket = text;
    SocketIoClient client;
    QVERIFY(client.start(patientOptionsFor(server.url())));
    QTRY_COMPARE(client.status().state, LinkState::Waiting);
    QVERIFY2(client.status().cause.contains(u"open packet")
            || client.status().cause.contains(u"Engine.IO"),
        qPrintable(client.status().cause));
    QVERIFY(client.status().nextRetryMs > 0);
}

void TestSocketIoLink::brokenWebSocket_cutsTheLink_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("invalid UTF-8 in a text frame") << RawTcpServer::frame(1, "42[\"\xff\xfe\"]");
    QTest::newRow("unknown opcode") << RawTcpServer::frame(5, "x");
    QTest::newRow("reserved bits") << QByteArray("\xf1\x01x", 3);
    QTest::newRow("continuation of nothing") << RawTcpServer::frame(0, "x");
    QTest::newRow("a frame of 2^62 bytes") << QByteArray("\x81\x7f\x40\0\0\0\0\0\0\0", 10);
}

void TestSocketIoLink::brokenWebSocket_cutsTheLink()
{
    QFETCH(QByteArray, bytes);
    RawTcpServer server;
    server.afterHandshake = openFrame() + RawTcpServer::frame(1, R"(40{"sid":"s"})") + bytes;
    SocketIoClient client;
    QSignalSpy rejected(&client, &SocketIoClient::packetRejected);
    QVERIFY(client.start(patientOptionsFor(server.url())));
    QTRY_COMPARE(client.status().state, LinkState::Waiting);
    QVERIFY(!client.status().cause.isEmpty());
}

void TestSocketIoLink::connectWithoutSid_namesAnOldServer()
{
    RawServer server;
    server.connectAnswer = u"40"_s;
    SocketIoClient client;
    QVERIFY(client.start(patientOptionsFor(server.url())));
    QTRY_COMPARE(client.status().state, LinkState::Waiting);
    QVERIFY(client.status().cause.contains(u"older Socket.IO"));
}

void TestSocketIoLink::earlyEvents_followConnected()
{
    RawServer server;
    server.beforeConnectAnswer = u"42[\"early\"]"_s;
    SocketIoClient client;
    QStringList log;
    connect(&client, &SocketIoClient::connected, this, [&] { log.append(u"connected"_s); });
    connect(&client, &SocketIoClient::eventReceived, this,
        [&](const QString &, const QString &name) { log.append(name); });
    QVERIFY(client.start(optionsFor(server.url())));
    QTRY_COMPARE(log, QStringList({ u"connected"_s, u"early"_s }));
}

void TestSocketIoLink::serverClose_isAnLossWithItsReason()
{
    RawServer server;
    SocketIoClient client;
    QSignalSpy disconnected(&client, &SocketIoClient::disconnected);
    QVERIFY(client.start(patientOptionsFor(server.url())));
    QTRY_VERIFY(client.isConnected(kRoot));
    server.peer->sendTextMessage(u"1"_s);
    QTRY_COMPARE(disconnected.size(), 1);
    QCOMPARE(disconnected.at(0).at(1).value<DisconnectReason>(), DisconnectReason::ServerClosed);
    QCOMPARE(client.status().state, LinkState::Waiting);

    client.reconnectNow();
    QTRY_VERIFY(client.isConnected(kRoot));
    server.peer->close(QWebSocketProtocol::CloseCodeGoingAway, u"maintenance"_s);
    QTRY_COMPARE(disconnected.size(), 2);
    QCOMPARE(disconnected.at(1).at(1).value<DisconnectReason>(), DisconnectReason::LinkLost);
    QVERIFY(disconnected.at(1).at(2).toString().contains(u"maintenance"));
}

void TestSocketIoLink::dropLink_failsPendingAcksAndConnectsAgain()
{
    RawServer server;
    SocketIoClient client;
    QSignalSpy disconnected(&client, &SocketIoClient::disconnected);
    QVERIFY(client.start(optionsFor(server.url())));
    QTRY_VERIFY(client.isConnected(kRoot));
    std::optional<Result<Payload>> answer;
    QVERIFY(client.emitEvent(kRoot, u"heartbeat"_s, {}, 1h, this,
        [&](const Result<Payload> &given) { answer = given; }));
    client.dropLink(u"two heartbeats without answer"_s);
    QTRY_COMPARE(disconnected.size(), 1);
    QCOMPARE(disconnected.at(0).at(2).toString(), u"two heartbeats without answer");
    QVERIFY(answer && !answer->has_value());
    QCOMPARE(answer->error().kind, ErrorKind::Network);
    QTRY_VERIFY(client.isConnected(kRoot));
    QCOMPARE(server.connections, 2);
}

void TestSocketIoLink::ping_isAnsweredWithItsContent()
{
    RawServer server;
    SocketIoClient client;
    QVERIFY(client.start(optionsFor(server.url())));
    QTRY_VERIFY(client.isConnected(kRoot));
    server.received.clear();
    server.peer->sendTextMessage(u"2"_s);
    server.peer->sendTextMessage(u"2probe"_s);
    QTRY_COMPARE(server.received, QStringList({ u"3"_s, u"3probe"_s }));
}

void TestSocketIoLink::pingsMissed_cutTheLinkAndConnectAgain()
{
    RawServer server;
    server.openPacket = u"0{\"sid\":\"raw\",\"pingInterval\":50,\"pingTimeout\":50}"_s;
    SocketIoClient client;
    QSignalSpy disconnected(&client, &SocketIoClient::disconnected);
    QVERIFY(client.start(optionsFor(server.url())));
    QTRY_VERIFY(!disconnected.isEmpty());
    QCOMPARE(disconnected.at(0).at(1).value<DisconnectReason>(), DisconnectReason::PingMissed);
    QVERIFY(disconnected.at(0).at(2).toString().contains(u"100 ms"));
    QTRY_COMPARE_GE(server.connections, 2);
}

void TestSocketIoLink::pingsMissed_isNoticedWhileASlotBlocks()
{
    // Both ends live on this thread: while it blocks, nobody sends pings.
    RawServer server;
    server.openPacket = u"0{\"sid\":\"raw\",\"pingInterval\":500,\"pingTimeout\":500}"_s;
    SocketIoClient client;
    QSignalSpy disconnected(&client, &SocketIoClient::disconnected);
    QVERIFY(client.start(patientOptionsFor(server.url())));
    QTRY_VERIFY(client.isConnected(kRoot));
    QThread::msleep(1500);
    server.peer->sendTextMessage(u"2"_s);
    QTRY_COMPARE(disconnected.size(), 1);
    QCOMPARE(disconnected.at(0).at(1).value<DisconnectReason>(), DisconnectReason::PingMissed);
}

void TestSocketIoLink::silentServer_reachesTheLinkTimeLimit()
{
    RawTcpServer server;
    server.isSilent = true;
    SocketIoClient client;
    auto options = patientOptionsFor(server.url());
    options.linkTimeLimit = 50ms;
    QVERIFY(client.start(options));
    QTRY_COMPARE(client.status().state, LinkState::Waiting);
    QVERIFY(client.status().cause.contains(u"within 50 ms"));
}

void TestSocketIoLink::unansweredConnect_reachesTheNamespaceTimeLimit()
{
    RawServer server;
    server.connectAnswer.clear();
    SocketIoClient client;
    auto options = patientOptionsFor(server.url());
    options.namespaceTimeLimit = 50ms;
    QVERIFY(client.start(options));
    QTRY_COMPARE(client.status().state, LinkState::Waiting);
    QVERIFY(client.status().cause.contains(u"CONNECT within 50 ms"));
}

void TestSocketIoLink::refusedTcp_isTriedForEver()
{
    QString url;
    {
        const RawTcpServer gone;
        url = gone.url();
    }
    SocketIoClient client;
    auto options = optionsFor(url);
    options.reconnect.initialDelay = 1ms;
    options.reconnect.maxDelay = 2ms;
    int waits = 0;
    connect(&client, &SocketIoClient::stateChanged, this, [&](const LinkStatus &status) {
        if (status.state == LinkState::Waiting) {
            ++waits;
            QVERIFY(status.nextRetryMs >= 0 && status.nextRetryMs <= 2);
            QVERIFY(!status.cause.isEmpty());
        }
    });
    QVERIFY(client.start(options));
    QTRY_COMPARE_GE(waits, 50);
}

void TestSocketIoLink::deadProxy_isNamedInTheCause()
{
    QString url;
    quint16 port = 0;
    {
        const RawTcpServer gone;
        url = gone.url();
        port = static_cast<quint16>(QUrl(url).port());
    }
    SocketIoClient client;
    auto options = patientOptionsFor(u"http://workspace.example"_s);
    options.proxy = QNetworkProxy(QNetworkProxy::HttpProxy, u"127.0.0.1"_s, port);
    QVERIFY(client.start(options));
    QTRY_COMPARE(client.status().state, LinkState::Waiting);
    QVERIFY2(client.status().cause.contains(u"through the proxy 127.0.0.1:%1"_s.arg(port)),
        qPrintable(client.status().cause));
}

void TestSocketIoLink::httpError_isNamedInTheCause()
{
    RawTcpServer server;
    server.answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    SocketIoClient client;
    QVERIFY(client.start(patientOptionsFor(server.url())));
    QTRY_COMPARE(client.status().state, LinkState::Waiting);
    QVERIFY2(client.status().cause.contains(u"404"), qPrintable(client.status().cause));
    QVERIFY2(!client.status().cause.contains(u"QWebSocket"), qPrintable(client.status().cause));
}

void TestSocketIoLink::storm_ofCutLinks_isSlowedDown()
{
    RawServer server;
    server.cutsAfterConnect = true;
    SocketIoClient client;
    QElapsedTimer spent;
    spent.start();
    QVERIFY(client.start(optionsFor(server.url())));
    QTRY_COMPARE_GE_WITH_TIMEOUT(server.connections, 9, 20000);
    // At once, then 10, 20, 40, 80, 160, 200, 200 ms; timers may be early by a twentieth.
    QVERIFY2(spent.elapsed() > 600, QByteArray::number(spent.elapsed()).constData());
    client.stop();
    QTRY_VERIFY(client.isStopped());
}

void TestSocketIoLink::reconnectDisabled_staysIdle()
{
    RawServer server;
    SocketIoClient client;
    auto options = optionsFor(server.url());
    options.reconnect.enabled = false;
    QVERIFY(client.start(options));
    QTRY_VERIFY(client.isConnected(kRoot));
    server.peer->abort();
    QTRY_COMPARE(client.status().state, LinkState::Idle);
    QCOMPARE(client.status().nextRetryMs, -1);
    client.retryIn(1ms);
    QTRY_VERIFY(client.isConnected(kRoot));
}

void TestSocketIoLink::incomingAboveLimit_cutsTheLink()
{
    RawServer server;
    SocketIoClient client;
    QSignalSpy disconnected(&client, &SocketIoClient::disconnected);
    auto options = patientOptionsFor(server.url());
    options.maxIncomingBytes = 1000;
    QVERIFY(client.start(options));
    QTRY_VERIFY(client.isConnected(kRoot));
    server.peer->sendTextMessage(u"42[\"%1\"]"_s.arg(QString(2000, u'x')));
    QTRY_COMPARE(disconnected.size(), 1);
    QCOMPARE(disconnected.at(0).at(1).value<DisconnectReason>(), DisconnectReason::ProtocolFault);
}

void TestSocketIoLink::unreadQueueAboveLimit_cutsTheLink()
{
    RawServer server;
    SocketIoClient client;
    QSignalSpy disconnected(&client, &SocketIoClient::disconnected);
    auto options = patientOptionsFor(server.url());
    options.maxQueuedBytes = 20000;
    QVERIFY(client.start(options));
    QTRY_VERIFY(client.isConnected(kRoot));
    for (int i = 0; i < 100; ++i) {
        server.peer->sendTextMessage(u"42[\"%1\"]"_s.arg(QString(1000, u'x')));
    }
    server.peer->flush();
    QThread::msleep(300); // the slow reader
    QTRY_COMPARE(disconnected.size(), 1);
    QCOMPARE(disconnected.at(0).at(1).value<DisconnectReason>(), DisconnectReason::ProtocolFault);
    QVERIFY(disconnected.at(0).at(2).toString().contains(u"not handled in time"));
}

void TestSocketIoLink::answer_behindABlockingSlot_isNotATimeout()
{
    RawServer server;
    SocketIoClient client;
    QVERIFY(client.start(optionsFor(server.url())));
    QTRY_VERIFY(client.isConnected(kRoot));
    std::optional<Result<Payload>> answer;
    QVERIFY(client.emitEvent(
        kRoot, u"ask"_s, {}, 500ms, this, [&](const Result<Payload> &given) { answer = given; }));
    QTRY_VERIFY(server.received.contains(u"420[\"ask\"]"_s));
    server.peer->sendTextMessage(u"430[\"in time\"]"_s);
    server.peer->flush();
    QThread::msleep(1000); // both the answer and the time limit pass meanwhile
    QTRY_VERIFY(answer);
    QVERIFY(answer->has_value());
    QCOMPARE((*answer)->args, QJsonArray { u"in time"_s });
}

void TestSocketIoLink::stop_whileWaiting_orConnecting_endsOnce()
{
    RawTcpServer server;
    server.isSilent = true;
    SocketIoClient client;
    QSignalSpy stopped(&client, &SocketIoClient::stopped);
    client.stop();
    QCoreApplication::processEvents();
    QCOMPARE(stopped.size(), 0); // it never ran

    auto options = patientOptionsFor(server.url());
    QVERIFY(client.start(options));
    client.stop();
    client.stop();
    QVERIFY(stopped.isEmpty());
    QTRY_COMPARE(stopped.size(), 1);
    QVERIFY(client.isStopped());

    options.linkTimeLimit = 20ms;
    QVERIFY(client.start(options));
    QTRY_COMPARE(client.status().state, LinkState::Waiting);
    client.stop();
    QVERIFY(client.isStopped());
    QTRY_COMPARE(stopped.size(), 2);
    QCOMPARE(client.status().nextRetryMs, -1);
    client.reconnectNow();
    client.retryIn(1ms);
    QVERIFY(client.isStopped());
}

void TestSocketIoLink::stop_serverThatDoesNotRead_endsAtTheDeadline()
{
    RawTcpServer server;
    server.stopsReading = true;
    server.afterHandshake = openFrame() + RawTcpServer::frame(1, R"(40{"sid":"s"})");
    SocketIoClient client;
    QSignalSpy drained(&client, &SocketIoClient::drained);
    auto options = patientOptionsFor(server.url());
    options.closeTimeLimit = 50ms;
    QVERIFY(client.start(options));
    QTRY_VERIFY(client.isConnected(kRoot));
    QTRY_COMPARE(client.bytesToWrite(), 0);
    const QJsonArray big { QString(900000, u'x') };
    for (int i = 0; i < 20; ++i) {
        QVERIFY(client.emitEvent(kRoot, u"big"_s, big));
    }
    QTRY_VERIFY(client.bytesToWrite() > 1000000);
    QSignalSpy stopped(&client, &SocketIoClient::stopped);
    client.stop();
    QTRY_COMPARE(stopped.size(), 1);
    QTRY_COMPARE(client.bytesToWrite(), 0);
}

void TestSocketIoLink::slot_mayDeleteTheClient()
{
    for (const QString &when : { u"connected"_s, u"event"_s, u"ack"_s, u"state"_s, u"gone"_s }) {
        RawServer server;
        QPointer<SocketIoClient> client = new SocketIoClient;
        const auto die = [&client, when](const QString &now) {
            if (now == when) {
                delete client.data();
            }
        };
        connect(client, &SocketIoClient::connected, this, [&] {
            client->emitEvent(
                kRoot, u"ask"_s, {}, 1ms, this, [&](const Result<Payload> &) { die(u"ack"_s); });
            server.peer->sendTextMessage(u"42[\"a\"]"_s);
            server.peer->sendTextMessage(u"42[\"a\"]"_s);
            die(u"connected"_s);
        });
        connect(client, &SocketIoClient::eventReceived, this, [&] {
            die(u"event"_s);
            if (when == u"gone") {
                server.peer->abort();
            }
        });
        connect(client, &SocketIoClient::stateChanged, this, [&] { die(u"state"_s); });
        connect(client, &SocketIoClient::disconnected, this, [&] { die(u"gone"_s); });
        QVERIFY(client->start(optionsFor(server.url())));
        QTRY_VERIFY2(!client, qPrintable(when));
    }
}

void TestSocketIoLink::slot_mayStopAndStartAgain()
{
    RawServer server;
    SocketIoClient client;
    int rounds = 0;
    connect(&client, &SocketIoClient::connected, this, [&] { client.stop(); });
    connect(&client, &SocketIoClient::stopped, this, [&] {
        if (++rounds < 5) {
            QVERIFY(client.start(optionsFor(server.url())));
        }
    });
    QVERIFY(client.start(optionsFor(server.url())));
    QTRY_COMPARE(rounds, 5);
    QCOMPARE(server.connections, 5);
    QVERIFY(client.isStopped());
}

void TestSocketIoLink::destruction_whileConnected_isQuiet()
{
    RawServer server;
    Acknowledger acknowledger;
    bool called = false;
    {
        SocketIoClient client;
        connect(&client, &SocketIoClient::eventReceived, this,
            [&](const QString &, const QString &, const Payload &, const Acknowledger &given) {
                acknowledger = given;
            });
        QVERIFY(client.start(optionsFor(server.url())));
        QTRY_VERIFY(client.isConnected(kRoot));
        server.peer->sendTextMessage(u"427[\"ask\"]"_s);
        QTRY_VERIFY(acknowledger.isWanted());
        QVERIFY(client.emitEvent(
            kRoot, u"ask"_s, {}, 1ms, this, [&](const Result<Payload> &) { called = true; }));
    }
    QCOMPARE(acknowledger.send(Payload()).error().kind, ErrorKind::Network);
    QCoreApplication::processEvents();
    QVERIFY(!called);
}

QTEST_GUILESS_MAIN(TestSocketIoLink)
#include "tst_socketio_link.moc"
