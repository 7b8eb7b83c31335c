// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/journal.h"

#include "executor/common/jsonreader.h"
#include "executor/tasks/journalworker_p.h"
#include "executor/tasks/storedrequest_p.h"

#include <QDateTime>
#include <QHash>
#include <QPointer>
#include <QSet>
#include <QThread>
#include <QTimer>

#include <utility>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

constexpr std::chrono::milliseconds kDestructorWait { 5000 };

QString textOf(const QJsonObject &object)
{
    return QString::fromUtf8(json::compact(object));
}

QString outcomeName(engines::TurnOutcome outcome)
{
    switch (outcome) {
    case engines::TurnOutcome::Completed:
        return u"completed"_s;
    case engines::TurnOutcome::Cancelled:
        return u"cancelled"_s;
    case engines::TurnOutcome::Failed:
        break;
    }
    return u"failed"_s;
}

/// Events whose loss would change the story's meaning.
bool isImportant(const engines::TaskEvent &event)
{
    return std::holds_alternative<engines::TurnEnded>(event)
        || std::holds_alternative<engines::TurnStarted>(event)
        || std::holds_alternative<engines::RequestOpened>(event)
        || std::holds_alternative<engines::RequestClosed>(event);
}

} // namespace

class Journal::Private
{
public:
    explicit Private(JournalOptions options)
        : worker(new JournalWorker(std::move(options)))
    {
        thread.setObjectName(u"journal"_s);
        worker->moveToThread(&thread);
        QObject::connect(&thread, &QThread::finished, worker, &QObject::deleteLater);
        thread.start();
    }

    template <typename Work> void post(Work work)
    {
        if (!closing) {
            QMetaObject::invokeMethod(
                worker, [target = worker, work = std::move(work)] { work(*target); },
                Qt::QueuedConnection);
        }
    }

    void add(JournalWrite::Kind kind, QVariantList values, bool prompt = false)
    {
        post([row = JournalWrite { kind, std::move(values), false }, prompt](
                 JournalWorker &target) { target.add(row, prompt); });
    }

    /// Runs `query` on the journal thread and hands its result to `reply` on the journal object's
    /// thread, as long as `context` lives.
    template <typename T, typename Query>
    void read(Journal *journal, QObject *context, const Reply<T> &reply, Query query)
    {
        QPointer<QObject> alive(context);
        const auto answer = [journal, alive, reply](Result<T> result) {
            QMetaObject::invokeMethod(
                journal,
                [alive, reply, result = std::move(result)] {
                    if (alive) {
                        reply(result);
                    }
                },
                Qt::QueuedConnection);
        };
        if (closing) {
            answer(failure(ErrorKind::Unavailable, u"the task history is closed"_s));
            return;
        }
        post([answer, query](JournalWorker &target) {
            JournalStore *store = target.upToDate();
            if (store == nullptr) {
                answer(failure(ErrorKind::Unavailable, u"the task history is not open"_s));
                return;
            }
            answer(query(*store)
                       .or_else([&target](const JournalStore::Failure &trouble) {
                           target.readFailed(trouble);
                           return JournalStore::Outcome<T>(tl::unexpected(trouble));
                       })
                       .map_error([](const JournalStore::Failure &trouble) {
                           return Error { ErrorKind::Io,
                               u"reading the task history: "_s + trouble.text };
                       }));
        });
    }

    QThread thread;
    JournalWorker *worker; // deleted by its thread
    bool closing = false;
    QHash<QString, qint64> lastSeq; // per task
    QSet<engines::TurnRef> known;
};

Journal::Journal(JournalOptions options, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(std::move(options)))
{
    qRegisterMetaType<JournalMemory>();
    connect(d->worker, &JournalWorker::opened, this, [this](const JournalMemory &memory) {
        for (auto it = memory.lastSeq.cbegin(); it != memory.lastSeq.cend(); ++it) {
            // A task that spoke before this moment keeps its own numbers in this run.
            if (!d->lastSeq.contains(it.key())) {
                d->lastSeq.insert(it.key(), it.value());
            }
        }
        for (const engines::TurnRef &ref : memory.turns) {
            d->known.insert(ref);
        }
        Q_EMIT opened();
    });
    connect(d->worker, &JournalWorker::problem, this, &Journal::problem);
    connect(d->worker, &JournalWorker::recovered, this, &Journal::recovered);
}

Journal::~Journal()
{
    d->closing = true;
    // The quit stands behind everything that was called, so nothing is left out.
    QMetaObject::invokeMethod(
        d->worker,
        [target = d->worker] {
            target->close();
            QThread::currentThread()->quit();
        },
        Qt::QueuedConnection);
    if (!d->thread.wait(QDeadlineTimer(kDestructorWait))) {
        // A disk that hangs must not keep the program; SQLite's file stays consistent.
        d->thread.terminate();
        d->thread.wait();
    }
}

void Journal::open()
{
    d->post([](JournalWorker &target) { target.open(); });
}

void Journal::requestClose(std::chrono::milliseconds limit)
{
    if (d->closing) {
        return;
    }
    auto told = std::make_shared<bool>(false);
    const auto tell = [this, told] {
        if (!std::exchange(*told, true)) {
            Q_EMIT closed();
        }
    };
    d->post([this, tell](JournalWorker &target) {
        target.close();
        QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
    });
    d->closing = true;
    QTimer::singleShot(limit, this, tell);
}

