// SPDX-License-Identifier: Apache-2.0
#include "executor/device/dispatcher.h"

#include "executor/device/linkrules.h"
#include "executor/logging/log.h"

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

using namespace engines;
using namespace std::chrono_literals;

constexpr size_t kMaxEarlyCancels = 256;
constexpr size_t kMaxRememberedTurns = 1024;
constexpr qsizetype kMaxReportedEvents = 100;
// A cancel overtakes its task by moments. Kept longer, one that came just after its turn would
// stop the next turn of the task.
constexpr std::chrono::milliseconds kEarlyCancelLife = 60s;

std::shared_ptr<spdlog::logger> log()
{
    return logging::logger("device");
}

QString taskKey(qint64 taskId)
{
    return u"task:%1"_s.arg(taskId);
}

QString subtaskKey(qint64 subtaskId)
{
    return u"subtask:%1"_s.arg(subtaskId);
}

TurnEnded failed(const QString &code, const QString &message)
{
    TurnEnded ended;
    ended.outcome = TurnOutcome::Failed;
    ended.errorCode = code;
    ended.errorMessage = message;
    return ended;
}

TurnEnded cancelled(const QString &message)
{
    TurnEnded ended;
    ended.outcome = TurnOutcome::Cancelled;
    ended.errorMessage = message;
    return ended;
}

} // namespace

Dispatcher::Dispatcher(
    tasks::TaskManager &tasks, tasks::Journal &journal, Outbox &outbox, QObject *parent)
    : QObject(parent)
    , m_tasks(tasks)
    , m_journal(journal)
    , m_outbox(outbox)
{
    connect(&m_tasks, &tasks::TaskManager::event, this,
        [this](const tasks::TurnRequest &request, const TaskEvent &event) {
            if (request.origin != tasks::Origin::Backend) {
                return;
            }
            m_outbox.encode(request.ref, event);
            if (std::holds_alternative<TurnEnded>(event)) {
                rememberOver(request.ref);
            }
        });
}

void Dispatcher::handle(
    const QString &event, const socketio::Payload &payload, socketio::Acknowledger acknowledger)
{
    const QJsonObject object = payload.object();
    QJsonObject answer { { u"success"_s, true } };
    if (event == u"task:execute" || event == u"chat:message") {
        execute(object);
    } else if (event == u"task:cancel") {
        cancel(object);
    } else if (event == u"task:close-session") {
        answer = closeSession(object);
    } else if (event == u"task:error") {
        taskError(object);
    } else {
        answer = unsupportedAnswer(event);
        if (m_reported.size() < kMaxReportedEvents && !m_reported.contains(event)) {
            m_reported.insert(event);
            log()->info("the server asked for {}, which this version does not do",
                event.left(kMaxReportedEvents));
        }
    }
    if (acknowledger.isWanted()) {
        if (const Result<> sent = acknowledger.send(answer); !sent) {
            log()->debug("the answer to {} could not be sent: {}", event, sent.error().message);
        }
    }
}

bool Dispatcher::isKnown(const TurnRef &ref) const
{
    return m_outbox.contains(ref) || std::find(m_over.begin(), m_over.end(), ref) != m_over.end()
        || m_journal.knowsTurn(ref);
}

void Dispatcher::execute(const QJsonObject &payload)
{
    const auto address = readAddress(payload, true, m_server);
    if (!address) {
        log()->warn("a task was dropped, nobody could be told: {}", address.error().message);
        return;
    }
    if (isKnown(address->ref())) {
        log()->info(
            "task {} turn {} came again and is ignored", address->taskId, address->subtaskId);
        return;
    }
    const auto request = readExecute(payload, *address);
    if (!request) {
        log()->warn("task {} cannot be run: {}", address->taskId, request.error().message);
        endAlone(*address, u"bad_request"_s, request.error().message);
        return;
    }
    const auto echoed = TurnAddress::fromJson(request->turn.echo);
    run(echoed ? *echoed : *address, *request);
}

