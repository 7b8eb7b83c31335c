// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/device/chatevent.h"
#include "executor/device/taskrequest.h"

#include <QByteArray>

#include <deque>
#include <optional>

namespace deskhand::device {

/// One packet of a turn as it goes onto the wire, again and again until it is acknowledged.
struct Packet
{
    ChatEvent::Kind kind = ChatEvent::Kind::Plain;
    QString name;
    QJsonObject data;
    qint64 bytes = 0; ///< JSON of data
    qint64 seq = 0; ///< place in the stored outbox, 0 = not stored
    int breaks = 0; ///< links that were lost while it was under way
};

/// The form in which a packet survives the program.
[[nodiscard]] QByteArray packetToBytes(const TurnAddress &address, const Packet &packet);
struct StoredPacket
{
    TurnAddress address;
    Packet packet;
};
[[nodiscard]] Result<StoredPacket> packetFromBytes(const QByteArray &bytes);

/// What one turn still has to send, in order; at most one packet of it is under way. Pure: no
/// clock, no I/O. Owner: Outbox.
class TurnQueue
{
public:
    explicit TurnQueue(const TurnAddress &address);

    void append(const ChatEvent &event);
    void append(const Packet &packet); ///< restored, complete already

    /// Makes packets of everything that waits, the one under way included, and numbers those that
    /// have no number; gives the ones that got one. Used when the turn is over, to store them.
    [[nodiscard]] QList<Packet> seal(qint64 maxBytes);

    /// True when the only thing that waits is text that may still grow.
    [[nodiscard]] bool mayWait() const;
    [[nodiscard]] bool isEmpty() const; ///< nothing waits, nothing is under way
    [[nodiscard]] int size() const; ///< events that wait or are under way

    /// The packet to send now, already under way afterwards. Nothing when one is under way or
    /// nothing waits.
    [[nodiscard]] const Packet *take(qint64 maxBytes);
    [[nodiscard]] const Packet *underWay() const;
    [[nodiscard]] bool isSending() const { return m_sending; }
    /// The packet under way has its answer, or is given up.
    void finish();
    /// It has no answer: the next take() gives it again, unchanged.
    void retract();
    /// The link broke while it was under way. Gives a reason when it must not be tried again and
    /// was set aside; a large one is cut to smaller ones instead.
    [[nodiscard]] std::optional<QString> blame();
    /// The receiver takes no packet of this size: cuts it to at most `maxBytes`.
    void cutUnderWay(qint64 maxBytes);

    [[nodiscard]] const TurnAddress &address() const { return m_address; }

private:
    [[nodiscard]] Packet form(qint64 maxBytes);
    void shorten();

    TurnAddress m_address;
    std::deque<ChatEvent> m_events;
    std::deque<Packet> m_packets; ///< formed already; before m_events
    std::optional<Packet> m_current;
    bool m_sending = false;
    qint64 m_lastSeq = 0;
    qsizetype m_fullBlocks = 0; ///< blocks in m_events that were not shortened
    size_t m_shortened = 0; ///< m_events before this index are short already
};

} // namespace deskhand::device
