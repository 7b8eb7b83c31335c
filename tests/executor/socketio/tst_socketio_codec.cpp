// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/codec.h"

#include <QCborMap>
#include <QJsonDocument>
#include <QTest>

#include <cmath>
#include <limits>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::socketio;

namespace {

/// Content of the message frame, without Engine.IO's type.
QByteArray encoded(const Packet &packet)
{
    const auto frames = encodePacket(packet);
    return frames ? frames->text.sliced(1)
                  : QByteArray("error: ") + frames.error().message.toUtf8();
}

std::optional<Packet> decoded(const QByteArray &text, const QList<QByteArray> &attachments = {})
{
    PacketDecoder decoder;
    auto packet = decoder.addText(text);
    for (const QByteArray &attachment : attachments) {
        if (!packet || packet->has_value()) {
            return std::nullopt;
        }
        packet = decoder.addBinary(attachment);
    }
    return packet ? *packet : std::nullopt;
}

} // namespace

class TestSocketIoCodec : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void engine_everyType_roundTrips();
    void engine_badFrames_areErrors();
    void open_readsWhatServersSend();
    void open_badPackets_areErrors_data();
    void open_badPackets_areErrors();
    void packet_wireText_data();
    void packet_wireText();
    void packet_connectErrorPayloads_keepTheirForm_data();
    void packet_connectErrorPayloads_keepTheirForm();
    void packet_malformed_namesTheFault_data();
    void packet_malformed_namesTheFault();
    void text_isUtf8Exact_data();
    void text_isUtf8Exact();
    void numbers_integersStayExact_data();
    void numbers_integersStayExact();
    void numbers_doublesStayDoubles();
    void binary_nestedPlaces_roundTrip();
    void binary_plainEventWithPlaceholder_isData();
    void binary_withoutAttachments_isDeliveredAtOnce();
    void binary_refusedHeader_swallowsItsFrames();
    void binary_interrupted_isReportedAndDecoderGoesOn();
    void binary_unannounced_isAnError();
    void limits_attachmentBytes_areCounted();
    void limits_depth_bothWays();
    void encode_refusesWhatServersWouldCutFor();
    void payload_refusesWhatJsonCannotSay();
};

void TestSocketIoCodec::engine_everyType_roundTrips()
{
    for (int type = 0; type <= 6; ++type) {
        const QByteArray frame = encodeEngine(static_cast<EngineType>(type), "data");
        QCOMPARE(frame, QByteArray::number(type) + "data");
        const auto packet = decodeEngine(frame);
        QVERIFY(packet);
        QCOMPARE(packet->type, static_cast<EngineType>(type));
        QCOMPARE(packet->data.toByteArray(), QByteArray("data"));
    }
}

void TestSocketIoCodec::engine_badFrames_areErrors()
{
    for (const char *frame : { "", "7", "x", "-1", "\xff" }) {
        const auto packet = decodeEngine(QByteArrayView(frame));
        QVERIFY2(!packet, frame);
        QCOMPARE(packet.error().kind, ErrorKind::Protocol);
    }
}

void TestSocketIoCodec::open_readsWhatServersSend()
{
    const auto info = decodeOpen(R"({"sid":"abc","upgrades":["websocket"],"pingInterval":25000,)"
                                 R"("pingTimeout":20000,"maxPayload":1000000})");
    QVERIFY(info);
    QCOMPARE(info->sid, u"abc");
    QCOMPARE(info->pingIntervalMs, 25000);
    QCOMPARE(info->pingTimeoutMs, 20000);
    QCOMPARE(info->maxPayload, 1000000);
    const auto older = decodeOpen(R"({"sid":"abc","pingInterval":1,"pingTimeout":2})");
    QVERIFY(older);
    QVERIFY(!older->maxPayload);
    const auto huge = decodeOpen(
        R"({"sid":"a","pingInterval":9000000000000000,"pingTimeout":9000000000000000})");
    QVERIFY(huge);
    QVERIFY(huge->pingIntervalMs + huge->pingTimeoutMs <= std::numeric_limits<int>::max());
}

