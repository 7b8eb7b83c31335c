// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/taskcommand.h"

#include "executor/cli/exitcodes.h"
#include "executor/cli/standardstreams.h"
#include "executor/control/protocol.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>

namespace deskhand::cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

namespace method = control::method;

constexpr qsizetype kMaxPromptBytes = 4 * 1024 * 1024;
/// A stop reaches its end within ten seconds.
constexpr auto kStopLimit = 12s;
constexpr auto kAnswerLimit = 20s;

} // namespace

TaskCommand::TaskCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, WithoutProgram::StartHere)
    , m_view(output, TaskView::Prompts::Hidden)
{
    m_limit.setSingleShot(true);
    m_stopLimit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, [this] {
        m_timedOut = true;
        stopTask();
    });
    connect(&m_stopLimit, &QTimer::timeout, this, [this] {
        leaveWith(Error { ErrorKind::Timeout, u"the task did not stop in time"_s, {} });
    });
}

Result<QJsonObject> TaskCommand::readTask() const
{
    QString prompt = invocation().arguments.first();
    if (prompt == u"-"_s) {
        const QByteArray input = readAllInput(kMaxPromptBytes);
        if (input.size() > kMaxPromptBytes) {
            return failure(
                ErrorKind::Usage, u"the prompt is larger than %1 bytes"_s.arg(kMaxPromptBytes));
        }
        prompt = QString::fromUtf8(input);
    }
    if (prompt.trimmed().isEmpty()) {
        return failure(ErrorKind::Usage, u"the prompt is empty"_s);
    }
    const QString folder = invocation().has("cwd"_L1) ? invocation().value("cwd"_L1) : u"."_s;
    const QFileInfo info(QDir::current().absoluteFilePath(folder));
    if (!info.isDir()) {
        return failure(ErrorKind::Usage, u"--cwd: there is no folder %1"_s.arg(info.filePath()));
    }
    QJsonObject task { { u"prompt"_s, prompt },
        { u"cwd"_s, QDir::cleanPath(info.absoluteFilePath()) } };
    if (invocation().has("profile"_L1)) {
        QString profile = invocation().value("profile"_L1);
        if (!profile.startsWith(u':')) {
            profile.prepend(u':');
        }
        if (const auto known = engines::profileFromName(profile); !known) {
            return tl::unexpected<Error>(known.error().within(u"--profile"_s));
        }
        task.insert(u"profile"_s, profile);
    }
    if (invocation().has("model"_L1)) {
        const QString model = invocation().value("model"_L1);
        if (model.isEmpty()) {
            return failure(ErrorKind::Usage, u"--model needs the name of a model"_s,
                u"See: deskhand-executor models list"_s);
        }
        task.insert(u"model"_s, model);
    }
    return task;
}

void TaskCommand::start()
{
    const Result<qint64> limit = readSeconds(invocation(), "timeout"_L1, 1, 0);
    if (!limit) {
        fail(limit.error());
        return;
    }
    const Result<QJsonObject> task = readTask();
    if (!task) {
        fail(task.error());
        return;
    }
    m_task = *task;
    if (*limit > 0) {
        m_limit.start(std::chrono::milliseconds(*limit));
    }
    // A pipe on standard input may be the prompt; the terminal can still be asked.
    const bool person = isTerminal(StandardStream::Err)
        && (isTerminal(StandardStream::In) || invocation().arguments.first() == u"-"_s);
    m_asker = new RequestAsker(output(), person ? Terminal::open() : nullptr, this);
    connect(m_asker, &RequestAsker::decided, this, &TaskCommand::answer);
    m_signals = std::make_unique<SystemSignals>();
    connect(m_signals.get(), &SystemSignals::stopRequested, this, [this] {
        if (m_stopping || m_taskId.isEmpty()) {
            leave(kFailed);
        } else {
            stopTask();
        }
    });
    ClientCommand::start();
}

void TaskCommand::run()
{
    connect(&client(), &control::ControlClient::notification, this, &TaskCommand::onNotification);
    call(method::tasksSubscribe, {}, [](const QJsonObject & /*nothing*/) {});
    call(method::requestsSubscribe, {}, [](const QJsonObject & /*open ones*/) {});
    call(method::tasksStart, m_task,
        [this](const QJsonObject &answer) { begin(answer.value("task_id"_L1).toString()); });
}

void TaskCommand::begin(const QString &taskId)
{
    m_taskId = taskId;
    for (const auto &[name, params] : std::exchange(m_early, {})) {
        onNotification(name, params);
    }
    if (m_timedOut && !m_over) {
        stopTask();
    }
}

void TaskCommand::onNotification(const QString &name, const QJsonObject &params)
{
    if (m_taskId.isEmpty()) {
        m_early.append({ name, params });
        return;
    }
    if (m_over || params.value("task_id"_L1).toString() != m_taskId) {
        return;
    }
    if (name == method::taskEvent) {
        onEvent(params);
    } else if (name == method::requestOpened) {
        onRequest(params);
    } else if (name == method::requestClosed) {
        m_asker->remove(params.value("id"_L1).toString());
    }
}

void TaskCommand::onEvent(const QJsonObject &params)
{
    const auto record = control::taskEventRecordFromJson(params);
    if (!record) {
        output().note(record.error().message);
        return;
    }
    m_view.show(*record);
    if (m_view.ending()) {
        end();
    }
}

void TaskCommand::onRequest(const QJsonObject &params)
{
    const auto request = engines::permissionRequestFromJson(params);
    if (!request) {
        output().note(request.error().message);
        return;
    }
    if (invocation().has("no-questions"_L1)) {
        output().note(u"denied without asking: %1"_s.arg(oneLine(request->summary)));
        answer(
            { { u"id"_s, request->id }, { u"choice"_s, engines::choiceName(engines::Choice::Deny) },
                { u"note"_s, u"nobody is there to ask"_s } });
        return;
    }
    m_asker->add(*request);
}

void TaskCommand::answer(const QJsonObject &params)
{
    client().call(
        method::requestsAnswer, params, this,
        [this](const Result<QJsonObject> &outcome) {
            if (!outcome) {
                output().note(outcome.error().message); // the task goes on by its own rules
            }
        },
        kAnswerLimit);
}

void TaskCommand::stopTask()
{
    if (m_taskId.isEmpty()) {
        return; // begin() sees to it
    }
    m_stopping = true;
    m_stopLimit.start(kStopLimit);
    client().call(method::tasksStop, { { u"task_id"_s, m_taskId } }, this,
        [this](const Result<QJsonObject> &outcome) {
            if (!outcome && outcome.error().kind != ErrorKind::NotFound) {
                output().note(outcome.error().message);
            }
        });
}

void TaskCommand::end()
{
    m_over = true;
    m_limit.stop();
    m_stopLimit.stop();
    if (m_timedOut) {
        leaveWith(Error { ErrorKind::Timeout,
            u"the task was stopped after %1 s"_s.arg(invocation().value("timeout"_L1)), {} });
        return;
    }
    leave(m_view.ending()->outcome == engines::TurnOutcome::Completed ? kOk : kFailed);
}

void TaskCommand::onLost()
{
    if (!m_over) {
        ClientCommand::onLost();
    }
}

} // namespace deskhand::cli
