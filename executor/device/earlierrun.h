// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/device/outbox.h"
#include "executor/tasks/journal.h"

#include <QHash>
#include <QObject>
#include <QSet>

namespace deskhand::device {

/// What an earlier run of the program left unsaid: its stored messages go out again, and each turn
/// that died with it gets the rest of its text and one error "interrupted". Reads the journal once,
/// as soon as it answers. Owned by the link, lives on the executor thread; both rooms outlive it.
class EarlierRun final : public QObject
{
    Q_OBJECT
public:
    EarlierRun(tasks::Journal &journal, Outbox &outbox, QObject *parent = nullptr);

    /// The journal may be opened already, or later.
    void begin();
    /// Key of the configured server: what belongs to another one is dropped. Empty: none yet.
    void setServer(const QString &server) { m_server = server; }
    /// This run's own messages, which the reading gives back as well.
    void noteStored(const tasks::OutboxEntry &entry);
    void noteRemoved(const engines::TurnRef &ref, qint64 seq) { m_stored.remove({ ref, seq }); }

private:
    void read();
    void onUnsentLoaded(const QList<tasks::OutboxEntry> &entries);
    void onInterrupted(const QList<tasks::InterruptedTurn> &turns);
    void finishDead(const tasks::InterruptedTurn &turn, const TurnAddress &address);
    [[nodiscard]] bool isOfThisServer(const TurnAddress &address) const;

    tasks::Journal &m_journal;
    Outbox &m_outbox;
    QString m_server;
    bool m_wasRead = false;
    QSet<std::pair<engines::TurnRef, qint64>> m_stored; ///< before the reading
    QHash<engines::TurnRef, SentPosition> m_positions; ///< of the turns that may have died
};

} // namespace deskhand::device