void TestSocketIoCodec::open_badPackets_areErrors_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("names");
    QTest::newRow("nothing") << QByteArray() << u"JSON"_s;
    QTest::newRow("no JSON") << QByteArray("{sid") << u"JSON"_s;
    QTest::newRow("an array") << QByteArray("[]") << u"not an object"_s;
    QTest::newRow("no sid") << QByteArray(R"({"pingInterval":1,"pingTimeout":1})") << u"sid"_s;
    QTest::newRow("text interval")
        << QByteArray(R"({"sid":"a","pingInterval":"1","pingTimeout":1})") << u"pingInterval"_s;
    QTest::newRow("negative time-out")
        << QByteArray(R"({"sid":"a","pingInterval":1,"pingTimeout":-1})") << u"pingTimeout"_s;
    QTest::newRow("no payload allowed")
        << QByteArray(R"({"sid":"a","pingInterval":1,"pingTimeout":1,"maxPayload":0})")
        << u"maxPayload"_s;
}

void TestSocketIoCodec::open_badPackets_areErrors()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, names);
    const auto info = decodeOpen(text);
    QVERIFY(!info);
    QCOMPARE(info.error().kind, ErrorKind::Protocol);
    QVERIFY2(info.error().message.contains(names), qPrintable(info.error().message));
}

void TestSocketIoCodec::packet_wireText_data()
{
    QTest::addColumn<Packet>("packet");
    QTest::addColumn<QByteArray>("text");
    const QJsonObject auth { { u"token"_s, u"123"_s } };
    const auto row = [](const char *name, const Packet &packet, const char *text) {
        QTest::newRow(name) << packet << QByteArray(text);
    };
    row("connect", { PacketType::Connect, u"/"_s }, "0");
    Packet connect { PacketType::Connect, u"/admin"_s };
    row("connect to a namespace", connect, "0/admin,");
    connect.data = auth;
    row("connect with auth", connect, R"(0/admin,{"token":"123"})");
    connect.nsp = u"/"_s;
    row("connect to the root with auth", connect, R"(0{"token":"123"})");
    row("disconnect", { PacketType::Disconnect, u"/"_s }, "1");
    row("disconnect a namespace", { PacketType::Disconnect, u"/admin"_s }, "1/admin,");
    row("event", { PacketType::Event, u"/"_s, {}, u"foo"_s, QJsonArray {} }, R"(2["foo"])");
    row("event with id", { PacketType::Event, u"/"_s, 12, u"foo"_s, QJsonArray { 1, u"a"_s } },
        R"(212["foo",1,"a"])");
    row("event in a namespace", { PacketType::Event, u"/中,"_s.chopped(1), 0, u"é"_s, auth },
        R"(2/中,0["é",{"token":"123"}])");
    row("ack", { PacketType::Ack, u"/admin"_s, 13, {}, QJsonArray { u"bar"_s } },
        R"(3/admin,13["bar"])");
    row("empty ack", { PacketType::Ack, u"/"_s, std::numeric_limits<qint64>::max() },
        "39223372036854775807[]");
    Packet refused { PacketType::ConnectError, u"/admin"_s };
    refused.data = QJsonObject { { u"message"_s, u"Not authorized"_s } };
    row("connect error", refused, R"(4/admin,{"message":"Not authorized"})");
}

void TestSocketIoCodec::packet_wireText()
{
    QFETCH(Packet, packet);
    QFETCH(QByteArray, text);
    QCOMPARE(encoded(packet), text);
    const auto back = decoded(text);
    QVERIFY(back);
    QVERIFY(*back == packet);
}

