// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/socketio/packet.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QList>

#include <optional>

/// Pure translation between bytes and packets, by the public documents "The Engine.IO protocol,
/// version 4" and "The Socket.IO protocol, version 5". No input crashes it; every refusal is a
/// Protocol error (Usage on the sending side) that says what is wrong and never quotes content.
namespace deskhand::socketio {

struct DecodeLimits
{
    qint64 maxTextBytes = 32 * 1024 * 1024; ///< of one text frame
    qint64 maxAttachmentBytes = 64 * 1024 * 1024; ///< of all attachments of one packet
    int maxAttachments = 256; ///< of one packet
};

/// One text frame of Engine.IO.
[[nodiscard]] Result<EnginePacket> decodeEngine(QByteArrayView utf8);
[[nodiscard]] QByteArray encodeEngine(EngineType type, QByteArrayView data = {});
/// Content of the open packet.
[[nodiscard]] Result<OpenInfo> decodeOpen(QByteArrayView utf8);

/// The frames of one packet in the order they are sent.
struct Frames
{
    QByteArray text; ///< Engine.IO message frame, UTF-8
    QList<QByteArray> binary; ///< one frame per attachment

    [[nodiscard]] qint64 totalBytes() const;
    [[nodiscard]] qint64 largestFrame() const;
};
[[nodiscard]] Result<Frames> encodePacket(const Packet &packet);

/// Puts packets together from the content of Engine.IO message frames. After an error it is ready
/// for the next packet: the binary frames that belong to a refused header are swallowed.
/// One per connection, one thread.
class PacketDecoder
{
public:
    explicit PacketDecoder(const DecodeLimits &limits = {});

    /// Content of an Engine.IO message (behind its type character). Nothing yet when the packet
    /// waits for attachments.
    [[nodiscard]] Result<std::optional<Packet>> addText(QByteArrayView utf8);
    /// A binary frame. The packet when it was the last attachment.
    [[nodiscard]] Result<std::optional<Packet>> addBinary(const QByteArray &bytes);
    [[nodiscard]] bool isWaitingForAttachments() const { return m_partial.has_value(); }

private:
    DecodeLimits m_limits;
    std::optional<Packet> m_partial; ///< header whose attachments are still coming
    qsizetype m_missing = 0; ///< attachments m_partial waits for
    qint64 m_attachmentBytes = 0; ///< of m_partial so far
    qsizetype m_skip = 0; ///< binary frames of a refused packet still to swallow
};

} // namespace deskhand::socketio
