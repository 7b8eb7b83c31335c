// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/turn.h"

#include "executor/engines/codex/wire.h"
#include "executor/logging/log.h"

#include <QJsonArray>

#include <utility>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

namespace {

constexpr int kInterruptTries = 3;
constexpr qsizetype kMostUnplaced = 256;

auto log()
{
    return logging::logger("engine.codex");
}

} // namespace

Turn::Turn(
    TurnSpec spec, Runtime &runtime, ModelRoutes *routes, const Timings &timings, QObject *parent)
    : QObject(parent)
    , m_spec(std::move(spec))
    , m_runtime(runtime)
    , m_routes(routes)
    , m_timings(timings)
    , m_stream(m_spec.cwd, m_spec.profile != PermissionProfile::FullAccess,
          [this](const TaskEvent &taskEvent) { emitEvent(taskEvent); })
{
    const auto watch = [this](QTimer &timer, void (Turn::*onTimeout)()) {
        timer.setSingleShot(true);
        connect(&timer, &QTimer::timeout, this, onTimeout);
    };
    watch(m_firstProgress, &Turn::onFirstProgressMissing);
    watch(m_silence, &Turn::onSilence);
    watch(m_reconnecting, &Turn::onReconnectingTooLong);
    watch(m_interruptLimit, &Turn::onInterruptTimeout);
    watch(m_interruptAgain, &Turn::sendInterrupt);
    m_failedEnd.setSingleShot(true);
    connect(&m_failedEnd, &QTimer::timeout, this, [this] {
        const TurnError error = errorOf(m_stream.finalError());
        endNow(TurnOutcome::Failed, error.code, error.message);
    });
}

Turn::~Turn() = default;

void Turn::emitEvent(const TaskEvent &taskEvent)
{
    if (!m_startTold && !std::holds_alternative<TurnStarted>(taskEvent)) {
        m_early.append(taskEvent);
    } else {
        Q_EMIT event(taskEvent);
    }
}

void Turn::begin()
{
    if (m_phase != Phase::Waiting) {
        return;
    }
    m_phase = Phase::Opening;
    auto *opener = new ThreadOpener(
        m_spec, m_runtime, m_routes, m_timings,
        [this](const tl::expected<OpenedThread, ThreadOpener::Failure> &opened) {
            onThreadOpened(opened);
        },
        this);
    opener->open();
}

void Turn::onThreadOpened(const tl::expected<OpenedThread, ThreadOpener::Failure> &opened)
{
    if (m_phase != Phase::Opening) {
        return;
    }
    if (!opened) {
        m_lacksAccount = opened.error().code == kNotSignedIn;
        endNow(TurnOutcome::Failed, opened.error().code, opened.error().message);
        return;
    }
    m_threadId = opened->threadId;
    m_spec.threadId = opened->threadId;
    LoadedThread &thread = m_runtime.threads[m_threadId];
    thread.turn = this;
    thread.lastUse = ++m_runtime.uses;
    for (const QString &note : opened->notes) {
        emitEvent(StatusNote { StatusNote::Level::Warning, u"history_lost"_s, note });
    }
    sendPrompt();
}

void Turn::sendPrompt()
{
    QJsonArray input { QJsonObject { { u"type"_s, u"text"_s }, { u"text"_s, m_spec.prompt },
        { u"text_elements"_s, QJsonArray() } } };
    for (const InputImage &image : std::as_const(m_spec.images)) {
        input.append(image.path.isEmpty()
                ? QJsonObject { { u"type"_s, u"image"_s }, { u"url"_s, image.url } }
                : QJsonObject { { u"type"_s, u"localImage"_s }, { u"path"_s, image.path } });
    }
    QJsonObject params {
        { u"threadId"_s, m_threadId },
        { u"input"_s, input },
        { u"cwd"_s, m_spec.cwd },
        // On every turn: what a conversation was opened with does not bind a loaded one.
        { u"permissions"_s, profileName(m_spec.profile) },
        { u"approvalPolicy"_s, approvalPolicy(m_spec.profile) },
    };
    if (m_spec.model) {
        params.insert(u"model"_s, modelSlug(*m_spec.model));
        if (!m_spec.model->reasoningEffort.isEmpty()) {
            params.insert(u"effort"_s, m_spec.model->reasoningEffort);
        }
    }
    if (!m_spec.clientMessageId.isEmpty()) {
        params.insert(u"clientUserMessageId"_s, m_spec.clientMessageId);
    }
    m_phase = Phase::Starting;
    m_firstProgress.start(m_timings.firstProgress);
    m_runtime.server->peer()->request(
        u"turn/start"_s, params, this, [this](const jsonrpc::Reply &reply) { onStartReply(reply); },
        m_timings.request);
}

