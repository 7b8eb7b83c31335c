// SPDX-License-Identifier: Apache-2.0
#include "executor/common/atomicfile.h"
#include "executor/common/ids.h"
#include "executor/common/jsonreader.h"
#include "executor/common/paths.h"
#include "executor/common/textlimits.h"

#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace deskhand;
using namespace Qt::StringLiterals;

class TstCommon : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void atomicWrite_replacesWholeFileAndRestrictsIt()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"新 folder/config.json"_s);
        QVERIFY(writeFileAtomically(path, "first"));
        QVERIFY(writeFileAtomically(path, "second"));
        QCOMPARE(readFileLimited(path, 100).value(), QByteArray("second"));
        QCOMPARE(
            QFile::permissions(path) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        QCOMPARE(QFileInfo(path).dir().entryList(QDir::Files).size(), 1);
    }

    void atomicWrite_intoUnwritablePlace_saysWhere()
    {
        QTemporaryDir folder;
        QVERIFY(writeFileAtomically(folder.filePath(u"file"_s), "x"));
        const Result<> written = writeFileAtomically(folder.filePath(u"file/below"_s), "x");
        QVERIFY(!written);
        QCOMPARE(written.error().kind, ErrorKind::Io);
        QVERIFY(written.error().message.contains(u"file"_s));
    }

    void limitedRead_refusesWhatIsTooLargeMissingOrAFolder()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"f"_s);
        QVERIFY(writeFileAtomically(path, "12345"));
        QCOMPARE(readFileLimited(path, 5).value(), QByteArray("12345"));
        QCOMPARE(readFileLimited(path, 4).error().kind, ErrorKind::Protocol);
        QCOMPARE(readFileLimited(folder.filePath(u"no"_s), 4).error().kind, ErrorKind::NotFound);
        QCOMPARE(readFileLimited(folder.path(), 4).error().kind, ErrorKind::Io);
    }

    void jsonReaders_tellMissingFromWrongType()
    {
        const QJsonObject object { { u"s"_s, u"text"_s }, { u"n"_s, 7 }, { u"half"_s, 1.5 },
            { u"null"_s, QJsonValue::Null }, { u"b"_s, true }, { u"huge"_s, 1e300 } };
        QCOMPARE(json::requireString(object, u"s").value(), u"text"_s);
        QVERIFY(json::requireString(object, u"absent")
                    .error()
                    .message.contains(u"\"absent\" is missing"_s));
        QVERIFY(json::requireString(object, u"null").error().message.contains(u"missing"_s));
        QVERIFY(json::requireString(object, u"n")
                    .error()
                    .message.contains(u"must be a string, not a number"_s));
        QCOMPARE(json::requireInt(object, u"n").value(), 7);
        QVERIFY(!json::requireInt(object, u"half"));
        QVERIFY(!json::requireInt(object, u"huge"));
        QVERIFY(!json::optionalString(object, u"absent").value().has_value());
        QVERIFY(!json::optionalString(object, u"b"));
        QCOMPARE(json::optionalBool(object, u"b").value(), std::optional<bool>(true));
    }

    void jsonReaders_keep64BitIntegers()
    {
        const auto parsed
            = json::parseObject(R"({"big":9007199254740993,"low":-9223372036854775808})");
        QCOMPARE(json::requireInt(*parsed, u"big").value(), Q_INT64_C(9007199254740993));
        QCOMPARE(json::requireInt(*parsed, u"low").value(), std::numeric_limits<qint64>::min());
    }

    void jsonParse_namesTheOffset()
    {
        QVERIFY(json::parseObject("{\"a\":}").error().message.contains(u"at byte"_s));
        QVERIFY(!json::parseObject("[1]"));
        QVERIFY(!json::parseObject(""));
    }

    void jsonCompact_writesNoHalfPairs()
    {
        const QString half = u"a"_s + QChar(0xD83D) + u"b"_s;
        QCOMPARE(json::compact({ { u"k"_s, half } }), QByteArray(R"({"k":"a\ufffdb"})"));
        QCOMPARE(json::compact({ { QString(QChar(0xDFFF)), 1 } }), QByteArray(R"({"\ufffd":1})"));
        // Two low halves and the reversed pair are four halves.
        const QString wrong
            = QString(QChar(0xDE00)) + QChar(0xDE00) + QChar(0xDE00) + QChar(0xD83D);
        QCOMPARE(json::parseObject(json::compact({ { u"k"_s, wrong } })).value(),
            QJsonObject({ { u"k"_s, QString(4, QChar(0xFFFD)) } }));
        // What only looks like such an escape stays: a backslash, then "ud83d".
        const QJsonObject whole { { u"k"_s, u"\\ud83d \\\\ud83d 😀 \x01 ퟿"_s } };
        QCOMPARE(json::parseObject(json::compact(whole)).value(), whole);
        const QJsonObject mixed { { u"k"_s, u"\\"_s + QChar(0xD83D) } };
        QCOMPARE(json::compact(mixed), QByteArray(R"({"k":"\\\ufffd"})"));
    }

    void wellFormed_replacesHalfPairsOnly()
    {
        const QChar high(0xd83d);
        const QChar low(0xde42);
        QCOMPARE(wellFormed(u"é中🙂"_s), u"é中🙂"_s);
        QCOMPARE(wellFormed(QString(high)), u"\ufffd"_s);
        QCOMPARE(wellFormed(QString(low) + high), u"\ufffd\ufffd"_s);
        QCOMPARE(wellFormed(QString(high) + high + low + u'a'), u"\ufffd🙂a"_s);
        const QJsonObject spoilt { { u"k"_s + low,
            QJsonArray { QString(high), QJsonObject { { u"in"_s, u"x"_s + high } }, 7 } } };
        const QJsonObject expected { { u"k\ufffd"_s,
            QJsonArray { u"\ufffd"_s, QJsonObject { { u"in"_s, u"x\ufffd"_s } }, 7 } } };
        QCOMPARE(json::wellFormed(spoilt), expected);
    }

    void codePoints_countAstralCharactersOnce()
    {
        QCOMPARE(codePointCount(u"a😀中"_s), 3);
        QCOMPARE(codePointCount(QString(QChar(0xD83D))), 1);
        QCOMPARE(safeCut(u"a😀", 2), 1);
        QCOMPARE(safeCut(u"a😀", 3), 3);
        QCOMPARE(safeCut(u"ab", 9), 2);
    }

    void headAndTail_namesTheOmittedBytes()
    {
        const QString text = QString(1000, u'中');
        const QString kept = headAndTail(text, 100);
        QVERIFY(kept.contains(u"[... 2700 bytes omitted ...]"_s));
        QVERIFY(kept.startsWith(QString(50, u'中')));
        QVERIFY(kept.endsWith(QString(50, u'中')));
        QCOMPARE(headAndTail(u"short"_s, 100), u"short"_s);
        const QString faces = u"😀"_s.repeated(100);
        QVERIFY(headAndTail(faces, 51).isValidUtf16());
    }

    void randomHex_isUniqueAndOfTheAskedLength()
    {
        QSet<QString> seen;
        for (int i = 0; i < 200; ++i) {
            seen.insert(randomHex(12));
        }
        QCOMPARE(seen.size(), 200);
        QCOMPARE(seen.begin()->size(), 24);
    }

    void constantTimeCompare_isAnEquality()
    {
        QVERIFY(equalConstantTime("same", "same"));
        QVERIFY(!equalConstantTime("same", "sane"));
        QVERIFY(!equalConstantTime("same", "samee"));
        QVERIFY(equalConstantTime("", ""));
    }

    void home_followsTheEnvironment()
    {
        qputenv("WEGENT_EXECUTOR_HOME", "  /some/where/  ");
        QCOMPARE(ExecutorHome::fromEnvironment().root, u"/some/where"_s);
        qputenv("WEGENT_EXECUTOR_HOME", "   ");
        QVERIFY(ExecutorHome::fromEnvironment().root.endsWith(u"/.wegent-executor"_s));
        qunsetenv("WEGENT_EXECUTOR_HOME");
        const ExecutorHome home { u"/h"_s };
        qputenv("LOCAL_WORKSPACE_ROOT", "/ws");
        QCOMPARE(home.workspaceRoot(), u"/ws"_s);
        qunsetenv("LOCAL_WORKSPACE_ROOT");
        QCOMPARE(home.workspaceRoot(), u"/h/workspace"_s);
    }
};

QTEST_GUILESS_MAIN(TstCommon)
#include "tst_common.moc"
