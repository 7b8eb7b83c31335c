// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/requestdesk.h"

#include "executor/common/ids.h"
#include "executor/engines/codex/elicitation.h"
#include "executor/engines/codex/turn.h"
#include "executor/engines/codex/wire.h"
#include "executor/logging/log.h"

#include <QDateTime>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

namespace {

constexpr int kRememberedClosed = 512;

auto log()
{
    return logging::logger("engine.codex");
}

} // namespace

RequestDesk::RequestDesk(const Timings &timings, QObject *parent)
    : QObject(parent)
    , m_timings(timings)
{ }

RequestDesk::~RequestDesk() = default;

void RequestDesk::answerNow(AppServer &server, const QJsonValue &rpcId, const QJsonObject &result)
{
    if (server.peer() != nullptr) {
        server.peer()->respond(rpcId, result);
    }
}

bool RequestDesk::take(AppServer &server, const jsonrpc::IncomingRequest &incoming, Turn *turn)
{
    if (incoming.method == "execCommandApproval"_L1 || incoming.method == "applyPatchApproval"_L1) {
        // The older form; not produced for the conversations we open.
        answerNow(server, incoming.id, { { u"decision"_s, u"denied"_s } });
        return true;
    }
    const std::optional<Ask> ask = askOf(incoming.method, incoming.params);
    if (!ask) {
        log()->info("codex asks for \"{}\", which is not supported", incoming.method.left(200));
        if (turn != nullptr) {
            Q_EMIT noted(turn->ref(),
                { StatusNote::Level::Info, u"request_unsupported"_s,
                    u"The engine asked for something that is not supported (%1); it was told "
                    "so."_s.arg(incoming.method.left(100)) });
        }
        return false;
    }
    const bool openable = turn != nullptr && !turn->isOver() && !turn->wasInterrupted();
    const bool shapeFits = *ask != Ask::ToolForm || isAnswerable(incoming.params);
    // One message said that the sandbox is missing; a prompt for every command would say no more.
    const bool sandboxGone
        = openable && *ask == Ask::Command && turn->stream().sandboxUnavailable();
    if (!openable || !shapeFits || sandboxGone) {
        answerNow(server, incoming.id, refusal(*ask, incoming.params));
        if (openable && !shapeFits) {
            Q_EMIT noted(turn->ref(),
                { StatusNote::Level::Info, u"request_declined"_s,
                    u"A tool server asked for input of a kind that cannot be shown; it was "
                    "declined."_s });
        }
        return true;
    }
    QString id;
    do {
        id = u"req-"_s + randomHex(5);
    } while (m_tickets.contains(id) || m_closed.contains(id));
    Ticket ticket;
    ticket.ask = *ask;
    ticket.rpcId = incoming.id;
    ticket.params = incoming.params;
    ticket.server = &server;
    ticket.generation = server.generation();
    ticket.turn = turn;
    ticket.request = mapRequest(*ask, incoming.params);
    ticket.request.id = id;
    ticket.request.taskId = turn->ref().taskId;
    ticket.request.turnId = turn->ref().turnId;
    ticket.request.createdAtMs = QDateTime::currentMSecsSinceEpoch();
    if (ticket.request.cwd.isEmpty()) {
        ticket.request.cwd = turn->spec().cwd;
    }
    const bool waits
        = *ask == Ask::FileChange && !turn->stream().openItem(ticket.request.itemId).has_value();
    if (waits) {
        // The diff comes with the item, and the item may come after the request.
        ticket.state = State::WaitsForItem;
        ticket.timer = std::make_unique<QTimer>();
        ticket.timer->setSingleShot(true);
        connect(ticket.timer.get(), &QTimer::timeout, this, [this, id] { open(id); });
        ticket.timer->start(m_timings.fileChangeItem);
    }
    m_tickets.emplace(id, std::move(ticket));
    if (!waits) {
        open(id);
    } else {
        tellWaiting(turn->ref());
    }
    return true;
}

void RequestDesk::itemSeen(Turn &turn, const QString &itemId)
{
    QStringList ready;
    for (const auto &[id, ticket] : m_tickets) {
        if (ticket.state == State::WaitsForItem && ticket.turn == &turn
            && ticket.request.itemId == itemId) {
            ready.append(id);
        }
    }
    for (const QString &id : ready) {
        open(id);
    }
}

