// SPDX-License-Identifier: Apache-2.0
#include "executor/common/jsonreader.h"
#include "executor/logging/log.h"
#include "executor/tasks/journalworker_p.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>

#include <utility>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

/// What an event adds to a run of text.
struct Piece
{
    TextRun::Kind kind = TextRun::Kind::Text;
    QString itemId;
    QString text;
};

std::optional<Piece> pieceOf(const engines::TaskEvent &event)
{
    if (const auto *delta = std::get_if<engines::TextDelta>(&event)) {
        return Piece { TextRun::Kind::Text, delta->itemId, delta->text };
    }
    if (const auto *reasoning = std::get_if<engines::ReasoningDelta>(&event)) {
        return Piece { TextRun::Kind::Reasoning, reasoning->itemId, reasoning->text };
    }
    const auto *progress = std::get_if<engines::ItemProgress>(&event);
    if (progress != nullptr && progress->changes.isEmpty()) {
        return Piece { TextRun::Kind::Output, progress->itemId, progress->outputDelta };
    }
    return std::nullopt;
}

engines::TaskEvent joined(const TextRun &run)
{
    switch (run.kind) {
    case TextRun::Kind::Text:
        return engines::TextDelta { run.itemId, run.text };
    case TextRun::Kind::Reasoning:
        return engines::ReasoningDelta { run.itemId, run.text };
    case TextRun::Kind::Output:
        break;
    }
    return engines::ItemProgress { run.itemId, run.text, {} };
}

qint64 nowMs()
{
    return QDateTime::currentMSecsSinceEpoch();
}

} // namespace

JournalWorker::JournalWorker(JournalOptions options)
    : m_options(std::move(options))
    , m_commitTimer(this)
    , m_runTimer(this)
    , m_retryTimer(this)
{
    m_commitTimer.setSingleShot(true);
    m_runTimer.setSingleShot(true);
    m_retryTimer.setSingleShot(true);
    connect(&m_commitTimer, &QTimer::timeout, this, &JournalWorker::commit);
    connect(&m_runTimer, &QTimer::timeout, this, &JournalWorker::storeAllRuns);
    connect(&m_retryTimer, &QTimer::timeout, this, &JournalWorker::retry);
}

JournalWorker::~JournalWorker() = default;

void JournalWorker::open()
{
    m_store = std::make_unique<JournalStore>();
    auto done = openStore(*m_store);
    if (!done && keepAside(done.error())) {
        done = openStore(*m_store);
    }
    if (!done) {
        useMemory(done.error());
    }
    Q_EMIT opened(m_store->memory().value_or(JournalMemory {}));
    commit();
}

JournalStore::Outcome<> JournalWorker::openStore(JournalStore &store)
{
    if (m_options.file.isEmpty()) {
        return store.openMemory();
    }
    return store.openFile(m_options.file)
        .and_then([&] { return store.endInterrupted(nowMs()); })
        .and_then([&]() -> JournalStore::Outcome<> {
            if (m_options.retention.count() == 0) {
                return {};
            }
            return store.prune(nowMs() - std::chrono::milliseconds(m_options.retention).count());
        });
}

bool JournalWorker::keepAside(const JournalStore::Failure &failure)
{
    if (failure.trouble == JournalStore::Trouble::Disk || m_options.file.isEmpty()) {
        return false;
    }
    m_store->close();
    const bool newer = failure.trouble == JournalStore::Trouble::Newer;
    const QString stamp = QDateTime::currentDateTimeUtc().toString(u"yyyyMMdd-HHmmss-zzz"_s);
    const QString aside = m_options.file + (newer ? u".newer-"_s : u".broken-"_s) + stamp;
    if (!QFile::rename(m_options.file, aside)) {
        return false;
    }
    for (const QString &side : { u"-wal"_s, u"-shm"_s }) {
        QFile::rename(m_options.file + side, aside + side);
    }
    const QString name = QFileInfo(aside).fileName();
    Q_EMIT problem(newer
            ? u"The task history was written by a newer version of this program. It was kept as"
              " %1 and a new one was started."_s.arg(name)
            : u"The task history was damaged (%1). It was kept as %2 and a new one was started."_s
                  .arg(failure.text, name));
    return true;
}

void JournalWorker::useMemory(const JournalStore::Failure &failure)
{
    m_inMemory = true;
    tellProblem(u"The task history cannot be stored in %1 (%2). It is kept in memory until that"
                " works again."_s.arg(m_options.file, failure.text));
    if (auto done = m_store->openMemory(); !done) {
        logging::logger("tasks.journal")->error("no database at all: {}", done.error().text);
    }
    m_retryTimer.start(m_options.retryDelay);
}

void JournalWorker::returnToFile()
{
    auto file = std::make_unique<JournalStore>();
    auto shift = openStore(*file).and_then([&] { return file->adopt(*m_store); });
    if (!shift) {
        logging::logger("tasks.journal")->debug("still in memory: {}", shift.error().text);
        m_retryTimer.start(m_options.retryDelay);
        return;
    }
    m_shift = *std::move(shift);
    m_store = std::move(file);
    m_inMemory = false;
    m_told = false;
    Q_EMIT recovered();
}