void TestSocketIoCodec::packet_connectErrorPayloads_keepTheirForm_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QJsonValue>("data");
    QTest::newRow("object") << QByteArray(R"(4/d,{"message":"x","data":{"code":1}})")
                            << QJsonValue(QJsonObject { { u"message"_s, u"x"_s },
                                   { u"data"_s, QJsonObject { { u"code"_s, 1 } } } });
    QTest::newRow("plain text") << QByteArray(R"(4/d,"Unable to connect")")
                                << QJsonValue(u"Unable to connect"_s);
    // Refusals have no id: digits right behind the namespace are the data.
    QTest::newRow("number") << QByteArray("4/d,7") << QJsonValue(7);
    QTest::newRow("number after a blank") << QByteArray("4/d, 7") << QJsonValue(7);
    QTest::newRow("null") << QByteArray("4/d,null") << QJsonValue(QJsonValue::Null);
}

void TestSocketIoCodec::packet_connectErrorPayloads_keepTheirForm()
{
    QFETCH(QByteArray, text);
    QFETCH(QJsonValue, data);
    const auto packet = decoded(text);
    QVERIFY(packet);
    QCOMPARE(packet->data, data);
}

void TestSocketIoCodec::packet_malformed_namesTheFault_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("names");
    const auto row = [](const char *name, const QByteArray &text, const QString &names) {
        QTest::newRow(name) << text << names;
    };
    row("empty", "", u"empty"_s);
    row("unknown type", "9[]", u"type"_s);
    row("a letter", "a", u"type"_s);
    row("event without payload", "2", u"EVENT"_s);
    row("event with broken JSON", R"(2["a",)", u"JSON at byte"_s);
    row("event with an object", R"(2{"a":1})", u"not an array"_s);
    row("event without name", "2[]", u"name"_s);
    row("event with a number as name", "2[1]", u"name"_s);
    row("event with trailing bytes", R"(2["a"]x)", u"JSON"_s);
    row("event with NaN", R"(2["a",NaN])", u"JSON"_s);
    row("event with a negative id", R"(2-1["a"])", u"JSON"_s);
    row("event with a huge id", R"(29223372036854775808["a"])", u"63 bits"_s);
    row("ack with a very huge id", "3" + QByteArray(100000, '9') + "[]", u"63 bits"_s);
    row("ack without id", "3[]", u"id"_s);
    row("ack with a negative id", "3-1[]", u"id"_s);
    row("ack without list", "31", u"ACK"_s);
    row("connect with text", R"(0"x")", u"not an object"_s);
    row("connect with two values", "0{},{}", u"not one value"_s);
    row("connect error without payload", "4/d,", u"not one value"_s);
    row("binary without count", R"(5["a"])", u"attachment count"_s);
    row("binary with a negative count", R"(5-1-["a"])", u"attachment count"_s);
    row("binary with a huge count", R"(599999999999999999999-["a"])", u"63 bits"_s);
    row("binary with too many", R"(5257-["a"])", u"above the limit"_s);
    row("binary naming none", R"(51-["a"])", u"no placeholder"_s);
    row("binary naming a missing one", R"(51-["a",{"_placeholder":true,"num":1}])",
        u"names none"_s);
    row("binary naming a negative one", R"(51-["a",{"_placeholder":true,"num":-1}])",
        u"names none"_s);
    row("binary naming a fraction", R"(51-["a",{"_placeholder":true,"num":0.5}])", u"names none"_s);
    row("binary naming text", R"(51-["a",{"_placeholder":true,"num":"0"}])", u"names none"_s);
    row("namespace of invalid UTF-8", "2/" + QByteArray(400, '\xff') + R"(,["a"])", u"UTF-8"_s);
    row("namespace without end", "2/" + QByteArray(2000, 'n'), u"namespace"_s);
    row("invalid UTF-8", "2[\"a\xc3\x28\"]", u"JSON"_s);
    row("overlong UTF-8", "2[\"\xc0\xaf\"]", u"JSON"_s);
    row("an encoded surrogate", "2[\"\xed\xa0\x80\"]", u"JSON"_s);
    row("cut UTF-8", "2[\"\xe4\xb8", u"JSON"_s);
}

