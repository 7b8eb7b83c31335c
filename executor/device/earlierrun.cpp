// SPDX-License-Identifier: Apache-2.0
#include "executor/device/earlierrun.h"

#include "executor/engines/turnendings.h"
#include "executor/logging/log.h"

#include <utility>

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

std::shared_ptr<spdlog::logger> log()
{
    return logging::logger("device");
}

} // namespace

EarlierRun::EarlierRun(tasks::Journal &journal, Outbox &outbox, QObject *parent)
    : QObject(parent)
    , m_journal(journal)
    , m_outbox(outbox)
{ }

void EarlierRun::begin()
{
    connect(&m_journal, &tasks::Journal::opened, this, &EarlierRun::read);
    read();
}

void EarlierRun::noteStored(const tasks::OutboxEntry &entry)
{
    if (!m_wasRead) {
        m_stored.insert({ entry.ref, entry.seq });
    }
}

bool EarlierRun::isOfThisServer(const TurnAddress &address) const
{
    return m_server.isEmpty() || address.server == m_server;
}

void EarlierRun::read()
{
    m_journal.outboxLoad(this, [this](const Result<QList<tasks::OutboxEntry>> &entries) {
        if (!entries) {
            log()->debug("what was not sent before cannot be read: {}", entries.error().message);
            return;
        }
        if (!std::exchange(m_wasRead, true)) {
            onUnsentLoaded(*entries);
            m_journal.interruptedTurns(
                this, [this](const Result<QList<tasks::InterruptedTurn>> &turns) {
                    if (turns) {
                        onInterrupted(*turns);
                    } else {
                        log()->warn("interrupted turns cannot be read: {}", turns.error().message);
                    }
                });
        }
    });
}

void EarlierRun::onUnsentLoaded(const QList<tasks::OutboxEntry> &entries)
{
    const auto own = std::exchange(m_stored, {});
    for (const tasks::OutboxEntry &entry : entries) {
        if (own.contains({ entry.ref, entry.seq })) {
            continue;
        }
        if (const auto position = SentPosition::fromBytes(entry.payload)) {
            m_positions.insert(entry.ref, *position);
            continue;
        }
        auto stored = packetFromBytes(entry.payload);
        if (!stored || !isOfThisServer(stored->address)) {
            log()->warn("an unsent message of task {} is dropped: {}", entry.ref.taskId,
                stored ? u"it belongs to another server"_s : stored.error().message);
            m_journal.outboxRemove(entry.ref, entry.seq);
            continue;
        }
        stored->packet.seq = entry.seq;
        m_outbox.restore(*stored);
    }
}

void EarlierRun::onInterrupted(const QList<tasks::InterruptedTurn> &turns)
{
    for (const tasks::InterruptedTurn &turn : turns) {
        const auto address = TurnAddress::fromJson(turn.echo);
        if (turn.origin == tasks::Origin::Backend && address && isOfThisServer(*address)
            && !m_outbox.contains(turn.ref)) {
            finishDead(turn, *address);
        } else {
            m_journal.interruptedTold(turn.ref);
        }
    }
    for (auto it = m_positions.cbegin(); it != m_positions.cend(); ++it) {
        m_journal.outboxRemove(it.key(), Outbox::kPositionSeq); // of turns that need none
    }
    m_positions.clear();
}

/// The text that an earlier run could not send any more, from the task's story, and the ending.
void EarlierRun::finishDead(const tasks::InterruptedTurn &turn, const TurnAddress &address)
{
    std::optional<SentPosition> position;
    if (m_positions.contains(turn.ref)) {
        position = m_positions.take(turn.ref);
    }
    const auto ended = engines::failedTurn(u"interrupted"_s, turn.message);
    m_journal.story(turn.ref.taskId, this,
        [this, ref = turn.ref, address, position, ended](
            const Result<QList<tasks::StoredEvent>> &story) {
            if (!isOfThisServer(address)) {
                return; // connected to another server meanwhile; the next start sees to it
            }
            QList<engines::TaskEvent> events;
            for (const tasks::StoredEvent &stored : story.value_or(QList<tasks::StoredEvent>())) {
                if (stored.ref == ref) {
                    events.append(stored.event);
                }
            }
            m_outbox.finishDead(address, position, events, ended);
            m_journal.interruptedTold(ref);
        });
}

} // namespace deskhand::device
