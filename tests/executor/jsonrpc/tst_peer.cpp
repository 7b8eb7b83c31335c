// SPDX-License-Identifier: Apache-2.0
#include "executor/jsonrpc/peer.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QLocalServer>
#include <QLocalSocket>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace Qt::StringLiterals;
using namespace deskhand::jsonrpc;
using ms = std::chrono::milliseconds;

namespace {

// A device that keeps what is written until it is told to let go.
class SlowDevice final : public QIODevice
{
public:
    SlowDevice() { open(QIODevice::ReadWrite); }
    [[nodiscard]] bool isSequential() const override { return true; }
    [[nodiscard]] qint64 bytesToWrite() const override { return m_queued.size(); }
    [[nodiscard]] qint64 bytesAvailable() const override
    {
        return m_incoming.size() + QIODevice::bytesAvailable();
    }
    void letGo(qsizetype bytes)
    {
        bytes = std::min(bytes, m_queued.size());
        written += m_queued.left(bytes);
        m_queued.remove(0, bytes);
        Q_EMIT bytesWritten(bytes);
    }
    void arrive(const QByteArray &bytes)
    {
        m_incoming += bytes;
        Q_EMIT readyRead();
    }
    void endInput() { Q_EMIT readChannelFinished(); }
    [[nodiscard]] QList<QJsonObject> messages() const
    {
        QList<QJsonObject> found;
        for (const QByteArray &line : (written + m_queued).split('\n')) {
            if (!line.isEmpty()) {
                found.append(QJsonDocument::fromJson(line).object());
            }
        }
        return found;
    }
    QByteArray written;

protected:
    qint64 readData(char *data, qint64 max) override
    {
        const qint64 size = std::min<qint64>(max, m_incoming.size());
        std::copy_n(m_incoming.constData(), size, data);
        m_incoming.remove(0, size);
        return size;
    }
    qint64 writeData(const char *data, qint64 size) override
    {
        m_queued.append(data, size);
        return size;
    }

private:
    QByteArray m_queued;
    QByteArray m_incoming;
};

} // namespace

