// SPDX-License-Identifier: Apache-2.0
#include "executor/device/outbox.h"

#include "executor/common/ids.h"
#include "executor/common/jsonreader.h"
#include "executor/common/textlimits.h"
#include "executor/device/linkrules.h"
#include "executor/logging/log.h"

#include <QDateTime>
#include <QElapsedTimer>

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

constexpr int kResponseIdBytes = 12;
constexpr qint64 kSmallestPacketBytes = 1024; // nothing is cut below it

std::shared_ptr<spdlog::logger> log()
{
    return logging::logger("device");
}

/// The delta without its first `points` characters, of which the receiver has some already.
ChatEvent restAfter(ChatEvent event, qint64 points)
{
    qsizetype unit = 0;
    for (; event.offset < points && unit < event.text.size(); ++event.offset) {
        unit += event.text.at(unit).isHighSurrogate() && unit + 1 < event.text.size() ? 2 : 1;
    }
    event.text.remove(0, unit);
    return event;
}

} // namespace

QByteArray SentPosition::toBytes() const
{
    return json::compact(
        { { u"position"_s, QJsonObject { { u"text"_s, text }, { u"reasoning"_s, reasoning } } } });
}

std::optional<SentPosition> SentPosition::fromBytes(const QByteArray &bytes)
{
    const auto object = json::parseObject(bytes);
    if (!object || !object->value(u"position"_s).isObject()) {
        return std::nullopt;
    }
    const QJsonObject position = object->value(u"position"_s).toObject();
    return SentPosition { position.value(u"text"_s).toInteger(),
        position.value(u"reasoning"_s).toInteger() };
}

struct Outbox::Turn
{
    explicit Turn(const TurnAddress &address)
        : queue(address)
        , ref(address.ref())
    { }
    TurnQueue queue;
    engines::TurnRef ref;
    std::unique_ptr<ChatEncoder> encoder; ///< absent for restored packets
    QTimer window;
    bool held = false; ///< nothing goes out yet
    QElapsedTimer sinceDelta; ///< invalid: none was sent yet
    std::optional<SentPosition> arrived; ///< of a turn of this run; stored
};

Outbox::Outbox(OutboxStore store, OutboxTimes times, QObject *parent)
    : QObject(parent)
    , m_store(std::move(store))
    , m_times(times)
{ }

Outbox::Turn &Outbox::turnFor(const TurnAddress &address)
{
    const engines::TurnRef ref = address.ref();
    auto found = m_turns.find(ref);
    if (found == m_turns.end()) {
        auto turn = std::make_shared<Turn>(address);
        turn->window.setSingleShot(true);
        turn->window.setTimerType(Qt::PreciseTimer);
        connect(&turn->window, &QTimer::timeout, this, [this, raw = turn.get()] { pump(*raw); });
        found = m_turns.insert(ref, turn);
    }
    return **found;
}

bool Outbox::begin(const TurnAddress &address, Sending sending)
{
    if (contains(address.ref())) {
        return false;
    }
    Turn &turn = turnFor(address);
    turn.held = sending == Sending::WhenReleased;
    turn.encoder = std::make_unique<ChatEncoder>(
        ChatTurn { address.taskId, address.subtaskId, address.model, address.shellType,
            QDateTime::currentSecsSinceEpoch(), u"resp_"_s + randomHex(kResponseIdBytes) });
    // The engine's own start says nothing to the chat plane; it only brings response.created.
    append(
        turn, turn.encoder->encode(engines::TurnStarted {}, QDateTime::currentMSecsSinceEpoch()));
    return true;
}

void Outbox::release(const engines::TurnRef &ref)
{
    if (const std::shared_ptr<Turn> turn = m_turns.value(ref); turn && turn->held) {
        turn->held = false;
        pump(*turn);
    }
}

void Outbox::encode(const engines::TurnRef &ref, const engines::TaskEvent &event)
{
    const auto found = m_turns.constFind(ref);
    if (found == m_turns.constEnd() || !(*found)->encoder || (*found)->encoder->isOver()) {
        return;
    }
    const std::shared_ptr<Turn> turn = *found;
    append(*turn, turn->encoder->encode(event, QDateTime::currentMSecsSinceEpoch()));
}

void Outbox::append(Turn &turn, const QList<ChatEvent> &events)
{
    if (events.isEmpty()) {
        return;
    }
    for (const ChatEvent &event : events) {
        turn.queue.append(event);
    }
    if (events.last().kind == ChatEvent::Kind::Ending) {
        store(turn);
    }
    Q_EMIT unsentChanged();
    pump(turn);
}

void Outbox::store(Turn &turn)
{
    if (std::exchange(turn.arrived, std::nullopt)) {
        m_store.remove(turn.ref, kPositionSeq); // the packets say the same from now on
    }
    for (const Packet &packet : turn.queue.seal(m_maxBytes)) {
        m_store.append({ turn.ref, packet.seq, packetToBytes(turn.queue.address(), packet) });
    }
}

void Outbox::restore(const StoredPacket &stored)
{
    Turn &turn = turnFor(stored.address);
    turn.queue.append(stored.packet);
    Q_EMIT unsentChanged();
    pump(turn);
}

