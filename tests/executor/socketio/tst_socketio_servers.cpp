// SPDX-License-Identifier: Apache-2.0
// The client against both real servers: npm's socket.io and python-socketio.
#include "executor/socketio/client.h"
#include "tests/support/socketio-peers/peerserver.h"

#include <QCborMap>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <limits>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace deskhand;
using namespace deskhand::socketio;

namespace {

constexpr auto kRoot = "/"_L1;
constexpr auto kDevice = "/device"_L1;
constexpr auto kOther = "/other"_L1;
constexpr auto kAckLimit = 10s;

struct Seen
{
    QString nsp;
    QString name;
    Payload payload;
    Acknowledger acknowledger;
};

/// A client with a record of its signals, in order.
struct Recorded
{
    SocketIoClient client;
    QList<Seen> events;
    QStringList log; ///< "connected /", "refused /device", "disconnected / 3", "stopped"
    QJsonValue refusal;
    QList<LinkStatus> states;

    Recorded()
    {
        QObject::connect(&client, &SocketIoClient::eventReceived, &client,
            [this](const QString &nsp, const QString &name, const Payload &payload,
                Acknowledger acknowledger) {
                events.append({ nsp, name, payload, acknowledger });
            });
        QObject::connect(&client, &SocketIoClient::connected, &client,
            [this](const QString &nsp) { log.append(u"connected "_s + nsp); });
        QObject::connect(&client, &SocketIoClient::connectError, &client,
            [this](const QString &nsp, const QJsonValue &data) {
                log.append(u"refused "_s + nsp);
                refusal = data;
            });
        QObject::connect(&client, &SocketIoClient::disconnected, &client,
            [this](const QString &nsp, DisconnectReason reason) {
                log.append(u"disconnected %1 %2"_s.arg(nsp).arg(int(reason)));
            });
        QObject::connect(
            &client, &SocketIoClient::stopped, &client, [this] { log.append(u"stopped"_s); });
        QObject::connect(&client, &SocketIoClient::stateChanged, &client,
            [this](const LinkStatus &status) { states.append(status); });
    }

    [[nodiscard]] QList<Seen> named(const QString &name) const
    {
        QList<Seen> found;
        for (const Seen &seen : events) {
            if (seen.name == name) {
                found.append(seen);
            }
        }
        return found;
    }
};

ClientOptions optionsFor(const PeerServer &server, const QStringList &namespaces = { kRoot })
{
    ClientOptions options;
    options.url = server.url();
    options.namespaces = namespaces;
    options.reconnect.initialDelay = 50ms;
    options.reconnect.maxDelay = 400ms;
    return options;
}

QJsonArray awkwardArguments()
{
    return {
        QJsonObject {
            { u"text"_s, u"中文 😀 e\u0301 \u2028 \"\\ / end"_s },
            { u"nul"_s, QString(u'\0') + u"x"_s },
            { u"nested"_s,
                QJsonArray { 1, QJsonArray { QJsonObject { { u"深"_s, QJsonArray {} } } },
                    QJsonValue::Null, true } },
        },
        u""_s,
        -0.125,
        1e300,
        qint64(9007199254740991),
    };
}

} // namespace

