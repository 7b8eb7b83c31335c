// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/device/chatencoder.h"
#include "executor/device/turnqueue.h"
#include "executor/tasks/journal.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <memory>

namespace deskhand::device {

struct OutboxTimes
{
    std::chrono::milliseconds window { 25 }; ///< deltas of one turn go out at most this often
    std::chrono::milliseconds ackLimit { 20000 };
};

/// Where packets go. `answered` comes at most once: with the peer's answer, or an error.
using ChannelAnswer = std::function<void(const Result<QJsonObject> &)>;
using Channel = std::function<Result<>(const QString &event, const QJsonObject &payload,
    std::chrono::milliseconds limit, const ChannelAnswer &answered)>;

/// Where packets of turns that are over survive the program.
struct OutboxStore
{
    std::function<void(const tasks::OutboxEntry &)> append;
    std::function<void(const engines::TurnRef &, qint64 seq)> remove;
};

/// How much of a turn the backend has surely got. Survives the program, so that the rest can be
/// sent after it died.
struct SentPosition
{
    qint64 text = 0; ///< code points of the streamed text
    qint64 reasoning = 0;

    [[nodiscard]] QByteArray toBytes() const;
    /// Nothing for other stored entries.
    [[nodiscard]] static std::optional<SentPosition> fromBytes(const QByteArray &bytes);
};

/// Encodes the turns of backend tasks and sends them, each turn strictly in order with one packet
/// in doubt at most. Without a channel everything waits; an unanswered packet goes out again,
/// unchanged, when the next channel opens. Of a turn that runs only the position of what arrived
/// is stored, under the number kPositionSeq; its text is in the task's story. Owner: DeviceLink;
/// executor thread.
class Outbox final : public QObject
{
    Q_OBJECT
public:
    static constexpr qint64 kPositionSeq = 0; ///< packets count from 1

    explicit Outbox(OutboxStore store, OutboxTimes times = {}, QObject *parent = nullptr);

    enum class Sending { AtOnce, WhenReleased };
    /// A turn begins; what it says is encoded from now on. False when this turn is here already.
    bool begin(const TurnAddress &address, Sending sending = Sending::AtOnce);
    /// What the turn said since begin() goes out; nothing happens when it is not held back.
    void release(const engines::TurnRef &ref);
    void encode(const engines::TurnRef &ref, const engines::TaskEvent &event);
    /// Says nothing more about this turn, whatever is still waiting.
    void drop(const engines::TurnRef &ref);
    /// Drops turns of other servers than this one.
    void keepOnly(const QString &server);
    [[nodiscard]] bool contains(const engines::TurnRef &ref) const;
    /// Turns that have not ended.
    [[nodiscard]] QList<TurnAddress> openTurns() const;

    /// A packet that an earlier run of the program could not deliver.
    void restore(const StoredPacket &stored);
    /// One packet alone: an execute that could not be read, a turn that died with the program.
    void sendAlone(const TurnAddress &address, const engines::TurnEnded &failure);
    /// A turn that died with an earlier run: what it had said and the backend has not got, then its
    /// ending. `story` is everything of the turn; without a position nothing of it arrived.
    void finishDead(const TurnAddress &address, const std::optional<SentPosition> &position,
        const QList<engines::TaskEvent> &story, const engines::TurnEnded &ending);

    void open(const Channel &channel, qint64 maxBytes);
    /// The link is gone. With `suspicious` it broke without a reason of its own, so the largest
    /// packet under way is under suspicion.
    void close(bool suspicious);

    [[nodiscard]] int unsent() const;
    [[nodiscard]] bool isEmpty() const;
    [[nodiscard]] int setAside() const { return m_setAside; }
    [[nodiscard]] int rejected() const { return m_rejected; } ///< answered with an error

Q_SIGNALS:
    void unsentChanged();
    void emptied();
    /// The peer does not answer, or has forgotten us: register again.
    void channelSuspect(const QString &reason);

private:
    struct Turn;

    Turn &turnFor(const TurnAddress &address);
    void append(Turn &turn, const QList<ChatEvent> &events);
    void pump(Turn &turn);
    void send(Turn &turn, const Packet &packet);
    void onAnswer(
        const engines::TurnRef &ref, quint64 generation, const Result<QJsonObject> &answer);
    void onUnsayable(const engines::TurnRef &ref, const QString &problem);
    /// The packet under way is held to have broken the link.
    void blame(Turn &turn);
    void finishPacket(Turn &turn);
    void noteArrived(Turn &turn);
    void store(Turn &turn);
    void removeIfDone(const engines::TurnRef &ref);

    OutboxStore m_store;
    OutboxTimes m_times;
    Channel m_channel;
    qint64 m_maxBytes = kMaxPacketBytes;
    quint64 m_generation = 0; ///< of the channel; answers of earlier ones are ignored
    QHash<engines::TurnRef, std::shared_ptr<Turn>> m_turns;
    int m_setAside = 0;
    int m_rejected = 0;
};

} // namespace deskhand::device