void Outbox::sendAlone(const TurnAddress &address, const engines::TurnEnded &failure)
{
    // An encoder puts response.created first; alone means without it.
    ChatEncoder encoder({ address.taskId, address.subtaskId, {}, {}, 0, {} });
    const QList<ChatEvent> events = encoder.encode(failure, QDateTime::currentMSecsSinceEpoch());
    append(turnFor(address), events.last(1));
}

void Outbox::finishDead(const TurnAddress &address, const std::optional<SentPosition> &position,
    const QList<engines::TaskEvent> &story, const engines::TurnEnded &ending)
{
    ChatEncoder encoder({ address.taskId, address.subtaskId, address.model, address.shellType,
        QDateTime::currentSecsSinceEpoch(), u"resp_"_s + randomHex(kResponseIdBytes) });
    const SentPosition arrived = position.value_or(SentPosition {});
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    QList<ChatEvent> rest;
    const auto take = [&](const engines::TaskEvent &event) {
        const bool last = std::holds_alternative<engines::TurnEnded>(event);
        for (ChatEvent &chat : encoder.encode(event, now)) {
            if (chat.isDelta()) {
                const bool text = chat.kind == ChatEvent::Kind::Text;
                chat = restAfter(std::move(chat), text ? arrived.text : arrived.reasoning);
                if (!chat.text.isEmpty()) {
                    rest.append(chat);
                }
            } else if (last || (!position && chat.kind == ChatEvent::Kind::Plain)) {
                // Blocks are not told again, but those that were open are closed with the ending.
                rest.append(chat);
            }
        }
    };
    for (const engines::TaskEvent &event : story) {
        if (!std::holds_alternative<engines::TurnEnded>(event)) {
            take(event);
        }
    }
    take(ending);
    Turn &turn = turnFor(address);
    append(turn, rest);
    m_store.remove(turn.ref, kPositionSeq);
}

void Outbox::drop(const engines::TurnRef &ref)
{
    const std::shared_ptr<Turn> turn = m_turns.take(ref);
    if (!turn) {
        return;
    }
    if (turn->arrived) {
        m_store.remove(ref, kPositionSeq);
    }
    // Whatever was stored is not wanted any more either.
    turn->queue.retract();
    while (const Packet *packet = turn->queue.take(m_maxBytes)) {
        if (packet->seq > 0) {
            m_store.remove(ref, packet->seq);
        }
        turn->queue.finish();
    }
    Q_EMIT unsentChanged();
    if (m_turns.isEmpty()) {
        Q_EMIT emptied();
    }
}

void Outbox::keepOnly(const QString &server)
{
    const QList<engines::TurnRef> refs = m_turns.keys();
    for (const engines::TurnRef &ref : refs) {
        if (m_turns.value(ref)->queue.address().server != server) {
            log()->warn("what task {} still had to say belongs to another server and is dropped",
                ref.taskId);
            drop(ref);
        }
    }
}

bool Outbox::contains(const engines::TurnRef &ref) const
{
    return m_turns.contains(ref);
}

QList<TurnAddress> Outbox::openTurns() const
{
    QList<TurnAddress> open;
    for (const auto &turn : m_turns) {
        if (turn->encoder && !turn->encoder->isOver()) {
            open.append(turn->queue.address());
        }
    }
    return open;
}

void Outbox::open(const Channel &channel, qint64 maxBytes)
{
    ++m_generation;
    m_channel = channel;
    m_maxBytes = std::min(kMaxPacketBytes, maxBytes);
    const QList<std::shared_ptr<Turn>> turns = m_turns.values();
    for (const std::shared_ptr<Turn> &turn : turns) {
        turn->queue.retract();
        pump(*turn);
    }
}

void Outbox::close(bool suspicious)
{
    if (!m_channel) {
        return;
    }
    ++m_generation;
    m_channel = nullptr;
    std::shared_ptr<Turn> suspect;
    const QList<std::shared_ptr<Turn>> turns = m_turns.values();
    for (const std::shared_ptr<Turn> &turn : turns) {
        turn->window.stop();
        if (!turn->queue.isSending()) {
            continue;
        }
        if (!suspect || suspect->queue.underWay()->bytes < turn->queue.underWay()->bytes) {
            suspect = turn;
        }
        turn->queue.retract();
    }
    if (suspicious && suspect) {
        blame(*suspect);
    }
}

void Outbox::blame(Turn &turn)
{
    if (const auto reason = turn.queue.blame()) {
        ++m_setAside;
        log()->error("{}", *reason);
        finishPacket(turn);
    }
}

void Outbox::pump(Turn &turn)
{
    if (!m_channel || turn.held || turn.queue.isSending() || turn.queue.isEmpty()) {
        return;
    }
    if (turn.queue.mayWait() && turn.sinceDelta.isValid()) {
        // Timers know whole milliseconds: the last part of one is not worth another round.
        const auto passed = std::chrono::nanoseconds(turn.sinceDelta.nsecsElapsed());
        const auto left = std::chrono::floor<std::chrono::milliseconds>(m_times.window - passed);
        if (left.count() > 0) {
            if (!turn.window.isActive()) {
                turn.window.start(left);
            }
            return;
        }
    }
    turn.window.stop();
    if (const Packet *packet = turn.queue.take(m_maxBytes)) {
        send(turn, *packet);
    }
}

