// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/codexengine.h"

#include "executor/engines/codex/requestdesk.h"
#include "executor/engines/codex/turn.h"
#include "executor/engines/codex/wire.h"
#include "executor/engines/turnendings.h"
#include "executor/logging/log.h"
#include "executor/process/childenvironment.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

namespace {

constexpr qsizetype kLateTurns = 16;

auto log()
{
    return logging::logger("engine.codex");
}

// Settings of the whole process; everything of a task travels with its conversation instead.
QStringList startArguments()
{
    return { u"-c"_s, u"features.apply_patch_streaming_events=true"_s, u"-c"_s,
        u"features.default_mode_request_user_input=true"_s, u"-c"_s,
        u"suppress_unstable_features_warning=true"_s, u"app-server"_s };
}

bool isAgentName(const QString &name)
{
    static const QRegularExpression form(u"^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"_s);
    return form.match(name).hasMatch();
}

} // namespace

struct CodexEngine::Entry
{
    TurnSpec spec;
    Runtime *runtime = nullptr;
    std::unique_ptr<Turn> turn; ///< null while another turn of the conversation runs
    bool queued = false;
};

CodexEngine::CodexEngine(CodexOptions options, ModelRoutes *routes, QObject *parent)
    : Engine(parent)
    , m_options(std::move(options))
    , m_routes(routes)
    , m_locator(m_options.environment, m_options.timings.loginShell)
    , m_desk(std::make_unique<RequestDesk>(m_options.timings))
{
    connect(m_desk.get(), &RequestDesk::requested, this, &Engine::permissionRequested);
    connect(m_desk.get(), &RequestDesk::withdrawn, this, &Engine::permissionWithdrawn);
    connect(m_desk.get(), &RequestDesk::delivered, this, &Engine::decisionDelivered);
    connect(m_desk.get(), &RequestDesk::stopTurn, this, [this](const TurnRef &ref, bool byEngine) {
        if (Entry *entry = find(ref); entry != nullptr && entry->turn) {
            if (byEngine) {
                entry->turn->noteStoppedByOwner();
            } else {
                entry->turn->interrupt(u"Stopped by the owner's decision."_s);
            }
        }
    });
    connect(
        m_desk.get(), &RequestDesk::waitingChanged, this, [this](const TurnRef &ref, bool waiting) {
            if (Entry *entry = find(ref); entry != nullptr && entry->turn) {
                entry->turn->setWaitingForOwner(waiting);
            }
        });
    connect(m_desk.get(), &RequestDesk::noted, this,
        [this](const TurnRef &ref, const StatusNote &note) { Q_EMIT event(ref, note); });
    m_stopLimit.setSingleShot(true);
    connect(&m_stopLimit, &QTimer::timeout, this, [this] {
        for (const auto &[folder, runtime] : m_runtimes) {
            runtime->server->abandon(u"it did not stop in time"_s);
        }
    });
    QMetaObject::invokeMethod(this, &CodexEngine::locateProgram, Qt::QueuedConnection);
}

void CodexEngine::locateProgram()
{
    m_locator.locate([this](const Result<LocatedBinary> &binary) {
        if (binary) {
            m_binary = *binary;
        }
        m_status.path = binary ? binary->path : QString();
        m_status.cause = binary ? QString() : binary.error().message;
        updateStatus();
    });
}

void CodexEngine::setProgram(const QString &path)
{
    m_locator.setOwnersChoice(path);
    m_binary.reset();
    QMetaObject::invokeMethod(this, &CodexEngine::locateProgram, Qt::QueuedConnection);
}

void CodexEngine::restart()
{
    for (const auto &[folder, runtime] : m_runtimes) {
        if (runtime->server->isRunning()) {
            runtime->server->abandon(u"it was restarted by the owner"_s);
        }
    }
    m_binary.reset();
    locateProgram();
}

CodexEngine::~CodexEngine()
{
    for (const auto &entry : m_entries) {
        if (entry->turn) {
            entry->turn->disconnect(this);
        }
    }
    for (const auto &[folder, runtime] : m_runtimes) {
        runtime->server->disconnect(this);
        runtime->server->setRequestHandler({});
    }
}

QList<qint64> CodexEngine::processIds() const
{
    QList<qint64> ids;
    for (const auto &[folder, runtime] : m_runtimes) {
        if (runtime->server->isRunning()) {
            ids.append(runtime->server->processId());
        }
    }
    return ids;
}

