// SPDX-License-Identifier: Apache-2.0
#include "executor/common/textlimits.h"
#include "executor/device/outbox.h"

#include <QSignalSpy>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::device;
using namespace deskhand::engines;
using namespace std::chrono_literals;

namespace {

/// The far end: keeps what was sent and answers when the test says so.
struct Peer
{
    struct Sent
    {
        QString event;
        QJsonObject payload;
        ChannelAnswer answered;
    };
    QList<Sent> sent;
    bool acksAtOnce = false;
    qint64 limit = 0; ///< refuses larger packets, 0 = none

    Channel channel()
    {
        return [this](const QString &event, const QJsonObject &payload, std::chrono::milliseconds,
                   const ChannelAnswer &answered) -> Result<> {
            if (limit > 0 && jsonBytes(payload) > limit) {
                return failure(ErrorKind::Usage, u"too large"_s);
            }
            sent.append({ event, payload, answered });
            if (acksAtOnce) {
                QMetaObject::invokeMethod(
                    qApp,
                    [answered] {
                        answered(QJsonObject { { u"success"_s, true } });
                    },
                    Qt::QueuedConnection);
            }
            return {};
        };
    }
    void ack(const QJsonObject &answer = { { u"success"_s, true } })
    {
        const auto answered = sent.last().answered;
        answered(answer);
    }
    [[nodiscard]] QStringList names() const
    {
        QStringList list;
        for (const Sent &one : sent) {
            list.append(one.event);
        }
        return list;
    }
    [[nodiscard]] QJsonObject data(qsizetype index) const
    {
        return sent.at(index).payload.value(u"data"_s).toObject();
    }
    /// Text as a receiver puts it together by offsets.
    [[nodiscard]] QString text() const
    {
        QString whole;
        for (qsizetype i = 0; i < sent.size(); ++i) {
            if (sent.at(i).event == u"response.output_text.delta"_s) {
                const QString delta = data(i).value(u"delta"_s).toString();
                const qint64 offset = data(i).value(u"offset"_s).toInteger();
                const qint64 have = codePointCount(whole);
                if (offset == have) {
                    whole += delta;
                } else if (offset > have) {
                    QTest::qFail("a gap in the text", __FILE__, __LINE__);
                }
            }
        }
        return whole;
    }
};

struct Store
{
    QList<tasks::OutboxEntry> entries;
    OutboxStore functions()
    {
        return { [this](const tasks::OutboxEntry &entry) { entries.append(entry); },
            [this](const TurnRef &ref, qint64 seq) {
                entries.removeIf([&](const tasks::OutboxEntry &entry) {
                    return entry.ref == ref && entry.seq == seq;
                });
            } };
    }
};

TurnAddress address(qint64 task = 1, qint64 subtask = 2)
{
    TurnAddress turn;
    turn.taskId = task;
    turn.subtaskId = subtask;
    turn.messageId = 6;
    turn.executorName = u"device-x"_s;
    turn.server = u"http://a:80"_s;
    return turn;
}

TurnEnded completed(const QString &answer)
{
    TurnEnded ended;
    ended.outcome = TurnOutcome::Completed;
    ended.finalText = answer;
    return ended;
}

} // namespace

class OutboxTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onePacketIsInDoubt_andDeltasCoalesceMeanwhile()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        outbox.open(peer.channel(), 1'000'000);
        QVERIFY(outbox.begin(address()));
        QVERIFY(!outbox.begin(address()));
        const TurnRef ref = address().ref();
        for (int i = 0; i < 100; ++i) {
            outbox.encode(ref, TextDelta { u"a"_s, u"x"_s });
        }
        QCOMPARE(peer.names(), QStringList({ u"response.created"_s }));
        QCOMPARE(peer.sent.first().payload.value(u"task_id"_s), QJsonValue(1));
        QCOMPARE(peer.sent.first().payload.value(u"subtask_id"_s), QJsonValue(2));
        QCOMPARE(peer.sent.first().payload.value(u"message_id"_s), QJsonValue(6));
        QCOMPARE(peer.sent.first().payload.value(u"executor_name"_s), QJsonValue(u"device-x"_s));
        QCOMPARE(outbox.unsent(), 2);
        peer.ack();
        QCOMPARE(peer.sent.size(), 2);
        QCOMPARE(peer.data(1).value(u"delta"_s).toString(), u"x"_s.repeated(100));
        outbox.encode(ref, completed(u"x"_s.repeated(100)));
        QCOMPARE(peer.sent.size(), 2);
        QCOMPARE(store.entries.size(), 2); // the text in doubt and the ending
        QSignalSpy emptied(&outbox, &Outbox::emptied);
        peer.ack();
        QCOMPARE(peer.names().last(), u"response.completed"_s);
        QCOMPARE(store.entries.size(), 1);
        peer.ack();
        QVERIFY(store.entries.isEmpty());
        QVERIFY(outbox.isEmpty());
        QVERIFY(!outbox.contains(ref));
        QCOMPARE(emptied.size(), 1);
    }

    void deltasOfABurst_waitForTheWindow()
    {
        Peer peer;
        peer.acksAtOnce = true;
        Store store;
        OutboxTimes times;
        times.window = 60ms;
        Outbox outbox(store.functions(), times);
        outbox.open(peer.channel(), 1'000'000);
        QVERIFY(outbox.begin(address()));
        const TurnRef ref = address().ref();
        outbox.encode(ref, TextDelta { u"a"_s, u"0"_s });
        QTRY_COMPARE(peer.sent.size(), 2);
        for (int i = 0; i < 50; ++i) {
            outbox.encode(ref, TextDelta { u"a"_s, u"x"_s });
            QCoreApplication::processEvents();
        }
        QTRY_COMPARE(peer.text(), u"0"_s + u"x"_s.repeated(50));
        QVERIFY(peer.sent.size() < 12);
        // What is no text does not wait, and takes the waiting text with it.
        outbox.encode(ref, TextDelta { u"a"_s, u"y"_s });
        outbox.encode(ref, StatusNote { StatusNote::Level::Info, u"c"_s, u"t"_s });
        QTRY_COMPARE(peer.names().last(), u"response.status.updated"_s);
    }

    void unansweredPacket_goesOutAgainUnchanged()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        outbox.open(peer.channel(), 1'000'000);
        QVERIFY(outbox.begin(address()));
        const TurnRef ref = address().ref();
        peer.ack();
        outbox.encode(ref, TextDelta { u"a"_s, u"Hello "_s });
        const Peer::Sent first = peer.sent.last();
        outbox.encode(ref, TextDelta { u"a"_s, u"World"_s });
        outbox.close(true);
        outbox.encode(ref, TextDelta { u"a"_s, u" and more"_s });
        outbox.open(peer.channel(), 1'000'000);
        QCOMPARE(peer.sent.size(), 3);
        QCOMPARE(peer.sent.last().payload, first.payload);
        first.answered(QJsonObject { { u"success"_s, true } }); // of the lost link: ignored
        QCOMPARE(peer.sent.size(), 3);
        peer.ack();
        QTRY_COMPARE(peer.text(), u"Hello World and more"_s);
    }

    void offlineText_goesOutInFewLargePackets()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        QVERIFY(outbox.begin(address()));
        const TurnRef ref = address().ref();
        QString whole;
        for (int i = 0; i < 20000; ++i) {
            const QString part = u"中\"🙂\n part %1 "_s.arg(i) + u"x"_s.repeated(100);
            whole += part;
            outbox.encode(ref, TextDelta { u"a"_s, part });
        }
        QCOMPARE(outbox.unsent(), 2);
        outbox.encode(ref, completed(whole));
        peer.acksAtOnce = true;
        outbox.open(peer.channel(), 1'000'000);
        QTRY_VERIFY(outbox.isEmpty());
        QVERIFY(peer.text() == whole);
        QVERIFY(peer.sent.size() <= 6);
        for (const Peer::Sent &one : peer.sent) {
            QVERIFY(jsonBytes(one.payload) < 1'000'000 - 100);
        }
        QCOMPARE(peer.names().last(), u"response.completed"_s);
        QVERIFY(store.entries.isEmpty());
    }

    void smallerServerLimit_isKept()
    {
        Peer peer;
        peer.acksAtOnce = true;
        peer.limit = 20'000;
        Store store;
        Outbox outbox(store.functions());
        QVERIFY(outbox.begin(address()));
        const TurnRef ref = address().ref();
        const QString whole = u"0123456789"_s.repeated(20'000);
        outbox.encode(ref, TextDelta { u"a"_s, whole });
        outbox.encode(ref, completed(whole)); // packets are formed for the usual limit
        outbox.open(peer.channel(), 20'000);
        QTRY_VERIFY(outbox.isEmpty());
        QVERIFY(peer.text() == whole);
        QCOMPARE(peer.names().last(), u"response.completed"_s);
        QCOMPARE(outbox.setAside(), 0);
    }

    void refusedPacket_isCountedAndNotRepeated()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        outbox.open(peer.channel(), 1'000'000);
        QVERIFY(outbox.begin(address()));
        peer.ack({ { u"error"_s, u"Missing event data"_s } });
        outbox.encode(address().ref(), completed(u"x"_s));
        QCOMPARE(peer.names().mid(1), QStringList({ u"response.output_text.delta"_s }));
        QCOMPARE(outbox.rejected(), 1);
    }

    void forgottenRegistration_keepsThePacket()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        QSignalSpy suspect(&outbox, &Outbox::channelSuspect);
        outbox.open(peer.channel(), 1'000'000);
        QVERIFY(outbox.begin(address()));
        peer.ack({ { u"error"_s, u"Not authenticated or not registered"_s } });
        QCOMPARE(suspect.size(), 1);
        outbox.close(true);
        outbox.open(peer.channel(), 1'000'000);
        QCOMPARE(peer.names(), QStringList({ u"response.created"_s, u"response.created"_s }));
        peer.sent.last().answered(failure(ErrorKind::Timeout, u"late"_s));
        QCOMPARE(suspect.size(), 2);
        QCOMPARE(outbox.unsent(), 1);
    }

    void largePacketThatBreaksLinks_isCutSmaller()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        QVERIFY(outbox.begin(address()));
        const QString whole = u"abcdefghij"_s.repeated(10'000);
        outbox.open(peer.channel(), 1'000'000);
        peer.ack();
        outbox.encode(address().ref(), TextDelta { u"a"_s, whole });
        for (int i = 0; i < 2; ++i) {
            QVERIFY(jsonBytes(peer.sent.last().payload) > 90'000);
            outbox.close(true);
            outbox.open(peer.channel(), 1'000'000);
        }
        QVERIFY(jsonBytes(peer.sent.last().payload) < 20'000);
        while (outbox.unsent() > 0) {
            peer.ack();
        }
        QVERIFY(peer.text() == whole);
        QCOMPARE(outbox.setAside(), 0);
    }

    void smallBlockThatBreaksLinks_isSetAside_endingsAreNot()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        outbox.open(peer.channel(), 1'000'000);
        QVERIFY(outbox.begin(address()));
        peer.ack();
        outbox.encode(address().ref(), StatusNote { StatusNote::Level::Info, u"c"_s, u"poison"_s });
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(peer.names().last(), u"response.status.updated"_s);
            outbox.close(true);
            outbox.open(peer.channel(), 1'000'000);
        }
        QCOMPARE(outbox.setAside(), 1);
        QVERIFY(outbox.isEmpty());
        TurnEnded failed;
        failed.errorCode = u"x"_s;
        outbox.encode(address().ref(), failed);
        for (int i = 0; i < 5; ++i) {
            QCOMPARE(peer.names().last(), u"error"_s);
            outbox.close(true);
            outbox.open(peer.channel(), 1'000'000);
        }
        peer.ack();
        QVERIFY(outbox.isEmpty());
    }

    void storedPackets_surviveTheProgram()
    {
        Store store;
        const QString text = u"Text 中🙂"_s;
        {
            Outbox outbox(store.functions());
            QVERIFY(outbox.begin(address()));
            outbox.encode(address().ref(), TextDelta { u"a"_s, text });
            QVERIFY(store.entries.isEmpty()); // only what is over is stored
            outbox.encode(address().ref(), completed(text));
            QCOMPARE(store.entries.size(), 3);
        }
        Peer peer;
        peer.acksAtOnce = true;
        Outbox outbox(store.functions());
        for (const tasks::OutboxEntry &entry : QList(store.entries)) {
            auto stored = packetFromBytes(entry.payload);
            QVERIFY(stored);
            QCOMPARE(stored->address.server, address().server);
            stored->packet.seq = entry.seq;
            outbox.restore(*stored);
        }
        QVERIFY(!outbox.begin(address())); // the turn is known
        outbox.open(peer.channel(), 1'000'000);
        QTRY_VERIFY(outbox.isEmpty());
        QCOMPARE(peer.names(),
            QStringList({ u"response.created"_s, u"response.output_text.delta"_s,
                u"response.completed"_s }));
        QCOMPARE(peer.text(), text);
        QCOMPARE(peer.sent.last().payload.value(u"message_id"_s), QJsonValue(6));
        QVERIFY(store.entries.isEmpty());
    }

    void brokenStoredPackets_areErrors()
    {
        for (const QByteArray &bytes : { QByteArray("x"), QByteArray("{}"),
                 QByteArray("{\"address\":{\"task_id\":0,\"subtask_id\":1},\"name\":\"n\",\"data\":"
                            "{}}") }) {
            QVERIFY(!packetFromBytes(bytes));
        }
    }

    void errorAlone_hasNothingBeforeIt()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        TurnEnded failed;
        failed.errorCode = u"bad_request"_s;
        failed.errorMessage = u"no prompt"_s;
        outbox.sendAlone(address(), failed);
        QCOMPARE(store.entries.size(), 1);
        outbox.open(peer.channel(), 1'000'000);
        QCOMPARE(peer.names(), QStringList({ u"error"_s }));
        QCOMPARE(peer.data(0).value(u"code"_s).toString(), u"bad_request"_s);
        peer.ack();
        QVERIFY(outbox.isEmpty());
    }

    void droppedTurn_saysNothingMore()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        outbox.open(peer.channel(), 1'000'000);
        QVERIFY(outbox.begin(address(1, 2)));
        QVERIFY(outbox.begin(address(3, 4)));
        outbox.drop(address(1, 2).ref());
        outbox.encode(address(1, 2).ref(), completed(u"x"_s));
        QCOMPARE(peer.sent.size(), 2);
        outbox.encode(address(3, 4).ref(), completed(u"y"_s));
        QCOMPARE(store.entries.size(), 3);
        outbox.keepOnly(u"http://b:80"_s);
        QVERIFY(outbox.isEmpty());
        QVERIFY(store.entries.isEmpty());
    }

    void turnsDoNotWaitForEachOther()
    {
        Peer peer;
        Store store;
        Outbox outbox(store.functions());
        outbox.open(peer.channel(), 1'000'000);
        for (int i = 1; i <= 10; ++i) {
            QVERIFY(outbox.begin(address(i, i)));
        }
        QCOMPARE(peer.sent.size(), 10);
        QCOMPARE(outbox.openTurns().size(), 10);
    }

    void longOfflineTurn_shortensItsOldestBlocks()
    {
        Store store;
        Peer peer;
        peer.acksAtOnce = true;
        Outbox outbox(store.functions());
        QVERIFY(outbox.begin(address()));
        Item item;
        item.kind = ItemKind::Command;
        item.status = ItemStatus::Completed;
        item.output = u"x"_s.repeated(40'000);
        constexpr int kItems = 1000;
        for (int i = 0; i < kItems; ++i) {
            item.id = u"c%1"_s.arg(i);
            outbox.encode(address().ref(), ItemEnded { item });
        }
        outbox.encode(address().ref(), completed(u"done"_s));
        qint64 bytes = 0;
        for (const tasks::OutboxEntry &entry : store.entries) {
            bytes += entry.payload.size();
        }
        QVERIFY(bytes < 16'000'000);
        outbox.open(peer.channel(), 1'000'000);
        QTRY_VERIFY(outbox.isEmpty());
        QCOMPARE(peer.names().last(), u"response.completed"_s);
        QCOMPARE(peer.sent.size(), 2 * kItems + 3);
    }
};

QTEST_GUILESS_MAIN(OutboxTest)
#include "tst_outbox.moc"
