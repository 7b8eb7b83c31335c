// SPDX-License-Identifier: Apache-2.0
#include "executor/device/outbox.h"

#include "executor/common/ids.h"
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

} // namespace

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
    QElapsedTimer sinceDelta; ///< invalid: none was sent yet
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

bool Outbox::begin(const TurnAddress &address)
{
    if (contains(address.ref())) {
        return false;
    }
    Turn &turn = turnFor(address);
    turn.encoder = std::make_unique<ChatEncoder>(
        ChatTurn { address.taskId, address.subtaskId, address.model, address.shellType,
            QDateTime::currentSecsSinceEpoch(), u"resp_"_s + randomHex(kResponseIdBytes) });
    // The engine's own start says nothing to the chat plane; it only brings response.created.
    append(
        turn, turn.encoder->encode(engines::TurnStarted {}, QDateTime::currentMSecsSinceEpoch()));
    return true;
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

void Outbox::drop(const engines::TurnRef &ref)
{
    const std::shared_ptr<Turn> turn = m_turns.take(ref);
    if (!turn) {
        return;
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
    if (!m_channel || turn.queue.isSending() || turn.queue.isEmpty()) {
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
    const QString problem = answer->value(u"error"_s).toString();
    if (problem == u"Not authenticated or not registered") {
        turn->queue.retract();
        Q_EMIT channelSuspect(u"The server has forgotten this device; connecting again."_s);
        return;
    }
    if (!problem.isEmpty()) {
        // Sent again it would be refused again: the rest of the turn goes on without it.
        ++m_rejected;
        log()->warn("the server refused {} of task {}: {}", turn->queue.underWay()->name,
            ref.taskId, problem);
    }
    finishPacket(*turn);
    pump(*turn);
    removeIfDone(ref);
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
