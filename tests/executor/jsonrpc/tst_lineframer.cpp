// SPDX-License-Identifier: Apache-2.0
#include "executor/jsonrpc/lineframer.h"

#include <QDir>
#include <QFile>
#include <QTest>

using deskhand::jsonrpc::LineFramer;

class TestLineFramer final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void splitAnywhere_givesTheSameLines_data()
    {
        QTest::addColumn<int>("size");
        for (const int size : { 1, 2, 3, 5, 7, 64, 1'000 }) {
            QTest::addRow("pieces of %d", size) << size;
        }
    }

    void splitAnywhere_givesTheSameLines()
    {
        QFETCH(const int, size);
        const QByteArray stream = "{\"a\":1}\r\n\n\r\n{\"b\":\"x\ry\"}\n\xd6\xd0\nlast\nrest";
        LineFramer framer;
        QList<QByteArray> lines;
        for (qsizetype at = 0; at < stream.size(); at += size) {
            lines += framer.feed(stream.mid(at, size));
        }
        const QList<QByteArray> expected { "{\"a\":1}", "{\"b\":\"x\ry\"}", "\xd6\xd0", "last" };
        QCOMPARE(lines, expected);
        QCOMPARE(framer.pendingBytes(), 4);
        QCOMPARE(framer.finish(), 4);
        QCOMPARE(framer.pendingBytes(), 0);
        QCOMPARE(framer.oversizeLines(), 0u);
    }

    void lineOverTheCap_isDroppedToItsEndAndCounted_data()
    {
        QTest::addColumn<int>("size");
        QTest::newRow("at once") << 10'000;
        QTest::newRow("byte by byte") << 1;
        QTest::newRow("in pieces") << 9;
    }

    void lineOverTheCap_isDroppedToItsEndAndCounted()
    {
        QFETCH(const int, size);
        const QByteArray stream
            = "12345678\n123456789\n12345678\r\n" + QByteArray(500, 'x') + "\nafter\n";
        LineFramer framer(8);
        QList<QByteArray> lines;
        for (qsizetype at = 0; at < stream.size(); at += size) {
            lines += framer.feed(stream.mid(at, size));
            QVERIFY(framer.pendingBytes() <= 9);
        }
        const QList<QByteArray> expected { "12345678", "12345678", "after" };
        QCOMPARE(lines, expected);
        QCOMPARE(framer.oversizeLines(), 2u);
    }

    void recordedConversations_comeOutUnchanged()
    {
        QDir folder(QStringLiteral(DESKHAND_FIXTURES "/codex"));
        const QStringList files = folder.entryList({ QStringLiteral("*.jsonl") });
        QVERIFY(files.size() > 40);
        for (const QString &name : files) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray content = file.readAll();
            LineFramer framer;
            QByteArray joined;
            for (qsizetype at = 0; at < content.size(); at += 997) {
                const QList<QByteArray> lines = framer.feed(content.mid(at, 997));
                for (const QByteArray &line : lines) {
                    joined += line + '\n';
                }
            }
            QCOMPARE(joined, content);
        }
    }
};

QTEST_APPLESS_MAIN(TestLineFramer)
#include "tst_lineframer.moc"