void Outbox::send(Turn &turn, const Packet &packet)
{
    if (packet.kind == ChatEvent::Kind::Text || packet.kind == ChatEvent::Kind::Reasoning) {
        turn.sinceDelta.start();
    }
    const auto answered
        = [this, ref = turn.ref, generation = m_generation](const Result<QJsonObject> &answer) {
              onAnswer(ref, generation, answer);
          };
    const Result<> sent = m_channel(packet.name,
        turn.queue.address().envelope(packet.name, packet.data), m_times.ackLimit, answered);
    if (sent) {
        return;
    }
    turn.queue.retract();
    if (sent.error().kind == ErrorKind::Usage) {
        // Later, so that no turn vanishes while somebody up the stack still holds it.
        QMetaObject::invokeMethod(
            this, [this, ref = turn.ref, text = sent.error().message] { onUnsayable(ref, text); },
            Qt::QueuedConnection);
    }
    // Otherwise the link is going down; the next one takes the packet again.
}

void Outbox::onUnsayable(const engines::TurnRef &ref, const QString &problem)
{
    const std::shared_ptr<Turn> turn = m_turns.value(ref);
    if (!turn || turn->queue.isSending() || turn->queue.underWay() == nullptr) {
        return;
    }
    // Larger than this server takes: half of it surely gets smaller, down to a floor.
    const qint64 half = turn->queue.underWay()->bytes / 2;
    if (half > kSmallestPacketBytes) {
        turn->queue.cutUnderWay(half);
    } else {
        ++m_setAside;
        log()->error("{} of task {} cannot be sent and was set aside: {}",
            turn->queue.underWay()->name, ref.taskId, problem);
        finishPacket(*turn);
    }
    pump(*turn);
}

void Outbox::onAnswer(
    const engines::TurnRef &ref, quint64 generation, const Result<QJsonObject> &answer)
{
    const std::shared_ptr<Turn> turn = m_turns.value(ref);
    if (!turn || generation != m_generation || !turn->queue.isSending()) {
        return;
    }
    if (!answer && answer.error().kind == ErrorKind::Timeout) {
        blame(*turn);
        Q_EMIT channelSuspect(u"The server did not acknowledge a message; connecting again."_s);
        return;
    }
    if (!answer) {
        turn->queue.retract();
        return;
    }
    const auto problem = answerProblem(*answer);
    if (problem == u"Not authenticated or not registered"_s) {
        turn->queue.retract();
        Q_EMIT channelSuspect(u"The server has forgotten this device; connecting again."_s);
        return;
    }
    if (problem) {
        // Sent again it would be refused again: the rest of the turn goes on without it.
        ++m_rejected;
        log()->warn("the server refused {} of task {}: {}", turn->queue.underWay()->name,
            ref.taskId, *problem);
    }
    noteArrived(*turn);
    finishPacket(*turn);
    pump(*turn);
    removeIfDone(ref);
}

/// The packet under way has its answer: what a later run must not say again.
void Outbox::noteArrived(Turn &turn)
{
    const Packet *packet = turn.queue.underWay();
    if (packet == nullptr || !turn.encoder || turn.encoder->isOver()) {
        return;
    }
    const bool text = packet->kind == ChatEvent::Kind::Text;
    if (!text && packet->kind != ChatEvent::Kind::Reasoning && turn.arrived) {
        return;
    }
    SentPosition position = turn.arrived.value_or(SentPosition {});
    const qint64 end = packet->data.value(u"offset"_s).toInteger()
        + codePointCount(packet->data.value(u"delta"_s).toString());
    if (text) {
        position.text = end;
    } else if (packet->kind == ChatEvent::Kind::Reasoning) {
        position.reasoning = end;
    }
    turn.arrived = position;
    m_store.append({ turn.ref, kPositionSeq, position.toBytes() });
}

void Outbox::finishPacket(Turn &turn)
{
    if (const Packet *packet = turn.queue.underWay(); packet != nullptr && packet->seq > 0) {
        m_store.remove(turn.ref, packet->seq);
    }
    turn.queue.finish();
    Q_EMIT unsentChanged();
    removeIfDone(turn.ref);
}

void Outbox::removeIfDone(const engines::TurnRef &ref)
{
    const std::shared_ptr<Turn> turn = m_turns.value(ref);
    if (!turn || !turn->queue.isEmpty() || (turn->encoder && !turn->encoder->isOver())) {
        return;
    }
    m_turns.remove(ref);
    turn->window.disconnect(this);
    if (m_turns.isEmpty()) {
        Q_EMIT emptied();
    }
}

int Outbox::unsent() const
{
    int count = 0;
    for (const auto &turn : m_turns) {
        count += turn->queue.size();
    }
    return count;
}

bool Outbox::isEmpty() const
{
    return unsent() == 0;
}

} // namespace deskhand::device