void Turn::onStartReply(const jsonrpc::Reply &reply)
{
    using Outcome = jsonrpc::Reply::Outcome;
    if (m_phase == Phase::Ended) {
        return;
    }
    switch (reply.outcome) {
    case Outcome::Result: {
        const QJsonObject result = reply.result.toObject();
        learnTurnId(wire::turnId(result), false);
        break;
    }
    case Outcome::Error:
        if (reply.message.contains("thread not found"_L1) && !m_reopened && !m_interrupted) {
            // Refused before it was taken, so sending it again cannot run it twice.
            m_reopened = true;
            m_runtime.threads.remove(m_threadId);
            m_firstProgress.stop();
            m_phase = Phase::Waiting;
            begin();
            return;
        }
        endNow(m_verdict ? m_verdict->outcome : TurnOutcome::Failed, u"engine_refused"_s,
            u"codex did not take the prompt: %1"_s.arg(reply.message));
        break;
    case Outcome::NotSent:
        endNow(TurnOutcome::Failed, u"engine_refused"_s,
            u"The prompt could not be handed to codex: %1"_s.arg(reply.message));
        break;
    case Outcome::TimedOut: // it may have been taken all the same; the watches decide
    case Outcome::Closed: // the loss of the process ends the turn
        break;
    }
}

void Turn::learnTurnId(const QString &id, bool running)
{
    if (m_phase != Phase::Starting && m_phase != Phase::Running) {
        return;
    }
    if (!id.isEmpty()) {
        m_engineTurnId = id;
    }
    if (running) {
        m_phase = Phase::Running;
    }
    if (!m_startTold && !m_engineTurnId.isEmpty()) {
        m_startTold = true;
        Q_EMIT event(TurnStarted { m_threadId, m_engineTurnId });
        const QList<TaskEvent> early = std::exchange(m_early, {});
        for (const TaskEvent &taskEvent : early) {
            Q_EMIT event(taskEvent);
        }
        const auto unplaced = std::exchange(m_unplaced, {});
        for (const auto &[method, params] : unplaced) {
            handle(method, params);
        }
    }
}

void Turn::handle(const QString &method, const QJsonObject &params)
{
    const QString turnId = wire::turnId(params);
    if (m_phase == Phase::Ended) {
        if (method == "item/completed"_L1 && (turnId.isEmpty() || turnId == m_engineTurnId)) {
            m_stream.handleLate(params);
        }
        return;
    }
    if (m_phase != Phase::Starting && m_phase != Phase::Running) {
        return;
    }
    if (method == "turn/started"_L1) {
        learnTurnId(turnId, true);
    } else if (!turnId.isEmpty() && m_engineTurnId.isEmpty()) {
        // Perhaps ours, perhaps the late end of something in the turn before.
        if (m_unplaced.size() < kMostUnplaced) {
            m_unplaced.append({ method, params });
        }
        return;
    } else if (!turnId.isEmpty() && turnId != m_engineTurnId) {
        return; // of an earlier turn, for instance token counts told again on resume
    }
    if (m_silence.isActive()) {
        m_silence.start(m_timings.silence);
    }
    if (method == "thread/status/changed"_L1) {
        onStatusChanged(params);
    } else if (method == "turn/completed"_L1) {
        onTurnCompleted(params.value("turn"_L1).toObject());
    } else {
        const bool work = m_stream.handle(method, params);
        if (method == "error"_L1) {
            if (!m_stream.finalError().isEmpty()) {
                m_failedEnd.start(m_timings.failedTurnEnd);
            } else if (!m_interrupted) {
                onRetry();
            }
            onProgress(); // the model is being asked; its own watch runs now
        } else if (work) {
            m_worked = true;
            m_reconnecting.stop();
            onProgress();
        }
    }
}