void Journal::turnAccepted(const TurnRequest &request, const TaskSummary &summary)
{
    d->known.insert(request.ref);
    d->add(JournalWrite::Kind::InsertTask,
        { summary.taskId, originName(summary.origin), summary.title, summary.createdAtMs });
    d->add(JournalWrite::Kind::InsertTurn,
        { summary.taskId, summary.turnId, originName(summary.origin), summary.title,
            taskStateName(summary.state), summary.cwd, summary.profile, summary.model,
            summary.error, summary.createdAtMs, summary.startedAtMs, summary.endedAtMs,
            summary.lastEventAtMs, textOf(storedForm(request)),
            textOf(withoutSecrets(request.echo)) },
        true);
}

void Journal::turnChanged(const TaskSummary &summary)
{
    d->add(JournalWrite::Kind::UpdateTurn,
        { taskStateName(summary.state), summary.cwd, summary.profile, summary.model, summary.error,
            summary.startedAtMs, summary.endedAtMs, summary.lastEventAtMs, summary.taskId,
            summary.turnId });
}

void Journal::threadKnown(const engines::TurnRef &ref, const QString &threadId)
{
    d->add(JournalWrite::Kind::SetThread, { threadId, ref.taskId, ref.turnId }, true);
}

qint64 Journal::appendEvent(
    const engines::TurnRef &ref, const engines::TaskEvent &event, qint64 timeMs)
{
    const qint64 seq = ++d->lastSeq[ref.taskId];
    d->post([ref, seq, timeMs, event](JournalWorker &target) {
        target.addEvent(ref, seq, timeMs, event, isImportant(event));
    });
    Q_EMIT eventAppended(StoredEvent { ref, seq, timeMs, event });
    return seq;
}

void Journal::turnEnded(const TaskSummary &summary, const engines::TurnEnded &ending)
{
    turnChanged(summary);
    d->add(JournalWrite::Kind::EndTurn,
        { outcomeName(ending.outcome), summary.taskId, summary.turnId }, true);
}

void Journal::requestRaised(const engines::PermissionRequest &request)
{
    d->add(JournalWrite::Kind::InsertRequest,
        { request.id, request.taskId, request.turnId, textOf(engines::toJson(request)),
            request.createdAtMs },
        true);
}

void Journal::requestDecided(const QString &requestId, engines::RequestOutcome outcome,
    const QString &by, const QString &reason, qint64 timeMs)
{
    d->add(JournalWrite::Kind::DecideRequest,
        { engines::requestOutcomeName(outcome), by, reason, timeMs, requestId }, true);
}

void Journal::addUsage(const QDate &day, const QString &model, const engines::Usage &usage)
{
    d->add(JournalWrite::Kind::AddUsage,
        { day.toString(Qt::ISODate), model, usage.inputTokens, usage.cachedInputTokens,
            usage.outputTokens, usage.reasoningTokens, usage.totalTokens });
}

void Journal::outboxAppend(const OutboxEntry &entry)
{
    d->add(JournalWrite::Kind::OutboxAppend,
        { entry.ref.taskId, entry.ref.turnId, entry.seq, entry.payload }, true);
}

void Journal::outboxRemove(const engines::TurnRef &ref, qint64 seq)
{
    d->add(JournalWrite::Kind::OutboxRemove, { ref.taskId, ref.turnId, seq }, true);
}

void Journal::outboxClear(const engines::TurnRef &ref)
{
    d->add(JournalWrite::Kind::OutboxClear, { ref.taskId, ref.turnId }, true);
}

void Journal::outboxLoad(QObject *context, const Reply<QList<OutboxEntry>> &reply)
{
    d->read<QList<OutboxEntry>>(
        this, context, reply, [](JournalStore &store) { return store.outbox(); });
}

void Journal::history(int limit, QObject *context, const Reply<QList<TaskSummary>> &reply)
{
    d->read<QList<TaskSummary>>(
        this, context, reply, [limit](JournalStore &store) { return store.history(limit); });
}

void Journal::story(const QString &taskId, QObject *context, const Reply<QList<StoredEvent>> &reply)
{
    using Found = std::optional<QList<StoredEvent>>;
    const Reply<Found> found = [taskId, reply](const Result<Found> &result) {
        if (!result) {
            reply(tl::unexpected(result.error()));
        } else if (!result->has_value()) {
            reply(failure(ErrorKind::NotFound, u"there is no task %1"_s.arg(taskId)));
        } else {
            reply(**result);
        }
    };
    d->read<Found>(
        this, context, found, [taskId](JournalStore &store) { return store.story(taskId); });
}

void Journal::lastThread(const QString &taskId, QObject *context, const Reply<QString> &reply)
{
    d->read<QString>(
        this, context, reply, [taskId](JournalStore &store) { return store.lastThread(taskId); });
}

bool Journal::knowsTurn(const engines::TurnRef &ref) const
{
    return d->known.contains(ref);
}

void Journal::interruptedTurns(QObject *context, const Reply<QList<InterruptedTurn>> &reply)
{
    d->read<QList<InterruptedTurn>>(
        this, context, reply, [](JournalStore &store) { return store.interruptedTurns(); });
}

void Journal::settled(QObject *context, const std::function<void()> &done)
{
    d->read<bool>(
        this, context, [done](const Result<bool> & /*either way*/) { done(); },
        [](JournalStore &) { return JournalStore::Outcome<bool>(true); });
}

void Journal::interruptedTold(const engines::TurnRef &ref)
{
    d->add(JournalWrite::Kind::InterruptedTold, { ref.taskId, ref.turnId }, true);
}

void Journal::usage(const QDate &since, QObject *context, const Reply<QList<UsageRow>> &reply)
{
    d->read<QList<UsageRow>>(
        this, context, reply, [since](JournalStore &store) { return store.usage(since); });
}

} // namespace deskhand::tasks
