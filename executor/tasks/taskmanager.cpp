// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/taskmanager.h"

#include "executor/common/textlimits.h"
#include "executor/engines/turnendings.h"
#include "executor/logging/log.h"
#include "executor/logging/masking.h"
#include "executor/tasks/activeturn_p.h"
#include "executor/tasks/blockednotes_p.h"
#include "executor/tasks/journal.h"
#include "executor/tasks/lateitems_p.h"
#include "executor/tasks/permissionbroker.h"
#include "executor/tasks/signalqueue_p.h"
#include "executor/tasks/turnchecks_p.h"

#include <QDateTime>
#include <QTimer>

#include <algorithm>
#include <functional>
#include <utility>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

// An untrusted sender must not fill the memory with turns that wait.
constexpr int kMostQueued = 1000;
// The journal answers in milliseconds; a disk that hangs must not hold a turn for ever.
constexpr std::chrono::milliseconds kThreadLookupLimit { 3000 };
constexpr std::chrono::milliseconds kStopAllLimit { 10000 };
constexpr qsizetype kMostPromptTold = 64 * 1024; // UTF-16 units; the request keeps all of it
constexpr qsizetype kRememberedThreads = 1000;

qint64 nowMs()
{
    return QDateTime::currentMSecsSinceEpoch();
}

} // namespace

class TaskManager::Private
{
public:
    Private(TaskManager &manager, engines::Engine &taskEngine, PermissionBroker &taskBroker,
        Journal &taskJournal)
        : q(manager)
        , engine(taskEngine)
        , broker(taskBroker)
        , journal(taskJournal)
        , blockSearch(
              manager, [this](const engines::TurnRef &ref, const engines::StatusNote &note) {
                  onEvent(ref, note);
              })
    { }

    [[nodiscard]] TurnPtr find(const engines::TurnRef &ref) const
    {
        const auto found = std::find_if(
            turns.begin(), turns.end(), [&ref](const TurnPtr &turn) { return turn->ref() == ref; });
        return found == turns.end() ? nullptr : *found;
    }
    [[nodiscard]] QList<TurnPtr> ofTask(const QString &taskId, const QString &turnId = {}) const
    {
        QList<TurnPtr> list;
        for (const TurnPtr &turn : turns) {
            if (turn->ref().taskId == taskId
                && (turnId.isEmpty() || turn->ref().turnId == turnId)) {
                list.append(turn);
            }
        }
        return list;
    }
    [[nodiscard]] bool isOver(const TurnPtr &turn) const { return !turns.contains(turn); }
    [[nodiscard]] int occupied() const
    {
        return static_cast<int>(std::count_if(
            turns.begin(), turns.end(), [](const TurnPtr &turn) { return !turn->isQueued(); }));
    }

    // Starting.
    void pump();
    void prepare(const TurnPtr &turn);
    void startAtEngine(const TurnPtr &turn, const QString &threadId);

    // Running.
    void onEvent(const engines::TurnRef &ref, const engines::TaskEvent &event);
    void follow(const TurnPtr &turn, const engines::TaskEvent &event);
    void onPermission(const engines::PermissionRequest &request);
    void onOpened(const engines::PermissionRequest &request);
    void onClosed(const engines::PermissionRequest &request, engines::RequestOutcome outcome,
        const QString &by, const QString &reason);

    // Ending.
    void stop(const TurnPtr &turn, const QString &message);
    void end(const TurnPtr &turn, engines::TurnEnded ending, bool lateItemsMayFollow);
    void leaveSession(const QString &taskId);
    void checkDrained();

    // Telling.
    void tell(const TurnPtr &turn, const engines::TaskEvent &event);
    void setState(const TurnPtr &turn, TaskState state);
    void announce(std::function<void()> signal) { signalQueue.emitInTurn(std::move(signal)); }

    TaskManager &q;
    engines::Engine &engine;
    PermissionBroker &broker;
    Journal &journal;
    TaskPolicy policy;
    QList<TurnPtr> turns; ///< accepted and not ended; waiting ones in the order they will start
    QHash<QString, QString> threads; ///< the engine's conversation per task
    LateItems lateItems;
    QHash<QString, engines::TurnRef> requestRefs; ///< permission requests of our turns
    bool paused = false;
    bool draining = false;
    bool drainedTold = false;
    bool pumping = false;
    SignalQueue signalQueue;
    BlockSearch blockSearch; ///< last, so that it is waited for before anything else goes
};