void Turn::onProgress()
{
    if (!m_progressed) {
        m_progressed = true;
        m_firstProgress.stop();
        updateWatches();
    }
}

void Turn::onStatusChanged(const QJsonObject &params)
{
    const QJsonArray flags = params.value("status"_L1).toObject().value("activeFlags"_L1).toArray();
    m_waitingFlag
        = flags.contains(u"waitingOnApproval"_s) || flags.contains(u"waitingOnUserInput"_s);
    updateWatches();
}

void Turn::setWaitingForOwner(bool waiting)
{
    m_waitingDesk = waiting;
    updateWatches();
}

void Turn::updateWatches()
{
    if ((m_phase != Phase::Starting && m_phase != Phase::Running) || m_interrupted) {
        return;
    }
    if (m_waitingFlag || m_waitingDesk) {
        m_firstProgress.stop();
        m_silence.stop();
        return;
    }
    if (!m_progressed) {
        if (!m_firstProgress.isActive()) {
            m_firstProgress.start(m_timings.firstProgress);
        }
    } else if (!m_silence.isActive()) {
        m_silence.start(m_timings.silence);
    }
}

void Turn::onTurnCompleted(const QJsonObject &turn)
{
    const QString status = wire::kind(turn.value("status"_L1).toString());
    if (m_verdict) {
        const Verdict verdict = *m_verdict;
        endNow(verdict.outcome, verdict.code, verdict.message);
    } else if (status == "completed"_L1) {
        endNow(TurnOutcome::Completed, {}, {});
    } else if (status == "failed"_L1) {
        const QJsonObject given = turn.value("error"_L1).toObject();
        const TurnError error = errorOf(given.isEmpty() ? m_stream.finalError() : given);
        endNow(TurnOutcome::Failed, error.code, error.message);
    } else {
        endNow(TurnOutcome::Cancelled, {}, u"The engine stopped the turn."_s);
    }
}

void Turn::endNow(TurnOutcome outcome, const QString &code, const QString &message)
{
    if (m_phase == Phase::Ended) {
        return;
    }
    const bool sent = m_phase == Phase::Starting || m_phase == Phase::Running;
    for (QTimer *timer : { &m_firstProgress, &m_silence, &m_reconnecting, &m_interruptLimit,
             &m_interruptAgain, &m_failedEnd }) {
        timer->stop();
    }
    m_stream.closeOpen();
    m_phase = Phase::Ended;
    if (const auto thread = m_runtime.threads.find(m_threadId);
        thread != m_runtime.threads.end() && thread->turn == this) {
        thread->turn = nullptr;
        thread->lastUse = ++m_runtime.uses;
    }
    if (sent && outcome != TurnOutcome::Completed) {
        cleanTerminals();
    }
    // What was held back for a start that never came is told all the same.
    m_startTold = true;
    const QList<TaskEvent> early = std::exchange(m_early, {});
    for (const TaskEvent &taskEvent : early) {
        Q_EMIT event(taskEvent);
    }
    TurnEnded end;
    end.outcome = outcome;
    end.finalText = m_stream.finalText();
    end.errorCode = outcome == TurnOutcome::Failed ? code : QString();
    end.errorMessage = outcome == TurnOutcome::Completed ? QString() : message;
    end.usage = m_stream.usage();
    Q_EMIT event(end);
    Q_EMIT ended();
}