void TestSocketIoCodec::packet_malformed_namesTheFault()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, names);
    PacketDecoder decoder;
    const auto packet = decoder.addText(text);
    QVERIFY(!packet);
    QCOMPARE(packet.error().kind, ErrorKind::Protocol);
    QVERIFY2(packet.error().message.contains(names), qPrintable(packet.error().message));
    // The decoder goes on.
    const auto next = decoder.addText(R"(2["next"])");
    QVERIFY(next && next->has_value());
    QCOMPARE((*next)->event, u"next");
}

void TestSocketIoCodec::text_isUtf8Exact_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("Chinese") << u"中文输出"_s;
    QTest::newRow("astral characters") << u"😀👩‍💻𝒳"_s;
    QTest::newRow("combining, not composed") << u"e\u0301 \u00e9"_s;
    QTest::newRow("U+0000 inside") << QString(u'a') + QChar(u'\0') + u'b';
    QTest::newRow("controls") << u"\u0001\u001f\t\n\r\b\f\u007f\u0085"_s;
    QTest::newRow("line separators and BOM") << u"\ufeff\u2028\u2029\ufffe\uffff"_s;
    QTest::newRow("BOM behind a quote") << u"\"\ufeff\"\ufeff"_s;
    QTest::newRow("quotes") << u"\"\\/ </script>"_s;
    QTest::newRow("lone high surrogate") << QString(QChar(0xd83d)) + u'x';
    QTest::newRow("lone low surrogate") << u'x' + QString(QChar(0xde00));
    QTest::newRow("surrogates the wrong way round")
        << QString(QChar(0xde00)) + QString(QChar(0xd83d));
}

void TestSocketIoCodec::text_isUtf8Exact()
{
    QFETCH(QString, text);
    const Packet packet { PacketType::Event, u"/"_s, 1, text,
        QJsonArray { text, QJsonObject { { text, text } } } };
    const auto frames = encodePacket(packet);
    QVERIFY(frames);
    QVERIFY(frames->text.isValidUtf8());
    // As the WebSocket does it on the way.
    const QByteArray wire = QString::fromUtf8(frames->text).toUtf8();
    QCOMPARE(wire, frames->text);
    const auto back = decoded(wire.sliced(1));
    QVERIFY(back);
    QCOMPARE(back->event, text);
    QCOMPARE(back->payload, packet.payload);
}

void TestSocketIoCodec::numbers_integersStayExact_data()
{
    QTest::addColumn<qint64>("number");
    for (const qint64 number : { qint64(0), qint64(-1), (qint64(1) << 53) - 1,
             (qint64(1) << 53) + 1, -(qint64(1) << 53) - 1, std::numeric_limits<qint64>::max(),
             std::numeric_limits<qint64>::max() - 1, std::numeric_limits<qint64>::min() }) {
        QTest::newRow(QByteArray::number(number).constData()) << number;
    }
}

void TestSocketIoCodec::numbers_integersStayExact()
{
    QFETCH(qint64, number);
    const QByteArray text = R"(2["n",{"id":)" + QByteArray::number(number) + "}]";
    const auto packet = decoded(text);
    QVERIFY(packet);
    const QJsonValue value = packet->payload.object().value(u"id");
    QCOMPARE(value.toInteger(1), number);
    QCOMPARE(value.toInteger(2), number);
    QCOMPARE(encoded(*packet), text);
}

void TestSocketIoCodec::numbers_doublesStayDoubles()
{
    const QByteArray text
        = R"(2["n",0.1,-1.5e-300,1.7976931348623157e+308,1.8446744073709552e+19,5e-324])";
    const auto packet = decoded(text);
    QVERIFY(packet);
    const QJsonArray args = packet->payload.args;
    QCOMPARE(args.at(0).toDouble(), 0.1);
    QCOMPARE(args.at(1).toDouble(), -1.5e-300);
    QCOMPARE(args.at(2).toDouble(), std::numeric_limits<double>::max());
    QCOMPARE(args.at(3).toDouble(), 18446744073709551615.0);
    QCOMPARE(args.at(4).toDouble(), std::numeric_limits<double>::denorm_min());
    QCOMPARE(args.at(0).toInteger(-7), -7);
    const auto again = decoded(encoded(*packet));
    QVERIFY(again);
    QCOMPARE(again->payload, packet->payload);
}