class TestPeer final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void idsOfBothDirections_areIndependent()
    {
        SlowDevice device;
        Peer peer(&device);
        QList<QJsonValue> asked;
        peer.setRequestHandler([&](const IncomingRequest &request) {
            asked.append(request.id);
            return true;
        });
        Reply got;
        peer.request(u"mine"_s, {}, this, [&](const Reply &reply) { got = reply; });
        device.arrive("{\"method\":\"theirs\",\"id\":1,\"params\":{}}\n"
                      "{\"method\":\"theirs\",\"id\":\"1\"}\n{\"id\":1,\"result\":{\"x\":7}}\n");
        QVERIFY(got.ok());
        QCOMPARE(got.result.toObject().value("x"_L1).toInt(), 7);
        QCOMPARE(asked.size(), 2);
        QVERIFY(peer.respond(asked.at(0), u"a"_s));
        QVERIFY(peer.respond(asked.at(1), u"b"_s));
        const QList<QJsonObject> sent = device.messages();
        QCOMPARE(sent.at(1).value("id"_L1), QJsonValue(1));
        QCOMPARE(sent.at(2).value("id"_L1), QJsonValue(u"1"_s));
        QVERIFY(!sent.at(0).contains("jsonrpc"_L1));
    }

    void unknownRequest_isRefusedAtOnce()
    {
        SlowDevice device;
        Peer peer(&device);
        device.arrive("{\"method\":\"what\",\"id\":9007199254740993,\"params\":{}}\n");
        const QJsonObject answer = device.messages().value(0);
        QCOMPARE(answer.value("id"_L1).toInteger(), 9007199254740993);
        QCOMPARE(
            answer.value("error"_L1).toObject().value("code"_L1).toInt(), Peer::kMethodNotFound);
    }

    void idOfAnotherType_isAnsweredWithNull_data()
    {
        QTest::addColumn<QByteArray>("id");
        QTest::newRow("an object") << QByteArray("{\"a\":1}");
        QTest::newRow("a list") << QByteArray("[1]");
        QTest::newRow("a truth value") << QByteArray("true");
    }

    void idOfAnotherType_isAnsweredWithNull()
    {
        QFETCH(const QByteArray, id);
        SlowDevice device;
        Peer peer(&device);
        int asked = 0;
        peer.setRequestHandler([&](const IncomingRequest &) {
            ++asked;
            return true;
        });
        QSignalSpy notified(&peer, &Peer::notification);
        QSignalSpy garbage(&peer, &Peer::garbage);
        device.arrive("{\"method\":\"what\",\"id\":" + id + ",\"params\":{}}\n");
        QCOMPARE(device.messages().size(), 1);
        const QJsonObject answer = device.messages().constFirst();
        QVERIFY(answer.contains("id"_L1) && answer.value("id"_L1).isNull());
        QCOMPARE(
            answer.value("error"_L1).toObject().value("code"_L1).toInt(), Peer::kInvalidRequest);
        QCOMPARE(asked, 0);
        QCOMPARE(notified.size(), 0);
        QCOMPARE(garbage.size(), 0);
        // Null is how some say that there is none.
        device.arrive("{\"method\":\"what\",\"id\":null}\n");
        QCOMPARE(notified.size(), 1);
    }

    void paramsOfAnotherType_areRefused()
    {
        SlowDevice device;
        Peer peer(&device);
        peer.setRequestHandler([](const IncomingRequest &) { return true; });
        device.arrive("{\"method\":\"what\",\"id\":1,\"params\":[1]}\n");
        QCOMPARE(device.messages().value(0).value("error"_L1).toObject().value("code"_L1).toInt(),
            Peer::kInvalidParams);
    }

    void errors_timeouts_closing_eachAnswerOnce()
    {
        SlowDevice device;
        Peer peer(&device);
        QList<Reply> replies;
        const auto keep = [&](const Reply &reply) {
            replies.append(reply);
        };
        peer.request(u"refused"_s, {}, this, keep);
        device.arrive("{\"id\":1,\"error\":{\"code\":-5,\"message\":\"no\",\"data\":{\"k\":1}}}\n");
        QCOMPARE(replies.size(), 1);
        QCOMPARE(replies.at(0).outcome, Reply::Outcome::Error);
        QCOMPARE(replies.at(0).code, -5);
        QCOMPARE(replies.at(0).data.toObject().value("k"_L1).toInt(), 1);
        peer.request(u"slow"_s, {}, this, keep, ms(10));
        QTRY_COMPARE(replies.size(), 2);
        QCOMPARE(replies.at(1).outcome, Reply::Outcome::TimedOut);
        device.arrive("{\"id\":2,\"result\":{}}\n");
        QCOMPARE(replies.size(), 2);
        QCOMPARE(peer.counters().strayReplies, 1u);
        peer.request(u"open"_s, {}, this, keep);
        QCOMPARE(peer.pendingMethods(), QStringList { u"open"_s });
        QSignalSpy closed(&peer, &Peer::closed);
        device.endInput();
        QCOMPARE(replies.size(), 3);
        QCOMPARE(replies.at(2).outcome, Reply::Outcome::Closed);
        QCOMPARE(closed.size(), 1);
        peer.request(u"late"_s, {}, this, keep);
        QCOMPARE(replies.size(), 3); // never from inside the call
        QTRY_COMPARE(replies.size(), 4);
        QCOMPARE(replies.at(3).outcome, Reply::Outcome::NotSent);
        QVERIFY(!peer.notify(u"late"_s));
    }

    void contextGone_handlerIsNotCalled()
    {
        SlowDevice device;
        Peer peer(&device);
        bool called = false;
        {
            QObject context;
            peer.request(u"x"_s, {}, &context, [&](const Reply &) { called = true; });
        }
        device.arrive("{\"id\":1,\"result\":{}}\n");
        QVERIFY(!called);
    }

    void flushed_onlyWhenTheWholeLineIsWritten()
    {
        SlowDevice device;
        Peer peer(&device);
        bool flushed = false;
        peer.notify(u"before"_s);
        peer.respond(1, u"answer"_s, [&] { flushed = true; });
        device.letGo(device.bytesToWrite() - 1);
        QVERIFY(!flushed);
        device.letGo(1);
        QVERIFY(flushed);
    }

    void fullQueue_refusesInsteadOfGrowing()
    {
        SlowDevice device;
        Peer peer(&device, PeerOptions { .maxQueuedBytes = 200 });
        QVERIFY(peer.notify(u"a"_s, { { u"text"_s, QString(100, u'x') } }));
        QVERIFY(!peer.notify(u"b"_s, { { u"text"_s, QString(100, u'x') } }));
        Reply got;
        got.outcome = Reply::Outcome::Result;
        peer.request(u"c"_s, { { u"text"_s, QString(100, u'x') } }, this,
            [&](const Reply &reply) { got = reply; });
        QTRY_COMPARE(got.outcome, Reply::Outcome::NotSent);
        device.letGo(1'000);
        QVERIFY(peer.notify(u"d"_s));
    }

    void garbage_isCountedAndSkipped()
    {
        SlowDevice device;
        Peer peer(&device, PeerOptions { .maxLineBytes = 1'000 });
        QSignalSpy garbage(&peer, &Peer::garbage);
        QSignalSpy notes(&peer, &Peer::notification);
        device.arrive("not json\n[]\n{\"id\":5}\n" + QByteArray(5'000, 'x')
            + "\n{\"method\":\"ok\"}\nagain\n");
        QCOMPARE(garbage.size(), 5);
        QCOMPARE(garbage.at(4).at(1).toInt(), 1); // a good line lay between
        QCOMPARE(notes.size(), 1);
        QCOMPARE(peer.counters().garbageLines, 5u);
        QCOMPARE(peer.counters().oversizeLines, 1u);
    }

    void brokenUtf8_isRepaired()
    {
        SlowDevice device;
        Peer peer(&device);
        QSignalSpy notes(&peer, &Peer::notification);
        device.arrive("{\"method\":\"out\",\"params\":{\"text\":\"a\xd6\xd0z\"}}\n");
        QCOMPARE(notes.size(), 1);
        const QString text = notes.at(0).at(1).toJsonObject().value("text"_L1).toString();
        QVERIFY(text.startsWith(u'a') && text.endsWith(u'z'));
    }

    void deletedInAHandler_isSafe()
    {
        SlowDevice device;
        auto *peer = new Peer(&device);
        connect(peer, &Peer::notification, this, [&] {
            delete peer;
            peer = nullptr;
        });
        device.arrive("{\"method\":\"one\"}\n{\"method\":\"two\"}\n");
        QVERIFY(peer == nullptr);
    }

    void overALocalSocket_bothWays()
    {
        QTemporaryDir folder;
        QLocalServer server;
        QVERIFY(server.listen(folder.filePath(u"s"_s)));
        QLocalSocket client;
        client.connectToServer(server.fullServerName());
        QTRY_VERIFY(server.hasPendingConnections());
        std::unique_ptr<QLocalSocket> accepted(server.nextPendingConnection());
        Peer here(&client);
        Peer there(accepted.get());
        there.setRequestHandler([&](const IncomingRequest &request) {
            return there.respond(request.id, request.params);
        });
        const QString large(3'000'000, u'ä');
        Reply got;
        here.request(
            u"echo"_s, { { u"text"_s, large } }, this, [&](const Reply &reply) { got = reply; });
        QTRY_VERIFY(got.ok());
        QCOMPARE(got.result.toObject().value("text"_L1).toString(), large);
        QSignalSpy closed(&there, &Peer::closed);
        client.disconnectFromServer();
        QTRY_COMPARE(closed.size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestPeer)
#include "tst_peer.moc"