// Commands outlive the turn that was interrupted, as background terminals of the conversation.
void Turn::cleanTerminals()
{
    jsonrpc::Peer *peer = m_runtime.server->peer();
    if (peer == nullptr || !peer->isOpen() || m_threadId.isEmpty()) {
        return;
    }
    const QJsonObject params { { u"threadId"_s, m_threadId } };
    AppServer *server = m_runtime.server.get();
    peer->request(u"thread/backgroundTerminals/list"_s, params, server,
        [server, params](const jsonrpc::Reply &reply) {
            const bool any = !reply.result.toObject().value("data"_L1).toArray().isEmpty();
            if (reply.ok() && any && server->peer() != nullptr) {
                server->peer()->request(u"thread/backgroundTerminals/clean"_s, params, server,
                    [](const jsonrpc::Reply &) {});
            }
        });
}

void Turn::interrupt(const QString &message)
{
    if (m_phase == Phase::Ended) {
        return;
    }
    if (m_phase == Phase::Waiting || m_phase == Phase::Opening) {
        endNow(TurnOutcome::Cancelled, {}, message); // the prompt was not sent yet
        return;
    }
    forceEnd({ TurnOutcome::Cancelled, {}, message }, m_timings.interrupt);
}

void Turn::noteStoppedByOwner()
{
    if (m_phase != Phase::Ended && !m_verdict) {
        m_verdict = Verdict { TurnOutcome::Cancelled, {}, u"Stopped by the owner's decision."_s };
        m_interrupted = true;
        m_interruptLimit.start(m_timings.interrupt);
        // The engine stops by itself after such an answer; we ask only if it does not.
        m_interruptAgain.start(m_timings.interruptAgain);
    }
}

void Turn::tellModel(const QString &text)
{
    if (m_phase != Phase::Running || m_interrupted) {
        return;
    }
    const QJsonObject input { { u"type"_s, u"text"_s }, { u"text"_s, text },
        { u"text_elements"_s, QJsonArray() } };
    m_runtime.server->peer()->request(u"turn/steer"_s,
        { { u"threadId"_s, m_threadId }, { u"expectedTurnId"_s, m_engineTurnId },
            { u"input"_s, QJsonArray { input } } },
        this, [this](const jsonrpc::Reply &reply) {
            if (!reply.ok()) {
                emitEvent(StatusNote { StatusNote::Level::Warning, u"note_not_delivered"_s,
                    u"The reason given with the decision did not reach the model: %1"_s.arg(
                        reply.message) });
            }
        });
}

void Turn::forceEnd(const Verdict &verdict, std::chrono::milliseconds limit)
{
    if (!m_verdict || verdict.outcome == TurnOutcome::Cancelled) {
        m_verdict = verdict; // a person's wish outranks a watch
    }
    if (m_interrupted) {
        return;
    }
    m_interrupted = true;
    m_firstProgress.stop();
    m_silence.stop();
    m_reconnecting.stop();
    m_interruptLimit.start(limit);
    sendInterrupt();
}

void Turn::sendInterrupt()
{
    if (m_phase == Phase::Ended || ++m_interruptsSent > kInterruptTries) {
        return;
    }
    // With the real id codex refuses in the window before turn/started and the turn runs on; an
    // empty id means whatever runs. A refusal of the real id is followed by an empty one.
    const bool byId = m_phase == Phase::Running && m_interruptsSent == 1;
    m_runtime.server->peer()->request(u"turn/interrupt"_s,
        { { u"threadId"_s, m_threadId }, { u"turnId"_s, byId ? m_engineTurnId : QString() } }, this,
        [this](const jsonrpc::Reply &reply) {
            if (!reply.ok()) {
                log()->info("interrupt was refused: {}", reply.message);
            }
        });
    m_interruptAgain.start(m_timings.interruptAgain);
}

void Turn::onInterruptTimeout()
{
    const Verdict verdict
        = m_verdict.value_or(Verdict { TurnOutcome::Cancelled, {}, u"Stopped."_s });
    log()->warn("a turn did not stop within its limit; giving it up");
    const bool alone = m_runtime.activeTurns() <= 1;
    if (!alone) {
        if (const auto it = m_runtime.threads.find(m_threadId); it != m_runtime.threads.end()) {
            it->stuck = true;
        }
    }
    AppServer *server = m_runtime.server.get();
    endNow(verdict.outcome, verdict.code, verdict.message);
    if (alone) {
        server->abandon(u"a turn could not be stopped"_s);
    }
}