void RequestDesk::fillFiles(Ticket &ticket)
{
    const auto item
        = ticket.turn ? ticket.turn->stream().openItem(ticket.request.itemId) : std::nullopt;
    if (item) {
        for (const FileChange &change : item->changes) {
            const QString action = change.action == FileChange::Action::Add ? u"add"_s
                : change.action == FileChange::Action::Delete               ? u"delete"_s
                                                                            : u"update"_s;
            ticket.request.files.append({ change.path, action, change.diff });
        }
    }
    const qsizetype count = ticket.request.files.size();
    if (!ticket.request.grantRoot.isEmpty()) {
        ticket.request.summary = u"Change files in %1"_s.arg(ticket.request.grantRoot);
    } else if (count > 0) {
        ticket.request.summary = count == 1 ? u"Change a file"_s : u"Change %1 files"_s.arg(count);
    }
}

void RequestDesk::open(const QString &id)
{
    const auto it = m_tickets.find(id);
    if (it == m_tickets.end() || !it->second.turn) {
        return;
    }
    Ticket &ticket = it->second;
    if (ticket.timer) {
        ticket.timer.release()->deleteLater(); // may be the one that fires right now
    }
    ticket.state = State::Open;
    if (ticket.ask == Ask::FileChange) {
        fillFiles(ticket);
    }
    const PermissionRequest request = ticket.request;
    tellWaiting({ request.taskId, request.turnId });
    Q_EMIT requested(request);
}