void Dispatcher::run(const TurnAddress &address, const ExecuteRequest &request)
{
    if (takeCancel(address)) {
        m_outbox.begin(address);
        m_outbox.encode(address.ref(), cancelled(u"Stopped before it began."_s));
        rememberOver(address.ref());
        return;
    }
    if (m_stopping) {
        endRefused(address, u"device_stopping"_s,
            u"This device is shutting down and takes no new tasks."_s);
        return;
    }
    if (m_paused) {
        endRefused(address, u"device_paused"_s,
            u"The owner has paused this device. It takes no new tasks until it is resumed there."_s);
        return;
    }
    m_outbox.begin(address);
    for (const QString &note : request.notes) {
        m_outbox.encode(
            address.ref(), StatusNote { StatusNote::Level::Warning, u"not_supported"_s, note });
    }
    log()->info("task {} turn {} arrived", address.taskId, address.subtaskId);
    if (const Result<> taken = m_tasks.submit(request.turn); !taken) {
        log()->warn("task {} was not taken: {}", address.taskId, taken.error().message);
        const QString hint = taken.error().hint;
        endRefused(address, u"refused"_s,
            hint.isEmpty() ? taken.error().message : taken.error().message + u' ' + hint);
    }
}

void Dispatcher::cancel(const QJsonObject &payload)
{
    const auto address = readAddress(payload, false, m_server);
    if (!address) {
        log()->warn("a cancel was dropped: {}", address.error().message);
        return;
    }
    const TurnRef ref = address->ref();
    const QString message = u"Stopped by the user."_s;
    // A named turn that runs, else whatever runs of the task: the backend keys by the task.
    if (address->subtaskId != 0) {
        if (m_tasks.cancel(ref.taskId, ref.turnId, message)) {
            return;
        }
        if (isKnown(ref)) {
            return; // that turn is over; a newer one of the task is none of its business
        }
    }
    if (m_tasks.cancel(ref.taskId, QString(), message)) {
        return;
    }
    rememberCancel(
        address->subtaskId != 0 ? subtaskKey(address->subtaskId) : taskKey(address->taskId));
}

QJsonObject Dispatcher::closeSession(const QJsonObject &payload)
{
    const auto address = readAddress(payload, false, m_server);
    if (!address) {
        return { { u"success"_s, false }, { u"error"_s, u"task_id is required"_s } };
    }
    m_tasks.closeSession(address->ref().taskId, u"Task session closed"_s);
    Q_EMIT sessionClosed();
    return { { u"success"_s, true } };
}

void Dispatcher::taskError(const QJsonObject &payload)
{
    const auto address = readAddress(payload, false, m_server);
    if (!address) {
        log()->warn("a task error was dropped: {}", address.error().message);
        return;
    }
    // The backend has ended the turn on its side, so nothing more is said about it.
    const QList<TurnAddress> open = m_outbox.openTurns();
    for (const TurnAddress &turn : open) {
        if (turn.taskId == address->taskId
            && (address->subtaskId == 0 || turn.subtaskId == address->subtaskId)) {
            m_outbox.drop(turn.ref());
            rememberOver(turn.ref());
            if (const Result<> stopped = m_tasks.cancel(
                    turn.ref().taskId, turn.ref().turnId, u"The server has ended this turn."_s);
                !stopped) {
                log()->debug("task {} was over already", turn.taskId);
            }
        }
    }
}

void Dispatcher::endAlone(const TurnAddress &address, const QString &code, const QString &message)
{
    m_outbox.sendAlone(address, failed(code, message));
    rememberOver(address.ref());
}

void Dispatcher::endRefused(const TurnAddress &address, const QString &code, const QString &message)
{
    m_outbox.begin(address);
    m_outbox.encode(address.ref(), failed(code, message));
    rememberOver(address.ref());
}

void Dispatcher::rememberCancel(const QString &key)
{
    m_earlyCancels.push_back({ key, {} });
    m_earlyCancels.back().age.start();
    if (m_earlyCancels.size() > kMaxEarlyCancels) {
        m_earlyCancels.pop_front();
    }
}

bool Dispatcher::takeCancel(const TurnAddress &address)
{
    std::erase_if(m_earlyCancels,
        [](const EarlyCancel &early) { return early.age.elapsed() > kEarlyCancelLife.count(); });
    const QString turn = subtaskKey(address.subtaskId);
    const QString task = taskKey(address.taskId);
    return std::erase_if(m_earlyCancels, [&](const EarlyCancel &early) {
        return early.key == turn || early.key == task;
    }) > 0;
}

void Dispatcher::rememberOver(const TurnRef &ref)
{
    m_over.push_back(ref);
    if (m_over.size() > kMaxRememberedTurns) {
        m_over.pop_front();
    }
}

} // namespace deskhand::device
