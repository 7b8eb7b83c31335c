// SPDX-License-Identifier: Apache-2.0
#include "executor/device/dispatcher.h"

#include "executor/device/linkrules.h"
#include "executor/engines/turnendings.h"
#include "executor/logging/log.h"

#include <QTimer>

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
constexpr std::chrono::milliseconds kStoreLimit = 1s;

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
    const QJsonObject answer = carryOut(event, payload);
    if (acknowledger.isWanted()) {
        if (const Result<> sent = acknowledger.send(answer); !sent) {
            log()->debug("the answer to {} could not be sent: {}", event, sent.error().message);
        }
    }
}

QJsonObject Dispatcher::carryOut(const QString &event, const socketio::Payload &payload)
{
    using Handler = Result<> (Dispatcher::*)(const QJsonObject &);
    static const QHash<QString, Handler> handlers {
        { u"task:execute"_s, &Dispatcher::execute },
        { u"chat:message"_s, &Dispatcher::execute },
        { u"task:cancel"_s, &Dispatcher::cancel },
        { u"task:close-session"_s, &Dispatcher::closeSession },
        { u"task:error"_s, &Dispatcher::taskError },
    };
    const Handler handler = handlers.value(event);
    if (handler == nullptr) {
        if (m_reported.size() < kMaxReportedEvents && !m_reported.contains(event)) {
            m_reported.insert(event);
            log()->info("the server asked for {}, which this version does not do",
                event.left(kMaxReportedEvents));
        }
        return unsupportedAnswer(event);
    }
    const Result<> done = payload.args.at(0).isObject()
        ? (this->*handler)(payload.object())
        : failure(ErrorKind::Protocol, u"the payload must be an object"_s);
    if (!done) {
        log()->warn("{} was not carried out: {}", event, done.error().message);
        return { { u"success"_s, false }, { u"error"_s, done.error().message } };
    }
    return { { u"success"_s, true } };
}

bool Dispatcher::isKnown(const TurnRef &ref) const
{
    return m_outbox.contains(ref) || std::find(m_over.begin(), m_over.end(), ref) != m_over.end()
        || m_journal.knowsTurn(ref);
}

Result<> Dispatcher::execute(const QJsonObject &payload)
{
    const auto address = readAddress(payload, true, m_server);
    if (!address) {
        return tl::unexpected(address.error()); // no event can name it
    }
    if (isKnown(address->ref())) {
        log()->info(
            "task {} turn {} came again and is ignored", address->taskId, address->subtaskId);
        return {};
    }
    const auto request = readExecute(payload, *address);
    if (!request) {
        endAlone(*address, u"bad_request"_s, request.error().message);
        return tl::unexpected(request.error());
    }
    const auto echoed = TurnAddress::fromJson(request->turn.echo);
    return run(echoed ? *echoed : *address, *request);
}

Result<> Dispatcher::run(const TurnAddress &address, const ExecuteRequest &request)
{
    if (takeCancel(address)) {
        m_outbox.begin(address);
        m_outbox.encode(address.ref(), cancelledTurn(u"Stopped before it began."_s));
        rememberOver(address.ref());
        return {};
    }
    if (m_stopping) {
        return endRefused(address, u"device_stopping"_s,
            u"This device is shutting down and takes no new tasks."_s);
    }
    if (m_paused) {
        return endRefused(address, u"device_paused"_s,
            u"The owner has paused this device. It takes no new tasks until it is resumed there."_s);
    }
    // The workspace hears of a turn only when a program killed right then would know of it later.
    m_outbox.begin(address, Outbox::Sending::WhenReleased);
    const auto release = [this, ref = address.ref()] {
        m_outbox.release(ref);
    };
    for (const QString &note : request.notes) {
        m_outbox.encode(
            address.ref(), StatusNote { StatusNote::Level::Warning, u"not_supported"_s, note });
    }
    log()->info("task {} turn {} arrived", address.taskId, address.subtaskId);
    if (const Result<> taken = m_tasks.submit(request.turn); !taken) {
        release();
        const QString hint = taken.error().hint;
        return endRefused(address, u"refused"_s,
            hint.isEmpty() ? taken.error().message : taken.error().message + u' ' + hint);
    }
    m_journal.settled(this, release);
    QTimer::singleShot(kStoreLimit, this, release); // a disk that hangs keeps nobody waiting
    return {};
}

Result<> Dispatcher::cancel(const QJsonObject &payload)
{
    const auto address = readAddress(payload, false, m_server);
    if (!address) {
        return tl::unexpected(address.error());
    }
    const TurnRef ref = address->ref();
    const QString message = u"Stopped by the user."_s;
    // A named turn that runs, else whatever runs of the task: the backend keys by the task.
    if (address->subtaskId != 0) {
        if (m_tasks.cancel(ref.taskId, ref.turnId, message)) {
            return {};
        }
        if (isKnown(ref)) {
            return {}; // that turn is over; a newer one of the task is none of its business
        }
    }
    if (m_tasks.cancel(ref.taskId, QString(), message)) {
        return {};
    }
    rememberCancel(
        address->subtaskId != 0 ? subtaskKey(address->subtaskId) : taskKey(address->taskId));
    return {};
}

Result<> Dispatcher::closeSession(const QJsonObject &payload)
{
    const auto address = readAddress(payload, false, m_server);
    if (!address) {
        return failure(ErrorKind::Protocol, u"task_id is required"_s);
    }
    m_tasks.closeSession(address->ref().taskId, u"Task session closed"_s);
    Q_EMIT sessionClosed();
    return {};
}

Result<> Dispatcher::taskError(const QJsonObject &payload)
{
    const auto address = readAddress(payload, false, m_server);
    if (!address) {
        return tl::unexpected(address.error());
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
    return {};
}

void Dispatcher::endAlone(const TurnAddress &address, const QString &code, const QString &message)
{
    m_outbox.sendAlone(address, failedTurn(code, message));
    rememberOver(address.ref());
}

Result<> Dispatcher::endRefused(
    const TurnAddress &address, const QString &code, const QString &message)
{
    m_outbox.begin(address);
    m_outbox.encode(address.ref(), failedTurn(code, message));
    rememberOver(address.ref());
    return failure(ErrorKind::Unavailable, message);
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