void RequestDesk::decide(const QString &id, const Decision &decision)
{
    const auto it = m_tickets.find(id);
    if (it == m_tickets.end()) {
        const QString fate = m_closed.value(id);
        Q_EMIT delivered(id,
            fate.isEmpty() ? u"There is no request %1."_s.arg(id)
                           : u"Request %1 is closed: %2."_s.arg(id, fate));
        return;
    }
    Ticket &ticket = it->second;
    if (ticket.state == State::Writing || ticket.state == State::Written) {
        Q_EMIT delivered(id, u"Request %1 is already answered."_s.arg(id));
        return;
    }
    if (!ticket.request.choices.contains(decision.choice)) {
        Q_EMIT delivered(id,
            u"Request %1 cannot be answered with \"%2\"."_s.arg(id, choiceName(decision.choice)));
        return;
    }
    jsonrpc::Peer *peer = ticket.server ? ticket.server->peer() : nullptr;
    if (peer == nullptr || ticket.server->generation() != ticket.generation) {
        close(id, u"the engine has exited"_s);
        Q_EMIT delivered(id, u"Request %1 is void: the engine has exited."_s.arg(id));
        return;
    }
    ticket.state = State::Writing;
    if (decision.choice == Choice::Deny) {
        ticket.note = decision.note.trimmed();
    }
    ticket.timer = std::make_unique<QTimer>();
    ticket.timer->setSingleShot(true);
    connect(ticket.timer.get(), &QTimer::timeout, this, [this, id] {
        if (const auto late = m_tickets.find(id);
            late != m_tickets.end() && late->second.state == State::Written) {
            if (!late->second.turn || late->second.turn->isOver()) {
                confirm(id); // the engine went on, so it had read the answer
                return;
            }
            const TurnRef ref { late->second.request.taskId, late->second.request.turnId };
            close(id, u"its answer was not confirmed by the engine"_s);
            Q_EMIT delivered(id,
                u"The engine has not confirmed the answer to request %1 within %2 seconds. Look at "
                "the task to see whether it went on."_s.arg(id)
                    .arg(m_timings.decisionConfirmed.count() / 1'000));
            tellWaiting(ref);
        }
    });
    const TurnRef ref { ticket.request.taskId, ticket.request.turnId };
    const QJsonObject result = mapDecision(ticket.ask, ticket.params, decision);
    const bool stops = decision.choice == Choice::DenyAndStop;
    const bool byEngine = !needsInterrupt(ticket.ask, decision.choice);
    const bool queued = peer->respond(ticket.rpcId, result, [this, id] {
        const auto written = m_tickets.find(id);
        if (written == m_tickets.end()) {
            return;
        }
        written->second.state = State::Written;
        if (written->second.confirmed) {
            confirm(id);
        } else {
            written->second.timer->start(m_timings.decisionConfirmed);
        }
    });
    if (!queued) {
        close(id, u"the engine does not take the answer"_s);
        Q_EMIT delivered(id, u"The engine did not take the answer to request %1."_s.arg(id));
        return;
    }
    tellWaiting(ref);
    if (stops) {
        Q_EMIT stopTurn(ref, byEngine);
    }
}

void RequestDesk::confirm(const QString &id)
{
    QPointer<Turn> turn;
    QString note;
    if (const auto it = m_tickets.find(id); it != m_tickets.end()) {
        turn = it->second.turn;
        note = it->second.note;
    }
    close(id, u"it was answered"_s);
    Q_EMIT delivered(id, {});
    // Codex has no field for a reason, so it follows the denial as a word to the running turn.
    if (turn && !note.isEmpty()) {
        turn->tellModel(u"The owner denied the request and says: %1"_s.arg(note));
    }
}

void RequestDesk::close(const QString &id, const QString &reason)
{
    const auto it = m_tickets.find(id);
    if (it == m_tickets.end()) {
        return;
    }
    if (it->second.timer) {
        it->second.timer.release()->deleteLater();
    }
    m_tickets.erase(it);
    m_closed.insert(id, reason);
    m_closedOrder.enqueue(id);
    if (m_closedOrder.size() > kRememberedClosed) {
        m_closed.remove(m_closedOrder.dequeue());
    }
}

void RequestDesk::withdraw(const QString &id, const QString &reason)
{
    const auto it = m_tickets.find(id);
    if (it == m_tickets.end()) {
        return;
    }
    const State state = it->second.state;
    const TurnRef ref { it->second.request.taskId, it->second.request.turnId };
    close(id, reason);
    if (state == State::Writing || state == State::Written) {
        Q_EMIT delivered(id, u"Request %1 is void: %2."_s.arg(id, reason));
    } else if (state == State::Open) {
        Q_EMIT withdrawn(id, reason);
    }
    tellWaiting(ref);
}

void RequestDesk::resolved(const AppServer &server, const QJsonValue &rpcId)
{
    QString found;
    for (const auto &[id, ticket] : m_tickets) {
        if (ticket.server == &server && ticket.generation == server.generation()
            && ticket.rpcId == rpcId) {
            found = id;
        }
    }
    if (found.isEmpty()) {
        return;
    }
    Ticket &ticket = m_tickets.at(found);
    if (ticket.state == State::Writing) {
        ticket.confirmed = true; // the last bytes are still to be counted
    } else if (ticket.state == State::Written) {
        confirm(found);
    } else {
        withdraw(found, u"the engine no longer waits for it"_s);
    }
}

void RequestDesk::withdrawTurn(const TurnRef &ref, const QString &reason)
{
    QStringList ids;
    for (const auto &[id, ticket] : m_tickets) {
        // An answer on its way to a living process is confirmed by its own means.
        const bool answered = ticket.state == State::Writing || ticket.state == State::Written;
        if (ticket.request.taskId == ref.taskId && ticket.request.turnId == ref.turnId
            && !answered) {
            ids.append(id);
        }
    }
    for (const QString &id : ids) {
        withdraw(id, reason);
    }
}

void RequestDesk::withdrawServer(const AppServer &server, const QString &reason)
{
    QStringList ids;
    for (const auto &[id, ticket] : m_tickets) {
        if (ticket.server == &server) {
            ids.append(id);
        }
    }
    for (const QString &id : ids) {
        withdraw(id, reason);
    }
}

void RequestDesk::tellWaiting(const TurnRef &ref)
{
    bool waiting = false;
    for (const auto &[id, ticket] : m_tickets) {
        waiting = waiting
            || (ticket.request.taskId == ref.taskId && ticket.request.turnId == ref.turnId
                && (ticket.state == State::Open || ticket.state == State::WaitsForItem));
    }
    Q_EMIT waitingChanged(ref, waiting);
}

} // namespace deskhand::engines::codex