class TestSocketIoServers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void connect_withAuth_eventsBothWays_data() { rows(); }
    void connect_withAuth_eventsBothWays();
    void connect_refused_dataIsReportedAndOwnerDecides_data() { rows(); }
    void connect_refused_dataIsReportedAndOwnerDecides();
    void connect_refused_retriesWhenAsked_data() { rows(); }
    void connect_refused_retriesWhenAsked();
    void connect_severalNamespaces_oneRefused_othersWork_data() { rows(); }
    void connect_severalNamespaces_oneRefused_othersWork();
    void connect_unknownNamespace_isRefused_data() { rows(); }
    void connect_unknownNamespace_isRefused();
    void ack_answersBothWaysAndTimesOut_data() { rows(); }
    void ack_answersBothWaysAndTimesOut();
    void integers_of64Bits_comeBackExact();
    void binary_severalAttachmentsBothWays_data() { rows(); }
    void binary_severalAttachmentsBothWays();
    void bigPayload_upToLimitPasses_aboveIsRefusedUnsent_data() { rows(); }
    void bigPayload_upToLimitPasses_aboveIsRefusedUnsent();
    void burst_keepsOrder_data() { rows(); }
    void burst_keepsOrder();
    void serverRestart_clientConnectsAgain_data() { rows(); }
    void serverRestart_clientConnectsAgain();
    void cutLink_firstRetryIsImmediate();
    void cutLink_doesNotAskARefusedNamespaceAgain();
    void tls_ownCertificateAuthority_isTrustedOnlyWhenGiven();
    void serverDisconnect_isLeftToTheOwner_data() { rows(); }
    void serverDisconnect_isLeftToTheOwner();
    void serverDisconnect_retriesWhenAsked();
    void slowSlot_doesNotDelayPongs_data() { rows(); }
    void slowSlot_doesNotDelayPongs();
    void stop_isCleanForTheServer_data() { rows(); }
    void stop_isCleanForTheServer();

private:
    static void rows()
    {
        QTest::addColumn<PeerServer::Kind>("kind");
        QTest::newRow("npm socket.io") << PeerServer::Npm;
        QTest::newRow("python-socketio") << PeerServer::Python;
    }
};

Q_DECLARE_METATYPE(PeerServer::Kind)

#define START_SERVER(...)                                                                          \
    QFETCH(PeerServer::Kind, kind);                                                                \
    PeerServer server(kind);                                                                       \
    QVERIFY2(server.start(__VA_ARGS__), qPrintable(server.error()))

void TestSocketIoServers::connect_withAuth_eventsBothWays()
{
    START_SERVER();
    Recorded r;
    auto options = optionsFor(server, { kDevice });
    options.auth = { { u"token"_s, u"good"_s } };
    QVERIFY(r.client.start(options));
    QCOMPARE(r.client.status().state, LinkState::Connecting);
    QVERIFY(r.log.isEmpty());
    QTRY_COMPARE(r.log, QStringList { u"connected /device"_s });
    QCOMPARE(r.client.status().state, LinkState::Connected);
    QVERIFY(r.client.isConnected(kDevice));
    QVERIFY(!r.client.isConnected(kRoot));
    QCOMPARE(r.client.maxFrameBytes(), 1000000);

    QTRY_COMPARE(r.events.size(), 1);
    QCOMPARE(r.events.at(0).name, u"welcome");
    QCOMPARE(r.events.at(0).nsp, kDevice);
    QCOMPARE(r.events.at(0).payload.object().value(u"namespace"), kDevice);
    QVERIFY(!r.events.at(0).acknowledger.isWanted());

    QVERIFY(r.client.emitEvent(kDevice, u"echo-event"_s, awkwardArguments()));
    QTRY_COMPARE(r.events.size(), 2);
    QCOMPARE(r.events.at(1).name, u"echoed");
    QCOMPARE(r.events.at(1).payload.args, awkwardArguments());
    QTRY_COMPARE(r.client.bytesToWrite(), 0);
}

void TestSocketIoServers::connect_refused_dataIsReportedAndOwnerDecides()
{
    START_SERVER();
    Recorded r;
    auto options = optionsFor(server, { kDevice });
    options.auth = { { u"token"_s, u"bad"_s } };
    QVERIFY(r.client.start(options));
    QTRY_COMPARE(r.log, QStringList { u"refused /device"_s });
    QCOMPARE(r.refusal.toObject().value(u"message"), u"Invalid or expired token"_s);
    QCOMPARE(r.refusal.toObject().value(u"data").toObject().value(u"code"), 7);
    QTRY_COMPARE(r.states.last().state, LinkState::Idle);
    QVERIFY(r.states.last().cause.contains(u"Invalid or expired token"));
    QCOMPARE(r.client.status().nextRetryMs, -1);

    // The owner gets a better token and tries again when it likes.
    r.client.setAuth({ { u"token"_s, u"good"_s } });
    r.client.retryIn(1ms);
    QCOMPARE(r.client.status().state, LinkState::Waiting);
    QTRY_COMPARE(r.log, QStringList({ u"refused /device"_s, u"connected /device"_s }));
}