void TestSocketIoCodec::binary_nestedPlaces_roundTrip()
{
    QCborMap map;
    map.insert(u"deep"_s, QCborArray { QCborArray { QByteArray("\0\xff", 2) }, 5 });
    map.insert(u"z"_s, QByteArray());
    const QCborArray values { map, QByteArray("last"), u"text"_s, 1.5, true, nullptr };
    const auto payload = Payload::fromValues(values);
    QVERIFY(payload);
    QCOMPARE(payload->attachments.size(), 3);
    QCOMPARE(payload->values(), values);

    const Packet packet { PacketType::Event, u"/d"_s, 3, u"b"_s, *payload };
    const auto frames = encodePacket(packet);
    QVERIFY(frames);
    QCOMPARE(frames->binary, payload->attachments);
    QVERIFY(frames->text.startsWith(R"(453-/d,3["b",{"deep":[[{"_placeholder":true,"num":0}])"));
    QCOMPARE(frames->largestFrame(), frames->text.size());
    QCOMPARE(frames->totalBytes(), frames->text.size() + 6);
    const auto back = decoded(frames->text.sliced(1), frames->binary);
    QVERIFY(back);
    QVERIFY(*back == packet);
    QCOMPARE(back->payload.values(), values);

    const Packet ack { PacketType::Ack, u"/"_s, 7, {}, *payload };
    const auto ackFrames = encodePacket(ack);
    QVERIFY(ackFrames);
    QVERIFY(ackFrames->text.startsWith("463-7["));
    const auto ackBack = decoded(ackFrames->text.sliced(1), ackFrames->binary);
    QVERIFY(ackBack && *ackBack == ack);
}

void TestSocketIoCodec::binary_plainEventWithPlaceholder_isData()
{
    const QByteArray text = R"(2["a",{"_placeholder":true,"num":4}])";
    const auto packet = decoded(text);
    QVERIFY(packet);
    QVERIFY(packet->payload.attachments.isEmpty());
    QCOMPARE(packet->payload.values().at(0).toMap().value(u"num"_s).toInteger(), 4);
    QCOMPARE(encoded(*packet), text);
}

void TestSocketIoCodec::binary_withoutAttachments_isDeliveredAtOnce()
{
    const auto packet = decoded(R"(50-["a",1])");
    QVERIFY(packet);
    QCOMPARE(packet->payload, Payload(QJsonArray { 1 }));
}

void TestSocketIoCodec::binary_refusedHeader_swallowsItsFrames()
{
    PacketDecoder decoder;
    QVERIFY(!decoder.addText(R"(52-["a",{"_placeholder":true,"num":9}])"));
    for (int i = 0; i < 2; ++i) {
        const auto swallowed = decoder.addBinary("x");
        QVERIFY(swallowed);
        QVERIFY(!swallowed->has_value());
    }
    QVERIFY(!decoder.addBinary("one too many"));
}

void TestSocketIoCodec::binary_interrupted_isReportedAndDecoderGoesOn()
{
    PacketDecoder decoder;
    const auto header = decoder.addText(
        R"(52-["a",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}])");
    QVERIFY(header && !header->has_value());
    QVERIFY(decoder.isWaitingForAttachments());
    QVERIFY(decoder.addBinary("first"));
    const auto interrupted = decoder.addText(R"(2["b"])");
    QVERIFY(!interrupted);
    QVERIFY2(interrupted.error().message.contains(u"1 attachment"),
        qPrintable(interrupted.error().message));
    QVERIFY(!decoder.isWaitingForAttachments());
    const auto next = decoder.addText(R"(2["b"])");
    QVERIFY(next && next->has_value());
}

void TestSocketIoCodec::binary_unannounced_isAnError()
{
    PacketDecoder decoder;
    const auto packet = decoder.addBinary("x");
    QVERIFY(!packet);
    QCOMPARE(packet.error().kind, ErrorKind::Protocol);
}

