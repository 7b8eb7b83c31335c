// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/tasks/taskmanager.h"

#include <QByteArray>
#include <QDate>
#include <QObject>

#include <chrono>
#include <functional>
#include <memory>

namespace deskhand::tasks {

struct JournalOptions
{
    QString file; ///< database; empty: memory only, nothing survives the program
    std::chrono::milliseconds batchDelay { 200 }; ///< longest an ordinary row waits for its commit
    int batchRows = 256; ///< rows that are committed without waiting
    std::chrono::milliseconds coalesceDelay { 1000 }; ///< longest a run of text waits to be stored
    qsizetype coalesceChars = 16384; ///< text of one stored run, in UTF-16 units
    std::chrono::milliseconds retryDelay { 10000 }; ///< after a failed write or opening
    std::chrono::hours retention { 24 * 90 }; ///< events of finished tasks; 0 = for ever
    qsizetype memoryRows = 100000; ///< rows kept while the disk takes none; then deltas go first
};

/// One event of a task's story. Runs of text deltas come back as one delta with the number of the
/// last one, so that live events with a greater number continue the story without a gap.
struct StoredEvent
{
    engines::TurnRef ref;
    qint64 seq = 0; ///< from 1 per task
    qint64 timeMs = 0; ///< wall clock
    engines::TaskEvent event;
};

/// A turn that was active when the program died. The journal has already written its ending
/// (state interrupted, error code "interrupted"); its sender may have to be told.
struct InterruptedTurn
{
    engines::TurnRef ref;
    Origin origin = Origin::Local;
    QJsonObject echo;
    QString title;
    QString message; ///< for a person
};

/// One packet that still has to reach the backend. `seq` is the sender's; unique per turn.
struct OutboxEntry
{
    engines::TurnRef ref;
    qint64 seq = 0;
    QByteArray payload;
};

struct UsageRow
{
    QDate day; ///< UTC
    QString model;
    engines::Usage usage;
};

/// The store of everything that happened: tasks, turns, events, requests, the outbox, token counts
/// (SQLite, WAL). Owner: the facade. Lives on the executor thread and is used only there; the
/// database has its own thread ("journal"), so every call returns at once. Reads see all writes
/// called before them. Callbacks arrive on the executor thread unless `context` (an object of that
/// thread) is gone. Survives a killed program; a power cut may cost the last seconds.
/// Trouble with the disk never stops the program: it is told once by problem(), rows wait in
/// memory, writing is tried again.
class Journal final : public QObject
{
    Q_OBJECT
public:
    template <typename T> using Reply = std::function<void(const Result<T> &)>;

    explicit Journal(JournalOptions options, QObject *parent = nullptr);
    ~Journal() override; ///< closes when that has not happened; waits at most 5 s

    /// Opens or creates the database, migrates it, ends what a dead program left running, prunes.
    /// A damaged or newer database is renamed and named by problem(). opened() follows. Calls made
    /// meanwhile are kept in order.
    void open();
    /// Writes what is pending; closed() follows within about `limit`. Later calls do nothing, later
    /// reads answer Unavailable.
    void requestClose(std::chrono::milliseconds limit);

    // Writing, by the task manager.
    /// The request is stored without model keys, tokens and image data.
    void turnAccepted(const TurnRequest &request, const TaskSummary &summary);
    void turnChanged(const TaskSummary &summary);
    void threadKnown(const engines::TurnRef &ref, const QString &threadId);
    /// Gives the event its number in the task's story.
    qint64 appendEvent(const engines::TurnRef &ref, const engines::TaskEvent &event, qint64 timeMs);
    /// Stored promptly, with the state.
    void turnEnded(const TaskSummary &summary, const engines::TurnEnded &ending);
    void requestRaised(const engines::PermissionRequest &request);
    void requestDecided(const QString &requestId, engines::RequestOutcome outcome,
        const QString &by, const QString &reason, qint64 timeMs);
    void addUsage(const QDate &day, const QString &model, const engines::Usage &usage);

    // Outbox, by the device link. Stored promptly.
    void outboxAppend(const OutboxEntry &entry); ///< the same turn and seq again replaces
    void outboxRemove(const engines::TurnRef &ref, qint64 seq);
    void outboxClear(const engines::TurnRef &ref);
    /// In the order of appending.
    void outboxLoad(QObject *context, const Reply<QList<OutboxEntry>> &reply);

    /// True when this turn was accepted before, also in an earlier run of the program (known after
    /// opened(); the newest 20,000 turns).
    [[nodiscard]] bool knowsTurn(const engines::TurnRef &ref) const;

    // Reading.
    /// The latest turn of each task, newest first.
    void history(int limit, QObject *context, const Reply<QList<TaskSummary>> &reply);
    /// NotFound for a task that was never here.
    void story(const QString &taskId, QObject *context, const Reply<QList<StoredEvent>> &reply);
    /// The engine's conversation of the task, empty when there is none.
    void lastThread(const QString &taskId, QObject *context, const Reply<QString> &reply);
    /// Those whose sender has not been told yet, oldest first, also from earlier starts.
    void interruptedTurns(QObject *context, const Reply<QList<InterruptedTurn>> &reply);
    /// Calls back when everything handed over so far is stored, or cannot be.
    void settled(QObject *context, const std::function<void()> &done);
    /// The sender knows (its packet is in the outbox): not returned again.
    void interruptedTold(const engines::TurnRef &ref);
    /// Token counts of the days from `since` on, newest first.
    void usage(const QDate &since, QObject *context, const Reply<QList<UsageRow>> &reply);

Q_SIGNALS:
    void opened();
    /// Within appendEvent(), in the order of the story: what fronts show live.
    void eventAppended(const deskhand::tasks::StoredEvent &record);
    /// A sentence for a person, once per kind of trouble until it is over.
    void problem(const QString &sentence);
    /// What was kept in memory is on disk now.
    void recovered();
    void closed();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace deskhand::tasks

Q_DECLARE_METATYPE(deskhand::tasks::StoredEvent)