void TestSocketIoServers::connect_refused_retriesWhenAsked()
{
    START_SERVER();
    Recorded r;
    auto options = optionsFor(server, { kDevice });
    options.reconnect.initialDelay = 5ms;
    options.reconnect.retryAfterRefusal = true;
    QVERIFY(r.client.start(options));
    QTRY_COMPARE_GE(r.log.size(), 3);
    r.client.setAuth({ { u"token"_s, u"good"_s } });
    QTRY_COMPARE(r.log.last(), u"connected /device"_s);
}

void TestSocketIoServers::connect_severalNamespaces_oneRefused_othersWork()
{
    START_SERVER();
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server, { kRoot, kDevice, kOther })));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    QTRY_COMPARE(r.log.size(), 3);
    QVERIFY(r.log.contains(u"refused /device"_s));
    QVERIFY(r.client.isConnected(kRoot));
    QVERIFY(r.client.isConnected(kOther));
    const auto refused = r.client.emitEvent(kDevice, u"echo"_s);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Network);
    for (const QString &nsp : { QString(kRoot), QString(kOther) }) {
        QVERIFY(r.client.emitEvent(nsp, u"echo-event"_s, QJsonArray { nsp }));
    }
    QTRY_COMPARE(r.named(u"echoed"_s).size(), 2);
    for (const Seen &seen : r.named(u"echoed"_s)) {
        QCOMPARE(seen.payload.args, QJsonArray { seen.nsp });
    }
    // The refused one joins later on the same link.
    r.client.setAuth({ { u"token"_s, u"good"_s } });
    r.client.reconnectNow();
    QTRY_VERIFY(r.client.isConnected(kDevice));
    QVERIFY(r.client.isConnected(kRoot));
    QTRY_COMPARE(r.log.size(), 4);
}

void TestSocketIoServers::connect_unknownNamespace_isRefused()
{
    START_SERVER();
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server, { u"/nowhere"_s })));
    QTRY_COMPARE(r.log, QStringList { u"refused /nowhere"_s });
    QVERIFY(r.refusal.isString() || r.refusal.toObject().contains(u"message"));
}

void TestSocketIoServers::ack_answersBothWaysAndTimesOut()
{
    START_SERVER();
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server)));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);

    QList<Result<Payload>> answers;
    const auto keep = [&](const Result<Payload> &answer) {
        answers.append(answer);
    };
    QVERIFY(r.client.emitEvent(kRoot, u"echo"_s, awkwardArguments(), kAckLimit, this, keep));
    QVERIFY(answers.isEmpty());
    QTRY_COMPARE(answers.size(), 1);
    QVERIFY(answers.at(0).has_value());
    QCOMPARE(answers.at(0)->args, awkwardArguments());

    QVERIFY(r.client.emitEvent(kRoot, u"never"_s, QJsonArray { 1 }, 20ms, this, keep));
    QTRY_COMPARE(answers.size(), 2);
    QCOMPARE(answers.at(1).error().kind, ErrorKind::Timeout);

    // A context that is gone gets no answer.
    {
        QObject context;
        QVERIFY(r.client.emitEvent(kRoot, u"echo"_s, QJsonArray { 1 }, kAckLimit, &context, keep));
    }
    // The server calls us; the acknowledgement is given once.
    QVERIFY(r.client.emitEvent(kRoot, u"call-me"_s, QJsonArray { u"question"_s, 42 }));
    QTRY_COMPARE(r.named(u"question"_s).size(), 1);
    Seen question = r.named(u"question"_s).at(0);
    QCOMPARE(question.payload.args, QJsonArray { 42 });
    QVERIFY(question.acknowledger.isWanted());
    Acknowledger copy = question.acknowledger;
    QVERIFY(question.acknowledger.send(QJsonArray { u"yes"_s, QJsonObject { { u"n"_s, 1 } } }));
    QVERIFY(!copy.isWanted());
    QCOMPARE(copy.send(Payload()).error().kind, ErrorKind::Conflict);
    QTRY_COMPARE(r.named(u"answered"_s).size(), 1);
    QCOMPARE(r.named(u"answered"_s).at(0).payload.args,
        QJsonArray({ u"yes"_s, QJsonObject { { u"n"_s, 1 } } }));
    QCOMPARE(answers.size(), 2);
}

