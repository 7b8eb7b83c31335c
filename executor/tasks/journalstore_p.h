// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/tasks/journal.h"

#include <QHash>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QVariant>

#include <map>
#include <memory>
#include <optional>

namespace deskhand::tasks {

/// One change of the database.
struct JournalWrite
{
    enum class Kind {
        InsertTask,
        InsertTurn,
        UpdateTurn,
        EndTurn,
        SetThread,
        InsertEvent,
        RaiseLastSeq,
        InsertRequest,
        DecideRequest,
        AddUsage,
        OutboxAppend,
        OutboxRemove,
        OutboxClear,
        InterruptedTold
    };
    Kind kind = Kind::InsertEvent;
    QVariantList values;
    bool expendable = false; ///< may be given up when memory runs short (text runs)
};

/// What the executor thread must know of an opened database.
struct JournalMemory
{
    QHash<QString, qint64> lastSeq; ///< per task
    QList<engines::TurnRef> turns; ///< newest first, at most 20,000
};

/// The SQLite side of the journal: schema, statements, rows to structs. Owner: the worker. One
/// thread (journal) from construction to destruction.
class JournalStore
{
public:
    /// What a failure means for the one who called.
    enum class Trouble { Disk, Damaged, Newer };
    struct Failure
    {
        Trouble trouble = Trouble::Disk;
        QString text;
    };
    template <typename T = void> using Outcome = tl::expected<T, Failure>;

    JournalStore();
    ~JournalStore();
    Q_DISABLE_COPY_MOVE(JournalStore)

    [[nodiscard]] Outcome<> openFile(const QString &file);
    [[nodiscard]] Outcome<> openMemory();
    void close();

    /// All or nothing. A row the database refuses for its content is skipped and logged.
    [[nodiscard]] Outcome<> write(const QList<JournalWrite> &rows);
    /// Writes the ending of every turn that is still active.
    [[nodiscard]] Outcome<> endInterrupted(qint64 nowMs);
    [[nodiscard]] Outcome<> prune(qint64 beforeMs);
    /// Copies everything of `memory` into this (file) database, event numbers after the stored
    /// ones. The result is the shift per task.
    [[nodiscard]] Outcome<QHash<QString, qint64>> adopt(JournalStore &memory);

    [[nodiscard]] Outcome<JournalMemory> memory();
    [[nodiscard]] Outcome<QList<TaskSummary>> history(int limit);
    /// Nothing for a task that is not there.
    [[nodiscard]] Outcome<std::optional<QList<StoredEvent>>> story(const QString &taskId);
    [[nodiscard]] Outcome<QString> lastThread(const QString &taskId);
    [[nodiscard]] Outcome<QList<InterruptedTurn>> interruptedTurns();
    [[nodiscard]] Outcome<QList<OutboxEntry>> outbox();
    [[nodiscard]] Outcome<QList<UsageRow>> usage(const QDate &since);

private:
    [[nodiscard]] Outcome<> connectTo(const QString &name);
    [[nodiscard]] Outcome<> migrate();
    [[nodiscard]] Outcome<> exec(const QString &sql);
    [[nodiscard]] Outcome<QSqlQuery> select(const QString &sql, const QVariantList &values = {});
    [[nodiscard]] Outcome<> inTransaction(const std::function<Outcome<>()> &work);
    [[nodiscard]] QSqlQuery &prepared(JournalWrite::Kind kind);

    QString m_connection;
    QSqlDatabase m_db;
    std::map<JournalWrite::Kind, QSqlQuery> m_prepared;
};

} // namespace deskhand::tasks
