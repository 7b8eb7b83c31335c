// SPDX-License-Identifier: Apache-2.0
#include "executor/device/turnqueue.h"

#include "executor/common/jsonreader.h"

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

constexpr qint64 kEnvelopeBytes = 2048; // event name, ids, executor names, protocol header
constexpr qint64 kSmallBytes = 16 * 1024; // what surely passes any limit on the way
constexpr int kBreaksUntilBlamed = 2;
constexpr int kBreaksUntilGivenUp = 12; // for text and endings, which are not given up lightly
constexpr qsizetype kMaxFullBlocks = 256; // a long time without a link must not fill the memory
constexpr qint64 kShortBlockBytes = 2048;

QString kindName(ChatEvent::Kind kind)
{
    switch (kind) {
    case ChatEvent::Kind::Text:
        return u"text"_s;
    case ChatEvent::Kind::Reasoning:
        return u"reasoning"_s;
    case ChatEvent::Kind::Block:
        return u"block"_s;
    case ChatEvent::Kind::Ending:
        return u"ending"_s;
    case ChatEvent::Kind::Plain:
        break;
    }
    return u"plain"_s;
}

ChatEvent::Kind kindFromName(const QString &name)
{
    for (const auto kind : { ChatEvent::Kind::Text, ChatEvent::Kind::Reasoning,
             ChatEvent::Kind::Block, ChatEvent::Kind::Ending }) {
        if (name == kindName(kind)) {
            return kind;
        }
    }
    return ChatEvent::Kind::Plain;
}

bool isDelta(ChatEvent::Kind kind)
{
    return kind == ChatEvent::Kind::Text || kind == ChatEvent::Kind::Reasoning;
}

/// A delta packet as the event it was.
ChatEvent eventOf(const Packet &packet)
{
    ChatEvent event { packet.kind, packet.name, packet.data.value(u"delta"_s).toString(),
        packet.data.value(u"offset"_s).toInteger(), packet.data };
    event.body.remove(u"delta"_s);
    event.body.remove(u"offset"_s);
    return event;
}

Packet packetOf(const ChatEvent &event)
{
    Packet packet { event.kind, event.name, event.data(), 0, 0, 0 };
    packet.bytes = jsonBytes(packet.data);
    return packet;
}

} // namespace

QByteArray packetToBytes(const TurnAddress &address, const Packet &packet)
{
    return json::compact({ { u"address"_s, address.toJson() }, { u"kind"_s, kindName(packet.kind) },
        { u"name"_s, packet.name }, { u"data"_s, packet.data } });
}

Result<StoredPacket> packetFromBytes(const QByteArray &bytes)
{
    const auto object = json::parseObject(bytes);
    if (!object) {
        return tl::unexpected(object.error());
    }
    const auto inner = json::requireObject(*object, u"address");
    const auto name = json::requireString(*object, u"name");
    const auto data = json::requireObject(*object, u"data");
    if (!inner || !name || !data) {
        return tl::unexpected(!inner ? inner.error() : !name ? name.error() : data.error());
    }
    const auto address = TurnAddress::fromJson(*inner);
    if (!address) {
        return tl::unexpected(address.error());
    }
    StoredPacket stored { *address,
        { kindFromName(object->value(u"kind"_s).toString()), *name, *data, 0, 0, 0 } };
    stored.packet.bytes = jsonBytes(*data);
    return stored;
}

TurnQueue::TurnQueue(const TurnAddress &address)
    : m_address(address)
{ }

void TurnQueue::append(const ChatEvent &event)
{
    if (!m_events.empty() && mergeInto(m_events.back(), event)) {
        return;
    }
    m_events.push_back(event);
    if (event.kind == ChatEvent::Kind::Block && ++m_fullBlocks > kMaxFullBlocks) {
        shorten();
    }
}

void TurnQueue::append(const Packet &packet)
{
    m_lastSeq = std::max(m_lastSeq, packet.seq);
    m_packets.push_back(packet);
}

/// Shortens the oldest waiting block that is whole; endings and text are never shortened.
void TurnQueue::shorten()
{
    while (m_shortened < m_events.size()) {
        ChatEvent &event = m_events[m_shortened++];
        if (event.kind == ChatEvent::Kind::Block) {
            event.body = shrunkToFit(event.body, kShortBlockBytes);
            --m_fullBlocks;
            return;
        }
    }
}