void TestSocketIoServers::integers_of64Bits_comeBackExact()
{
    // JavaScript rounds them; Python does not.
    PeerServer server(PeerServer::Python);
    QVERIFY2(server.start(), qPrintable(server.error()));
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server)));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    const QJsonArray numbers { qint64(9007199254740993), std::numeric_limits<qint64>::max(),
        std::numeric_limits<qint64>::min(), 0.1 };
    std::optional<QJsonArray> back;
    QVERIFY(r.client.emitEvent(kRoot, u"echo"_s, numbers, kAckLimit, this,
        [&](const Result<Payload> &answer) { back = answer.value().args; }));
    QTRY_VERIFY(back);
    QCOMPARE(back->at(0).toInteger(), 9007199254740993);
    QCOMPARE(back->at(1).toInteger(), std::numeric_limits<qint64>::max());
    QCOMPARE(back->at(2).toInteger(), std::numeric_limits<qint64>::min());
    QCOMPARE(back->at(3).toDouble(), 0.1);
}

void TestSocketIoServers::binary_severalAttachmentsBothWays()
{
    START_SERVER();
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server)));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    QByteArray all(256, Qt::Uninitialized);
    for (int i = 0; i < 256; ++i) {
        all[i] = static_cast<char>(i);
    }
    QCborMap nested;
    nested.insert(u"list"_s, QCborArray { all, 1, QCborArray { QByteArray("two") } });
    nested.insert(u"text"_s, u"not bytes"_s);
    const QCborArray values { QByteArray("\0first", 6), nested, QByteArray() };
    const auto payload = Payload::fromValues(values);
    QVERIFY(payload);
    QCOMPARE(payload->attachments.size(), 4);

    std::optional<Payload> answer;
    QVERIFY(r.client.emitEvent(kRoot, u"echo"_s, *payload, kAckLimit, this,
        [&](const Result<Payload> &given) { answer = given.value(); }));
    QTRY_VERIFY(answer);
    QCOMPARE(answer->values(), values);

    QVERIFY(r.client.emitEvent(kRoot, u"echo-event"_s, *payload));
    QTRY_COMPARE(r.named(u"echoed"_s).size(), 1);
    QCOMPARE(r.named(u"echoed"_s).at(0).payload.values(), values);

    // The server asks with attachments and gets some back.
    auto call = Payload::fromValues(QCborArray { u"take"_s, all });
    QVERIFY(r.client.emitEvent(kRoot, u"call-me"_s, *call));
    QTRY_COMPARE(r.named(u"take"_s).size(), 1);
    Seen take = r.named(u"take"_s).at(0);
    QCOMPARE(take.payload.values(), QCborArray { all });
    QVERIFY(take.acknowledger.send(*payload));
    QTRY_COMPARE(r.named(u"answered"_s).size(), 1);
    QCOMPARE(r.named(u"answered"_s).at(0).payload.values(), values);
}

