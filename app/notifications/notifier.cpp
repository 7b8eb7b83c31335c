// SPDX-License-Identifier: Apache-2.0
#include "app/notifications/notifier.h"

#include "app/coretext/coretext.h"
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
constexpr auto kTogether = 400ms;
constexpr auto kAfter = 5s;
constexpr int kNamedTasks = 3;

/// The first titles of several tasks.
QString titles(const QStringList &all)
{
    QStringList shown;
    for (const QString &title : all) {
        const QString line = Wording::oneLine(title, 36);
        if (!shown.contains(line) && shown.size() < kNamedTasks) {
            shown << line;
        }
    }
    return shown.join(u"; "_s);
}

} // namespace

Notifier::Notifier(Core &core, StatusWatch &watch, TaskBook &book, QObject *parent)
    : QObject(parent)
    , m_core(core)
    , m_watch(watch)
    , m_book(book)
    , m_together(kTogether)
    , m_after(kAfter)
{
    m_requestTimer.setSingleShot(true);
    m_endingTimer.setSingleShot(true);
    connect(&m_requestTimer, &QTimer::timeout, this, &Notifier::tellRequests);
    connect(&m_endingTimer, &QTimer::timeout, this, &Notifier::tellEndings);
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

bool Notifier::isWatched(const QString &taskId) const
{
    return m_isWatched && m_isWatched(taskId);
}

void Notifier::setMergeTimes(std::chrono::milliseconds together, std::chrono::milliseconds after)
{
    m_together = together;
    m_after = after;
}

void Notifier::tellNow()
{
    tellRequests();
    tellEndings();
}

void Notifier::onRequest(const engines::PermissionRequest &request)
{
    if (isWatched(request.taskId)) {
        return;
    }
    m_reminder.start();
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    m_lastByTask.removeIf([now](const std::pair<const QString &, qint64 &> &last) {
        return now - last.second >= kPerTask;
    });
    if (m_lastByTask.contains(request.taskId) && !m_newRequests.isEmpty()) {
        m_newRequests << request.id; // goes into the message that is about to be told
        return;
    }
    if (m_lastByTask.contains(request.taskId)) {
        return;
    }
    m_lastByTask.insert(request.taskId, now);
    m_newRequests << request.id;
    if (!m_requestTimer.isActive()) {
        m_requestTimer.start(m_together);
    }
}

void Notifier::tellRequests()
{
    // Those answered meanwhile, or looked at, are not news.
    QList<engines::PermissionRequest> waiting;
    QStringList names;
    for (const engines::PermissionRequest &request : m_core.requests()) {
        if (m_newRequests.contains(request.id) && !isWatched(request.taskId)) {
            waiting << request;
            const auto task = m_book.find(request.taskId);
            names << (task ? task->title : request.taskId);
        }
    }
    m_newRequests.clear();
    if (waiting.isEmpty()) {
        return;
    }
    m_requestTimer.start(m_after);
    const engines::PermissionRequest &first = waiting.first();
    const Target target { Target::Kind::Request, first.id };
    // No command text: messages may be shown on a locked screen.
    if (waiting.size() > 1) {
        say(target, tr("%n request(s) for permission", nullptr, static_cast<int>(waiting.size())),
            titles(names), false);
        return;
    }
    const QString sentence = Wording::requestSentence(first);
    say(target, tr("A task asks for permission"),
        m_book.find(first.taskId) ? tr("%1: %2", "task, what it asks").arg(names.first(), sentence)
                                  : sentence,
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
    if (task.state == TaskState::Stopped || isWatched(task.taskId)) {
        return;
    }
    if (task.state == TaskState::Finished
        && (task.startedAtMs == 0 || task.endedAtMs - task.startedAtMs < kLongTask)) {
        return;
    }
    m_newEndings << task;
    if (!m_endingTimer.isActive()) {
        m_endingTimer.start(m_together);
    }
}

void Notifier::tellEndings()
{
    using tasks::TaskState;
    QList<tasks::TaskSummary> ended = std::exchange(m_newEndings, {});
    ended.removeIf([this](const tasks::TaskSummary &task) { return isWatched(task.taskId); });
    if (ended.isEmpty()) {
        return;
    }
    m_endingTimer.start(m_after);
    const tasks::TaskSummary &task = ended.first();
    const bool failed = task.state != TaskState::Finished;
    if (ended.size() == 1) {
        say({ Target::Kind::Task, task.taskId },
            failed ? (
                task.state == TaskState::Interrupted ? tr("Task interrupted") : tr("Task failed"))
                   : tr("Task finished"),
            failed && !task.error.isEmpty()
                ? tr("%1: %2", "task, error")
                      .arg(Wording::oneLine(task.title, 60),
                          CoreText::translated(task.error, CoreText::Voice::Anyone))
                : task.title,
            failed);
        return;
    }
    QStringList names;
    int well = 0;
    for (const tasks::TaskSummary &one : std::as_const(ended)) {
        names << one.title;
        well += one.state == TaskState::Finished ? 1 : 0;
    }
    const int count = static_cast<int>(ended.size());
    QString title = tr("%n task(s) finished", nullptr, count);
    if (well == 0) {
        title = tr("%n task(s) failed", nullptr, count);
    } else if (well < count) {
        title = tr("%1 tasks finished, %2 failed").arg(well).arg(count - well);
    }
    say({ Target::Kind::Tasks, {} }, title, titles(names), well < count);
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