TaskManager::TaskManager(
    engines::Engine &engine, PermissionBroker &broker, Journal &journal, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(*this, engine, broker, journal))
{
    using engines::Engine;
    connect(&engine, &Engine::event, this,
        [this](
            const engines::TurnRef &ref, const engines::TaskEvent &one) { d->onEvent(ref, one); });
    connect(&engine, &Engine::permissionRequested, this,
        [this](const engines::PermissionRequest &request) { d->onPermission(request); });
    connect(&engine, &Engine::permissionWithdrawn, &broker, &PermissionBroker::withdraw);
    connect(&engine, &Engine::decisionDelivered, &broker, &PermissionBroker::confirmDelivered);
    connect(&engine, &Engine::stopped, this, [this] {
        // Its promise says there are none left; a turn without an engine would never end.
        const QList<TurnPtr> all = d->turns;
        for (const TurnPtr &turn : all) {
            if (turn->atEngine && !d->isOver(turn)) {
                d->end(
                    turn, engines::failedTurn(u"runtime_error"_s, u"The engine stopped."_s), false);
            }
        }
    });
    connect(&broker, &PermissionBroker::opened, this,
        [this](const engines::PermissionRequest &request) { d->onOpened(request); });
    connect(&broker, &PermissionBroker::closed, this,
        [this](const engines::PermissionRequest &request, engines::RequestOutcome outcome,
            const QString &by,
            const QString &reason) { d->onClosed(request, outcome, by, reason); });
}

TaskManager::~TaskManager() = default;

void TaskManager::setPolicy(const TaskPolicy &policy)
{
    d->policy = policy;
    d->policy.parallelLimit = std::clamp(policy.parallelLimit, 1, 16);
    d->broker.setRequestLimit(policy.requestLimit);
    d->pump();
}

TaskPolicy TaskManager::policy() const
{
    return d->policy;
}

Result<> TaskManager::submit(const TurnRequest &request)
{
    if (d->draining) {
        return failure(
            ErrorKind::Unavailable, u"This device is stopping and takes no new tasks."_s);
    }
    if (const auto ids = checkIds(request.ref); !ids) {
        return ids;
    }
    if (d->find(request.ref) || d->journal.knowsTurn(request.ref)) {
        return failure(ErrorKind::Conflict,
            u"Turn %1 of task %2 was accepted before."_s.arg(
                request.ref.turnId, request.ref.taskId));
    }
    if (queuedCount() >= kMostQueued) {
        return failure(ErrorKind::Unavailable, u"%1 turns are waiting already."_s.arg(kMostQueued),
            u"Try again later."_s);
    }
    const auto profile = chooseProfile(request.profileWish, d->policy);
    if (!profile) {
        return tl::unexpected(profile.error());
    }
    const auto cwd = workFolder(request, d->policy, profile->effective);
    if (!cwd) {
        return tl::unexpected(cwd.error());
    }

    const TurnPtr turn = std::make_shared<Turn>();
    turn->request = request;
    turn->request.cwd = *cwd;
    turn->model = request.model ? request.model : d->policy.ownModel;
    turn->summary = acceptedSummary(turn->request, profile->effective, turn->model);

    bool takesTheSlot = false;
    QList<TurnPtr> replaced;
    if (request.replacesRunning) {
        replaced = d->ofTask(request.ref.taskId);
        takesTheSlot = std::any_of(
            replaced.begin(), replaced.end(), [](const TurnPtr &old) { return !old->isQueued(); });
    }
    if (takesTheSlot) {
        // What the old turn occupies is for the new one, before anybody who waits.
        d->turns.prepend(turn);
    } else {
        d->turns.append(turn);
    }
    d->journal.turnAccepted(turn->request, turn->summary);
    d->announce([this, now = turn->summary] { Q_EMIT taskChanged(now); });
    d->tell(turn,
        engines::PromptGiven { headAndTail(logging::maskSecrets(request.prompt), kMostPromptTold),
            static_cast<int>(request.images.size()) });
    for (const TurnPtr &old : replaced) {
        d->stop(old, u"A newer message of the same task took its place."_s);
    }
    d->pump();
    return {};
}

