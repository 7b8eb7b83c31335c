// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/codec.h"

#include "executor/common/jsonreader.h"
#include "executor/socketio/placeholders.h"

#include <QJsonDocument>

#include <algorithm>
#include <array>
#include <limits>

using namespace Qt::StringLiterals;

namespace deskhand::socketio {

namespace {

// Digits of Socket.IO's packet types.
enum class WireType { Connect = 0, Disconnect, Event, Ack, ConnectError, BinaryEvent, BinaryAck };

constexpr qsizetype kMaxNamespaceBytes = 1024;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Reads leading digits of `rest` and removes them; nothing when there are none.
/// Protocol error above 2^63 - 1.
Result<std::optional<qint64>> takeNumber(QByteArrayView &rest, const QString &what)
{
    qsizetype length = 0;
    qint64 number = 0;
    while (length < rest.size() && isDigit(rest.at(length))) {
        const int digit = rest.at(length) - '0';
        if (number > (std::numeric_limits<qint64>::max() - digit) / 10) {
            return failure(ErrorKind::Protocol, u"%1 does not fit in 63 bits"_s.arg(what));
        }
        number = number * 10 + digit;
        ++length;
    }
    rest = rest.sliced(length);
    return length == 0 ? std::optional<qint64>() : std::optional<qint64>(number);
}

/// Nesting is counted on the text, before any recursive reader sees it.
Result<> checkDepth(QByteArrayView json, ErrorKind kind)
{
    int depth = 0;
    bool inString = false;
    for (qsizetype i = 0; i < json.size(); ++i) {
        const char c = json.at(i);
        if (inString) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                inString = false;
            }
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kMaxJsonDepth) {
                return failure(kind, u"JSON nested deeper than %1 levels"_s.arg(kMaxJsonDepth));
            }
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return {};
}

Result<QJsonDocument> parseJson(QByteArrayView utf8)
{
    if (auto depth = checkDepth(utf8, ErrorKind::Protocol); !depth) {
        return tl::unexpected(depth.error());
    }
    QJsonParseError error;
    auto text = QByteArray::fromRawData(utf8.data(), utf8.size());
    // Qt takes U+FEFF at the beginning of a string for a byte order mark and drops it.
    constexpr QByteArrayView kStringWithMark("\"\xef\xbb\xbf");
    if (text.contains(kStringWithMark)) {
        text.replace(kStringWithMark, "\"\\ufeff");
    }
    QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (error.error != QJsonParseError::NoError) {
        return failure(ErrorKind::Protocol,
            u"JSON at byte %1: %2"_s.arg(error.offset).arg(error.errorString()));
    }
    return document;
}

Result<QJsonArray> parseArray(QByteArrayView utf8, const QString &what)
{
    auto document = parseJson(utf8);
    if (!document) {
        return tl::unexpected(document.error().within(what));
    }
    if (!document->isArray()) {
        return failure(ErrorKind::Protocol, u"%1: the payload is not an array"_s.arg(what));
    }
    return document->array();
}

/// Any JSON value, also a bare string or number, which QJsonDocument does not read by itself.
Result<QJsonValue> parseValue(QByteArrayView utf8, const QString &what)
{
    QByteArray wrapped;
    wrapped.reserve(utf8.size() + 2);
    wrapped.append('[').append(utf8).append(']');
    auto array = parseArray(wrapped, what);
    if (!array) {
        return tl::unexpected(array.error());
    }
    if (array->size() != 1) {
        return failure(ErrorKind::Protocol, u"%1: the payload is not one value"_s.arg(what));
    }
    return array->at(0);
}

Result<Packet> decodeConnect(Packet packet, QByteArrayView rest)
{
    packet.type = PacketType::Connect;
    if (rest.isEmpty()) {
        return packet;
    }
    auto data = parseValue(rest, u"CONNECT packet"_s);
    if (!data) {
        return tl::unexpected(data.error());
    }
    if (!data->isObject()) {
        return failure(ErrorKind::Protocol, u"CONNECT packet: the payload is not an object"_s);
    }
    packet.data = *data;
    return packet;
}

Result<Packet> decodeEvent(Packet packet, QByteArrayView rest)
{
    packet.type = PacketType::Event;
    auto args = parseArray(rest, u"EVENT packet"_s);
    if (!args) {
        return tl::unexpected(args.error());
    }
    if (!args->at(0).isString()) {
        return failure(ErrorKind::Protocol, u"EVENT packet: the event's name is not a string"_s);
    }
    packet.event = args->takeAt(0).toString();
    packet.payload.args = std::move(*args);
    return packet;
}

Result<Packet> decodeAck(Packet packet, QByteArrayView rest)
{
    packet.type = PacketType::Ack;
    if (!packet.id) {
        return failure(ErrorKind::Protocol, u"ACK packet without an id"_s);
    }
    auto args = parseArray(rest, u"ACK packet"_s);
    if (!args) {
        return tl::unexpected(args.error());
    }
    packet.payload.args = std::move(*args);
    return packet;
}

Result<Packet> decodeConnectError(Packet packet, QByteArrayView rest)
{
    packet.type = PacketType::ConnectError;
    auto data = parseValue(rest, u"CONNECT_ERROR packet"_s);
    if (!data) {
        return tl::unexpected(data.error());
    }
    packet.data = *data;
    return packet;
}

/// What follows the type digit and the attachment count.
Result<Packet> decodeBody(WireType type, QByteArrayView rest)
{
    Packet packet;
    if (rest.startsWith('/')) {
        const qsizetype comma = rest.indexOf(',');
        const QByteArrayView nsp = comma < 0 ? rest : rest.first(comma);
        if (nsp.size() > kMaxNamespaceBytes) {
            return failure(ErrorKind::Protocol, u"the namespace is longer than 1024 bytes"_s);
        }
        // Replaced bytes would make it another, longer name.
        if (!nsp.isValidUtf8()) {
            return failure(ErrorKind::Protocol, u"the namespace is not UTF-8"_s);
        }
        packet.nsp = QString::fromUtf8(nsp);
        rest = comma < 0 ? QByteArrayView() : rest.sliced(comma + 1);
    }
    // Only events and their answers have ids; a refusal's data may begin with a digit.
    const bool mayHaveId = type != WireType::Connect && type != WireType::ConnectError;
    if (mayHaveId) {
        auto id = takeNumber(rest, u"the acknowledgement id"_s);
        if (!id) {
            return tl::unexpected(id.error());
        }
        packet.id = *id;
    }
    switch (type) {
    case WireType::Connect:
        return decodeConnect(std::move(packet), rest);
    case WireType::Disconnect:
        packet.type = PacketType::Disconnect;
        return packet;
    case WireType::Event:
    case WireType::BinaryEvent:
        return decodeEvent(std::move(packet), rest);
    case WireType::Ack:
    case WireType::BinaryAck:
        return decodeAck(std::move(packet), rest);
    case WireType::ConnectError:
        return decodeConnectError(std::move(packet), rest);
    }
    return failure(ErrorKind::Internal, u"unknown packet type"_s);
}

bool isReservedEvent(const QString &name)
{
    // socket.io-parser closes the connection on which a client sends one of these.
    static constexpr std::array kReserved { "connect"_L1, "connect_error"_L1, "disconnect"_L1,
        "disconnecting"_L1, "newListener"_L1, "removeListener"_L1 };
    return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

QByteArray toText(const QJsonArray &array)
{
    return QJsonDocument(array).toJson(QJsonDocument::Compact);
}

/// `["name",args...]` without copying the arguments into another array first.
QByteArray eventText(const QString &name, const QJsonArray &args)
{
    QByteArray text = toText({ name });
    if (!args.isEmpty()) {
        text.chop(1);
        text.append(',').append(QByteArrayView(toText(args)).sliced(1));
    }
    return text;
}

Result<> checkOutgoing(const Packet &packet)
{
    if (!packet.nsp.startsWith(u'/') || packet.nsp.contains(u',')) {
        return failure(ErrorKind::Usage, u"a namespace starts with '/' and has no comma"_s);
    }
    if (packet.id && *packet.id < 0) {
        return failure(ErrorKind::Usage, u"an acknowledgement id is not negative"_s);
    }
    if (packet.type == PacketType::Ack && !packet.id) {
        return failure(ErrorKind::Usage, u"an acknowledgement needs the id of its event"_s);
    }
    if (packet.type == PacketType::Event && isReservedEvent(packet.event)) {
        return failure(ErrorKind::Usage, u"the event name \"%1\" is reserved"_s.arg(packet.event));
    }
    return {};
}

} // namespace

Result<EnginePacket> decodeEngine(QByteArrayView utf8)
{
    if (utf8.isEmpty()) {
        return failure(ErrorKind::Protocol, u"empty Engine.IO packet"_s);
    }
    const char type = utf8.front();
    if (type < '0' || type > '6') {
        return failure(ErrorKind::Protocol, u"unknown Engine.IO packet type"_s);
    }
    return EnginePacket { static_cast<EngineType>(type - '0'), utf8.sliced(1) };
}

QByteArray encodeEngine(EngineType type, QByteArrayView data)
{
    QByteArray packet;
    packet.reserve(data.size() + 1);
    packet.append(static_cast<char>('0' + static_cast<int>(type))).append(data);
    return packet;
}

Result<OpenInfo> decodeOpen(QByteArrayView utf8)
{
    const auto wrong = [](const QString &what) {
        return failure(ErrorKind::Protocol, u"Engine.IO open packet: %1"_s.arg(what));
    };
    auto document = parseJson(utf8);
    if (!document) {
        return tl::unexpected(document.error().within(u"Engine.IO open packet"_s));
    }
    if (!document->isObject()) {
        return wrong(u"it is not an object"_s);
    }
    const QJsonObject object = document->object();
    OpenInfo info;
    auto sid = json::requireString(object, u"sid");
    if (!sid) {
        return wrong(sid.error().message);
    }
    info.sid = *sid;
    // Both together must fit a millisecond timer of 31 bits.
    constexpr qint64 kMaxMs = std::numeric_limits<qint32>::max() / 2;
    for (const auto &[key, target] : { std::pair(u"pingInterval"_s, &info.pingIntervalMs),
             std::pair(u"pingTimeout"_s, &info.pingTimeoutMs) }) {
        auto number = json::requireInt(object, key);
        if (!number) {
            return wrong(number.error().message);
        }
        if (*number < 1) {
            return wrong(u"%1 is below 1 ms"_s.arg(key));
        }
        *target = std::min(*number, kMaxMs);
    }
    auto maxPayload = json::optionalInt(object, u"maxPayload");
    if (!maxPayload) {
        return wrong(maxPayload.error().message);
    }
    if (*maxPayload && **maxPayload < 1) {
        return wrong(u"maxPayload is below 1 byte"_s);
    }
    info.maxPayload = *maxPayload;
    return info;
}

qint64 Frames::totalBytes() const
{
    qint64 total = text.size();
    for (const QByteArray &frame : binary) {
        total += frame.size();
    }
    return total;
}

qint64 Frames::largestFrame() const
{
    qint64 largest = text.size();
    for (const QByteArray &frame : binary) {
        largest = std::max<qint64>(largest, frame.size());
    }
    return largest;
}

Result<Frames> encodePacket(const Packet &packet)
{
    if (auto check = checkOutgoing(packet); !check) {
        return tl::unexpected(check.error());
    }
    const bool binary = !packet.payload.attachments.isEmpty();
    WireType type {};
    QByteArray body;
    switch (packet.type) {
    case PacketType::Connect:
        type = WireType::Connect;
        if (packet.data.isObject()) {
            body = QJsonDocument(packet.data.toObject()).toJson(QJsonDocument::Compact);
        }
        break;
    case PacketType::Disconnect:
        type = WireType::Disconnect;
        break;
    case PacketType::Event:
        type = binary ? WireType::BinaryEvent : WireType::Event;
        body = eventText(packet.event, packet.payload.args);
        break;
    case PacketType::Ack:
        type = binary ? WireType::BinaryAck : WireType::Ack;
        body = toText(packet.payload.args);
        break;
    case PacketType::ConnectError:
        type = WireType::ConnectError;
        body = toText({ packet.data }).sliced(1).chopped(1);
        break;
    }
    if (auto depth = checkDepth(body, ErrorKind::Usage); !depth) {
        return tl::unexpected(depth.error());
    }
    if (binary) {
        auto check = checkPlaceholders(packet.payload.args, packet.payload.attachments.size());
        if (!check) {
            return failure(ErrorKind::Usage, check.error().message);
        }
    }
    QByteArray text;
    text.reserve(body.size() + packet.nsp.size() + 32);
    text.append(static_cast<char>('0' + static_cast<int>(EngineType::Message)));
    text.append(static_cast<char>('0' + static_cast<int>(type)));
    if (binary) {
        text.append(QByteArray::number(packet.payload.attachments.size())).append('-');
    }
    if (packet.nsp != u"/") {
        text.append(packet.nsp.toUtf8()).append(',');
    }
    if (packet.id) {
        text.append(QByteArray::number(*packet.id));
    }
    text.append(body);
    return Frames { text, packet.payload.attachments };
}

PacketDecoder::PacketDecoder(const DecodeLimits &limits)
    : m_limits(limits)
{ }

Result<std::optional<Packet>> PacketDecoder::addText(QByteArrayView utf8)
{
    m_skip = 0;
    if (m_partial) {
        const qsizetype missing = m_missing;
        m_partial.reset();
        // The frames still to come belong to the packet given up, and so does this text.
        m_skip = missing;
        return failure(ErrorKind::Protocol,
            u"a text frame came while %1 attachments were missing"_s.arg(missing));
    }
    if (utf8.size() > m_limits.maxTextBytes) {
        return failure(ErrorKind::Protocol,
            u"a packet of %1 bytes is above the limit of %2"_s.arg(utf8.size())
                .arg(m_limits.maxTextBytes));
    }
    if (utf8.isEmpty()) {
        return failure(ErrorKind::Protocol, u"empty Socket.IO packet"_s);
    }
    if (utf8.front() < '0' || utf8.front() > '6') {
        return failure(ErrorKind::Protocol, u"unknown Socket.IO packet type"_s);
    }
    const auto type = static_cast<WireType>(utf8.front() - '0');
    QByteArrayView rest = utf8.sliced(1);
    const bool binary = type == WireType::BinaryEvent || type == WireType::BinaryAck;
    qint64 attachments = 0;
    if (binary) {
        auto count = takeNumber(rest, u"the attachment count"_s);
        if (!count) {
            return tl::unexpected(count.error());
        }
        if (!*count || !rest.startsWith('-')) {
            return failure(ErrorKind::Protocol, u"binary packet without an attachment count"_s);
        }
        attachments = **count;
        if (attachments > m_limits.maxAttachments) {
            m_skip = static_cast<qsizetype>(
                std::min<qint64>(attachments, std::numeric_limits<qint32>::max()));
            return failure(ErrorKind::Protocol,
                u"%1 attachments are above the limit of %2"_s.arg(attachments)
                    .arg(m_limits.maxAttachments));
        }
        rest = rest.sliced(1);
    }
    auto packet = decodeBody(type, rest);
    if (packet && binary) {
        if (auto check = checkPlaceholders(packet->payload.args, attachments); !check) {
            packet = tl::unexpected(check.error().within(u"binary packet"_s));
        }
    }
    if (!packet) {
        m_skip = attachments;
        return tl::unexpected(packet.error());
    }
    if (attachments == 0) {
        return std::optional<Packet>(std::move(*packet));
    }
    m_partial = std::move(*packet);
    m_missing = attachments;
    m_attachmentBytes = 0;
    return std::optional<Packet>();
}

Result<std::optional<Packet>> PacketDecoder::addBinary(const QByteArray &bytes)
{
    if (m_skip > 0) {
        --m_skip;
        return std::optional<Packet>();
    }
    if (!m_partial) {
        return failure(ErrorKind::Protocol, u"a binary frame came that no packet announced"_s);
    }
    m_attachmentBytes += bytes.size();
    --m_missing;
    if (m_attachmentBytes > m_limits.maxAttachmentBytes) {
        m_partial.reset();
        m_skip = m_missing;
        return failure(ErrorKind::Protocol,
            u"the attachments of a packet are above %1 bytes"_s.arg(m_limits.maxAttachmentBytes));
    }
    m_partial->payload.attachments.append(bytes);
    if (m_missing > 0) {
        return std::optional<Packet>();
    }
    std::optional<Packet> done = std::move(m_partial);
    m_partial.reset();
    return done;
}

} // namespace deskhand::socketio