CodexEngine::Entry *CodexEngine::find(const TurnRef &ref)
{
    const auto it = std::find_if(m_entries.begin(), m_entries.end(),
        [&](const auto &entry) { return entry->spec.ref == ref; });
    return it == m_entries.end() ? nullptr : it->get();
}

void CodexEngine::failTurn(const TurnRef &ref, const Error &error, const QString &code)
{
    Q_EMIT event(ref,
        failedTurn(code,
            error.hint.isEmpty() ? error.message : u"%1. %2"_s.arg(error.message, error.hint)));
}

void CodexEngine::startTurn(const TurnSpec &spec)
{
    if (find(spec.ref) != nullptr) {
        log()->error("turn {} of task {} is already running", spec.ref.turnId, spec.ref.taskId);
        return;
    }
    m_entries.push_back(std::make_unique<Entry>());
    Entry &entry = *m_entries.back();
    entry.spec = spec;
    // Never from inside the call: the caller may not be ready for an ending yet.
    QMetaObject::invokeMethod(
        this,
        [this, ref = spec.ref] {
            if (Entry *later = find(ref); later != nullptr && !later->turn) {
                schedule(*later);
            }
        },
        Qt::QueuedConnection);
}

void CodexEngine::schedule(Entry &entry)
{
    const auto refuse = [&](const Error &error, const QString &code) {
        const TurnRef ref = entry.spec.ref;
        std::erase_if(m_entries, [&](const auto &other) { return other.get() == &entry; });
        failTurn(ref, error, code);
    };
    if (m_stopping) {
        refuse({ ErrorKind::Cancelled, u"The engine is being stopped"_s }, u"engine_stopped"_s);
        return;
    }
    if (!isAgentName(entry.spec.agentName)) {
        refuse(
            { ErrorKind::Usage,
                u"\"%1\" cannot be the name of an engine home"_s.arg(entry.spec.agentName.left(80)),
                u"Use letters, digits, dots, dashes and underscores."_s },
            u"engine_home"_s);
        return;
    }
    if (!QDir::isAbsolutePath(entry.spec.cwd) || !QDir(entry.spec.cwd).exists()) {
        refuse({ ErrorKind::NotFound,
                   u"The working directory %1 does not exist"_s.arg(entry.spec.cwd) },
            u"working_directory"_s);
        return;
    }
    const QString thread = entry.spec.threadId;
    const bool busy = !thread.isEmpty()
        && std::any_of(m_entries.begin(), m_entries.end(), [&](const auto &other) {
               return other.get() != &entry && other->turn
                   && (other->turn->threadId() == thread || other->spec.threadId == thread);
           });
    entry.queued = busy;
    if (!busy) {
        run(entry);
    }
}

void CodexEngine::run(Entry &entry)
{
    const TurnRef ref = entry.spec.ref;
    if (m_binary && QFileInfo(m_binary->path).isExecutable()) {
        runWith(ref, *m_binary);
        return;
    }
    m_locator.locate([this, ref](const Result<LocatedBinary> &binary) {
        Entry *later = find(ref);
        if (later == nullptr || later->turn) {
            return;
        }
        if (!binary) {
            m_status.path.clear();
            m_status.cause = binary.error().message;
            updateStatus();
            std::erase_if(m_entries, [&](const auto &other) { return other.get() == later; });
            failTurn(ref, binary.error(), u"engine_not_found"_s);
            return;
        }
        m_binary = *binary;
        m_status.path = binary->path;
        runWith(ref, *binary);
    });
}