Result<> TaskManager::cancel(const QString &taskId, const QString &turnId, const QString &message)
{
    const QList<TurnPtr> found = d->ofTask(taskId, turnId);
    if (found.isEmpty()) {
        return failure(ErrorKind::NotFound,
            turnId.isEmpty() ? u"Nothing of task %1 is active."_s.arg(taskId)
                             : u"Turn %1 of task %2 is not active."_s.arg(turnId, taskId));
    }
    // Those that wait first, so that stopping the running one does not start them.
    for (const bool queued : { true, false }) {
        for (const TurnPtr &turn : found) {
            if (turn->isQueued() == queued && !d->isOver(turn)) {
                d->stop(turn, message);
            }
        }
    }
    return {};
}

void TaskManager::closeSession(const QString &taskId, const QString &message)
{
    const QList<TurnPtr> found = d->ofTask(taskId);
    for (const TurnPtr &turn : found) {
        turn->closesSession = true;
    }
    if (found.isEmpty()) {
        d->leaveSession(taskId);
        return;
    }
    (void)cancel(taskId, {}, message);
}

void TaskManager::Private::leaveSession(const QString &taskId)
{
    threads.remove(taskId);
    broker.forgetTask(taskId);
    engine.forgetTask(taskId);
}

void TaskManager::note(const QString &taskId, const engines::TaskEvent &event)
{
    Q_ASSERT(!std::holds_alternative<engines::TurnEnded>(event));
    for (const TurnPtr &turn : d->ofTask(taskId)) {
        if (turn->atEngine) {
            d->tell(turn, event);
            return;
        }
    }
}

void TaskManager::setPaused(bool paused)
{
    d->paused = paused;
    d->pump();
}

bool TaskManager::isPaused() const
{
    return d->paused;
}

void TaskManager::drain()
{
    d->draining = true;
    const QList<TurnPtr> all = d->turns;
    for (const TurnPtr &turn : all) {
        if (turn->isQueued() && !d->isOver(turn)) {
            d->stop(turn, u"The device is stopping."_s);
        }
    }
    d->checkDrained();
}

void TaskManager::stopAll(const QString &message)
{
    d->draining = true;
    d->policy.stopLimit = std::min(d->policy.stopLimit, kStopAllLimit);
    for (const bool queued : { true, false }) {
        const QList<TurnPtr> all = d->turns;
        for (const TurnPtr &turn : all) {
            if (turn->isQueued() == queued && !d->isOver(turn)) {
                d->stop(turn, message);
            }
            // Those already being stopped get no longer than the rest.
            if (turn->timer && turn->timer->remainingTime() > d->policy.stopLimit.count()) {
                turn->timer->start(d->policy.stopLimit);
            }
        }
    }
    d->checkDrained();
}

void TaskManager::Private::checkDrained()
{
    if (draining && turns.isEmpty() && !std::exchange(drainedTold, true)) {
        announce([this] { Q_EMIT q.drained(); });
    }
}

QList<TaskSummary> TaskManager::activeTasks() const
{
    QList<TaskSummary> list;
    QHash<QString, qsizetype> places;
    QList<TurnPtr> sorted = d->turns;
    std::stable_sort(sorted.begin(), sorted.end(), [](const TurnPtr &a, const TurnPtr &b) {
        return a->summary.createdAtMs < b->summary.createdAtMs;
    });
    for (const TurnPtr &turn : std::as_const(sorted)) {
        const auto known = places.constFind(turn->ref().taskId);
        if (known == places.cend()) {
            places.insert(turn->ref().taskId, list.size());
            list.append(turn->summary);
        } else if (!turn->isQueued()) {
            list[*known] = turn->summary;
        }
    }
    return list;
}

std::optional<TaskSummary> TaskManager::task(const QString &taskId) const
{
    std::optional<TaskSummary> found;
    for (const TurnPtr &turn : d->ofTask(taskId)) {
        if (!found || !turn->isQueued()) {
            found = turn->summary;
        }
    }
    return found;
}

int TaskManager::runningCount() const
{
    return d->occupied();
}

int TaskManager::queuedCount() const
{
    return static_cast<int>(d->turns.size()) - d->occupied();
}

