// SPDX-License-Identifier: Apache-2.0
#include "executor/common/jsonreader.h"
#include "executor/logging/log.h"
#include "executor/tasks/journalstore_p.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSqlError>
#include <QSqlRecord>
#include <QUuid>

#include <array>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

// Result codes of SQLite, from its documentation.
constexpr int kSqliteCorrupt = 11;
constexpr int kSqliteConstraint = 19;
constexpr int kSqliteNotADatabase = 26;

constexpr int kKnownTurns = 20000;

/// Step n brings a database from version n to n + 1; a released step never changes.
const std::array kMigrations {
    QStringList {
        u"CREATE TABLE tasks (id TEXT PRIMARY KEY, origin TEXT NOT NULL, title TEXT NOT NULL,"
        " created_ms INTEGER NOT NULL, last_seq INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID"_s,
        u"CREATE TABLE turns (row INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL,"
        " turn TEXT NOT NULL, origin TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL,"
        " cwd TEXT NOT NULL, profile TEXT NOT NULL, model TEXT NOT NULL, error TEXT NOT NULL,"
        " created_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,"
        " last_event_ms INTEGER NOT NULL, request TEXT NOT NULL, echo TEXT NOT NULL,"
        " thread_id TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT '',"
        " untold INTEGER NOT NULL DEFAULT 0, UNIQUE (task, turn))"_s,
        u"CREATE INDEX turns_by_state ON turns (state)"_s,
        u"CREATE TABLE events (task TEXT NOT NULL, seq INTEGER NOT NULL, turn TEXT NOT NULL,"
        " time_ms INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (task, seq)) WITHOUT ROWID"_s,
        u"CREATE TABLE requests (id TEXT PRIMARY KEY, task TEXT NOT NULL, turn TEXT NOT NULL,"
        " json TEXT NOT NULL, raised_ms INTEGER NOT NULL, outcome TEXT NOT NULL DEFAULT '',"
        " decided_by TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '',"
        " decided_ms INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID"_s,
        u"CREATE INDEX requests_by_task ON requests (task)"_s,
        u"CREATE TABLE outbox (row INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL,"
        " turn TEXT NOT NULL, seq INTEGER NOT NULL, payload BLOB NOT NULL,"
        " UNIQUE (task, turn, seq))"_s,
        u"CREATE TABLE usage (day TEXT NOT NULL, model TEXT NOT NULL, input INTEGER NOT NULL,"
        " cached INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL,"
        " total INTEGER NOT NULL, PRIMARY KEY (day, model)) WITHOUT ROWID"_s,
    },
};

