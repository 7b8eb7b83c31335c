// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/device/devicefixture.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QUrl>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace std::chrono_literals;
using device::LinkState;

namespace {

/// True once a device with the same delays, which goes on trying, has used up all of them: one that
/// does not try by then waits for something else.
bool anotherDeviceHasTriedOften()
{
    constexpr int kTries = 6;
    int tries = 0;
    QTcpServer nobody;
    if (!nobody.listen(QHostAddress::LocalHost)) {
        return false;
    }
    QObject::connect(&nobody, &QTcpServer::newConnection, &nobody, [&] {
        ++tries;
        QTcpSocket *socket = nobody.nextPendingConnection();
        socket->abort();
        socket->deleteLater();
    });
    Device other;
    other.config.backendUrl = u"http://127.0.0.1:%1"_s.arg(nobody.serverPort());
    other.config.authToken = u"wg-test"_s;
    other.link->configure(other.config);
    return QTest::qWaitFor([&tries] { return tries >= kTries; }, 30'000);
}

} // namespace

/// States of the link against the loopback backend.
class DeviceLinkTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void registersAndBeats()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        QCOMPARE(device.state(), LinkState::NotSetUp);
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        QVERIFY(device.link->status().lastHeartbeatMs > 0);
        QCOMPARE(device.link->status().host, u"127.0.0.1"_s);
        const QJsonObject registered = backend.events(u"device:register"_s).value(0);
        QCOMPARE(registered.value(u"name"_s).toString(), device.config.deviceName);
        QCOMPARE(registered.value(u"client_ip"_s).toString(), u"127.0.0.1"_s);
        QCOMPARE(
            registered.value(u"executor_version"_s).toString(), QStringLiteral(DESKHAND_VERSION));
        const QJsonObject beat = backend.events(u"device:heartbeat"_s).value(0);
        QCOMPARE(beat.value(u"runtime_instance_id"_s).toString(), u"runtime-test"_s);
        QCOMPARE(beat.value(u"running_task_ids"_s), QJsonValue(QJsonArray()));
        QVERIFY(!beat.contains(u"runtime_capacity"_s));
        // The same values again change nothing.
        backend.forget();
        device.link->configure(device.config);
        QVERIFY(!backend.call(u"runtime:rpc"_s, {}).isEmpty());
        QCOMPARE(backend.count(u"connect"_s), 0);
    }

    void registrationAck_inAList_counts()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        backend.ack(u"device:register"_s, u"value"_s,
            { { u"value"_s, QJsonArray { QJsonObject { { u"success"_s, true } } } },
                { u"registers"_s, true } });
        Device device;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
    }

    void registrationRefused_isTriedAgain_data()
    {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<QJsonObject>("more");
        QTest::newRow("an error") << u"error"_s
                                  << QJsonObject { { u"error"_s, u"Registration failed: db"_s } };
        QTest::newRow("success false")
            << u"value"_s
            << QJsonObject { { u"value"_s, QJsonObject { { u"success"_s, false } } } };
        QTest::newRow("no answer") << u"none"_s << QJsonObject();
    }
    void registrationRefused_isTriedAgain()
    {
        QFETCH(QString, mode);
        QFETCH(QJsonObject, more);
        BackendPeer backend;
        QVERIFY(backend.start());
        more.insert(u"count"_s, 2);
        backend.ack(u"device:register"_s, mode, more);
        Device device;
        device.config.times.registerLimit = 200ms;
        QStringList causes;
        QObject::connect(device.link.get(), &device::DeviceLink::statusChanged, device.link.get(),
            [&](const device::LinkStatus &status) { causes.append(status.cause); });
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        QCOMPARE(backend.events(u"device:register"_s).size(), 3);
        QVERIFY(causes.join(u'\n').contains(u"regist"_s));
    }

    void refusedToken_stopsUntilItChanges_data()
    {
        QTest::addColumn<QString>("token");
        QTest::newRow("an API key") << u"wg-wrong"_s;
        QTest::newRow("a session token") << u"wrong"_s;
    }
    void refusedToken_stopsUntilItChanges()
    {
        QFETCH(QString, token);
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.connectTo(backend, token);
        QTRY_COMPARE(device.state(), LinkState::SignInNeeded);
        QVERIFY(!device.link->status().cause.isEmpty());
        QCOMPARE(device.link->status().nextRetryMs, -1);
        device.link->tryNow();
        device.link->configure(device.config);
        QVERIFY(anotherDeviceHasTriedOften());
        QCOMPARE(backend.count(u"refused"_s), 1);
        QCOMPARE(device.state(), LinkState::SignInNeeded);
        device.connectTo(backend, u"Bearer wg-test"_s);
        QTRY_VERIFY(device.isOnline());
    }

    void otherRefusals_data()
    {
        QTest::addColumn<QString>("message");
        QTest::addColumn<bool>("plain");
        QTest::addColumn<LinkState>("state");
        QTest::addColumn<int>("leastRetryMs");
        QTest::newRow("rate limit")
            << u"Too many device connection attempts"_s << false << LinkState::Offline << 30000;
        QTest::newRow("no such namespace")
            << u"Unable to connect"_s << true << LinkState::Refused << 200000;
    }
    void otherRefusals()
    {
        QFETCH(QString, message);
        QFETCH(bool, plain);
        QFETCH(LinkState, state);
        QFETCH(int, leastRetryMs);
        BackendPeer backend;
        QVERIFY(backend.start());
        backend.send({ { u"cmd"_s, u"refuse"_s }, { u"message"_s, message }, { u"plain"_s, plain },
            { u"count"_s, 1 } });
        Device device;
        device.connectTo(backend);
        QTRY_COMPARE(device.state(), state);
        QTRY_VERIFY(device.link->status().nextRetryMs >= leastRetryMs);
        QVERIFY(anotherDeviceHasTriedOften());
        QCOMPARE(backend.count(u"refused"_s), 1);
        device.link->tryNow();
        QTRY_VERIFY(device.isOnline());
    }

    void shuttingDownServer_isTriedAgain()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        backend.send({ { u"cmd"_s, u"refuse"_s }, { u"message"_s, u"Server is shutting down"_s },
            { u"count"_s, 3 } });
        Device device;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        QCOMPARE(backend.count(u"refused"_s), 3);
    }

    void cutLink_isRegisteredAgain()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        for (int i = 2; i < 5; ++i) {
            backend.send({ { u"cmd"_s, u"drop"_s } });
            QTRY_COMPARE(backend.count(u"online"_s), i);
            QTRY_VERIFY(device.isOnline());
        }
        QVERIFY(backend.lines(u"offline"_s).isEmpty());
    }

    void serverThatDisconnectsTheNamespace_isSoughtAgain()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.send({ { u"cmd"_s, u"disconnect"_s } });
        QTRY_COMPARE(backend.count(u"online"_s), 2);
        QTRY_VERIFY(device.isOnline());
    }

    void restartedServer_isFoundAgain()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.send({ { u"cmd"_s, u"restart"_s }, { u"downtime"_s, 500 } });
        QTRY_COMPARE(device.state(), LinkState::Reconnecting);
        QTRY_COMPARE(backend.count(u"online"_s), 2);
        QTRY_VERIFY(device.isOnline());
    }

    void unreachableServer_isOffline_andNeverGivenUp()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        backend.send({ { u"cmd"_s, u"restart"_s }, { u"downtime"_s, 3000 } });
        const auto somebodyListens = [&backend] {
            QTcpSocket socket;
            socket.connectToHost(u"127.0.0.1"_s, quint16(QUrl(backend.url()).port()));
            return socket.waitForConnected(1000);
        };
        QTRY_VERIFY(!somebodyListens());
        Device device;
        device.connectTo(backend);
        QTRY_COMPARE(device.state(), LinkState::Offline);
        QVERIFY(!device.link->status().cause.isEmpty());
        QTRY_VERIFY(device.isOnline());
    }

    void heartbeatsWithoutAnswer_makeItReconnect()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.config.times.heartbeatLimit = 200ms;
        device.config.times.heartbeatInterval = 100ms;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.ack(u"device:heartbeat"_s, u"none"_s, { { u"count"_s, 2 } });
        QTRY_COMPARE(backend.count(u"online"_s), 2);
        QTRY_VERIFY(device.isOnline());
    }

    void frozenServer_isLeft()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.config.times.heartbeatLimit = 200ms;
        device.config.times.heartbeatInterval = 100ms;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.send({ { u"cmd"_s, u"freeze"_s }, { u"on"_s, true } });
        QTRY_COMPARE(device.state(), LinkState::Reconnecting);
        QVERIFY(device.link->status().cause.contains(u"heartbeats"_s));
        backend.send({ { u"cmd"_s, u"freeze"_s }, { u"on"_s, false } });
        device.link->tryNow();
        QTRY_VERIFY_WITH_TIMEOUT(device.isOnline(), 15000);
    }

    void secondRegistration_isAConflict()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device first;
        first.config.times.heartbeatInterval = 100ms;
        first.connectTo(backend);
        QTRY_VERIFY(first.isOnline());
        Device second;
        second.connectTo(backend);
        QTRY_VERIFY(second.isOnline());
        QTRY_COMPARE(first.state(), LinkState::Conflict);
        QVERIFY(first.link->status().nextRetryMs > 200000);
        QVERIFY(second.isOnline());
        first.link->tryNow(); // take over
        QTRY_VERIFY(first.isOnline());
    }

    void forgottenRegistration_isRepeated()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.config.times.heartbeatInterval = 100ms;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.ack(u"device:heartbeat"_s, u"error"_s,
            { { u"error"_s, u"Runtime instance ID mismatch"_s }, { u"count"_s, 1 } });
        QTRY_COMPARE(backend.count(u"online"_s), 2);
        QTRY_VERIFY(device.isOnline());
    }

    void serverThatForgetsAtEveryMessage_isNotStormed()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        backend.ack(u"response.created"_s, u"error"_s,
            { { u"error"_s, u"Not authenticated or not registered"_s } });
        Device device;
        device.config.times.reconnectDelay = 20s;
        device.config.times.reconnectMaxDelay = 60s;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.execute(taskData(1, 2));
        // The first replacement comes at once; when it serves no better, the next one waits.
        QTRY_VERIFY(device.link->status().nextRetryMs > 10000);
        QCOMPARE(backend.count(u"online"_s), 2);
        QVERIFY(device.link->status().cause.contains(u"forgotten"_s));
    }

    void heartbeatsRefusedForEver_backOff()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.config.times.reconnectMaxDelay = 60s;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.ack(u"device:heartbeat"_s, u"error"_s, { { u"error"_s, u"Not authenticated"_s } });
        backend.send({ { u"cmd"_s, u"drop"_s } });
        int longest = 0;
        QObject::connect(device.link.get(), &device::DeviceLink::statusChanged, device.link.get(),
            [&](const device::LinkStatus &now) {
                longest = std::max(longest, int(now.nextRetryMs));
            });
        QTRY_VERIFY(longest > 400); // it began at 50 ms
    }

    void otherServer_isConnectedLive()
    {
        BackendPeer one;
        BackendPeer two;
        QVERIFY(one.start() && two.start());
        Device device;
        device.connectTo(one);
        QTRY_VERIFY(device.isOnline());
        one.execute(taskData(1, 2));
        QTRY_COMPARE(device.engine.specs.size(), 1);
        device.connectTo(two);
        QTRY_COMPARE(two.count(u"online"_s), 1);
        QTRY_VERIFY(device.isOnline());
        QVERIFY(device.engine.running.isEmpty()); // its turn belongs to the other server
        QVERIFY(!two.call(u"runtime:rpc"_s, {}).isEmpty());
        QVERIFY(two.events(u"response.incomplete"_s).isEmpty()); // told before the call, if ever
        device.config.authToken.clear();
        device.link->configure(device.config);
        QCOMPARE(device.state(), LinkState::NotSetUp);
        QTRY_VERIFY(two.count(u"disconnect"_s) >= 1);
    }

    void unusableAddress_isRefused()
    {
        Device device;
        device.config.backendUrl = u"ftp://nowhere"_s;
        device.config.authToken = u"wg-test"_s;
        device.link->configure(device.config);
        QCOMPARE(device.state(), LinkState::Refused);
        QVERIFY(!device.link->status().cause.isEmpty());
    }

    void stop_closesCleanly()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        QSignalSpy stopped(device.link.get(), &device::DeviceLink::stopped);
        device.link->requestStop(2s);
        QTRY_COMPARE(stopped.size(), 1);
        QTRY_COMPARE(backend.count(u"disconnect"_s), 1);
        Device never;
        QSignalSpy stoppedToo(never.link.get(), &device::DeviceLink::stopped);
        never.link->requestStop(2s);
        QTRY_COMPARE(stoppedToo.size(), 1);
    }
};

QTEST_GUILESS_MAIN(DeviceLinkTest)
#include "tst_devicelink.moc"