void CodexEngine::runWith(const TurnRef &ref, const LocatedBinary &binary)
{
    Entry *entry = find(ref);
    if (m_wall.hides && (m_wall.hides(entry->spec.cwd) || m_wall.hides(binary.path))) {
        const QString path = m_wall.hides(binary.path) ? binary.path : entry->spec.cwd;
        std::erase_if(m_entries, [&](const auto &other) { return other.get() == entry; });
        failTurn(ref,
            Error { ErrorKind::Policy, u"%1 cannot be seen behind the engine's wall"_s.arg(path),
                u"Move it to another place, or switch the engine's wall off."_s },
            u"engine_wall"_s);
        return;
    }
    const Result<Runtime *> runtime = runtimeFor(entry->spec.agentName, binary);
    if (!runtime) {
        std::erase_if(m_entries, [&](const auto &other) { return other.get() == entry; });
        failTurn(ref, runtime.error(), u"engine_home"_s);
        return;
    }
    entry->runtime = *runtime;
    entry->turn = std::make_unique<Turn>(entry->spec, **runtime, m_routes, m_options.timings);
    m_runtimeOfTask.insert(ref.taskId, *runtime);
    Turn *turn = entry->turn.get();
    connect(turn, &Turn::event, this, [this, turn, ref](const TaskEvent &taskEvent) {
        if (std::holds_alternative<TurnStarted>(taskEvent)) {
            m_threadOfTask.insert(ref.taskId, turn->threadId());
        } else if (const auto *note = std::get_if<StatusNote>(&taskEvent);
                   note != nullptr && note->code == "sandbox_unavailable"_L1) {
            m_sandboxCause = note->text;
            updateStatus();
        } else if (const auto *ended = std::get_if<TurnEnded>(&taskEvent); ended != nullptr) {
            m_desk->withdrawTurn(ref, u"the turn is over"_s);
        }
        Q_EMIT event(ref, taskEvent);
    });
    connect(turn, &Turn::ended, this, [this, turn] { onTurnEnded(turn); });
    (*runtime)->server->whenReady(turn, [this, turn, ref](const Result<> &ready) {
        if (turn->isOver()) {
            return;
        }
        if (ready) {
            turn->begin();
        } else {
            turn->endNow(TurnOutcome::Failed,
                ready.error().kind == ErrorKind::Cancelled ? u"engine_stopped"_s
                                                           : u"engine_start"_s,
                ready.error().hint.isEmpty()
                    ? ready.error().message
                    : u"%1. %2"_s.arg(ready.error().message, ready.error().hint));
        }
    });
    updateStatus();
}

void CodexEngine::setWall(const EngineEnclosure &wall)
{
    m_wall = wall;
    ++m_wallChange;
}

Result<Runtime *> CodexEngine::runtimeFor(const QString &agentName, const LocatedBinary &binary)
{
    const QString folder = QDir(m_options.agentsFolder).filePath(agentName);
    auto it = m_runtimes.find(folder);
    if (it == m_runtimes.end()) {
        Result<std::unique_ptr<CodexHome>> home = CodexHome::open(folder);
        if (!home) {
            return tl::unexpected<Error>(home.error());
        }
        auto runtime = std::make_unique<Runtime>();
        runtime->home = std::move(*home);
        runtime->server = std::make_unique<AppServer>(m_options.timings);
        it = m_runtimes.emplace(folder, std::move(runtime)).first;
        connectRuntime(*it->second);
    }
    Runtime &runtime = *it->second;
    if (runtime.wallChange != m_wallChange && letGoOfIdle(runtime)) {
        runtime.wallChange = m_wallChange;
    }
    process::ChildSpec spec;
    spec.program = binary.path;
    spec.arguments = startArguments();
    spec.environment = process::childEnvironment(m_options.environment);
    if (!binary.searchPath.isEmpty()) {
        spec.environment.insert(u"PATH"_s, binary.searchPath);
    }
    spec.environment.insert(u"CODEX_HOME"_s, runtime.home->codexHome());
    spec.environment.insert(u"TMPDIR"_s, runtime.home->temporaryFolder());
    spec.workingDirectory = runtime.home->folder();
    if (m_wall.wrap) {
        if (Result<> wrapped = m_wall.wrap(spec); !wrapped) {
            return tl::unexpected<Error>(wrapped.error());
        }
    }
    runtime.server->setCommand(spec);
    return &runtime;
}

void CodexEngine::connectRuntime(Runtime &runtime)
{
    AppServer *server = runtime.server.get();
    server->setRequestHandler([this, &runtime](const jsonrpc::IncomingRequest &request) {
        return onRequest(runtime, request);
    });
    connect(server, &AppServer::notification, this,
        [this, &runtime](const QString &method, const QJsonObject &params) {
            onNotification(runtime, method, params);
        });
    connect(server, &AppServer::lost, this,
        [this, &runtime](const QString &reason) { onLost(runtime, reason); });
    connect(server, &AppServer::ended, this, &CodexEngine::checkStopped);
    connect(server, &AppServer::stateChanged, this, &CodexEngine::updateStatus);
}