void TestSocketIoCodec::limits_attachmentBytes_areCounted()
{
    DecodeLimits limits;
    limits.maxAttachmentBytes = 10;
    limits.maxTextBytes = 100;
    PacketDecoder decoder(limits);
    QVERIFY(
        decoder.addText(R"(52-["a",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}])"));
    QVERIFY(!decoder.addBinary(QByteArray(11, 'x')));
    const auto rest = decoder.addBinary("y");
    QVERIFY(rest && !rest->has_value());
    const auto tooLong = decoder.addText("2[\"" + QByteArray(100, 'x') + "\"]");
    QVERIFY(!tooLong);
    QVERIFY(tooLong.error().message.contains(u"limit of 100"));
}

void TestSocketIoCodec::limits_depth_bothWays()
{
    const auto nested = [](int depth) {
        return R"(2["a",)" + QByteArray(depth, '[') + QByteArray(depth, ']') + "]";
    };
    const auto deepest = decoded(nested(kMaxJsonDepth - 1));
    QVERIFY(deepest);
    QCOMPARE(encoded(*deepest), nested(kMaxJsonDepth - 1));
    QVERIFY(!decoded(nested(kMaxJsonDepth)));
    QVERIFY(!decoded(nested(1000000)));
    // Brackets inside text do not count.
    const QByteArray text = "2[\"a\",\"" + QByteArray(1000, '[') + "\\\"[\"]";
    QVERIFY(decoded(text));

    QJsonArray deep;
    for (int i = 0; i < kMaxJsonDepth; ++i) {
        deep = QJsonArray { deep };
    }
    const auto refused = encodePacket({ PacketType::Event, u"/"_s, {}, u"a"_s, deep });
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Usage);
}

void TestSocketIoCodec::encode_refusesWhatServersWouldCutFor()
{
    const auto refusal = [](const Packet &packet) {
        const auto frames = encodePacket(packet);
        return frames ? ErrorKind::Internal : frames.error().kind;
    };
    QCOMPARE(refusal({ PacketType::Event, u"/"_s, {}, u"connect"_s }), ErrorKind::Usage);
    QCOMPARE(refusal({ PacketType::Event, u"/"_s, {}, u"disconnect"_s }), ErrorKind::Usage);
    QCOMPARE(refusal({ PacketType::Event, u"/a,b"_s, {}, u"x"_s }), ErrorKind::Usage);
    QCOMPARE(refusal({ PacketType::Event, u"a"_s, {}, u"x"_s }), ErrorKind::Usage);
    QCOMPARE(refusal({ PacketType::Event, u"/"_s, -1, u"x"_s }), ErrorKind::Usage);
    QCOMPARE(refusal({ PacketType::Ack, u"/"_s }), ErrorKind::Usage);
    Payload unnamed;
    unnamed.attachments = { "lost" };
    QCOMPARE(refusal({ PacketType::Event, u"/"_s, {}, u"x"_s, unnamed }), ErrorKind::Usage);
    QVERIFY(encodePacket({ PacketType::Event, u"/"_s, {}, u"error"_s }));
}

void TestSocketIoCodec::payload_refusesWhatJsonCannotSay()
{
    QCborMap numberKey;
    numberKey.insert(1, 2);
    QVERIFY(!Payload::fromValues({ numberKey }));
    QVERIFY(!Payload::fromValues({ std::nan("") }));
    QVERIFY(!Payload::fromValues({ std::numeric_limits<double>::infinity() }));
    QVERIFY(!Payload::fromValues({ QCborValue(QCborSimpleType(99)) }));
    QCborArray deep;
    for (int i = 0; i < kMaxJsonDepth; ++i) {
        deep = QCborArray { deep };
    }
    QVERIFY(!Payload::fromValues(deep));
    const auto undefined = Payload::fromValues({ QCborValue(QCborValue::Undefined) });
    QVERIFY(undefined);
    QCOMPARE(undefined->args, QJsonArray { QJsonValue::Null });
}

QTEST_APPLESS_MAIN(TestSocketIoCodec)
#include "tst_socketio_codec.moc"
