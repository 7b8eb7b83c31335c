// SPDX-License-Identifier: Apache-2.0
#include "app/notifications/notifier.h"

#include "app/status/statuswatch.h"
#include "app/tasks/taskbook.h"
#include "app/wording.h"

#include <QDateTime>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace deskhand::app {
namespace {

constexpr auto kReminder = 5min;
/// A task that ran shorter is not worth a message when it succeeds, in milliseconds.
constexpr qint64 kLongTask = 60'000;
/// One message per task within this time, in milliseconds.
constexpr qint64 kPerTask = 10'000;

} // namespace

Notifier::Notifier(Core &core, StatusWatch &watch, TaskBook &book, QObject *parent)
    : QObject(parent)
    , m_core(core)
    , m_watch(watch)
    , m_book(book)
{
    m_reminder.setSingleShot(true);
    m_reminder.setInterval(kReminder);
    connect(&m_reminder, &QTimer::timeout, this, &Notifier::remind);
    connect(&core, &Core::requestOpened, this, &Notifier::onRequest);
    connect(&core, &Core::requestClosed, this, [this](const engines::PermissionRequest &request) {
        if (m_last.kind == Target::Kind::Request && m_last.id == request.id) {
            m_last = {};
        }
    });
    connect(&book, &TaskBook::taskEnded, this, &Notifier::onTaskEnded);
    connect(&watch, &StatusWatch::changed, this, &Notifier::onStatus);
}

void Notifier::setWatcher(std::function<bool(const QString &)> isWatched)
{
    m_isWatched = std::move(isWatched);
}

void Notifier::say(const Target &target, const QString &title, const QString &text, bool problem)
{
    m_last = target;
    Q_EMIT message(title, text, problem);
}

void Notifier::onRequest(const engines::PermissionRequest &request)
{
    if (m_isWatched && m_isWatched(request.taskId)) {
        return;
    }
    m_reminder.start();
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    if (now - m_lastByTask.value(request.taskId, 0) < kPerTask) {
        return;
    }
    m_lastByTask.insert(request.taskId, now);
    const auto task = m_book.find(request.taskId);
    // No command text: messages may be shown on a locked screen.
    say({ Target::Kind::Request, request.id }, tr("A task asks for permission"),
        task
            ? tr("%1: %2", "task, what it asks").arg(task->title, Wording::requestSentence(request))
            : Wording::requestSentence(request),
        false);
}

void Notifier::remind()
{
    const auto requests = m_core.requests();
    if (!requests.isEmpty()) {
        say({ Target::Kind::Request, requests.first().id },
            tr("%n request(s) still waiting", nullptr, static_cast<int>(requests.size())),
            tr("Nothing is allowed until you decide."), false);
    }
}

void Notifier::onTaskEnded(const tasks::TaskSummary &task)
{
    using tasks::TaskState;
    if (task.state == TaskState::Stopped || (m_isWatched && m_isWatched(task.taskId))) {
        return;
    }
    const bool failed = task.state != TaskState::Finished;
    if (!failed && (task.startedAtMs == 0 || task.endedAtMs - task.startedAtMs < kLongTask)) {
        return;
    }
    say({ Target::Kind::Task, task.taskId },
        failed ? (task.state == TaskState::Interrupted ? tr("Task interrupted") : tr("Task failed"))
               : tr("Task finished"),
        failed && !task.error.isEmpty()
            ? tr("%1: %2", "task, error").arg(Wording::oneLine(task.title, 60), task.error)
            : task.title,
        failed);
}

void Notifier::onStatus()
{
    const Overall overall = m_watch.overall();
    if (overall.state != OverallState::Problem && overall.state != OverallState::SignInNeeded) {
        if (overall.state != OverallState::NeedsYou) {
            m_problem.clear();
        }
        return;
    }
    if (overall.line != m_problem) {
        m_problem = overall.line;
        say({ Target::Kind::Status, {} }, tr("Deskhand needs your attention"), overall.line, true);
    }
}

} // namespace deskhand::app