QList<engines::TurnRef> TaskManager::runningTurns() const
{
    QList<engines::TurnRef> list;
    for (const TurnPtr &turn : std::as_const(d->turns)) {
        if (!turn->isQueued()) {
            list.append(turn->ref());
        }
    }
    return list;
}

void TaskManager::Private::pump()
{
    if (paused || draining || std::exchange(pumping, true)) {
        return;
    }
    for (bool again = true; again;) {
        again = false;
        const QList<TurnPtr> all = turns;
        QSet<QString> busy;
        for (const TurnPtr &turn : all) {
            if (!turn->isQueued()) {
                busy.insert(turn->ref().taskId);
            }
        }
        for (const TurnPtr &turn : all) {
            if (!turn->isQueued() || busy.contains(turn->ref().taskId) || isOver(turn)
                || (policy.ownModelPending && !turn->request.model)) {
                continue;
            }
            if (paused || draining || occupied() >= policy.parallelLimit) {
                break;
            }
            busy.insert(turn->ref().taskId);
            prepare(turn);
            again = true; // it may have ended at once
        }
    }
    pumping = false;
}

void TaskManager::Private::prepare(const TurnPtr &turn)
{
    setState(turn, TaskState::Preparing);
    announce([this] { Q_EMIT q.runningChanged(); });
    if (isOver(turn)) {
        return;
    }
    const QString taskId = turn->ref().taskId;
    if (turn->request.newSession) {
        startAtEngine(turn, {});
        return;
    }
    if (const auto known = threads.constFind(taskId); known != threads.cend()) {
        startAtEngine(turn, *known);
        return;
    }
    const std::weak_ptr<Turn> weak = turn;
    const auto waiting = [this, weak]() -> TurnPtr {
        const TurnPtr one = weak.lock();
        return one && !isOver(one) && !one->atEngine ? one : nullptr;
    };
    turn->timer.reset(new QTimer(&q));
    turn->timer->setSingleShot(true);
    connect(turn->timer.get(), &QTimer::timeout, &q, [this, waiting] {
        if (const TurnPtr one = waiting()) {
            tell(one,
                engines::StatusNote { engines::StatusNote::Level::Warning, u"history_silent"_s,
                    u"The task history does not answer; this turn starts a new conversation."_s });
            startAtEngine(one, {});
        }
    });
    turn->timer->start(kThreadLookupLimit);
    journal.lastThread(taskId, &q, [this, waiting](const Result<QString> &thread) {
        if (const TurnPtr one = waiting()) {
            startAtEngine(one, thread.value_or(QString()));
        }
    });
}

void TaskManager::Private::startAtEngine(const TurnPtr &turn, const QString &threadId)
{
    turn->timer.reset();
    turn->atEngine = true; // from here on the engine owes the ending
    const TurnRequest &request = turn->request;
    // The owner may have changed the ceiling and the disk its folders while the turn waited.
    const auto profile = chooseProfile(request.profileWish, policy);
    const auto cwd = profile.and_then(
        [&](const ChosenProfile &chosen) { return workFolder(request, policy, chosen.effective); });
    if (!cwd) {
        const Error &error = cwd.error();
        end(turn,
            engines::failedTurn(error.kind == ErrorKind::NotFound ? u"work_folder_missing"_s
                                                                  : errorKindName(error.kind),
                error.message),
            false);
        return;
    }
    turn->model = request.model ? request.model : policy.ownModel;
    if (!turn->model && !policy.ownModelProblem.isEmpty()) {
        end(turn, engines::failedTurn(u"model_config"_s, policy.ownModelProblem), false);
        return;
    }
    turn->summary.model = turn->model ? turn->model->describe() : QString();
    turn->summary.profile = engines::profileName(profile->effective);
    if (profile->lowered) {
        tell(turn,
            engines::StatusNote { engines::StatusNote::Level::Warning, u"profile_lowered"_s,
                u"Permission level lowered from %1 to %2: this device allows no more."_s.arg(
                    request.profileWish, turn->summary.profile) });
        if (isOver(turn)) {
            return;
        }
    }
    engines::TurnSpec spec;
    spec.ref = request.ref;
    spec.threadId = threadId;
    spec.agentName = request.agentName;
    spec.cwd = *cwd;
    spec.profile = profile->effective;
    spec.prompt = request.prompt;
    spec.images = request.images;
    spec.developerInstructions = request.developerInstructions;
    spec.model = turn->model;
    spec.clientMessageId = request.ref.turnId;
    engine.startTurn(spec);
}

