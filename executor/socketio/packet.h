// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QCborArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QList>
#include <QString>

#include <optional>

namespace deskhand::socketio {

/// Arguments of an event or an acknowledgement: JSON, and beside it the binary attachments that
/// placeholders (`{"_placeholder":true,"num":N}`) anywhere in the JSON stand for. Without
/// attachments such an object is ordinary data. Whole numbers within 64 bits stay exact; a double
/// without a fraction is a whole number in JSON. Value type, any thread.
struct Payload
{
    QJsonArray args;
    QList<QByteArray> attachments = {};

    Payload() = default;
    Payload(const QJsonArray &arguments); // NOLINT: a plain list of arguments is a payload
    Payload(const QJsonObject &argument); // NOLINT: so is the one object most events carry

    /// Takes byte strings anywhere in the tree out as attachments, in the order of a walk from
    /// left to right. Usage error for what JSON cannot say (keys that are no strings, tags,
    /// simple types, NaN and infinities) and for a tree deeper than `kMaxJsonDepth`.
    [[nodiscard]] static Result<Payload> fromValues(const QCborArray &values);
    /// The arguments with each attachment back in its place as a byte string.
    [[nodiscard]] QCborArray values() const;

    /// First argument as an object, empty when there is none or it is something else.
    [[nodiscard]] QJsonObject object() const;

    friend bool operator==(const Payload &, const Payload &) = default;
};

/// Arrays and objects inside one another; deeper JSON is refused in both directions, so that no
/// recursive reader of it can exhaust a stack.
constexpr int kMaxJsonDepth = 200;

/// Engine.IO 4 packet types; the number is the first character of a text frame.
enum class EngineType {
    Open = 0,
    Close = 1,
    Ping = 2,
    Pong = 3,
    Message = 4,
    Upgrade = 5,
    Noop = 6
};

struct EnginePacket
{
    EngineType type = EngineType::Noop;
    QByteArrayView data = {}; ///< behind the type character; points into the decoded frame

    friend bool operator==(const EnginePacket &, const EnginePacket &) = default;
};

/// What the server announces in its open packet.
struct OpenInfo
{
    QString sid;
    qint64 pingIntervalMs = 0; ///< >= 1
    qint64 pingTimeoutMs = 0; ///< >= 1
    /// Largest frame in bytes the server takes; absent when it names none.
    std::optional<qint64> maxPayload = {};
};

/// Socket.IO 5 packet types. Binary events and acks are Event and Ack with attachments.
enum class PacketType { Connect, Disconnect, Event, Ack, ConnectError };

/// One Socket.IO packet. Value type, any thread.
struct Packet
{
    PacketType type = PacketType::Event;
    QString nsp = QStringLiteral("/"); ///< namespace; starts with '/', no comma
    std::optional<qint64> id = {}; ///< Ack always; Event when an answer is wanted; >= 0
    QString event = {}; ///< Event: its name
    Payload payload = {}; ///< Event (behind the name) and Ack
    QJsonValue data = QJsonValue::Undefined; ///< Connect: object or nothing; ConnectError: anything

    friend bool operator==(const Packet &, const Packet &) = default;
};

} // namespace deskhand::socketio