QString statement(JournalWrite::Kind kind)
{
    switch (kind) {
    case JournalWrite::Kind::InsertTask:
        return u"INSERT INTO tasks (id, origin, title, created_ms) VALUES (?, ?, ?, ?)"
               " ON CONFLICT (id) DO UPDATE SET title = CASE excluded.title WHEN '' THEN title"
               " ELSE excluded.title END"_s;
    case JournalWrite::Kind::InsertTurn:
        return u"INSERT INTO turns (task, turn, origin, title, state, cwd, profile, model, error,"
               " created_ms, started_ms, ended_ms, last_event_ms, request, echo)"
               " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"_s;
    case JournalWrite::Kind::UpdateTurn:
        return u"UPDATE turns SET state = ?, cwd = ?, profile = ?, model = ?, error = ?,"
               " started_ms = ?, ended_ms = ?, last_event_ms = ? WHERE task = ? AND turn = ?"_s;
    case JournalWrite::Kind::EndTurn:
        return u"UPDATE turns SET outcome = ? WHERE task = ? AND turn = ?"_s;
    case JournalWrite::Kind::SetThread:
        return u"UPDATE turns SET thread_id = ? WHERE task = ? AND turn = ?"_s;
    case JournalWrite::Kind::InsertEvent:
        return u"INSERT INTO events (task, seq, turn, time_ms, json) VALUES (?, ?, ?, ?, ?)"_s;
    case JournalWrite::Kind::RaiseLastSeq:
        return u"UPDATE tasks SET last_seq = max(last_seq, ?) WHERE id = ?"_s;
    case JournalWrite::Kind::InsertRequest:
        return u"INSERT OR REPLACE INTO requests (id, task, turn, json, raised_ms)"
               " VALUES (?, ?, ?, ?, ?)"_s;
    case JournalWrite::Kind::DecideRequest:
        return u"UPDATE requests SET outcome = ?, decided_by = ?, reason = ?, decided_ms = ?"
               " WHERE id = ?"_s;
    case JournalWrite::Kind::AddUsage:
        return u"INSERT INTO usage (day, model, input, cached, output, reasoning, total)"
               " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, model) DO UPDATE SET"
               " input = input + excluded.input, cached = cached + excluded.cached,"
               " output = output + excluded.output, reasoning = reasoning + excluded.reasoning,"
               " total = total + excluded.total"_s;
    case JournalWrite::Kind::OutboxAppend:
        return u"INSERT INTO outbox (task, turn, seq, payload) VALUES (?, ?, ?, ?)"
               " ON CONFLICT (task, turn, seq) DO UPDATE SET payload = excluded.payload"_s;
    case JournalWrite::Kind::OutboxRemove:
        return u"DELETE FROM outbox WHERE task = ? AND turn = ? AND seq = ?"_s;
    case JournalWrite::Kind::OutboxClear:
        return u"DELETE FROM outbox WHERE task = ? AND turn = ?"_s;
    case JournalWrite::Kind::InterruptedTold:
        break;
    }
    return u"UPDATE turns SET untold = 0 WHERE task = ? AND turn = ?"_s;
}

JournalStore::Failure toFailure(const QSqlError &error)
{
    const int code = error.nativeErrorCode().toInt() & 0xff; // extended codes carry it low
    const bool damaged = code == kSqliteCorrupt || code == kSqliteNotADatabase;
    return { damaged ? JournalStore::Trouble::Damaged : JournalStore::Trouble::Disk,
        error.databaseText().isEmpty() ? error.driverText() : error.databaseText() };
}

tl::unexpected<JournalStore::Failure> failed(const QSqlError &error)
{
    return tl::unexpected(toFailure(error));
}

/// A null QString would become NULL; the columns know only empty texts.
QVariant bindable(const QVariant &value)
{
    return value.typeId() == QMetaType::QString && value.toString().isNull() ? QVariant(u""_s)
                                                                             : value;
}

QJsonObject objectIn(const QVariant &text)
{
    return json::parseObject(text.toString().toUtf8()).value_or(QJsonObject());
}

TaskSummary summaryIn(const QSqlQuery &row)
{
    TaskSummary summary;
    summary.taskId = row.value(0).toString();
    summary.turnId = row.value(1).toString();
    summary.origin = originFromName(row.value(2).toString()).value_or(Origin::Local);
    summary.title = row.value(3).toString();
    summary.state = taskStateFromName(row.value(4).toString()).value_or(TaskState::Interrupted);
    summary.cwd = row.value(5).toString();
    summary.profile = row.value(6).toString();
    summary.model = row.value(7).toString();
    summary.error = row.value(8).toString();
    summary.createdAtMs = row.value(9).toLongLong();
    summary.startedAtMs = row.value(10).toLongLong();
    summary.endedAtMs = row.value(11).toLongLong();
    summary.lastEventAtMs = row.value(12).toLongLong();
    return summary;
}

} // namespace

JournalStore::JournalStore()
    : m_connection(u"journal-"_s + QUuid::createUuid().toString(QUuid::WithoutBraces))
{ }

JournalStore::~JournalStore()
{
    close();
}

void JournalStore::close()
{
    m_prepared.clear();
    if (!m_db.isValid()) {
        return;
    }
    m_db.close();
    m_db = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_connection);
}

JournalStore::Outcome<> JournalStore::connectTo(const QString &name)
{
    close();
    m_db = QSqlDatabase::addDatabase(u"QSQLITE"_s, m_connection);
    m_db.setDatabaseName(name);
    m_db.setConnectOptions(u"QSQLITE_BUSY_TIMEOUT=2000"_s);
    if (!m_db.open()) {
        return failed(m_db.lastError());
    }
    return {};
}