void TaskManager::Private::onEvent(const engines::TurnRef &ref, const engines::TaskEvent &event)
{
    const TurnPtr turn = find(ref);
    if (turn && turn->atEngine) {
        follow(turn, event);
        return;
    }
    if (const auto *item = std::get_if<engines::ItemEnded>(&event)) {
        if (const auto request = lateItems.take(ref, item->item.id)) {
            journal.appendEvent(ref, event, nowMs());
            announce([this, request = *request, event] { Q_EMIT q.event(request, event); });
            return;
        }
    }
    logging::logger("tasks")->debug("{} of task {} turn {} came too late and was dropped",
        engines::eventTypeName(event), ref.taskId, ref.turnId);
}

void TaskManager::Private::follow(const TurnPtr &turn, const engines::TaskEvent &event)
{
    if (const auto *ending = std::get_if<engines::TurnEnded>(&event)) {
        end(turn, *ending, true);
        return;
    }
    if (const auto *started = std::get_if<engines::TurnStarted>(&event)) {
        if (!started->threadId.isEmpty()) {
            if (threads.size() >= kRememberedThreads) {
                threads.clear(); // the journal knows them too
            }
            threads.insert(turn->ref().taskId, started->threadId);
            journal.threadKnown(turn->ref(), started->threadId);
        }
        turn->summary.startedAtMs = nowMs();
        if (turn->summary.state == TaskState::Preparing) {
            setState(turn, TaskState::Running);
        }
    } else if (const auto *opened = std::get_if<engines::ItemStarted>(&event)) {
        turn->openItems.insert(opened->item.id);
    } else if (const auto *closed = std::get_if<engines::ItemEnded>(&event)) {
        turn->openItems.remove(closed->item.id);
        blockSearch.look(turn->ref(), closed->item, turn->summary.profile);
    }
    if (const auto *note = std::get_if<engines::StatusNote>(&event)) {
        engines::StatusNote masked = *note;
        masked.text = logging::maskSecrets(note->text);
        tell(turn, masked);
        return;
    }
    tell(turn, event);
}

void TaskManager::Private::onPermission(const engines::PermissionRequest &request)
{
    const TurnPtr turn = find({ request.taskId, request.turnId });
    if (!turn || !turn->atEngine || turn->summary.state == TaskState::Stopping) {
        engine.decide(request.id,
            { engines::Choice::Deny, u"rule"_s, u"This turn is being stopped or is over."_s, {} });
        return;
    }
    requestRefs.insert(request.id, turn->ref());
    broker.raise(request, [this](const QString &requestId, const engines::Decision &decision) {
        engine.decide(requestId, decision);
    });
}

void TaskManager::Private::onOpened(const engines::PermissionRequest &request)
{
    journal.requestRaised(request);
    if (!requestRefs.contains(request.id)) {
        // Not the engine's: a command that this program runs for the turn.
        requestRefs.insert(request.id, { request.taskId, request.turnId });
    }
    const TurnPtr turn = find(requestRefs.value(request.id));
    if (!turn) {
        return;
    }
    turn->openRequests.insert(request.id);
    turn->summary.openRequests = static_cast<int>(turn->openRequests.size());
    tell(turn, engines::RequestOpened { request });
    setState(turn,
        turn->summary.state == TaskState::Stopping ? TaskState::Stopping
                                                   : TaskState::WaitingForYou);
}

void TaskManager::Private::onClosed(const engines::PermissionRequest &request,
    engines::RequestOutcome outcome, const QString &by, const QString &reason)
{
    const TurnPtr turn = find(requestRefs.take(request.id));
    const bool wasOpen = turn && turn->openRequests.remove(request.id);
    if (!wasOpen && by == "rule"_L1) {
        journal.requestRaised(request); // decided without being shown
    }
    journal.requestDecided(request.id, outcome, by, reason, nowMs());
    if (!turn) {
        return;
    }
    if (!wasOpen) {
        const bool denied = outcome == engines::RequestOutcome::Denied;
        const QString what = request.command.isEmpty() ? request.summary : request.command;
        tell(turn,
            engines::StatusNote {
                denied ? engines::StatusNote::Level::Warning : engines::StatusNote::Level::Info,
                denied ? u"request_blocked"_s : u"request_allowed"_s,
                u"%1 %2 (%3)"_s.arg(denied ? u"Blocked: "_s : u"Allowed: "_s, reason, what)
                    .simplified() });
        return;
    }
    turn->summary.openRequests = static_cast<int>(turn->openRequests.size());
    tell(turn, engines::RequestClosed { request.id, outcome, by, reason });
    const bool waits = !turn->openRequests.isEmpty();
    if (turn->summary.state == TaskState::WaitingForYou && !waits) {
        setState(turn, TaskState::Running);
    } else {
        setState(turn, turn->summary.state); // the number of requests changed
    }
}