void CodexEngine::onNotification(Runtime &runtime, const QString &method, const QJsonObject &params)
{
    const QString threadId = wire::threadId(params);
    if (method == "serverRequest/resolved"_L1) {
        m_desk->resolved(
            *runtime.server, wire::member(params, { "requestId"_L1, "request_id"_L1 }));
        return;
    }
    if (method == "thread/started"_L1) {
        // A sub-agent's work stays out of the turn's stream, but its questions are the turn's.
        const QString parent = wire::text(
            params.value("thread"_L1).toObject(), { "parentThreadId"_L1, "parent_thread_id"_L1 });
        if (!parent.isEmpty()) {
            runtime.parents.insert(threadId, parent);
        }
        return;
    }
    const auto thread = runtime.threads.find(threadId);
    Turn *turn = thread == runtime.threads.end() ? nullptr : thread->turn;
    if (turn != nullptr) {
        turn->handle(method, params);
        if (method == "item/started"_L1 && !turn->isOver()) {
            m_desk->itemSeen(*turn, wire::itemId(params));
        }
    } else if (thread != runtime.threads.end() && method == "turn/completed"_L1) {
        thread->stuck = false;
    }
    if (method == "item/completed"_L1) {
        for (const auto &[id, late] : std::as_const(m_lateTurns)) {
            if (id == threadId && late && late != turn) {
                late->handle(method, params);
            }
        }
    }
}

bool CodexEngine::onRequest(Runtime &runtime, const jsonrpc::IncomingRequest &request)
{
    return m_desk->take(*runtime.server, request, runtime.turnOf(wire::threadId(request.params)));
}

void CodexEngine::onLost(Runtime &runtime, const QString &reason)
{
    m_desk->withdrawServer(*runtime.server, u"the engine has exited"_s);
    QList<QPointer<Turn>> turns;
    for (const auto &entry : m_entries) {
        if (entry->runtime == &runtime && entry->turn) {
            turns.append(entry->turn.get());
        }
    }
    runtime.threads.clear();
    runtime.parents.clear();
    for (const QPointer<Turn> &turn : turns) {
        if (turn) {
            turn->serverLost(reason);
        }
    }
    checkStopped();
}

void CodexEngine::onTurnEnded(Turn *turn)
{
    const auto it = std::find_if(m_entries.begin(), m_entries.end(),
        [&](const auto &entry) { return entry->turn.get() == turn; });
    if (it == m_entries.end()) {
        return;
    }
    const QString threadId = turn->threadId();
    Runtime &runtime = *(*it)->runtime;
    // Kept a while for late ends of its items; it is on the call stack in any case.
    Turn *kept = (*it)->turn.release();
    kept->setParent(this);
    m_lateTurns.append({ threadId, kept });
    if (m_lateTurns.size() > kLateTurns) {
        if (const auto oldest = m_lateTurns.takeFirst().second; oldest) {
            oldest->deleteLater();
        }
    }
    const QString specThread = (*it)->spec.threadId;
    m_entries.erase(it);
    if (kept->lacksAccount()) {
        letGoOfIdle(runtime);
    }
    trimThreads(runtime);
    startNextOf(threadId);
    if (specThread != threadId) {
        startNextOf(specThread);
    }
    updateStatus();
}

void CodexEngine::startNextOf(const QString &threadId)
{
    for (const auto &entry : m_entries) {
        if (entry->queued && entry->spec.threadId == threadId) {
            const TurnRef ref = entry->spec.ref;
            entry->queued = false;
            QMetaObject::invokeMethod(
                this,
                [this, ref] {
                    if (Entry *later = find(ref); later != nullptr && !later->turn) {
                        schedule(*later);
                    }
                },
                Qt::QueuedConnection);
            return;
        }
    }
}

// Codex reads who is signed in when it starts: the next turn must not meet the old answer.
bool CodexEngine::letGoOfIdle(Runtime &runtime)
{
    const bool used = std::any_of(m_entries.begin(), m_entries.end(),
        [&](const auto &entry) { return entry->runtime == &runtime && entry->turn; });
    if (!used) {
        runtime.threads.clear();
        runtime.parents.clear();
        runtime.server->dismiss();
    }
    return !used;
}

// Conversations of long finished tasks leave the engine's memory; a later turn resumes them.
void CodexEngine::trimThreads(Runtime &runtime)
{
    while (runtime.threads.size() > m_options.keptThreads) {
        auto oldest = runtime.threads.end();
        for (auto it = runtime.threads.begin(); it != runtime.threads.end(); ++it) {
            if (it->turn == nullptr
                && (oldest == runtime.threads.end() || it->lastUse < oldest->lastUse)) {
                oldest = it;
            }
        }
        if (oldest == runtime.threads.end()) {
            return;
        }
        if (runtime.server->peer() != nullptr) {
            runtime.server->peer()->request(u"thread/unsubscribe"_s,
                { { u"threadId"_s, oldest.key() } }, this, [](const jsonrpc::Reply &) {});
        }
        runtime.threads.erase(oldest);
    }
}

