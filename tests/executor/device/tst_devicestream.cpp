// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/device/devicefixture.h"

#include <QRandomGenerator>
#include <QTimer>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;
using namespace std::chrono_literals;

namespace {

/// Text of a turn in parts of any size, with characters of every width.
QStringList randomParts(QRandomGenerator &random, int count)
{
    static const QStringList alphabet { u"a"_s, u"\""_s, u"\\"_s, u"\n"_s, u"é"_s, u"中"_s, u"文"_s,
        u"🙂"_s, u"👩‍💻"_s, u" "_s };
    QStringList parts;
    for (int i = 0; i < count; ++i) {
        QString part;
        const int length = random.bounded(1, 12);
        for (int j = 0; j < length; ++j) {
            part += alphabet.at(random.bounded(alphabet.size()));
        }
        parts.append(part);
    }
    return parts;
}

} // namespace

/// Streams that break and what arrives of them.
class DeviceStreamTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// However the link is cut, the backend ends up with the engine's text and one ending.
    void cutLinks_loseAndRepeatNothing_data()
    {
        QTest::addColumn<quint32>("seed");
        QTest::addColumn<bool>("processed");
        for (quint32 seed = 1; seed <= 6; ++seed) {
            QTest::addRow("lost on the way there, %u", seed) << seed << false;
            QTest::addRow("lost on the way back, %u", seed) << seed << true;
        }
    }
    void cutLinks_loseAndRepeatNothing()
    {
        QFETCH(quint32, seed);
        QFETCH(bool, processed);
        QRandomGenerator random(seed);
        BackendPeer backend;
        QVERIFY(backend.start(BackendPeer::Kind::Python, { u"--rate-limit"_s, u"1000"_s }));
        backend.send({ { u"cmd"_s, u"set"_s }, { u"jitter"_s, 3 } });
        Device device;
        device.config.times.reconnectDelay = 20ms;
        device.config.times.reconnectMaxDelay = 100ms;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.execute(taskData(1, 2));
        QTRY_COMPARE(device.engine.specs.size(), 1);
        backend.send({ { u"cmd"_s, u"cut_at"_s }, { u"after"_s, random.bounded(2, 5) },
            { u"processed"_s, processed }, { u"times"_s, 4 } });
        const QStringList parts = randomParts(random, 120);
        qsizetype next = 0;
        QTimer feed;
        QObject::connect(&feed, &QTimer::timeout, &feed, [&] {
            if (next < parts.size()) {
                device.engine.text(ref(1, 2), u"m"_s, parts.at(next++));
            } else {
                feed.stop();
                device.engine.say(ref(1, 2), TextEnded { u"m"_s, parts.join(QString()), true });
                device.engine.complete(ref(1, 2), parts.join(QString()));
            }
        });
        feed.start(5);
        QTRY_COMPARE_WITH_TIMEOUT(backend.count(u"ended"_s), 1, 30000);
        QTRY_COMPARE_WITH_TIMEOUT(device.link->status().unsent, 0, 15000);
        QVERIFY(backend.count(u"cut"_s) > 0);
        const QJsonObject subtask = backend.subtask(2);
        QCOMPARE(subtask.value(u"text"_s).toString(), parts.join(QString()));
        QCOMPARE(subtask.value(u"status"_s).toString(), u"COMPLETED"_s);
        QCOMPARE(subtask.value(u"terminals"_s).toArray().size(), 1);
        QCOMPARE(subtask.value(u"faults"_s), QJsonValue(QJsonArray()));
    }

    void offlineTurn_isDeliveredAfterwards()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device::LinkStatus told;
        connect(device.link.get(), &device::DeviceLink::statusChanged, device.link.get(),
            [&told](const device::LinkStatus &status) { told = status; });
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.execute(taskData(1, 2));
        QTRY_COMPARE(device.engine.specs.size(), 1);
        device.engine.text(ref(1, 2), u"m"_s, u"Before. "_s);
        QTRY_COMPARE_WITH_TIMEOUT(device.link->status().unsent, 0, 15000);
        backend.send({ { u"cmd"_s, u"restart"_s }, { u"downtime"_s, 800 } });
        QTRY_VERIFY(!device.isOnline());
        QString offline;
        for (int i = 0; i < 1000; ++i) {
            const QString part = u"offline %1 中🙂 "_s.arg(i);
            offline += part;
            device.engine.text(ref(1, 2), u"m"_s, part);
        }
        device.engine.complete(ref(1, 2), u"Before. "_s + offline);
        QVERIFY(device.link->status().unsent > 0);
        QTRY_VERIFY(told.unsent > 0);
        QTRY_COMPARE(backend.count(u"ended"_s), 1);
        const QJsonObject subtask = backend.subtask(2);
        QCOMPARE(subtask.value(u"text"_s).toString(), u"Before. "_s + offline);
        QVERIFY(subtask.value(u"deltas"_s).toInt() <= 4);
        QCOMPARE(subtask.value(u"faults"_s), QJsonValue(QJsonArray()));
        QTRY_COMPARE_WITH_TIMEOUT(device.link->status().unsent, 0, 15000);
        // Who listens, and does not ask, hears of it too.
        QTRY_COMPARE(told.unsent, 0);
    }

    void slowAcks_makeFewLargePackets()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.execute(taskData(1, 2));
        QTRY_COMPARE(device.engine.specs.size(), 1);
        backend.ack(u"response.output_text.delta"_s, u"delay"_s, { { u"ms"_s, 100 } });
        QString whole;
        QTimer feed;
        int left = 200;
        QObject::connect(&feed, &QTimer::timeout, &feed, [&] {
            const QString part = u"中%1 "_s.arg(left);
            whole += part;
            device.engine.text(ref(1, 2), u"m"_s, part);
            if (--left == 0) {
                feed.stop();
                device.engine.complete(ref(1, 2), whole);
            }
        });
        feed.start(2);
        QTRY_COMPARE_WITH_TIMEOUT(backend.count(u"ended"_s), 1, 20000);
        const QJsonObject subtask = backend.subtask(2);
        QCOMPARE(subtask.value(u"text"_s).toString(), whole);
        QVERIFY(subtask.value(u"deltas"_s).toInt() < 30);
    }

    void unansweredEvent_makesItReconnect()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.ack(u"response.completed"_s, u"error"_s,
            { { u"error"_s, u"Not authenticated or not registered"_s }, { u"count"_s, 1 } });
        backend.execute(taskData(1, 2));
        QTRY_COMPARE(device.engine.specs.size(), 1);
        device.engine.complete(ref(1, 2), u"x"_s);
        QTRY_COMPARE(backend.count(u"online"_s), 2);
        QTRY_COMPARE_WITH_TIMEOUT(device.link->status().unsent, 0, 15000);
        QCOMPARE(backend.subtask(2).value(u"terminals"_s).toArray().size(), 1);
    }

    void tenTasksAtOnce_stayApart()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        backend.send({ { u"cmd"_s, u"set"_s }, { u"jitter"_s, 5 } });
        Device device({}, 10);
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        for (int i = 1; i <= 10; ++i) {
            backend.execute(taskData(i, 100 + i));
        }
        QTRY_COMPARE(device.engine.specs.size(), 10);
        QHash<int, QString> texts;
        QTimer feed;
        int round = 0;
        QObject::connect(&feed, &QTimer::timeout, &feed, [&] {
            ++round;
            for (int i = 1; i <= 10; ++i) {
                if (round == 60) {
                    device.engine.complete(ref(i, 100 + i), texts.value(i));
                } else {
                    const QString part = u"<%1:%2 字>"_s.arg(i).arg(round);
                    texts[i] += part;
                    device.engine.text(ref(i, 100 + i), u"m"_s, part);
                }
            }
            if (round == 60) {
                feed.stop();
            } else if (round == 30) {
                backend.send({ { u"cmd"_s, u"drop"_s } });
            }
        });
        feed.start(5);
        QTRY_COMPARE_WITH_TIMEOUT(backend.count(u"ended"_s), 10, 20000);
        for (int i = 1; i <= 10; ++i) {
            const QJsonObject subtask = backend.subtask(100 + i);
            QCOMPARE(subtask.value(u"text"_s).toString(), texts.value(i));
            QCOMPARE(subtask.value(u"faults"_s), QJsonValue(QJsonArray()));
        }
    }

    void endingThatWasNotAcknowledged_survivesTheProgram()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(u"journal.sqlite"_s);
        BackendPeer backend;
        QVERIFY(backend.start());
        {
            Device device(file);
            device.connectTo(backend);
            QTRY_VERIFY(device.isOnline());
            backend.execute(taskData(1, 2));
            QTRY_COMPARE(device.engine.specs.size(), 1);
            device.engine.text(ref(1, 2), u"m"_s, u"First. "_s);
            QTRY_COMPARE_WITH_TIMEOUT(device.link->status().unsent, 0, 15000);
            backend.send(
                { { u"cmd"_s, u"refuse"_s }, { u"message"_s, u"Server is shutting down"_s } });
            backend.send({ { u"cmd"_s, u"drop"_s } });
            QTRY_VERIFY(!device.isOnline());
            device.engine.text(ref(1, 2), u"m"_s, u"Second 中🙂."_s);
            device.engine.complete(ref(1, 2), u"First. Second 中🙂."_s);
            device.close();
        }
        QCOMPARE(backend.count(u"ended"_s), 0);
        backend.send({ { u"cmd"_s, u"refuse"_s }, { u"message"_s, QJsonValue::Null } });
        Device device(file);
        device.connectTo(backend);
        QTRY_COMPARE(backend.count(u"ended"_s), 1);
        const QJsonObject subtask = backend.subtask(2);
        QCOMPARE(subtask.value(u"text"_s).toString(), u"First. Second 中🙂."_s);
        QCOMPARE(subtask.value(u"terminals"_s).toArray().size(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(device.link->status().unsent, 0, 15000);
        // A third start has nothing more to say, and the turn is not run again.
        backend.forget();
        device.close();
        Device third(file);
        third.connectTo(backend);
        QTRY_VERIFY(third.isOnline());
        backend.execute(taskData(1, 2));
        QVERIFY(!backend.call(u"runtime:rpc"_s, {}).isEmpty());
        QVERIFY(third.engine.specs.isEmpty());
        QVERIFY(backend.events(u"response.completed"_s).isEmpty());
    }

    void turnThatDiedWithTheProgram_getsOneError()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(u"journal.sqlite"_s);
        BackendPeer backend;
        QVERIFY(backend.start());
        {
            Device device(file);
            device.connectTo(backend);
            QTRY_VERIFY(device.isOnline());
            backend.execute(taskData(1, 2));
            QTRY_COMPARE(device.engine.specs.size(), 1);
            device.engine.text(ref(1, 2), u"m"_s, u"Half"_s);
            QTRY_COMPARE_WITH_TIMEOUT(device.link->status().unsent, 0, 15000);
            // The journal goes first, so that nothing of an orderly end is written.
            QSignalSpy closed(device.journal.get(), &tasks::Journal::closed);
            device.journal->requestClose(5s);
            QTRY_COMPARE(closed.size(), 1);
        }
        for (int start = 0; start < 2; ++start) {
            Device device(file);
            device.connectTo(backend);
            QTRY_VERIFY(device.isOnline());
            QTRY_COMPARE(backend.count(u"ended"_s), 1);
            QTRY_COMPARE_WITH_TIMEOUT(device.link->status().unsent, 0, 15000);
            device.close();
        }
        const QJsonObject subtask = backend.subtask(2);
        QCOMPARE(subtask.value(u"code"_s).toString(), u"interrupted"_s);
        QCOMPARE(subtask.value(u"text"_s).toString(), u"Half"_s);
        QCOMPARE(subtask.value(u"terminals"_s).toArray().size(), 1);
        QCOMPARE(backend.events(u"error"_s).size(), 1);
    }

    void textThatDiedUnsent_followsWithoutLossOrRepetition_data()
    {
        QTest::addColumn<bool>("beganOffline");
        QTest::newRow("part of it had arrived") << false;
        QTest::newRow("nothing of it had arrived") << true;
    }
    void textThatDiedUnsent_followsWithoutLossOrRepetition()
    {
        QFETCH(const bool, beganOffline);
        QTemporaryDir folder;
        const QString file = folder.filePath(u"journal.sqlite"_s);
        BackendPeer backend;
        QVERIFY(backend.start());
        const QString begin = u"Half 中🙂"_s;
        const QString rest = u" and 🙂🙂 the rest"_s;
        {
            Device device(file);
            device.connectTo(backend);
            QTRY_VERIFY(device.isOnline());
            if (beganOffline) {
                backend.ack(u"response.created"_s, u"none"_s); // and so nothing behind it goes
            }
            backend.execute(taskData(1, 2));
            QTRY_COMPARE(device.engine.specs.size(), 1);
            const auto turn = ref(1, 2);
            device.engine.say(turn, ReasoningDelta { u"r"_s, u"I think"_s });
            device.engine.text(turn, u"m"_s, begin);
            if (!beganOffline) {
                QTRY_COMPARE(device.link->status().unsent, 0);
            }
            backend.send(
                { { u"cmd"_s, u"refuse"_s }, { u"message"_s, u"Server is shutting down"_s } });
            backend.send({ { u"cmd"_s, u"drop"_s } });
            QTRY_VERIFY(!device.isOnline());
            device.engine.text(turn, u"m"_s, rest);
            device.engine.say(turn, TextEnded { u"m"_s, begin + rest, false });
            device.engine.text(turn, u"m2"_s, u"Next"_s);
            QSignalSpy closed(device.journal.get(), &tasks::Journal::closed);
            device.journal->requestClose(5s);
            QTRY_COMPARE(closed.size(), 1);
        }
        QCOMPARE(backend.count(u"ended"_s), 0);
        backend.ack(u"response.created"_s, u"normal"_s);
        backend.send({ { u"cmd"_s, u"refuse"_s }, { u"message"_s, QJsonValue::Null } });
        for (int start = 0; start < 2; ++start) {
            Device device(file);
            device.connectTo(backend);
            QTRY_VERIFY(device.isOnline());
            QTRY_COMPARE(backend.count(u"ended"_s), 1);
            QTRY_COMPARE(device.link->status().unsent, 0);
            device.close();
        }
        const QJsonObject subtask = backend.subtask(2);
        QCOMPARE(subtask.value(u"text"_s).toString(), begin + rest + u"\n\nNext"_s);
        QCOMPARE(subtask.value(u"code"_s).toString(), u"interrupted"_s);
        QCOMPARE(subtask.value(u"terminals"_s).toArray().size(), 1);
        QCOMPARE(subtask.value(u"faults"_s), QJsonValue(QJsonArray()));
    }

    void unsentThings_ofAnotherServer_areNotSent()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(u"journal.sqlite"_s);
        BackendPeer one;
        BackendPeer two;
        QVERIFY(one.start() && two.start());
        {
            Device device(file);
            device.connectTo(one);
            QTRY_VERIFY(device.isOnline());
            one.execute(taskData(1, 2));
            QTRY_COMPARE(device.engine.specs.size(), 1);
            one.send({ { u"cmd"_s, u"refuse"_s }, { u"message"_s, u"Server is shutting down"_s } });
            one.send({ { u"cmd"_s, u"drop"_s } });
            QTRY_VERIFY(!device.isOnline());
            device.engine.complete(ref(1, 2), u"x"_s);
            device.close();
        }
        Device device(file);
        device.connectTo(two);
        QTRY_VERIFY(device.isOnline());
        QVERIFY(!two.call(u"runtime:rpc"_s, {}).isEmpty());
        QVERIFY(two.events(u"response.completed"_s).isEmpty());
        QCOMPARE(device.link->status().unsent, 0);
    }

    void veryLongAnswer_staysBelowThePacketLimit()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device;
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.execute(taskData(1, 2));
        QTRY_COMPARE(device.engine.specs.size(), 1);
        const QString whole = u"中\"🙂\n "_s.repeated(250'000);
        device.engine.say(ref(1, 2), TextEnded { u"m"_s, whole, true });
        device.engine.complete(ref(1, 2), whole);
        QTRY_COMPARE_WITH_TIMEOUT(backend.count(u"ended"_s), 1, 30000);
        const QJsonObject subtask = backend.subtask(2);
        QVERIFY(subtask.value(u"text"_s).toString() == whole);
        QVERIFY(subtask.value(u"largest"_s).toInt() < 1'000'000);
        QCOMPARE(backend.count(u"online"_s), 1);
        QVERIFY(subtask.value(u"value"_s).toString().contains(u"bytes omitted"_s));
    }

    void serverOfNpm_takesTheBasicFlow()
    {
        BackendPeer backend;
        if (!QFile::exists(qEnvironmentVariable("DESKHAND_PEERS")
                + u"/node_modules/socket.io/package.json"_s)) {
            QFAIL("the npm package socket.io is not installed below DESKHAND_PEERS");
        }
        QVERIFY(backend.start(BackendPeer::Kind::Node));
        Device device;
        device.connectTo(backend, u"wg-wrong"_s);
        QTRY_COMPARE(device.state(), device::LinkState::SignInNeeded);
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        backend.execute(taskData(1, 2));
        QTRY_COMPARE(device.engine.specs.size(), 1);
        const QStringList parts { u"Hello "_s, u"中文"_s, u" 🙂🙂"_s, u" end"_s };
        for (const QString &part : parts) {
            device.engine.text(ref(1, 2), u"m"_s, part);
            QTRY_COMPARE(device.link->status().unsent, 0);
            if (part == parts.at(1)) {
                backend.send({ { u"cmd"_s, u"drop"_s } });
            }
        }
        device.engine.complete(ref(1, 2), parts.join(QString()));
        QTRY_COMPARE(backend.count(u"ended"_s), 1);
        const QJsonObject subtask = backend.subtask(2);
        QCOMPARE(subtask.value(u"text"_s).toString(), parts.join(QString()));
        QCOMPARE(subtask.value(u"ended"_s).toString(), u"response.completed"_s);
        QCOMPARE(subtask.value(u"faults"_s), QJsonValue(QJsonArray()));
        const QJsonObject result = backend.call(u"runtime:rpc"_s, {}).value(u"result"_s).toObject();
        QCOMPARE(result.value(u"success"_s), QJsonValue(false));
        backend.send({ { u"cmd"_s, u"restart"_s } });
        QTRY_COMPARE(backend.count(u"restarted"_s), 1);
        QTRY_VERIFY(backend.count(u"online"_s) >= 3);
        QTRY_VERIFY(device.isOnline());
    }

    void endingBeforeTheHistoryIsOpen_isSentOnce()
    {
        BackendPeer backend;
        QVERIFY(backend.start());
        Device device({}, 4, Device::History::Later);
        device.connectTo(backend);
        QTRY_VERIFY(device.isOnline());
        // Its ending is stored and not yet removed when the history is read.
        backend.ack(u"response.completed"_s, u"delay"_s, { { u"ms"_s, 3000 } });
        backend.execute(taskData(1, 2));
        QTRY_COMPARE(device.engine.running.size(), 1);
        device.engine.complete(ref(1, 2), u"done"_s);
        QTRY_COMPARE(backend.events(u"response.completed"_s).size(), 1);
        device.journal->open();
        bool read = false;
        QObject::connect(device.journal.get(), &tasks::Journal::opened, &device.engine, [&] {
            device.journal->outboxLoad(
                &device.engine, [&](const Result<QList<tasks::OutboxEntry>> &) { read = true; });
        });
        QTRY_VERIFY(read);
        QTRY_COMPARE_WITH_TIMEOUT(device.link->status().unsent, 0, 15000);
        QCOMPARE(backend.events(u"response.completed"_s).size(), 1);
        QCOMPARE(backend.events(u"response.created"_s).size(), 1);
    }
};

QTEST_GUILESS_MAIN(DeviceStreamTest)
#include "tst_devicestream.moc"
