// SPDX-License-Identifier: Apache-2.0
#include "executor/common/textlimits.h"
#include "executor/device/chatencoder.h"
#include "executor/device/toolblock.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::device;
using namespace deskhand::engines;

namespace {

constexpr qint64 kNow = 1'700'000'000'000;

/// Encodes a whole turn and keeps what came out.
class Turn
{
public:
    Turn()
        : encoder({ 8121, 20417, u"m-large"_s, u"codex"_s, kNow / 1000, u"resp_00ff"_s })
    { }
    Turn &operator<<(const TaskEvent &event)
    {
        for (const ChatEvent &chat : encoder.encode(event, kNow)) {
            events.append(chat);
        }
        return *this;
    }
    [[nodiscard]] QStringList names() const
    {
        QStringList list;
        for (const ChatEvent &event : events) {
            list.append(event.name);
        }
        return list;
    }
    /// The streamed text; fails the test when an offset is wrong.
    [[nodiscard]] QString text(ChatEvent::Kind kind = ChatEvent::Kind::Text) const
    {
        QString whole;
        for (const ChatEvent &event : events) {
            if (event.kind == kind) {
                if (event.offset != codePointCount(whole)) {
                    QTest::qFail("wrong offset", __FILE__, __LINE__);
                }
                whole += event.text;
            }
        }
        return whole;
    }
    /// A block after all its updates.
    [[nodiscard]] QJsonObject block(const QString &id) const
    {
        QJsonObject block;
        for (const ChatEvent &event : events) {
            const QJsonObject data = event.data();
            if (data.value(u"block"_s).toObject().value(u"id"_s).toString() == id) {
                if (!block.isEmpty()) {
                    QTest::qFail("created twice", __FILE__, __LINE__);
                }
                block = data.value(u"block"_s).toObject();
            } else if (data.value(u"block_id"_s).toString() == id) {
                if (block.isEmpty()) {
                    QTest::qFail("updated before created", __FILE__, __LINE__);
                }
                const QJsonObject updates = data.value(u"updates"_s).toObject();
                for (auto it = updates.constBegin(); it != updates.constEnd(); ++it) {
                    block.insert(it.key(), it.value());
                }
            }
        }
        return block;
    }
    [[nodiscard]] QJsonObject ending() const { return events.last().data(); }

    ChatEncoder encoder;
    QList<ChatEvent> events;
};

TurnEnded completed(const QString &answer)
{
    TurnEnded ended;
    ended.outcome = TurnOutcome::Completed;
    ended.finalText = answer;
    return ended;
}

TurnEnded ended(TurnOutcome outcome, const QString &code, const QString &message)
{
    TurnEnded ending;
    ending.outcome = outcome;
    ending.errorCode = code;
    ending.errorMessage = message;
    return ending;
}

Item command(const QString &id, ItemStatus status = ItemStatus::Running)
{
    Item item;
    item.id = id;
    item.kind = ItemKind::Command;
    item.status = status;
    item.command = u"make -j2"_s;
    item.cwd = u"/srv/demo"_s;
    return item;
}

QString answerOf(const QJsonObject &ending)
{
    return ending.value(u"response"_s)
        .toObject()
        .value(u"output"_s)
        .toArray()
        .first()
        .toObject()
        .value(u"content"_s)
        .toArray()
        .first()
        .toObject()
        .value(u"text"_s)
        .toString();
}

} // namespace

class ChatEncoderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void plainAnswer_hasTheGrammar()
    {
        Turn turn;
        turn << TurnStarted {} << TextDelta { u"a"_s, u"Hel"_s } << TextDelta { u"a"_s, u"lo"_s }
             << TextEnded { u"a"_s, u"Hello"_s, true } << completed(u"Hello"_s);
        QCOMPARE(turn.names(),
            QStringList({ u"response.created"_s, u"response.output_text.delta"_s,
                u"response.output_text.delta"_s, u"response.completed"_s }));
        const QJsonObject created = turn.events.first().data();
        QCOMPARE(created.value(u"type"_s).toString(), u"response.created"_s);
        QCOMPARE(created.value(u"shell_type"_s).toString(), u"codex"_s);
        const QJsonObject response = created.value(u"response"_s).toObject();
        QCOMPARE(response.value(u"id"_s).toString(), u"resp_00ff"_s);
        QCOMPARE(response.value(u"status"_s).toString(), u"in_progress"_s);
        QCOMPARE(response.value(u"model"_s).toString(), u"m-large"_s);
        QCOMPARE(response.value(u"created_at"_s).toInteger(), kNow / 1000);
        const QJsonObject delta = turn.events.at(2).data();
        QCOMPARE(delta.value(u"item_id"_s).toString(), u"msg_20417"_s);
        QCOMPARE(delta.value(u"offset"_s).toInteger(), 3);
        QCOMPARE(delta.value(u"delta"_s).toString(), u"lo"_s);
        QCOMPARE(answerOf(turn.ending()), u"Hello"_s);
        QVERIFY(turn.encoder.isOver());
        turn << TextDelta { u"b"_s, u"late"_s } << ItemEnded { command(u"c"_s) }
             << completed(u"x"_s);
        QCOMPARE(turn.events.size(), 4);
    }

    void offsets_countCodePoints()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"中文🙂"_s } << TextDelta { u"a"_s, u"é𝄞"_s }
             << TextDelta { u"a"_s, u"!"_s };
        QCOMPARE(turn.events.at(1).offset, 0);
        QCOMPARE(turn.events.at(2).offset, 3);
        QCOMPARE(turn.events.at(3).offset, 5);
    }

    void surrogatePair_acrossDeltas_staysWhole()
    {
        const QString smile = u"🙂"_s;
        Turn turn;
        turn << TextDelta { u"a"_s, u"x"_s + smile.left(1) }
             << TextDelta { u"a"_s, smile.mid(1) + u"y"_s } << TextDelta { u"a"_s, u"z"_s };
        QCOMPARE(turn.text(), u"x🙂yz"_s);
        QCOMPARE(turn.events.last().offset, 3);
    }

    void loneSurrogate_becomesTheReplacementCharacter()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"x"_s + QChar(0xdc00) + u"y"_s };
        QCOMPARE(turn.text(), u"x\ufffdy"_s);
        // The half at the end waits for its other half, which does not come.
        turn << TextDelta { u"a"_s, QString(QChar(0xd83d)) } << TextDelta { u"a"_s, u"z"_s };
        QCOMPARE(turn.text(), u"x\ufffdy\ufffdz"_s);
        QCOMPARE(turn.events.last().offset, 3);
        Item item;
        item.id = u"c"_s;
        item.kind = ItemKind::Command;
        item.output = u"o"_s + QChar(0xd83d);
        turn << ItemEnded { item };
        QCOMPARE(turn.events.last()
                     .body.value(u"updates"_s)
                     .toObject()
                     .value(u"tool_output"_s)
                     .toString(),
            u"o\ufffd"_s);
        TurnEnded ended;
        ended.outcome = TurnOutcome::Failed;
        ended.errorMessage = u"m"_s + QChar(0xdc00);
        turn << ended;
        QCOMPARE(turn.events.last().body.value(u"message"_s).toString(), u"m\ufffd"_s);
    }

    void messages_areSeparatedByABlankLine()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"One"_s } << TextEnded { u"a"_s, u"One"_s, false }
             << TextDelta { u"b"_s, u"Two"_s } << TextEnded { u"b"_s, u"Two"_s, true }
             << completed(u"Two"_s);
        QCOMPARE(turn.text(), u"One\n\nTwo"_s);
    }

    void answerThatIsTheEndOfTheStream_isNotSaidAgain_data()
    {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<bool>("again");
        QTest::newRow("the last message") << u"Two\n\nThree"_s << false;
        QTest::newRow("the end of the last message") << u"Three"_s << false;
        QTest::newRow("both messages") << u"One\n\nTwo\n\nThree"_s << false;
        QTest::newRow("the end of the first and the last") << u"ne\n\nTwo\n\nThree"_s << false;
        QTest::newRow("the first message") << u"One"_s << true;
        QTest::newRow("the beginning of the last") << u"Two"_s << true;
    }
    void answerThatIsTheEndOfTheStream_isNotSaidAgain()
    {
        QFETCH(const QString, answer);
        QFETCH(const bool, again);
        Turn turn;
        turn << TextDelta { u"a"_s, u"One"_s } << TextEnded { u"a"_s, u"One"_s, false }
             << TextDelta { u"b"_s, u"Two\n\nTh"_s }
             << TextEnded { u"b"_s, u"Two\n\nThree"_s, false } << completed(answer);
        QVERIFY(turn.text().endsWith(answer));
        QCOMPARE(
            turn.text(), again ? u"One\n\nTwo\n\nThree\n\n"_s + answer : u"One\n\nTwo\n\nThree"_s);
    }

    void answerBehindAVeryLongMessage_isFoundAtItsEnd()
    {
        const QString before = u"长长的话 "_s.repeated(20'000);
        Turn turn;
        turn << TextDelta { u"a"_s, before + u"The answer"_s } << completed(u"The answer"_s);
        QCOMPARE(turn.text(), before + u"The answer"_s);
        Turn whole;
        whole << TextDelta { u"a"_s, before } << completed(before);
        QCOMPARE(whole.text(), before);
    }

    void emptyMessages_addNothing()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, QString() } << TextEnded { u"a"_s, QString(), false }
             << TextDelta { u"b"_s, u"Two"_s } << TextEnded { u"c"_s, QString(), false }
             << completed(u"Two"_s);
        QCOMPARE(turn.text(), u"Two"_s);
    }

    void messageWithoutDeltas_isStreamedWhenItEnds()
    {
        Turn turn;
        turn << TextEnded { u"a"_s, u"One"_s, false } << TextEnded { u"b"_s, u"Two"_s, true }
             << completed(u"Two"_s);
        QCOMPARE(turn.text(), u"One\n\nTwo"_s);
    }

    void messageThatEndsLonger_getsItsRest()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"Hel"_s } << TextEnded { u"a"_s, u"Hello"_s, true }
             << completed(u"Hello"_s);
        QCOMPARE(turn.text(), u"Hello"_s);
    }

    void messageThatEndsDifferently_followsWhole()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"lo"_s } << TextEnded { u"a"_s, u"Hello"_s, true }
             << completed(u"Hello"_s);
        QCOMPARE(turn.text(), u"lo\n\nHello"_s);
    }

    void abandonedText_staysAndTheRetryFollows()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"Half a"_s } << TextAbandoned { u"a"_s }
             << RetryNotice { u"Trying again"_s, u"HTTP 500"_s } << TextDelta { u"a"_s, u"Whole"_s }
             << TextEnded { u"a"_s, u"Whole"_s, true } << completed(u"Whole"_s);
        QCOMPARE(turn.text(), u"Half a\n\nWhole"_s);
        const QJsonObject retry = turn.block(u"reconnecting-8121-20417"_s);
        QCOMPARE(retry.value(u"tool_name"_s).toString(), u"runtime_reconnecting"_s);
        QCOMPARE(retry.value(u"status"_s).toString(), u"done"_s);
    }

    void interleavedMessages_loseNothing()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"A1"_s } << TextDelta { u"b"_s, u"B"_s }
             << TextEnded { u"b"_s, u"B"_s, false } << TextEnded { u"a"_s, u"A1A2"_s, false }
             << completed(u"A1A2"_s);
        QCOMPARE(turn.text(), u"A1\n\nB\n\nA1A2"_s);
    }

    void answerThatIsNotTheTail_isStreamedFirst()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"Answer"_s } << TextEnded { u"a"_s, u"Answer"_s, true }
             << TextDelta { u"b"_s, u"Afterthought"_s }
             << TextEnded { u"b"_s, u"Afterthought"_s, false } << completed(u"Answer"_s);
        QCOMPARE(turn.text(), u"Answer\n\nAfterthought\n\nAnswer"_s);
        QCOMPARE(turn.events.last().name, u"response.completed"_s);
        Turn silent;
        silent << completed(u"Only at the end"_s);
        QCOMPARE(silent.names(),
            QStringList({ u"response.created"_s, u"response.output_text.delta"_s,
                u"response.completed"_s }));
        QVERIFY(silent.text().endsWith(answerOf(silent.ending())));
        Turn empty;
        empty << completed(QString());
        QCOMPARE(empty.names(), QStringList({ u"response.created"_s, u"response.completed"_s }));
    }

    void answerOfSeveralMessages_isFoundInTheStream()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"Looking."_s } << TextEnded { u"a"_s, u"Looking."_s, false };
        turn << TextDelta { u"b"_s, u"Fir"_s } << TextDelta { u"b"_s, u"st"_s }
             << TextEnded { u"b"_s, u"First"_s, true } << TextEnded { u"c"_s, u"Second"_s, true }
             << completed(u"First\n\nSecond"_s);
        QCOMPARE(turn.text(), u"Looking.\n\nFirst\n\nSecond"_s);
        Turn other;
        other << TextEnded { u"a"_s, u"First"_s, true } << TextEnded { u"b"_s, u"Third"_s, true }
              << completed(u"Other\n\nThird"_s);
        QCOMPARE(other.text(), u"First\n\nThird\n\nOther\n\nThird"_s);
    }

    void answerWithBlankLines_isOneMessage()
    {
        Turn turn;
        turn << TextDelta { u"a"_s, u"One\n\nTwo"_s } << TextDelta { u"a"_s, u"\n\nThree"_s }
             << TextEnded { u"a"_s, u"One\n\nTwo\n\nThree\n"_s, true }
             << completed(u"One\n\nTwo\n\nThree\n"_s);
        QCOMPARE(turn.text(), u"One\n\nTwo\n\nThree\n"_s);
    }

    void answerWithHalfCharacters_isNotRepeated()
    {
        const QString broken = u"a"_s + QChar(0xd83d) + u"b"_s;
        Turn turn;
        turn << TextDelta { u"a"_s, broken } << TextEnded { u"a"_s, broken, true }
             << completed(broken);
        QVERIFY(turn.text().isValidUtf16());
        QCOMPARE(turn.text().size(), 3);
    }

    void hugeAnswer_keepsHeadAndTail_data()
    {
        QTest::addColumn<QString>("unit");
        QTest::newRow("ascii") << u"abcdefghij"_s;
        QTest::newRow("escapes") << u"\"\\\n\t"_s;
        QTest::newRow("control characters") << QString(QChar(1)) + QChar(2);
        QTest::newRow("Chinese") << u"中文字"_s;
        QTest::newRow("emoji") << u"🙂"_s;
    }
    void hugeAnswer_keepsHeadAndTail()
    {
        QFETCH(QString, unit);
        const QString answer = u"HEAD"_s + unit.repeated(1'500'000 / unit.size()) + u"TAIL"_s;
        Turn turn;
        turn << TextEnded { u"a"_s, answer, true } << completed(answer);
        QCOMPARE(turn.text(), answer);
        const QString kept = answerOf(turn.ending());
        QVERIFY(kept.startsWith(u"HEAD"_s));
        QVERIFY(kept.endsWith(u"TAIL"_s));
        QVERIFY(kept.contains(u"bytes omitted"_s));
        QVERIFY(jsonBytes(turn.ending()) < kMaxPacketBytes);
    }

    void usage_isTheSum()
    {
        TurnEnded end = completed(u"x"_s);
        end.usage.inputTokens = 100;
        end.usage.cachedInputTokens = 60;
        end.usage.outputTokens = 20;
        end.usage.reasoningTokens = 5;
        end.usage.totalTokens = 120;
        Turn turn;
        turn << UsageUpdated { end.usage } << end;
        const QJsonObject usage
            = turn.ending().value(u"response"_s).toObject().value(u"usage"_s).toObject();
        QCOMPARE(usage.value(u"input_tokens"_s).toInt(), 100);
        QCOMPARE(usage.value(u"output_tokens"_s).toInt(), 20);
        QCOMPARE(usage.value(u"total_tokens"_s).toInt(), 120);
        QCOMPARE(
            usage.value(u"input_tokens_details"_s).toObject().value(u"cached_tokens"_s).toInt(),
            60);
    }

    void endings_data()
    {
        QTest::addColumn<TurnOutcome>("outcome");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("seenCode");
        QTest::newRow("cancelled")
            << TurnOutcome::Cancelled << QString() << u"response.incomplete"_s << u"cancelled"_s;
        QTest::newRow("failed") << TurnOutcome::Failed << u"model_quota"_s << u"error"_s
                                << u"model_quota"_s;
        QTest::newRow("failed without a code")
            << TurnOutcome::Failed << QString() << u"error"_s << u"runtime_error"_s;
    }
    void endings()
    {
        QFETCH(TurnOutcome, outcome);
        QFETCH(QString, code);
        QFETCH(QString, name);
        QFETCH(QString, seenCode);
        Turn turn;
        turn << ended(outcome, code, u"because"_s);
        QCOMPARE(turn.names(), QStringList({ u"response.created"_s, name }));
        QJsonObject data = turn.ending();
        if (name == u"response.incomplete") {
            QCOMPARE(
                data.value(u"response"_s).toObject().value(u"status"_s).toString(), u"cancelled"_s);
            data = data.value(u"response"_s).toObject().value(u"error"_s).toObject();
        }
        QCOMPARE(data.value(u"code"_s).toString(), seenCode);
        QCOMPARE(data.value(u"message"_s).toString(), u"because"_s);
        QVERIFY(!turn.names().contains(u"response.failed"_s));
    }

    void reasoning_hasItsOwnStream()
    {
        Turn turn;
        turn << ReasoningDelta { u"r1"_s, u"Look"_s } << ReasoningDelta { u"r1"_s, u"ing 🙂"_s }
             << TextDelta { u"a"_s, u"Text"_s } << ReasoningDelta { u"r2"_s, u"More"_s }
             << completed(u"Text"_s);
        QCOMPARE(turn.text(ChatEvent::Kind::Reasoning), u"Looking 🙂\n\nMore"_s);
        QCOMPARE(turn.text(), u"Text"_s);
        const QJsonObject data = turn.events.at(1).data();
        QCOMPARE(data.value(u"type"_s).toString(), u"response.reasoning_summary_text.delta"_s);
        QCOMPARE(data.value(u"output_index"_s).toInt(), 0);
    }

    void command_isCreatedThenUpdated()
    {
        Item over = command(u"call-1"_s, ItemStatus::Completed);
        over.output = u"built\n"_s;
        over.exitCode = 0;
        over.durationMs = 1234;
        Turn turn;
        turn << ItemStarted { command(u"call-1"_s) };
        QJsonObject block = turn.block(u"call-1"_s);
        QCOMPARE(block.value(u"type"_s).toString(), u"tool"_s);
        QCOMPARE(block.value(u"tool_use_id"_s).toString(), u"call-1"_s);
        QCOMPARE(block.value(u"tool_name"_s).toString(), u"shell"_s);
        QCOMPARE(block.value(u"status"_s).toString(), u"pending"_s);
        QCOMPARE(block.value(u"timestamp"_s).toInteger(), kNow);
        QCOMPARE(
            block.value(u"tool_input"_s).toObject().value(u"command"_s).toString(), u"make -j2"_s);
        turn << ItemEnded { over };
        block = turn.block(u"call-1"_s);
        QCOMPARE(block.value(u"status"_s).toString(), u"done"_s);
        QCOMPARE(block.value(u"tool_output"_s).toString(), u"built\n"_s);
        QCOMPARE(block.value(u"exit_code"_s).toInt(), 0);
        QCOMPARE(block.value(u"duration_ms"_s).toInt(), 1234);
    }

    void itemStatus_becomesTheBackendsWord_data()
    {
        QTest::addColumn<ItemStatus>("status");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("outcome");
        QTest::newRow("completed") << ItemStatus::Completed << 0 << u"done"_s << u"completed"_s;
        QTest::newRow("exit 2") << ItemStatus::Completed << 2 << u"error"_s << u"completed"_s;
        QTest::newRow("failed") << ItemStatus::Failed << 1 << u"error"_s << u"failed"_s;
        QTest::newRow("declined") << ItemStatus::Declined << 0 << u"done"_s << u"declined"_s;
        QTest::newRow("cancelled") << ItemStatus::Cancelled << 0 << u"error"_s << u"cancelled"_s;
    }
    void itemStatus_becomesTheBackendsWord()
    {
        QFETCH(ItemStatus, status);
        QFETCH(int, exitCode);
        QFETCH(QString, word);
        QFETCH(QString, outcome);
        Item item = command(u"c"_s, status);
        item.exitCode = exitCode;
        Turn turn;
        turn << ItemEnded { item }; // without a start: created and updated
        const QJsonObject block = turn.block(u"c"_s);
        QCOMPARE(block.value(u"status"_s).toString(), word);
        QCOMPARE(block.value(u"outcome"_s).toString(), outcome);
        if (status == ItemStatus::Declined) {
            QVERIFY(block.value(u"tool_output"_s).toString().contains(u"Declined"_s));
        }
    }

    void fileChange_carriesItsDiff()
    {
        Item item;
        item.id = u"patch"_s;
        item.kind = ItemKind::FileChange;
        item.status = ItemStatus::Completed;
        item.changes
            = { { u"/w/a.txt"_s, {}, FileChange::Action::Update, u"@@ -1 +1 @@\n-a\n+b\n"_s },
                  { u"/w/b"_s, u"/w/c"_s, FileChange::Action::Delete, {} } };
        Turn turn;
        turn << ItemStarted { item } << ItemEnded { item };
        const QJsonObject block = turn.block(u"patch"_s);
        QCOMPARE(block.value(u"tool_name"_s).toString(), u"apply_patch"_s);
        const QJsonArray changes
            = block.value(u"tool_input"_s).toObject().value(u"changes"_s).toArray();
        QCOMPARE(changes.size(), 2);
        QCOMPARE(
            changes.first().toObject().value(u"diff"_s).toString(), u"@@ -1 +1 @@\n-a\n+b\n"_s);
        QCOMPARE(changes.last().toObject().value(u"kind"_s).toString(), u"delete"_s);
        QCOMPARE(changes.last().toObject().value(u"move_path"_s).toString(), u"/w/c"_s);
        QVERIFY(block.value(u"tool_output"_s).toString().contains(u"update /w/a.txt"_s));
    }

    void manyHugeChanges_stayBelowThePacketLimit()
    {
        Item item;
        item.id = u"patch"_s;
        item.kind = ItemKind::FileChange;
        for (int i = 0; i < 5000; ++i) {
            item.changes.append(
                { u"/w/%1"_s.arg(i), {}, FileChange::Action::Add, u"\"\n"_s.repeated(5000) });
        }
        Turn turn;
        turn << ItemStarted { item } << ItemEnded { item };
        for (const ChatEvent &event : turn.events) {
            QVERIFY(jsonBytes(event.data()) < kMaxPacketBytes);
        }
        QVERIFY(turn.block(u"patch"_s)
                    .value(u"tool_output"_s)
                    .toString()
                    .contains(u"4900 more files"_s));
    }

    void longOutput_keepsHeadAndTail()
    {
        Item item = command(u"c"_s, ItemStatus::Completed);
        item.output = u"FIRST\n"_s + u"中"_s.repeated(400'000) + u"\nLAST"_s;
        Turn turn;
        turn << ItemEnded { item };
        const QString output = turn.block(u"c"_s).value(u"tool_output"_s).toString();
        QVERIFY(output.startsWith(u"FIRST"_s));
        QVERIFY(output.endsWith(u"LAST"_s));
        const qint64 omitted = item.output.toUtf8().size() - output.toUtf8().size();
        static const QRegularExpression marker(u"\\[\\.\\.\\. (\\d+) bytes omitted \\.\\.\\.\\]"_s);
        const auto match = marker.match(output);
        QVERIFY(match.hasMatch());
        const qint64 named = match.captured(1).toLongLong();
        QVERIFY(qAbs(named - omitted) < 100); // the marker itself makes the difference
    }

    void liveOutput_growsWithoutRepeatingItselfForEver()
    {
        Turn turn;
        turn << ItemStarted { command(u"c"_s) };
        constexpr int kLines = 20000;
        for (int i = 0; i < kLines; ++i) {
            turn << ItemProgress { u"c"_s, u"line %1\n"_s.arg(i), {} };
        }
        qint64 bytes = 0;
        for (const ChatEvent &event : turn.events) {
            bytes += jsonBytes(event.data());
        }
        const QJsonObject block = turn.block(u"c"_s);
        QCOMPARE(block.value(u"status"_s).toString(), u"streaming"_s);
        QVERIFY(block.value(u"tool_output"_s).toString().contains(u"bytes omitted"_s));
        QVERIFY(bytes < 6 * kLines * 12);
        Turn first;
        first << ItemStarted { command(u"c"_s) } << ItemProgress { u"c"_s, u"x"_s, {} };
        QCOMPARE(first.block(u"c"_s).value(u"tool_output"_s).toString(), u"x"_s);
        first << ItemProgress { u"unknown"_s, u"x"_s, {} };
        QCOMPARE(first.events.size(), 3);
    }

    void toolCall_hugeArgumentsAreShortened()
    {
        Item item;
        item.id = u"t"_s;
        item.kind = ItemKind::ToolCall;
        item.name = u"files.search"_s;
        item.arguments = { { u"q"_s, u"x"_s } };
        Turn turn;
        turn << ItemStarted { item };
        QCOMPARE(turn.block(u"t"_s).value(u"tool_name"_s).toString(), u"files.search"_s);
        QCOMPARE(turn.block(u"t"_s).value(u"tool_input"_s).toObject(), item.arguments);
        item.id = u"huge"_s;
        item.arguments = { { u"q"_s, u"y"_s.repeated(3'000'000) } };
        turn << ItemStarted { item };
        QVERIFY(jsonBytes(turn.block(u"huge"_s)) < 200'000);
    }

    void otherKinds_haveNames()
    {
        for (const auto &[kind, name] : QList<std::pair<ItemKind, QString>> {
                 { ItemKind::WebSearch, u"web_search"_s }, { ItemKind::Image, u"view_image"_s },
                 { ItemKind::Compaction, u"context_compaction"_s },
                 { ItemKind::Other, u"tool"_s } }) {
            Item item;
            item.id = name;
            item.kind = kind;
            item.title = u"a title"_s;
            Turn turn;
            turn << ItemStarted { item };
            QCOMPARE(turn.block(name).value(u"tool_name"_s).toString(), name);
            QVERIFY(!turn.block(name).value(u"tool_input"_s).toObject().isEmpty());
        }
    }

    void plan_isOneBlock()
    {
        PlanUpdated plan;
        plan.steps = { { u"Look"_s, u"completed"_s }, { u"Fix"_s, u"inProgress"_s } };
        Turn turn;
        turn << plan;
        QCOMPARE(
            turn.block(u"plan-20417"_s).value(u"tool_output"_s).toString(), u"[x] Look\n[>] Fix"_s);
        plan.steps[1].status = u"completed"_s;
        turn << plan;
        const QJsonObject block = turn.block(u"plan-20417"_s);
        QCOMPARE(block.value(u"status"_s).toString(), u"done"_s);
        QCOMPARE(block.value(u"tool_input"_s).toObject().value(u"plan"_s).toArray().size(), 2);
        plan.markdown = u"# Plan"_s;
        turn << plan;
        QCOMPARE(turn.block(u"plan-20417"_s).value(u"tool_output"_s).toString(), u"# Plan"_s);
    }

    void notes_areStatusLines_warningsAreBlocksToo()
    {
        Turn turn;
        turn << StatusNote { StatusNote::Level::Info, u"quiet"_s, u"Still at work"_s }
             << StatusNote { StatusNote::Level::Warning, u"profile_lowered"_s, u"Lowered"_s };
        QCOMPARE(turn.names(),
            QStringList({ u"response.created"_s, u"response.status.updated"_s,
                u"response.status.updated"_s, u"response.block.created"_s }));
        QCOMPARE(turn.events.at(1).data().value(u"phase"_s).toString(), u"Still at work"_s);
        QCOMPARE(turn.events.at(1).data().value(u"code"_s).toString(), u"quiet"_s);
        QCOMPARE(turn.block(u"note-20417-1"_s).value(u"tool_output"_s).toString(), u"Lowered"_s);
    }

    void request_isVisibleAndClosed()
    {
        PermissionRequest request;
        request.id = u"req-7"_s;
        request.kind = RequestKind::Command;
        request.summary = u"Run a command outside the sandbox"_s;
        request.command = u"git push"_s;
        request.cwd = u"/srv"_s;
        request.choices = { Choice::Deny, Choice::AllowOnce, Choice::AllowForTask };
        Turn turn;
        turn << RequestOpened { request } << RequestOpened { request };
        const QString id = u"request-user-input-req-7"_s;
        QJsonObject block = turn.block(id);
        QCOMPARE(block.value(u"tool_name"_s).toString(), u"request_user_input"_s);
        QCOMPARE(block.value(u"status"_s).toString(), u"pending"_s);
        const QJsonObject payload = block.value(u"render_payload"_s).toObject();
        QCOMPARE(payload.value(u"kind"_s).toString(), u"request_user_input"_s);
        QCOMPARE(payload.value(u"requestId"_s).toString(), u"req-7"_s);
        QCOMPARE(payload.value(u"interactionKind"_s).toString(), u"approval"_s);
        QCOMPARE(payload.value(u"approvalKind"_s).toString(), u"command"_s);
        QCOMPARE(payload.value(u"command"_s).toString(), u"git push"_s);
        const QJsonObject question = payload.value(u"questions"_s).toArray().first().toObject();
        QCOMPARE(question.value(u"id"_s).toString(), u"__codex_approval"_s);
        QStringList labels;
        for (const QJsonValue option : question.value(u"options"_s).toArray()) {
            labels.append(option.toObject().value(u"label"_s).toString());
        }
        QCOMPARE(labels, QStringList({ u"decline"_s, u"allow_once"_s, u"allow_session"_s }));
        turn << RequestClosed { u"req-7"_s, RequestOutcome::Denied, u"owner"_s, u"no pushes"_s };
        block = turn.block(id);
        QCOMPARE(block.value(u"status"_s).toString(), u"done"_s);
        QVERIFY(block.value(u"tool_output"_s).toString().contains(u"no pushes"_s));
    }

    void openBlocks_areClosedBeforeTheEnding()
    {
        PermissionRequest request;
        request.id = u"r"_s;
        request.kind = RequestKind::Question;
        Turn turn;
        turn << ItemStarted { command(u"c"_s) } << RequestOpened { request }
             << RetryNotice { u"again"_s, {} } << ended(TurnOutcome::Cancelled, {}, {});
        QCOMPARE(turn.events.last().name, u"response.incomplete"_s);
        QCOMPARE(turn.block(u"c"_s).value(u"status"_s).toString(), u"error"_s);
        QCOMPARE(turn.block(u"c"_s).value(u"outcome"_s).toString(), u"cancelled"_s);
        QCOMPARE(turn.block(u"request-user-input-r"_s).value(u"status"_s).toString(), u"done"_s);
        QCOMPARE(turn.block(u"reconnecting-8121-20417"_s).value(u"status"_s).toString(), u"done"_s);
    }

    void splitDelta_neverCutsACharacter_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("ascii") << u"hello world"_s;
        QTest::newRow("escapes") << u"a\"b\\c\nd\x01e"_s;
        QTest::newRow("Chinese") << u"中文字符测试"_s;
        QTest::newRow("emoji") << u"🙂🙂x🙂中🙂"_s;
    }
    void splitDelta_neverCutsACharacter()
    {
        QFETCH(QString, text);
        for (qint64 limit = 1; limit <= 40; ++limit) {
            ChatEvent event { ChatEvent::Kind::Text, u"n"_s, text, 7, {} };
            QString whole;
            qint64 offset = 7;
            while (!event.text.isEmpty()) {
                const ChatEvent rest = splitDelta(event, limit);
                QVERIFY(event.text.isValidUtf16());
                QVERIFY(!event.text.isEmpty());
                QVERIFY(jsonTextBytes(event.text) <= limit || codePointCount(event.text) == 1);
                QCOMPARE(event.offset, offset);
                whole += event.text;
                offset += codePointCount(event.text);
                event = rest;
            }
            QCOMPARE(whole, text);
        }
    }

    void jsonTextBytes_isWhatTheWriterWrites()
    {
        const QString text = u"plain \"quoted\" \\ \n\r\t\b\f \x01\x1f\x7f é 中 🙂 \u2028"_s;
        const qint64 written = jsonBytes({ { u"k"_s, text } }) - 8; // {"k":""}
        QCOMPARE(jsonTextBytes(text), written);
    }

    void shrunkToFit_shortensTheLongestTexts()
    {
        const QJsonObject object { { u"short"_s, u"stays"_s },
            { u"deep"_s,
                QJsonArray { QJsonObject { { u"long"_s, u"x"_s.repeated(100'000) } },
                    u"y"_s.repeated(50'000), 7 } } };
        const QJsonObject fitted = shrunkToFit(object, 8000);
        QVERIFY(jsonBytes(fitted) <= 8000);
        QCOMPARE(fitted.value(u"short"_s).toString(), u"stays"_s);
        QCOMPARE(fitted.value(u"deep"_s).toArray().at(2).toInt(), 7);
        QVERIFY(fitted.value(u"deep"_s).toArray().at(1).toString().contains(u"omitted"_s));
        QCOMPARE(shrunkToFit(object, 1'000'000), object);
    }

    void mergeInto_joinsOnlyWhatBelongsTogether()
    {
        ChatEvent text { ChatEvent::Kind::Text, u"t"_s, u"a"_s, 0, {} };
        QVERIFY(mergeInto(text, { ChatEvent::Kind::Text, u"t"_s, u"b"_s, 1, {} }));
        QCOMPARE(text.text, u"ab"_s);
        QVERIFY(!mergeInto(text, { ChatEvent::Kind::Reasoning, u"r"_s, u"c"_s, 0, {} }));
        const QString updated = u"response.block.updated"_s;
        const auto update = [&](const QString &id, const QString &key) {
            return ChatEvent { ChatEvent::Kind::Block, updated, {}, 0,
                { { u"block_id"_s, id }, { u"updates"_s, QJsonObject { { key, 1 } } } } };
        };
        ChatEvent block = update(u"x"_s, u"one"_s);
        QVERIFY(mergeInto(block, update(u"x"_s, u"two"_s)));
        QCOMPARE(block.body.value(u"updates"_s).toObject().size(), 2);
        QVERIFY(!mergeInto(block, update(u"y"_s, u"two"_s)));
        QVERIFY(!mergeInto(block, { ChatEvent::Kind::Plain, u"p"_s, {}, 0, {} }));
    }
};

QTEST_GUILESS_MAIN(ChatEncoderTest)
#include "tst_chatencoder.moc"