QList<Packet> TurnQueue::seal(qint64 maxBytes)
{
    while (!m_events.empty()) {
        m_packets.push_back(form(maxBytes));
    }
    QList<Packet> numbered;
    const auto number = [this, &numbered](Packet &packet) {
        if (packet.seq == 0) {
            packet.seq = ++m_lastSeq;
            numbered.append(packet);
        }
    };
    if (m_current) {
        number(*m_current);
    }
    for (Packet &packet : m_packets) {
        number(packet);
    }
    return numbered;
}

bool TurnQueue::mayWait() const
{
    return !m_current && m_packets.empty() && m_events.size() == 1 && m_events.front().isDelta();
}

bool TurnQueue::isEmpty() const
{
    return !m_current && m_packets.empty() && m_events.empty();
}

int TurnQueue::size() const
{
    return static_cast<int>(m_packets.size() + m_events.size()) + (m_current ? 1 : 0);
}

Packet TurnQueue::form(qint64 maxBytes)
{
    const qint64 room = std::max(kShortBlockBytes, maxBytes - kEnvelopeBytes);
    ChatEvent event = std::move(m_events.front());
    m_events.pop_front();
    if (event.isDelta()) {
        ChatEvent rest = splitDelta(event, room);
        if (!rest.text.isEmpty()) {
            m_events.push_front(std::move(rest));
            return packetOf(event);
        }
    }
    if (m_shortened > 0) {
        --m_shortened;
    } else if (event.kind == ChatEvent::Kind::Block) {
        --m_fullBlocks;
    }
    if (event.isDelta()) {
        return packetOf(event);
    }
    Packet packet = packetOf(event);
    if (packet.bytes > room) {
        packet.data = shrunkToFit(packet.data, room);
        packet.bytes = jsonBytes(packet.data);
    }
    return packet;
}

const Packet *TurnQueue::take(qint64 maxBytes)
{
    if (m_sending) {
        return nullptr;
    }
    if (!m_current) {
        if (!m_packets.empty()) {
            m_current = std::move(m_packets.front());
            m_packets.pop_front();
        } else if (!m_events.empty()) {
            m_current = form(maxBytes);
        } else {
            return nullptr;
        }
    }
    m_sending = true;
    return &*m_current;
}

const Packet *TurnQueue::underWay() const
{
    return m_current ? &*m_current : nullptr;
}

void TurnQueue::finish()
{
    m_current.reset();
    m_sending = false;
}

void TurnQueue::retract()
{
    m_sending = false;
}

std::optional<QString> TurnQueue::blame()
{
    m_sending = false;
    if (!m_current || ++m_current->breaks < kBreaksUntilBlamed) {
        return std::nullopt;
    }
    if (m_current->bytes > kSmallBytes) {
        cutUnderWay(kSmallBytes);
        return std::nullopt;
    }
    const bool precious = isDelta(m_current->kind) || m_current->kind == ChatEvent::Kind::Ending
        || m_current->name == u"response.created";
    if (precious && m_current->breaks < kBreaksUntilGivenUp) {
        return std::nullopt;
    }
    return u"%1 of task %2 broke the connection %3 times and was set aside"_s.arg(m_current->name)
        .arg(m_address.taskId)
        .arg(m_current->breaks);
}

void TurnQueue::cutUnderWay(qint64 maxBytes)
{
    if (!m_current) {
        return;
    }
    Packet &packet = *m_current;
    const int breaks = packet.breaks;
    const qint64 seq = packet.seq;
    if (isDelta(packet.kind)) {
        ChatEvent event = eventOf(packet);
        const ChatEvent rest = splitDelta(event, maxBytes);
        packet = packetOf(event);
        if (!rest.text.isEmpty()) {
            // The stored copy goes when the last piece of it is known to have arrived.
            Packet later = packetOf(rest);
            later.seq = seq;
            m_packets.push_front(later);
        } else {
            packet.seq = seq;
        }
    } else {
        packet.data = shrunkToFit(packet.data, maxBytes);
        packet.bytes = jsonBytes(packet.data);
    }
    packet.breaks = breaks;
}

} // namespace deskhand::device
