// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/taskscommands.h"

#include "executor/cli/exitcodes.h"
#include "executor/control/protocol.h"

namespace deskhand::cli {

using namespace Qt::StringLiterals;

namespace {

namespace method = control::method;

QString describe(const tasks::TaskSummary &task)
{
    QString line = u"%1  %2  %3  %4"_s.arg(task.taskId, -18)
                       .arg(tasks::taskStateName(task.state), -15)
                       .arg(timeText(task.createdAtMs), oneLine(task.title, 60));
    if (!task.error.isEmpty()) {
        line += u"  ("_s + oneLine(task.error, 100) + u')';
    }
    return line;
}

/// What keeps the commands of a task, by the level that it really got.
QString describeLevel(const QString &profile)
{
    const QString level = u"level %1, sandbox: "_s.arg(profile);
    if (profile == ":danger-full-access"_L1) {
        return level + u"none"_s;
    }
    return level
        + (profile == ":read-only"_L1
                ? u"the engine's (commands write nothing and have no network)"_s
                : u"the engine's (commands write in the folder and have no network)"_s);
}

} // namespace

TasksListCommand::TasksListCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output)
{ }

void TasksListCommand::start()
{
    if (invocation().has("active"_L1)) {
        m_params.insert(u"active"_s, true);
    }
    if (invocation().has("limit"_L1)) {
        bool ok = false;
        const int limit = invocation().value("limit"_L1).toInt(&ok);
        if (!ok || limit < 1 || limit > 1000) {
            fail(
                Error { ErrorKind::Usage, u"--limit must be a whole number from 1 to 1000"_s, {} });
            return;
        }
        m_params.insert(u"limit"_s, limit);
    }
    ClientCommand::start();
}

void TasksListCommand::run()
{
    call(method::tasksList, m_params, [this](const QJsonObject &answer) {
        const QJsonArray tasks = answer.value("tasks"_L1).toArray();
        if (output().json()) {
            output().jsonLine(tasks);
            leave(kOk);
            return;
        }
        if (tasks.isEmpty()) {
            output().line(u"No tasks."_s);
        }
        for (const QJsonValue &value : tasks) {
            const auto task = tasks::taskSummaryFromJson(value.toObject());
            if (!task) {
                leaveWith(task.error());
                return;
            }
            output().line(describe(*task));
        }
        leave(kOk);
    });
}

TaskStoryCommand::TaskStoryCommand(Invocation given, ExecutorHome home, Output &output, Mode mode)
    : ClientCommand(std::move(given), std::move(home), output)
    , m_mode(mode)
    , m_taskId(invocation().arguments.value(0))
    , m_view(output, TaskView::Prompts::Shown)
{ }

void TaskStoryCommand::run()
{
    if (m_mode == Mode::Show) {
        readPage();
        return;
    }
    connect(&client(), &control::ControlClient::notification, this,
        [this](const QString &name, const QJsonObject &params) {
            if (name != method::taskEvent) {
                return;
            }
            const auto record = control::taskEventRecordFromJson(params);
            if (!record) {
                output().note(record.error().message);
            } else if (m_caughtUp) {
                take(*record);
            } else {
                m_early.append(*record);
            }
        });
    // First the live events, then the story: what is in both is told by its number.
    call(method::tasksSubscribe, { { u"task_id"_s, m_taskId } },
        [this](const QJsonObject & /*nothing*/) { readPage(); });
}

void TaskStoryCommand::readPage()
{
    call(method::tasksShow, { { u"task_id"_s, m_taskId }, { u"after_seq"_s, m_lastSeq } },
        [this](const QJsonObject &answer) {
            for (const QJsonValue &value : answer.value("events"_L1).toArray()) {
                const auto record = control::taskEventRecordFromJson(value.toObject());
                if (!record) {
                    leaveWith(record.error());
                    return;
                }
                take(*record);
            }
            if (answer.value("more"_L1).toBool()) {
                readPage();
            } else {
                caughtUp();
            }
        });
}

void TaskStoryCommand::take(const TaskEventRecord &record)
{
    if (record.seq <= m_lastSeq) {
        return;
    }
    m_lastSeq = record.seq;
    if (m_mode == Mode::Show && output().json()) {
        m_records.append(control::toJson(record));
        return;
    }
    m_view.show(record);
    if (m_caughtUp && std::holds_alternative<engines::TurnEnded>(record.event)) {
        leaveWhenOver();
    }
}

void TaskStoryCommand::caughtUp()
{
    if (m_mode == Mode::Follow) {
        m_caughtUp = true;
        for (const TaskEventRecord &record : std::exchange(m_early, {})) {
            take(record);
        }
        leaveWhenOver();
        return;
    }
    call(method::tasksList, { { u"limit"_s, 1000 } }, [this](const QJsonObject &answer) {
        QJsonValue summary = QJsonValue::Null;
        for (const QJsonValue &task : answer.value("tasks"_L1).toArray()) {
            if (task.toObject().value("task_id"_L1).toString() == m_taskId) {
                summary = task;
            }
        }
        if (output().json()) {
            output().jsonLine(QJsonObject { { u"task"_s, summary }, { u"events"_s, m_records } });
        } else if (const auto task = tasks::taskSummaryFromJson(summary.toObject())) {
            output().note(describe(*task));
            output().note(describeLevel(task->profile));
        }
        leave(kOk);
    });
}

void TaskStoryCommand::leaveWhenOver()
{
    call(method::tasksList, { { u"active"_s, true } }, [this](const QJsonObject &answer) {
        const QJsonArray active = answer.value("tasks"_L1).toArray();
        const bool goesOn
            = std::any_of(active.begin(), active.end(), [this](const QJsonValue &task) {
                  return task.toObject().value("task_id"_L1).toString() == m_taskId;
              });
        if (!goesOn) {
            leave(kOk);
        }
    });
}

TasksStopCommand::TasksStopCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output)
{ }

void TasksStopCommand::run()
{
    const QString taskId = invocation().arguments.first();
    call(method::tasksStop, { { u"task_id"_s, taskId } }, [this, taskId](const QJsonObject &) {
        if (output().json()) {
            output().jsonLine(QJsonObject { { u"ok"_s, true }, { u"task_id"_s, taskId } });
        } else {
            output().line(u"Stopping %1."_s.arg(taskId));
        }
        leave(kOk);
    });
}

} // namespace deskhand::cli