void JournalWorker::close()
{
    storeAllRuns();
    commit();
    if (!m_rows.isEmpty()) {
        logging::logger("tasks.journal")
            ->error("{} rows of the task history could not be stored", m_rows.size());
    }
    m_commitTimer.stop();
    m_runTimer.stop();
    m_retryTimer.stop();
    m_store.reset();
}

void JournalWorker::add(JournalWrite row, bool prompt)
{
    m_rows.append(std::move(row));
    if (m_failing) {
        makeRoom();
        return;
    }
    if (prompt || m_rows.size() >= m_options.batchRows) {
        m_commitTimer.start(0); // calls that wait already join this transaction
    } else if (!m_commitTimer.isActive()) {
        m_commitTimer.start(m_options.batchDelay);
    }
}

void JournalWorker::addEvent(const engines::TurnRef &ref, qint64 seq, qint64 timeMs,
    const engines::TaskEvent &event, bool prompt)
{
    const auto piece = pieceOf(event);
    const auto open = m_runs.find(ref.taskId);
    if (open != m_runs.end()) {
        TextRun &run = *open;
        if (piece && run.ref == ref && run.kind == piece->kind && run.itemId == piece->itemId
            && run.text.size() + piece->text.size() <= m_options.coalesceChars) {
            run.text += piece->text;
            run.lastSeq = seq;
            return;
        }
        storeRun(run);
        m_runs.erase(open);
    }
    if (!piece) {
        storeEvent(ref, seq, timeMs, event, false);
        if (prompt) {
            m_commitTimer.start(0);
        }
        return;
    }
    m_runs.insert(ref.taskId, { ref, piece->kind, piece->itemId, piece->text, seq, timeMs });
    if (!m_runTimer.isActive()) {
        m_runTimer.start(m_options.coalesceDelay);
    }
}

void JournalWorker::storeRun(const TextRun &run)
{
    storeEvent(run.ref, run.lastSeq, run.timeMs, joined(run), true);
}

void JournalWorker::storeAllRuns()
{
    for (const TextRun &run : std::as_const(m_runs)) {
        storeRun(run);
    }
    m_runs.clear();
}

void JournalWorker::storeEvent(const engines::TurnRef &ref, qint64 seq, qint64 timeMs,
    const engines::TaskEvent &event, bool expendable)
{
    const qint64 stored = seq + m_shift.value(ref.taskId);
    m_raisedSeq.insert(ref.taskId, stored);
    add({ JournalWrite::Kind::InsertEvent,
            { ref.taskId, stored, ref.turnId, timeMs,
                QString::fromUtf8(json::compact(engines::toJson(event))) },
            expendable },
        false);
}

void JournalWorker::commit()
{
    m_commitTimer.stop();
    if (!m_store || m_rows.isEmpty()) {
        return;
    }
    QList<JournalWrite> rows = m_rows;
    for (auto it = m_raisedSeq.cbegin(); it != m_raisedSeq.cend(); ++it) {
        rows.append({ JournalWrite::Kind::RaiseLastSeq, { it.value(), it.key() }, false });
    }
    const auto done = m_store->write(rows);
    if (!done) {
        commitFailed(done.error());
        return;
    }
    m_rows.clear();
    m_raisedSeq.clear();
    if (std::exchange(m_failing, false)) {
        m_retryTimer.stop();
        m_told = false;
        Q_EMIT recovered();
    }
}

void JournalWorker::commitFailed(const JournalStore::Failure &failure)
{
    if (keepAside(failure)) {
        // The rows that wait go into the fresh database; what they refer to is in the kept file.
        if (auto opened = openStore(*m_store); !opened) {
            useMemory(opened.error());
        }
        m_commitTimer.start(m_options.batchDelay);
        return;
    }
    m_failing = true;
    tellProblem(u"The task history cannot be written to %1 (%2). It is kept in memory and tried"
                " again."_s.arg(m_options.file, failure.text));
    makeRoom();
    m_retryTimer.start(m_options.retryDelay);
}

void JournalWorker::makeRoom()
{
    // Text runs are the bulk and are contained in the ended message; endings, requests and the
    // outbox are kept as long as anything fits.
    for (qsizetype i = 0; i < m_rows.size() && m_rows.size() > m_options.memoryRows;) {
        if (m_rows.at(i).expendable) {
            m_rows.removeAt(i);
        } else {
            ++i;
        }
    }
    while (m_rows.size() > 2 * m_options.memoryRows) {
        m_rows.removeFirst();
    }
}

void JournalWorker::retry()
{
    if (m_inMemory) {
        commit();
        returnToFile();
        return;
    }
    commit();
}

void JournalWorker::tellProblem(const QString &sentence)
{
    logging::logger("tasks.journal")->warn("{}", sentence);
    if (!std::exchange(m_told, true)) {
        Q_EMIT problem(sentence);
    }
}

JournalStore *JournalWorker::upToDate()
{
    storeAllRuns();
    if (!m_failing) {
        commit();
    }
    return m_store.get();
}

void JournalWorker::readFailed(const JournalStore::Failure &failure)
{
    if (keepAside(failure)) {
        if (auto opened = openStore(*m_store); !opened) {
            useMemory(opened.error());
        }
    }
}

} // namespace deskhand::tasks