JournalStore::Outcome<> JournalStore::openFile(const QString &file)
{
    const QFileInfo info(file);
    const QString folder = info.absolutePath();
    if (!QDir(folder).exists()) {
        if (!QDir().mkpath(folder)) {
            return tl::unexpected(Failure { Trouble::Disk, u"cannot create %1"_s.arg(folder) });
        }
        QFile::setPermissions(
            folder, QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
    }
    // Prompts and outputs are the owner's alone. SQLite gives its side files the same mode.
    QFile created(file);
    if (!created.open(QIODevice::ReadWrite, QFileDevice::ReadOwner | QFileDevice::WriteOwner)) {
        return tl::unexpected(Failure { Trouble::Disk, created.errorString() });
    }
    created.close();

    return connectTo(file)
        .and_then([this] { return exec(u"PRAGMA auto_vacuum = INCREMENTAL"_s); })
        .and_then([this] { return exec(u"PRAGMA journal_mode = WAL"_s); })
        // Commits survive the program's death; a power cut may take the last ones, never the file.
        .and_then([this] { return exec(u"PRAGMA synchronous = NORMAL"_s); })
        .and_then([this] { return migrate(); });
}

JournalStore::Outcome<> JournalStore::openMemory()
{
    return connectTo(u":memory:"_s).and_then([this] { return migrate(); });
}

JournalStore::Outcome<> JournalStore::migrate()
{
    auto version = select(u"PRAGMA user_version"_s);
    if (!version) {
        return tl::unexpected(version.error());
    }
    if (!version->next()) {
        return failed(version->lastError());
    }
    const auto stored = version->value(0).toULongLong();
    version->finish();
    if (stored > kMigrations.size()) {
        return tl::unexpected(Failure { Trouble::Newer, {} });
    }
    for (size_t step = stored; step < kMigrations.size(); ++step) {
        const auto done = inTransaction([this, step]() -> Outcome<> {
            for (const QString &sql : kMigrations.at(step)) {
                if (auto result = exec(sql); !result) {
                    return result;
                }
            }
            return exec(u"PRAGMA user_version = %1"_s.arg(step + 1));
        });
        if (!done) {
            return done;
        }
    }
    // A damaged file often shows only when its tables are read.
    for (const auto &table :
        { u"tasks"_s, u"turns"_s, u"events"_s, u"requests"_s, u"outbox"_s, u"usage"_s }) {
        auto rows = select(u"SELECT * FROM %1 LIMIT 1"_s.arg(table));
        if (!rows) {
            // The version is ours and the table is missing: not a file this program made.
            auto error = rows.error();
            error.trouble = error.text.contains("no such"_L1) ? Trouble::Damaged : error.trouble;
            return tl::unexpected(error);
        }
    }
    return {};
}

JournalStore::Outcome<> JournalStore::exec(const QString &sql)
{
    QSqlQuery query(m_db);
    if (!query.exec(sql)) {
        return failed(query.lastError());
    }
    return {};
}

JournalStore::Outcome<QSqlQuery> JournalStore::select(
    const QString &sql, const QVariantList &values)
{
    QSqlQuery query(m_db);
    query.setForwardOnly(true);
    if (!query.prepare(sql)) {
        return failed(query.lastError());
    }
    for (const QVariant &value : values) {
        query.addBindValue(bindable(value));
    }
    if (!query.exec()) {
        return failed(query.lastError());
    }
    return query;
}

JournalStore::Outcome<> JournalStore::inTransaction(const std::function<Outcome<>()> &work)
{
    if (!m_db.transaction()) {
        return failed(m_db.lastError());
    }
    auto done = work();
    if (done && !m_db.commit()) {
        done = failed(m_db.lastError());
    }
    if (!done) {
        m_db.rollback();
    }
    return done;
}

QSqlQuery &JournalStore::prepared(JournalWrite::Kind kind)
{
    const auto found = m_prepared.find(kind);
    if (found != m_prepared.end()) {
        return found->second;
    }
    QSqlQuery query(m_db);
    query.prepare(statement(kind));
    return m_prepared.emplace(kind, std::move(query)).first->second;
}

JournalStore::Outcome<> JournalStore::write(const QList<JournalWrite> &rows)
{
    return inTransaction([this, &rows]() -> Outcome<> {
        for (const JournalWrite &row : rows) {
            QSqlQuery &query = prepared(row.kind);
            for (qsizetype i = 0; i < row.values.size(); ++i) {
                query.bindValue(static_cast<int>(i), bindable(row.values.at(i)));
            }
            if (query.exec()) {
                continue;
            }
            const QSqlError error = query.lastError();
            if ((error.nativeErrorCode().toInt() & 0xff) == kSqliteConstraint) {
                logging::logger("tasks.journal")
                    ->error("a row was refused: {}", error.databaseText());
                continue;
            }
            m_prepared.erase(row.kind);
            return failed(error);
        }
        return {};
    });
}

JournalStore::Outcome<> JournalStore::endInterrupted(qint64 nowMs)
{
    return inTransaction([this, nowMs]() -> Outcome<> {
        // Local ones were shown at the start that found them; nobody else waits for news of them.
        if (auto done = exec(u"UPDATE turns SET untold = 0 WHERE untold = 1"
                             " AND origin = 'local'"_s);
            !done) {
            return done;
        }
        auto turns = select(u"SELECT t.task, t.turn, t.state, k.last_seq FROM turns t"
                            " JOIN tasks k ON k.id = t.task WHERE t.state IN ('queued',"
                            " 'preparing', 'running', 'waiting_for_you', 'stopping')"
                            " ORDER BY t.row"_s);
        if (!turns) {
            return tl::unexpected(turns.error());
        }
        QHash<QString, qint64> lastSeq;
        while (turns->next()) {
            const QString task = turns->value(0).toString();
            const QString turn = turns->value(1).toString();
            const bool began = turns->value(2).toString() != "queued"_L1;
            const qint64 seq = lastSeq.value(task, turns->value(3).toLongLong()) + 1;
            lastSeq.insert(task, seq);
            engines::TurnEnded ending;
            ending.outcome = engines::TurnOutcome::Failed;
            ending.errorCode = u"interrupted"_s;
            ending.errorMessage = began ? u"The program stopped while this turn was running."_s
                                        : u"The program stopped before this turn began."_s;
            const QByteArray event = json::compact(engines::toJson(engines::TaskEvent(ending)));
            const std::pair<QString, QVariantList> changes[] = {
                { u"UPDATE turns SET state = 'interrupted', outcome = 'failed', untold = 1,"
                  " error = ?, ended_ms = ? WHERE task = ? AND turn = ?"_s,
                    { ending.errorMessage, nowMs, task, turn } },
                { u"INSERT OR REPLACE INTO events (task, seq, turn, time_ms, json)"
                  " VALUES (?, ?, ?, ?, ?)"_s,
                    { task, seq, turn, nowMs, QString::fromUtf8(event) } },
                { u"UPDATE tasks SET last_seq = ? WHERE id = ?"_s, { seq, task } },
                { u"UPDATE requests SET outcome = 'withdrawn', reason = ?, decided_ms = ?"
                  " WHERE task = ? AND turn = ? AND outcome = ''"_s,
                    { ending.errorMessage, nowMs, task, turn } },
            };
            for (const auto &[sql, values] : changes) {
                if (auto done = select(sql, values); !done) {
                    return tl::unexpected(done.error());
                }
            }
        }
        return {};
    });
}

JournalStore::Outcome<> JournalStore::prune(qint64 beforeMs)
{
    const QString old = u"(SELECT task FROM turns GROUP BY task"
                        " HAVING min(ended_ms) > 0 AND max(ended_ms) < ?)"_s;
    const auto done = inTransaction([this, &old, beforeMs]() -> Outcome<> {
        for (const QString &sql : { u"DELETE FROM events WHERE task IN "_s + old,
                 u"DELETE FROM requests WHERE task IN "_s + old,
                 u"UPDATE turns SET request = '{}' WHERE request <> '{}' AND task IN "_s + old }) {
            if (auto one = select(sql, { beforeMs }); !one) {
                return tl::unexpected(one.error());
            }
        }
        return {};
    });
    return done.and_then([this] { return exec(u"PRAGMA incremental_vacuum(2000)"_s); });
}

JournalStore::Outcome<QHash<QString, qint64>> JournalStore::adopt(JournalStore &memory)
{
    QHash<QString, qint64> shift;
    const auto copy = [this, &memory](const QString &from, const QString &to,
                          const std::function<void(QVariantList &)> &change) -> Outcome<> {
        auto rows = memory.select(from);
        if (!rows) {
            return tl::unexpected(rows.error());
        }
        while (rows->next()) {
            QVariantList values;
            for (int i = 0; i < rows->record().count(); ++i) {
                values.append(rows->value(i));
            }
            change(values);
            if (auto done = select(to, values); !done) {
                return tl::unexpected(done.error());
            }
        }
        return {};
    };
    const auto nothing = [](QVariantList &) {
    };

    auto stored = this->memory();
    if (!stored) {
        return tl::unexpected(stored.error());
    }
    const auto done = inTransaction([&]() -> Outcome<> {
        return copy(u"SELECT id, origin, title, created_ms, last_seq FROM tasks"_s,
            u"INSERT INTO tasks (id, origin, title, created_ms, last_seq) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET last_seq = excluded.last_seq"_s,
            [&](QVariantList &values) {
                const QString task = values.at(0).toString();
                if (const qint64 last = stored->lastSeq.value(task); last > 0) {
                    shift.insert(task, last);
                    values[4] = values.at(4).toLongLong() + last;
                }
            })
            .and_then([&] {
                return copy(u"SELECT task, turn, origin, title, state, cwd, profile, model, error,"
                            " created_ms, started_ms, ended_ms, last_event_ms, request, echo,"
                            " thread_id, outcome, untold FROM turns ORDER BY row"_s,
                    u"INSERT OR REPLACE INTO turns (task, turn, origin, title, state, cwd, profile,"
                    " model, error, created_ms, started_ms, ended_ms, last_event_ms, request, echo,"
                    " thread_id, outcome, untold)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"_s,
                    nothing);
            })
            .and_then([&] {
                return copy(u"SELECT task, seq, turn, time_ms, json FROM events"_s,
                    u"INSERT OR REPLACE INTO events (task, seq, turn, time_ms, json)"
                    " VALUES (?, ?, ?, ?, ?)"_s,
                    [&](QVariantList &values) {
                        values[1]
                            = values.at(1).toLongLong() + shift.value(values.at(0).toString());
                    });
            })
            .and_then([&] {
                return copy(u"SELECT id, task, turn, json, raised_ms, outcome, decided_by, reason,"
                            " decided_ms FROM requests"_s,
                    u"INSERT OR REPLACE INTO requests (id, task, turn, json, raised_ms, outcome,"
                    " decided_by, reason, decided_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"_s,
                    nothing);
            })
            .and_then([&] {
                return copy(u"SELECT task, turn, seq, payload FROM outbox ORDER BY row"_s,
                    statement(JournalWrite::Kind::OutboxAppend), nothing);
            })
            .and_then([&] {
                return copy(u"SELECT day, model, input, cached, output, reasoning, total"
                            " FROM usage"_s,
                    statement(JournalWrite::Kind::AddUsage), nothing);
            });
    });
    if (!done) {
        return tl::unexpected(done.error());
    }
    return shift;
}

JournalStore::Outcome<JournalMemory> JournalStore::memory()
{
    JournalMemory memory;
    auto tasks = select(u"SELECT id, last_seq FROM tasks"_s);
    if (!tasks) {
        return tl::unexpected(tasks.error());
    }
    while (tasks->next()) {
        memory.lastSeq.insert(tasks->value(0).toString(), tasks->value(1).toLongLong());
    }
    auto turns
        = select(u"SELECT task, turn FROM turns ORDER BY row DESC LIMIT ?"_s, { kKnownTurns });
    if (!turns) {
        return tl::unexpected(turns.error());
    }
    while (turns->next()) {
        memory.turns.append({ turns->value(0).toString(), turns->value(1).toString() });
    }
    return memory;
}

JournalStore::Outcome<QList<TaskSummary>> JournalStore::history(int limit)
{
    auto rows = select(u"SELECT task, turn, origin, title, state, cwd, profile, model, error,"
                       " created_ms, started_ms, ended_ms, last_event_ms FROM turns"
                       " WHERE row IN (SELECT max(row) FROM turns GROUP BY task)"
                       " ORDER BY row DESC LIMIT ?"_s,
        { limit });
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    QList<TaskSummary> list;
    while (rows->next()) {
        list.append(summaryIn(*rows));
    }
    return list;
}

JournalStore::Outcome<std::optional<QList<StoredEvent>>> JournalStore::story(const QString &taskId)
{
    auto task = select(u"SELECT 1 FROM tasks WHERE id = ?"_s, { taskId });
    if (!task) {
        return tl::unexpected(task.error());
    }
    if (!task->next()) {
        return std::optional<QList<StoredEvent>>();
    }
    auto rows = select(
        u"SELECT turn, seq, time_ms, json FROM events WHERE task = ? ORDER BY seq"_s, { taskId });
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    QList<StoredEvent> list;
    while (rows->next()) {
        auto event = engines::taskEventFromJson(objectIn(rows->value(3)));
        if (!event) {
            logging::logger("tasks.journal")
                ->warn(
                    "a stored event of task {} cannot be read: {}", taskId, event.error().message);
            continue;
        }
        list.append({ { taskId, rows->value(0).toString() }, rows->value(1).toLongLong(),
            rows->value(2).toLongLong(), *std::move(event) });
    }
    return std::optional(std::move(list));
}

JournalStore::Outcome<QString> JournalStore::lastThread(const QString &taskId)
{
    auto rows = select(u"SELECT thread_id FROM turns WHERE task = ? AND thread_id <> ''"
                       " ORDER BY row DESC LIMIT 1"_s,
        { taskId });
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    return rows->next() ? rows->value(0).toString() : QString();
}

JournalStore::Outcome<QList<InterruptedTurn>> JournalStore::interruptedTurns()
{
    auto rows = select(
        u"SELECT task, turn, origin, echo, title, error FROM turns WHERE untold = 1 ORDER BY row"_s);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    QList<InterruptedTurn> list;
    while (rows->next()) {
        list.append({ { rows->value(0).toString(), rows->value(1).toString() },
            originFromName(rows->value(2).toString()).value_or(Origin::Local),
            objectIn(rows->value(3)), rows->value(4).toString(), rows->value(5).toString() });
    }
    return list;
}

JournalStore::Outcome<QList<OutboxEntry>> JournalStore::outbox()
{
    auto rows = select(u"SELECT task, turn, seq, payload FROM outbox ORDER BY row"_s);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    QList<OutboxEntry> list;
    while (rows->next()) {
        list.append({ { rows->value(0).toString(), rows->value(1).toString() },
            rows->value(2).toLongLong(), rows->value(3).toByteArray() });
    }
    return list;
}

JournalStore::Outcome<QList<UsageRow>> JournalStore::usage(const QDate &since)
{
    auto rows = select(u"SELECT day, model, input, cached, output, reasoning, total FROM usage"
                       " WHERE day >= ? ORDER BY day DESC, model"_s,
        { since.toString(Qt::ISODate) });
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    QList<UsageRow> list;
    while (rows->next()) {
        UsageRow row;
        row.day = QDate::fromString(rows->value(0).toString(), Qt::ISODate);
        row.model = rows->value(1).toString();
        row.usage.inputTokens = rows->value(2).toLongLong();
        row.usage.cachedInputTokens = rows->value(3).toLongLong();
        row.usage.outputTokens = rows->value(4).toLongLong();
        row.usage.reasoningTokens = rows->value(5).toLongLong();
        row.usage.totalTokens = rows->value(6).toLongLong();
        list.append(row);
    }
    return list;
}

} // namespace deskhand::tasks
