// SPDX-License-Identifier: Apache-2.0
#include "executor/net/requestparser.h"

#include <QTest>

using namespace deskhand::net;

class TestRequestParser final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void chunkedBody_inPiecesOfAnySize_isRead_data();
    void chunkedBody_inPiecesOfAnySize_isRead();
    void chunkSize_notANumber_failsAtOnce();
};

void TestRequestParser::chunkedBody_inPiecesOfAnySize_isRead_data()
{
    QTest::addColumn<QByteArray>("chunks");
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("only the last chunk") << QByteArray("0\r\n\r\n") << QByteArray();
    QTest::newRow("only the last chunk, with an extension and a trailer")
        << QByteArray("0;a=b\r\nTrailer: x\r\n\r\n") << QByteArray();
    QTest::newRow("a last chunk of many noughts") << QByteArray("0000\r\n\r\n") << QByteArray();
    QTest::newRow("one chunk") << QByteArray("5\r\nhello\r\n0\r\n\r\n") << QByteArray("hello");
    QTest::newRow("chunks of a byte")
        << QByteArray("1\r\na\r\n1\r\nb\r\n0\r\n\r\n") << QByteArray("ab");
}

void TestRequestParser::chunkedBody_inPiecesOfAnySize_isRead()
{
    QFETCH(QByteArray, chunks);
    QFETCH(QByteArray, body);
    const QByteArray request
        = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks;
    for (qsizetype piece = 1; piece <= request.size(); ++piece) {
        RequestParser parser(1024, 1024);
        QByteArray pending;
        for (qsizetype at = 0; at < request.size(); at += piece) {
            pending += request.mid(at, piece);
            qsizetype taken = 0;
            do { // it stops after the head once
                taken = parser.feed(pending);
                pending.remove(0, taken);
            } while (taken > 0 && !pending.isEmpty());
        }
        QCOMPARE(parser.state(), RequestParser::State::Done);
        QVERIFY(pending.isEmpty());
        QCOMPARE(QByteArray::fromStdString(parser.takeBody()), body);
    }
}

void TestRequestParser::chunkSize_notANumber_failsAtOnce()
{
    RequestParser parser(1024, 1024);
    const QByteArray head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    QCOMPARE(parser.feed(head), head.size());
    QCOMPARE(parser.state(), RequestParser::State::Body);
    (void)parser.feed("z\r\n");
    QCOMPARE(parser.state(), RequestParser::State::Failed);
    QCOMPARE(parser.failureStatus(), 400);
}

QTEST_GUILESS_MAIN(TestRequestParser)
#include "tst_requestparser.moc"