void CodexEngine::interruptTurn(const TurnRef &ref, const QString &message)
{
    Entry *entry = find(ref);
    if (entry == nullptr) {
        return;
    }
    if (entry->turn) {
        entry->turn->interrupt(message);
        return;
    }
    std::erase_if(m_entries, [&](const auto &other) { return other.get() == entry; });
    Q_EMIT event(ref, cancelledTurn(message));
}

void CodexEngine::decide(const QString &requestId, const Decision &decision)
{
    m_desk->decide(requestId, decision);
}

void CodexEngine::forgetTask(const QString &taskId)
{
    const QString threadId = m_threadOfTask.take(taskId);
    Runtime *runtime = m_runtimeOfTask.take(taskId);
    if (m_routes != nullptr) {
        m_routes->release(taskId);
    }
    if (runtime == nullptr || threadId.isEmpty()) {
        return;
    }
    const auto thread = runtime->threads.constFind(threadId);
    jsonrpc::Peer *peer = runtime->server->peer();
    if (thread == runtime->threads.constEnd() || thread->turn != nullptr || peer == nullptr) {
        return;
    }
    const QJsonObject params { { u"threadId"_s, threadId } };
    const auto ignore = [](const jsonrpc::Reply &) {
    };
    peer->request(u"thread/backgroundTerminals/clean"_s, params, this, ignore);
    peer->request(u"thread/unsubscribe"_s, params, this, ignore);
    runtime->threads.erase(thread);
}

void CodexEngine::requestStop(std::chrono::milliseconds limit)
{
    if (m_stopping) {
        return;
    }
    m_stopping = true;
    QList<TurnRef> refs;
    for (const auto &entry : m_entries) {
        refs.append(entry->spec.ref);
    }
    // Closing its input ends the turns of the process and their commands; nobody is asked to agree.
    for (const TurnRef &ref : std::as_const(refs)) {
        if (Entry *entry = find(ref); entry != nullptr && entry->turn) {
            entry->turn->endNow(TurnOutcome::Cancelled, {}, u"Deskhand is stopping."_s);
        } else if (entry != nullptr) {
            interruptTurn(ref, u"Deskhand is stopping."_s);
        }
    }
    process::StopLimits limits = m_options.timings.stop;
    limits.afterInputClosed = std::min(limits.afterInputClosed, limit / 2);
    limits.afterTerminate = std::min(limits.afterTerminate, limit / 4);
    for (const auto &[folder, runtime] : m_runtimes) {
        runtime->server->stop(limits);
    }
    m_stopLimit.start(limit - limit / 8);
    if (m_runtimes.empty()) {
        QMetaObject::invokeMethod(this, &CodexEngine::checkStopped, Qt::QueuedConnection);
    }
}

void CodexEngine::checkStopped()
{
    const bool running = std::any_of(m_runtimes.begin(), m_runtimes.end(),
        [](const auto &entry) { return entry.second->server->isRunning(); });
    if (!m_stopping || running) {
        return;
    }
    const bool first = m_stopLimit.isActive();
    m_stopLimit.stop();
    if (first) {
        Q_EMIT stopped();
    }
}

void CodexEngine::updateStatus()
{
    using State = EngineStatus::State;
    EngineStatus next = m_status;
    const bool busy = std::any_of(m_entries.begin(), m_entries.end(),
        [](const auto &entry) { return entry->turn != nullptr; });
    if (m_status.path.isEmpty()) {
        next.state = State::NotFound;
    } else {
        next.state = State::Idle;
        next.cause = m_sandboxCause;
        for (const auto &[folder, runtime] : m_runtimes) {
            const AppServer &server = *runtime->server;
            switch (server.state()) {
            case AppServer::State::Ready:
                next.state = busy ? State::Busy : State::Ready;
                next.version = server.version();
                break;
            case AppServer::State::Starting:
                next.state = server.generation() > 1 || !server.failure().isEmpty()
                    ? State::Restarting
                    : State::Starting;
                next.cause = server.failure();
                break;
            case AppServer::State::Failed:
                next.state = State::Failed;
                next.cause = server.failure();
                break;
            case AppServer::State::Stopped:
                if (!server.failure().isEmpty()) {
                    next.cause = server.failure();
                }
                break;
            case AppServer::State::Stopping:
                break;
            }
        }
    }
    const bool changed = next.state != m_status.state || next.cause != m_status.cause
        || next.version != m_status.version || next.path != m_status.path;
    m_status = next;
    if (changed) {
        Q_EMIT statusChanged(m_status);
    }
}

} // namespace deskhand::engines::codex
