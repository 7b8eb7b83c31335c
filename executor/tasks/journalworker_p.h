// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/tasks/journalstore_p.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace deskhand::tasks {

/// Text of one item that is still growing.
struct TextRun
{
    enum class Kind { Text, Reasoning, Output };
    engines::TurnRef ref;
    Kind kind = Kind::Text;
    QString itemId;
    QString text;
    qint64 lastSeq = 0;
    qint64 timeMs = 0;
};

/// Collects rows into transactions, joins runs of text, copes with a disk that takes nothing.
/// Lives on the journal thread; the facade calls it by queued functors.
class JournalWorker final : public QObject
{
    Q_OBJECT
public:
    explicit JournalWorker(JournalOptions options);
    ~JournalWorker() override;

    void open();
    void close();
    /// `prompt`: committed as soon as the calls already waiting are done.
    void add(JournalWrite row, bool prompt);
    void addEvent(const engines::TurnRef &ref, qint64 seq, qint64 timeMs,
        const engines::TaskEvent &event, bool prompt);

    /// The store with everything written that was added before; nothing before open().
    [[nodiscard]] JournalStore *upToDate();
    /// A damaged database found while reading is replaced; the sentence names the kept file.
    void readFailed(const JournalStore::Failure &failure);

Q_SIGNALS:
    void opened(const deskhand::tasks::JournalMemory &memory);
    void problem(const QString &sentence);
    void recovered();

private:
    [[nodiscard]] JournalStore::Outcome<> openStore(JournalStore &store);
    void useMemory(const JournalStore::Failure &failure);
    void returnToFile();
    bool keepAside(const JournalStore::Failure &failure);
    void storeRun(const TextRun &run);
    void storeAllRuns();
    void storeEvent(const engines::TurnRef &ref, qint64 seq, qint64 timeMs,
        const engines::TaskEvent &event, bool expendable);
    void commit();
    void commitFailed(const JournalStore::Failure &failure);
    void makeRoom();
    void retry();
    void tellProblem(const QString &sentence);

    const JournalOptions m_options;
    std::unique_ptr<JournalStore> m_store;
    bool m_inMemory = false; ///< the file cannot be opened; a memory database stands in
    bool m_failing = false; ///< the last commit failed; rows wait
    bool m_told = false; ///< the present trouble has been reported
    QList<JournalWrite> m_rows;
    QHash<QString, TextRun> m_runs; ///< per task
    QHash<QString, qint64> m_raisedSeq; ///< tasks.last_seq to write with the next commit
    QHash<QString, qint64> m_shift; ///< added to the numbers of tasks counted before the file was
                                    ///< there
    QTimer m_commitTimer;
    QTimer m_runTimer;
    QTimer m_retryTimer;
};

} // namespace deskhand::tasks

Q_DECLARE_METATYPE(deskhand::tasks::JournalMemory)