void TestSocketIoServers::bigPayload_upToLimitPasses_aboveIsRefusedUnsent()
{
    constexpr int kLimit = 200000;
    START_SERVER({ { u"maxHttpBufferSize"_s, kLimit } });
    Recorded r;
    auto options = optionsFor(server);
    if (kind == PeerServer::Python) {
        // Debian's version enforces its limit and does not announce it.
        options.maxOutgoingBytes = kLimit;
    }
    QVERIFY(r.client.start(options));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    QCOMPARE(r.client.maxFrameBytes(), kLimit);
    // Three bytes of UTF-8 each: the limit counts bytes, not characters. The frame is
    // 420["echo","..."] around the text, with the id's digit.
    const int around = 14;
    const int characters = (kLimit - around) / 3;
    QString text(characters, u'汉');
    text += QString((kLimit - around) % 3, u'x');
    std::optional<Payload> answer;
    const auto keep = [&](const Result<Payload> &given) {
        answer = given.value();
    };
    QVERIFY(r.client.emitEvent(kRoot, u"echo"_s, QJsonArray { text }, kAckLimit, this, keep));
    QTRY_VERIFY(answer);
    QCOMPARE(answer->args, QJsonArray { text });

    answer.reset();
    const auto refused
        = r.client.emitEvent(kRoot, u"echo"_s, QJsonArray { text + u'x' }, kAckLimit, this, keep);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Usage);
    QVERIFY2(refused.error().message.contains(u"200001"), qPrintable(refused.error().message));
    const auto blob = Payload::fromValues({ QByteArray(kLimit + 1, 'b') });
    QVERIFY(!r.client.emitEvent(kRoot, u"echo"_s, *blob));
    const auto most = Payload::fromValues({ QByteArray(kLimit, 'b') });
    QVERIFY(r.client.emitEvent(kRoot, u"echo"_s, *most, kAckLimit, this, keep));
    QTRY_VERIFY(answer);
    QCOMPARE(answer->attachments, most->attachments);
    QCOMPARE(r.log, QStringList { u"connected /"_s });
}

void TestSocketIoServers::burst_keepsOrder()
{
    constexpr int kCount = 2000;
    START_SERVER();
    Recorded r;
    QSignalSpy drained(&r.client, &SocketIoClient::drained);
    QVERIFY(r.client.start(optionsFor(server)));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    QVERIFY(r.client.emitEvent(kRoot, u"burst"_s, QJsonArray { kCount }));
    QTRY_COMPARE_WITH_TIMEOUT(r.named(u"tick"_s).size(), kCount, 30000);
    const auto ticks = r.named(u"tick"_s);
    for (int i = 0; i < kCount; ++i) {
        QCOMPARE(ticks.at(i).payload.args, QJsonArray { i });
    }
    int answered = 0;
    for (int i = 0; i < kCount; ++i) {
        QVERIFY(r.client.emitEvent(kRoot, u"echo"_s, QJsonArray { i }, 60s, this,
            [&answered, i](const Result<Payload> &answer) {
                answered += answer.value().args == QJsonArray { i } ? 1 : 0;
            }));
    }
    QTRY_COMPARE_WITH_TIMEOUT(answered, kCount, 30000);
    QTRY_COMPARE(r.client.bytesToWrite(), 0);
    QVERIFY(!drained.isEmpty());
}

void TestSocketIoServers::serverRestart_clientConnectsAgain()
{
    START_SERVER();
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server)));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    QTRY_COMPARE(r.events.size(), 1);

    std::optional<Result<Payload>> pending;
    QVERIFY(r.client.emitEvent(
        kRoot, u"never"_s, QJsonArray { 1 }, 60s, this, [&](const Result<Payload> &answer) {
            pending = answer;
            r.log.append(u"ack failed"_s);
        }));
    QVERIFY(r.client.emitEvent(kRoot, u"call-me"_s, QJsonArray { u"question"_s }));
    QTRY_COMPARE(r.named(u"question"_s).size(), 1);
    Acknowledger old = r.named(u"question"_s).at(0).acknowledger;

    server.kill();
    QTRY_VERIFY(pending);
    QCOMPARE(pending->error().kind, ErrorKind::Network);
    QTRY_COMPARE(r.client.status().state, LinkState::Waiting);
    QCOMPARE(old.send(Payload()).error().kind, ErrorKind::Network);
    QCOMPARE(r.client.emitEvent(kRoot, u"echo"_s).error().kind, ErrorKind::Network);
    QVERIFY2(server.start(), qPrintable(server.error()));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    QTRY_COMPARE(r.log,
        QStringList(
            { u"connected /"_s, u"ack failed"_s, u"disconnected / 0"_s, u"connected /"_s }));
    bool works = false;
    QVERIFY(r.client.emitEvent(kRoot, u"echo"_s, QJsonArray { 1 }, kAckLimit, this,
        [&](const Result<Payload> &answer) { works = answer.has_value(); }));
    QTRY_VERIFY(works);
}

