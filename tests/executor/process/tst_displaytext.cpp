// SPDX-License-Identifier: Apache-2.0
#include "executor/process/displaytext.h"
#include "executor/process/outputretention.h"

#include <QRandomGenerator>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand::process;

/// Bytes become harmless text, however they are cut into pieces; retention keeps both ends.
class TestDisplayText final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void charactersAreNeverSplit();
    void badBytesAreReplaced_data();
    void badBytesAreReplaced();
    void codePageSplitAfterTheFirstByte();
    void controlSequencesAreTakenOut_data();
    void controlSequencesAreTakenOut();
    void coloursStayWhenAskedFor();
    void piecesDoNotMatter();
    void headAndTailOfAnyLength_data();
    void headAndTailOfAnyLength();
};

void TestDisplayText::charactersAreNeverSplit()
{
    const QString text = u"añ€\U0001F600中文"_s;
    const QByteArray bytes = text.toUtf8();
    for (qsizetype size = 1; size <= bytes.size(); ++size) {
        TextStream stream;
        QString result;
        for (qsizetype at = 0; at < bytes.size(); at += size) {
            result += stream.append(bytes.mid(at, size));
        }
        QCOMPARE(result + stream.finish(), text);
    }
}

void TestDisplayText::badBytesAreReplaced_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("a lone continuation") << QByteArray("a\x80z") << u"a\uFFFDz"_s;
    QTest::newRow("an unfinished end") << QByteArray("a\xe4\xb8") << u"a\uFFFD"_s;
    QTest::newRow("an impossible byte") << QByteArray("\xff") << u"\uFFFD"_s;
    QTest::newRow("begun, then plain") << QByteArray("\xe4z") << u"\uFFFDz"_s;
}

void TestDisplayText::badBytesAreReplaced()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, text);
    TextStream stream;
    QString result;
    for (const char byte : bytes) {
        result += stream.append(QByteArray(1, byte));
    }
    QCOMPARE(result + stream.finish(), text);
}

void TestDisplayText::codePageSplitAfterTheFirstByte()
{
    // GB18030 contains code page 936; "中文" there is D6 D0 CE C4.
    TextStream stream("GB18030");
    QString text = stream.append("\xd6");
    text += stream.append("\xd0\xce\xc4");
    if (text.contains(QChar(0xfffd))) {
        QSKIP("this Qt was built without the encoding; the bytes stay in the retained output");
    }
    QCOMPARE(text + stream.finish(), u"中文"_s);
}

void TestDisplayText::controlSequencesAreTakenOut_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("clipboard") << QByteArray("a\x1b]52;c;ZXZpbA==\x07z") << u"az"_s;
    QTest::newRow("title ended by ST") << QByteArray("a\x1b]0;title\x1b\\z") << u"az"_s;
    QTest::newRow("hyperlink") << QByteArray("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\")
                               << u"link"_s;
    QTest::newRow("device string") << QByteArray("a\x1bPq#0\x1b\\z") << u"az"_s;
    QTest::newRow("application command") << QByteArray("a\x1b_G\x1b\\z") << u"az"_s;
    QTest::newRow("privacy message") << QByteArray("a\x1b^x\x1b\\z") << u"az"_s;
    QTest::newRow("cursor") << QByteArray("a\x1b[2J\x1b[1;1Hz") << u"az"_s;
    QTest::newRow("private query") << QByteArray("a\x1b[?1049h\x1b[>cz") << u"az"_s;
    QTest::newRow("colour") << QByteArray("\x1b[31mred\x1b[0m") << u"red"_s;
    QTest::newRow("eight-bit forms") << QByteArray("a\xc2\x9b"
                                                   "2Jz\xc2\x9dx\x07y")
                                     << u"azy"_s;
    QTest::newRow("NUL, bell, backspace, delete") << QByteArray("a\0\x07\x08\x7fz", 6) << u"az"_s;
    QTest::newRow("tab, line ends") << QByteArray("a\tb\r\nc") << u"a\tb\r\nc"_s;
    QTest::newRow("an unfinished sequence ends with its line")
        << QByteArray("a\x1b[12\nz") << u"a\nz"_s;
    QTest::newRow("a string that never ends") << QByteArray("a\x1b]52;c;AAAA") << u"a"_s;
    QTest::newRow("delete inside a sequence") << QByteArray("a\x1b[3\x7fz") << u"az"_s;
    QTest::newRow("character set") << QByteArray("a\x1b(0z") << u"az"_s;
}

void TestDisplayText::controlSequencesAreTakenOut()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, text);
    QCOMPARE(displayText(bytes), text);
}

void TestDisplayText::coloursStayWhenAskedFor()
{
    const QByteArray bytes("\x1b[1;38;5;9mred\x1b[0m \x1b[?25l\x1b[2K\x1b[>4;2mend");
    QCOMPARE(displayText(bytes, ControlFilter::Colours::Keep), u"\x1b[1;38;5;9mred\x1b[0m end"_s);
}

void TestDisplayText::piecesDoNotMatter()
{
    QRandomGenerator random(7);
    for (int round = 0; round < 300; ++round) {
        QByteArray bytes;
        for (int i = 0; i < 60; ++i) {
            static const QByteArray choice("\x1b\x1b[]P\\;?m0123abz\x07\n\xc2\x9b\xe4\xb8\xad");
            bytes.append(choice[random.bounded(static_cast<int>(choice.size()))]);
        }
        TextStream stream;
        ControlFilter filter;
        QString pieces;
        for (const char byte : bytes) {
            pieces += filter.append(stream.append(QByteArray(1, byte)));
        }
        pieces += filter.append(stream.finish());
        QCOMPARE(pieces, displayText(bytes));
        QVERIFY(!pieces.contains(QChar(0x1b)));
    }
}

void TestDisplayText::headAndTailOfAnyLength_data()
{
    QTest::addColumn<int>("capacity");
    QTest::addColumn<int>("piece");
    for (const int capacity : { 0, 1, 2, 3, 10, 64, 1000 }) {
        for (const int piece : { 1, 3, 7, 64, 5000 }) {
            QTest::addRow("capacity %d, pieces of %d", capacity, piece) << capacity << piece;
        }
    }
}

void TestDisplayText::headAndTailOfAnyLength()
{
    QFETCH(const int, capacity);
    QFETCH(const int, piece);
    QByteArray all;
    for (int i = 0; i < 400; ++i) {
        all += QByteArray::number(i) + ',';
    }
    HeadTailBuffer buffer(capacity);
    for (qsizetype at = 0; at < all.size(); at += piece) {
        const QByteArray part = all.mid(at, piece);
        buffer.append(part.constData(), part.size());
    }
    QCOMPARE(buffer.total(), all.size());
    QCOMPARE(buffer.head(), all.left(capacity - capacity / 2));
    const qsizetype tail = std::min<qsizetype>(capacity / 2, all.size() - buffer.head().size());
    QCOMPARE(buffer.tail(), all.right(tail));
    QCOMPARE(buffer.omitted(), all.size() - buffer.head().size() - tail);
    QCOMPARE(buffer.joined().contains("bytes omitted"), buffer.omitted() > 0);
}

QTEST_GUILESS_MAIN(TestDisplayText)
#include "tst_displaytext.moc"