void TaskManager::Private::stop(const TurnPtr &turn, const QString &message)
{
    if (isOver(turn) || turn->summary.state == TaskState::Stopping) {
        return;
    }
    if (!turn->atEngine) {
        end(turn, engines::cancelledTurn(message), false);
        return;
    }
    turn->stopMessage = message;
    const std::weak_ptr<Turn> weak = turn;
    turn->timer.reset(new QTimer(&q));
    turn->timer->setSingleShot(true);
    connect(turn->timer.get(), &QTimer::timeout, &q, [this, weak] {
        if (const TurnPtr one = weak.lock(); one && !isOver(one)) {
            logging::logger("tasks")->warn("the engine did not end turn {} of task {} in time",
                one->ref().turnId, one->ref().taskId);
            end(one, engines::cancelledTurn(one->stopMessage), false);
        }
    });
    turn->timer->start(policy.stopLimit);
    setState(turn, TaskState::Stopping);
    if (!isOver(turn)) {
        engine.interruptTurn(turn->ref(), message);
    }
}

void TaskManager::Private::end(
    const TurnPtr &turn, engines::TurnEnded ending, bool lateItemsMayFollow)
{
    if (isOver(turn)) {
        return;
    }
    const QSet<QString> unanswered = turn->openRequests;
    for (const QString &requestId : unanswered) {
        broker.withdraw(requestId, u"The turn is over."_s);
    }
    if (!turns.removeOne(turn)) {
        return; // ended while its requests were withdrawn
    }
    turn->timer.reset();
    if (ending.outcome == engines::TurnOutcome::Cancelled && ending.errorMessage.isEmpty()) {
        ending.errorMessage = turn->stopMessage;
    }
    // The engine and the provider may quote in it what they were given.
    ending.errorMessage = logging::maskSecrets(ending.errorMessage);
    TaskSummary &summary = turn->summary;
    const bool occupied = summary.state != TaskState::Queued;
    summary.state = stateAfter(ending);
    summary.error
        = ending.outcome == engines::TurnOutcome::Completed ? QString() : ending.errorMessage;
    summary.endedAtMs = nowMs();
    if (lateItemsMayFollow && !turn->openItems.isEmpty()) {
        lateItems.expect(turn->request, turn->openItems);
    }
    tell(turn, ending);
    journal.turnEnded(summary, ending);
    // What went through the model proxy is counted there, from the provider's own figures.
    if (ending.usage.totalTokens > 0 && !turn->model) {
        journal.addUsage(
            QDateTime::currentDateTimeUtc().date(), u"(engine account)"_s, ending.usage);
    }
    announce([this, now = summary] { Q_EMIT q.taskChanged(now); });
    if (occupied) {
        announce([this] { Q_EMIT q.runningChanged(); });
    }
    if (turn->closesSession && ofTask(turn->ref().taskId).isEmpty()) {
        leaveSession(turn->ref().taskId);
    }
    pump();
    checkDrained();
}

void TaskManager::Private::tell(const TurnPtr &turn, const engines::TaskEvent &event)
{
    const qint64 now = nowMs();
    turn->summary.lastEventAtMs = now;
    journal.appendEvent(turn->ref(), event, now);
    announce([this, turn, event] { Q_EMIT q.event(turn->request, event); });
}

void TaskManager::Private::setState(const TurnPtr &turn, TaskState state)
{
    turn->summary.state = state;
    journal.turnChanged(turn->summary);
    announce([this, now = turn->summary] { Q_EMIT q.taskChanged(now); });
}

} // namespace deskhand::tasks