void TestSocketIoServers::cutLink_firstRetryIsImmediate()
{
    PeerServer server(PeerServer::Npm);
    QVERIFY2(server.start(), qPrintable(server.error()));
    Recorded r;
    auto options = optionsFor(server);
    options.reconnect.initialDelay = 1h;
    options.reconnect.maxDelay = 1h;
    QVERIFY(r.client.start(options));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    QVERIFY(r.client.emitEvent(kRoot, u"cut"_s));
    QTRY_COMPARE(r.log, QStringList({ u"connected /"_s, u"disconnected / 0"_s, u"connected /"_s }));
    // A link that did not last is a failed try: the next one waits, until the owner knows better.
    QVERIFY(r.client.emitEvent(kRoot, u"cut"_s));
    QTRY_COMPARE(r.client.status().state, LinkState::Waiting);
    QVERIFY(r.client.status().nextRetryMs > 1000 * 60 * 30);
    r.client.reconnectNow();
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
}

void TestSocketIoServers::cutLink_doesNotAskARefusedNamespaceAgain()
{
    PeerServer server(PeerServer::Npm);
    QVERIFY2(server.start(), qPrintable(server.error()));
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server, { kRoot, kDevice })));
    QTRY_COMPARE(r.log.size(), 2);
    QVERIFY(r.log.contains(u"refused /device"_s));
    for (int i = 0; i < 3; ++i) {
        // The link may be back before anybody looks, so connections are counted.
        QTRY_COMPARE(r.log.count(u"connected /"_s), i + 1);
        QVERIFY(r.client.emitEvent(kRoot, u"cut"_s));
    }
    QTRY_COMPARE(r.log.count(u"connected /"_s), 4);
    QCOMPARE(r.log.count(u"refused /device"_s), 1);
    r.client.setAuth({ { u"token"_s, u"good"_s } });
    r.client.retryIn(1ms);
    QTRY_VERIFY(r.client.isConnected(kDevice));
    QVERIFY(r.client.isConnected(kRoot));
}

void TestSocketIoServers::tls_ownCertificateAuthority_isTrustedOnlyWhenGiven()
{
    const QTemporaryDir folder;
    const QString key = folder.filePath(u"key.pem"_s);
    const QString certificate = folder.filePath(u"certificate.pem"_s);
    QProcess openssl;
    openssl.start(u"openssl"_s,
        { u"req"_s, u"-x509"_s, u"-newkey"_s, u"rsa:2048"_s, u"-nodes"_s, u"-days"_s, u"2"_s,
            u"-subj"_s, u"/CN=127.0.0.1"_s, u"-addext"_s, u"subjectAltName=IP:127.0.0.1"_s,
            u"-keyout"_s, key, u"-out"_s, certificate });
    QVERIFY2(openssl.waitForFinished() && openssl.exitCode() == 0, "needs openssl");
    PeerServer server(PeerServer::Npm);
    QVERIFY2(server.start({ { u"key"_s, key }, { u"cert"_s, certificate } }),
        qPrintable(server.error()));
    Recorded r;
    auto options = optionsFor(server);
    options.url = u"https://127.0.0.1:%1"_s.arg(server.port());
    QVERIFY(r.client.start(options));
    QTRY_VERIFY(!r.states.isEmpty() && r.states.last().state == LinkState::Waiting);
    QVERIFY2(r.states.last().cause.contains(u"self-signed"), qPrintable(r.states.last().cause));
    r.client.stop();
    QTRY_VERIFY(r.client.isStopped());

    options.extraCaCertificates = QSslCertificate::fromPath(certificate);
    QVERIFY(r.client.start(options));
    QTRY_VERIFY(r.client.isConnected(kRoot));
    QTRY_COMPARE(r.events.size(), 1);
}