void Turn::onFirstProgressMissing()
{
    if (routeFailure()) {
        const TurnError error = errorOf({});
        forceEnd({ TurnOutcome::Failed, error.code, error.message }, m_timings.firstProgressGrace);
        return;
    }
    forceEnd(
        { TurnOutcome::Failed, u"engine_silent"_s,
            u"codex showed no sign of work within %1 seconds. The turn was stopped; nothing was "
            "sent again. Look at the model's address and the log, then try again."_s.arg(
                m_timings.firstProgress.count() / 1'000) },
        m_timings.firstProgressGrace);
}

TurnError Turn::errorOf(const QJsonObject &given) const
{
    return mapTurnError(given, !m_spec.model, routeFailure());
}

std::optional<RouteFailure> Turn::routeFailure() const
{
    return m_spec.model && m_routes != nullptr ? m_routes->lastFailure(m_spec.ref.taskId)
                                               : std::nullopt;
}

// The engine asks the model again. Some of its attempts are hopeless, others have a limit here: it
// has none of its own while the network is away.
void Turn::onRetry()
{
    const TurnError error = errorOf(m_stream.retryError());
    // The model proxy has waited and tried again by itself before it gave up; only a network that
    // was there before may come back.
    const auto route = routeFailure();
    const bool gaveUp
        = route && route->status != 200 && (!m_worked || error.code != "model_unreachable"_L1);
    // A refused WebSocket says nothing: the engine goes on over plain requests.
    const bool refused = (isAuthFailure(m_stream.retryError()) || error.code == "model_auth"_L1)
        && !m_stream.retryCause().contains("url: ws"_L1);
    if (refused || gaveUp) {
        forceEnd({ TurnOutcome::Failed, error.code, error.message }, m_timings.interrupt);
    } else if (!m_reconnecting.isActive()) {
        m_reconnecting.start(m_worked ? m_timings.reconnecting : m_timings.reconnectingAtStart);
    }
}

void Turn::onReconnectingTooLong()
{
    const auto limit = m_worked ? m_timings.reconnecting : m_timings.reconnectingAtStart;
    forceEnd({ TurnOutcome::Failed, u"model_unreachable"_s,
                 u"The model could not be reached for more than %1 seconds: %2. Check the network, "
                 "the proxy and the model's address."_s.arg(limit.count() / 1'000)
                     .arg(m_stream.retryCause()) },
        m_timings.interrupt);
}

void Turn::onSilence()
{
    m_runtime.server->peer()->request(
        u"server/diagnostics"_s, {}, this,
        [this](const jsonrpc::Reply &reply) {
            if (m_phase == Phase::Ended || m_interrupted) {
                return;
            }
            if (reply.outcome == jsonrpc::Reply::Outcome::TimedOut) {
                m_runtime.server->abandon(u"codex does not answer any more"_s);
                return;
            }
            const QStringList open = m_stream.openTitles();
            emitEvent(StatusNote { StatusNote::Level::Info, u"quiet"_s,
                open.isEmpty() ? u"Still working; nothing was heard for a while."_s
                               : u"Still working: %1"_s.arg(open.join(u", "_s)) });
            updateWatches();
        },
        m_timings.interrupt);
}

void Turn::serverLost(const QString &reason)
{
    if (m_verdict) {
        const Verdict verdict = *m_verdict;
        endNow(verdict.outcome, verdict.code, verdict.message);
    } else if (m_phase != Phase::Waiting) { // else the next process takes it
        endNow(TurnOutcome::Failed, u"engine_exited"_s,
            u"%1. The prompt was not sent again; what was done so far stays. Continue with a "
            "new turn."_s.arg(reason));
    }
}

} // namespace deskhand::engines::codex