void TestSocketIoServers::serverDisconnect_isLeftToTheOwner()
{
    START_SERVER();
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server, { kRoot, kOther })));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    std::optional<Result<Payload>> pending;
    QVERIFY(r.client.emitEvent(kOther, u"never"_s, {}, 60s, this,
        [&](const Result<Payload> &answer) { pending = answer; }));
    QVERIFY(r.client.emitEvent(kOther, u"kick"_s));
    QTRY_VERIFY(!r.client.isConnected(kOther));
    QTRY_VERIFY(r.log.contains(u"disconnected /other 3"_s));
    QVERIFY(pending);
    QCOMPARE(pending->error().kind, ErrorKind::Network);
    QCOMPARE(r.client.status().state, LinkState::Connected);
    QVERIFY(r.client.isConnected(kRoot));

    QVERIFY(r.client.emitEvent(kRoot, u"kick"_s));
    QTRY_COMPARE(r.client.status().state, LinkState::Idle);
    QCOMPARE(r.client.status().nextRetryMs, -1);
    r.client.reconnectNow();
    QTRY_VERIFY(r.client.isConnected(kRoot) && r.client.isConnected(kOther));
}

void TestSocketIoServers::serverDisconnect_retriesWhenAsked()
{
    PeerServer server(PeerServer::Python);
    QVERIFY2(server.start(), qPrintable(server.error()));
    Recorded r;
    auto options = optionsFor(server);
    options.reconnect.retryAfterServerDisconnect = true;
    QVERIFY(r.client.start(options));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    QVERIFY(r.client.emitEvent(kRoot, u"kick"_s));
    QTRY_COMPARE(r.log, QStringList({ u"connected /"_s, u"disconnected / 3"_s, u"connected /"_s }));
}

void TestSocketIoServers::slowSlot_doesNotDelayPongs()
{
    // The server cuts a client that lets 300 ms pass without a pong.
    START_SERVER({ { u"pingInterval"_s, 200 }, { u"pingTimeout"_s, 300 } });
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server)));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    bool blocked = false;
    connect(
        &r.client, &SocketIoClient::eventReceived, this, [&](const QString &, const QString &name) {
            if (name == u"echoed") {
                QThread::msleep(2000);
                blocked = true;
            }
        });
    QVERIFY(r.client.emitEvent(kRoot, u"echo-event"_s, QJsonArray { 1 }));
    QTRY_VERIFY(blocked);
    bool works = false;
    QVERIFY(r.client.emitEvent(kRoot, u"echo"_s, QJsonArray { 1 }, kAckLimit, this,
        [&](const Result<Payload> &answer) { works = answer.has_value(); }));
    QTRY_VERIFY(works);
    QCOMPARE(r.log, QStringList { u"connected /"_s });
}

void TestSocketIoServers::stop_isCleanForTheServer()
{
    START_SERVER();
    Recorded r;
    QVERIFY(r.client.start(optionsFor(server)));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    std::optional<Result<Payload>> pending;
    QVERIFY(r.client.emitEvent(kRoot, u"never"_s, {}, 60s, this,
        [&](const Result<Payload> &answer) { pending = answer; }));
    r.client.stop();
    QVERIFY(!r.client.isStopped());
    QCOMPARE(r.client.status().state, LinkState::Stopping);
    QCOMPARE(r.client.emitEvent(kRoot, u"echo"_s).error().kind, ErrorKind::Network);
    QTRY_COMPARE(r.log, QStringList({ u"connected /"_s, u"disconnected / 5"_s, u"stopped"_s }));
    QVERIFY(r.client.isStopped());
    QVERIFY(pending);
    QCOMPARE(pending->error().kind, ErrorKind::Cancelled);

    // The server heard the namespace leave, it did not merely lose the socket.
    QVERIFY(r.client.start(optionsFor(server)));
    QTRY_COMPARE(r.client.status().state, LinkState::Connected);
    QStringList goodbyes;
    QVERIFY(r.client.emitEvent(
        kRoot, u"goodbyes"_s, {}, kAckLimit, this, [&](const Result<Payload> &answer) {
            for (const auto &reason : answer.value().args.at(0).toArray()) {
                goodbyes.append(reason.toString());
            }
        }));
    QTRY_COMPARE(goodbyes.size(), 1);
    QCOMPARE(goodbyes.at(0),
        kind == PeerServer::Npm ? u"client namespace disconnect"_s : u"disconnect"_s);
}

QTEST_GUILESS_MAIN(TestSocketIoServers)
#include "tst_socketio_servers.moc"
