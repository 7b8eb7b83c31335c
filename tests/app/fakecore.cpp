// SPDX-License-Identifier: Apache-2.0
#include "tests/app/fakecore.h"

#include <QDateTime>
#include <QTimer>

using namespace Qt::StringLiterals;

namespace deskhand::test {

FakeCore::FakeCore(QObject *parent)
    : Core(parent)
    , statusNow(wellStatus())
{
    config.deviceId = u"0f2b4c6d-1111-4222-8333-944455556666"_s;
    config.deviceName = u"workbench"_s;
    config.backendUrl = u"https://wegent.example.com"_s;
}

void FakeCore::setStatus(const StatusSnapshot &status)
{
    statusNow = status;
    Q_EMIT statusChanged();
}

void FakeCore::setTask(const tasks::TaskSummary &task)
{
    using tasks::TaskState;
    active.removeIf([&](const tasks::TaskSummary &known) { return known.taskId == task.taskId; });
    if (task.endedAtMs == 0) {
        active.append(task);
    }
    statusNow.running = 0;
    statusNow.queued = 0;
    for (const tasks::TaskSummary &known : std::as_const(active)) {
        ++(known.state == TaskState::Queued ? statusNow.queued : statusNow.running);
    }
    Q_EMIT taskChanged(task);
    Q_EMIT statusChanged();
}

void FakeCore::openRequest(const engines::PermissionRequest &request)
{
    open.append(request);
    statusNow.requests = static_cast<int>(open.size());
    Q_EMIT requestOpened(request);
    Q_EMIT statusChanged();
}

void FakeCore::closeRequest(
    const QString &id, engines::RequestOutcome outcome, const QString &by, const QString &reason)
{
    for (qsizetype i = 0; i < open.size(); ++i) {
        if (open.at(i).id == id) {
            const engines::PermissionRequest request = open.takeAt(i);
            statusNow.requests = static_cast<int>(open.size());
            Q_EMIT requestClosed(request, outcome, by, reason);
            Q_EMIT statusChanged();
            return;
        }
    }
}

void FakeCore::tell(const QString &taskId, const engines::TaskEvent &event)
{
    TaskEventRecord record;
    record.ref = { taskId, u"turn1"_s };
    record.seq = ++m_seq[taskId];
    record.timeMs = QDateTime::currentMSecsSinceEpoch();
    record.event = event;
    stories[taskId].append(record);
    Q_EMIT taskEvent(record);
}

Result<> FakeCore::outcome() const
{
    return failWith ? Result<>(tl::unexpected<Error>(*failWith)) : Result<>();
}

void FakeCore::answer(const Done &done)
{
    QTimer::singleShot(0, this, [done, result = outcome()] { done(result); });
}

void FakeCore::startLocalTask(
    const LocalTask &task, const std::function<void(const Result<QString> &)> &done)
{
    started.append(task);
    Result<QString> result = u"local-%1"_s.arg(started.size());
    if (failWith) {
        result = tl::unexpected<Error>(*failWith);
    }
    QTimer::singleShot(0, this, [done, result] { done(result); });
}

void FakeCore::stopTask(const QString &taskId, const Done &done)
{
    stoppedTasks.append(taskId);
    answer(done);
}

void FakeCore::answerRequest(
    const QString &requestId, const engines::Decision &decision, const Done &done)
{
    answers.append({ requestId, decision });
    if (holdAnswers) {
        heldAnswers.append(done);
        return;
    }
    if (!failWith) {
        using engines::Choice;
        using engines::RequestOutcome;
        const RequestOutcome result = decision.choice == Choice::AllowOnce
            ? RequestOutcome::Allowed
            : (decision.choice == Choice::AllowForTask ? RequestOutcome::AllowedForTask
                                                       : RequestOutcome::Denied);
        QTimer::singleShot(0, this,
            [this, requestId, result, by = decision.by] { closeRequest(requestId, result, by); });
    }
    answer(done);
}

void FakeCore::setPaused(bool paused)
{
    calls << (paused ? u"pause"_s : u"resume"_s);
    statusNow.paused = paused;
    Q_EMIT statusChanged();
}

void FakeCore::restartEngine(const Done &done)
{
    calls << u"restartEngine"_s;
    answer(done);
}

void FakeCore::updateSettings(const settings::ExecutorSettings &settings, const Done &done)
{
    if (!failWith) {
        settingsNow = settings;
        QTimer::singleShot(0, this, &FakeCore::settingsChanged);
    }
    answer(done);
}

void FakeCore::updateConnection(const QString &backendUrl, const QString &socketUrl,
    const QString &deviceName, const Done &done)
{
    calls << u"updateConnection"_s;
    if (!failWith) {
        config.backendUrl = backendUrl;
        config.socketUrl = socketUrl;
        config.deviceName = deviceName;
        QTimer::singleShot(0, this, &FakeCore::settingsChanged);
    }
    answer(done);
}

void FakeCore::setToken(const QString &token, const Done &done)
{
    tokens.append(token);
    answer(done);
}

void FakeCore::setModelKey(const QString &secretName, const QString &key, const Done &done)
{
    modelKeys.append({ secretName, key });
    answer(done);
}

void FakeCore::chooseSecretPlace(Executor::SecretPlace place, const Done &done)
{
    places.append(place);
    answer(done);
}

void FakeCore::listModels(const settings::OwnModel &, const QString &,
    const std::function<void(const Result<QList<modelproxy::ListedModel>> &)> &done)
{
    Result<QList<modelproxy::ListedModel>> result = offered;
    if (failWith) {
        result = tl::unexpected<Error>(*failWith);
    }
    QTimer::singleShot(0, this, [done, result] { done(result); });
}

void FakeCore::testModel(const settings::OwnModel &model, const QString &,
    const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done)
{
    tested.append(model);
    Result<modelproxy::ModelTestReport> result = testReport;
    if (failWith) {
        result = tl::unexpected<Error>(*failWith);
    }
    QTimer::singleShot(0, this, [done, result] { done(result); });
}

void FakeCore::ownModels(const std::function<void(const Result<QList<OwnModelState>> &)> &done)
{
    QList<OwnModelState> states;
    for (const settings::OwnModel &model : std::as_const(settingsNow.models)) {
        OwnModelState state { model, model.name == settingsNow.defaultModel,
            OwnModelState::Key::None };
        if (!model.keySecret.isEmpty()) {
            state.key = missingKeys.contains(model.keySecret) ? OwnModelState::Key::Missing
                                                              : OwnModelState::Key::Stored;
        }
        states.append(state);
    }
    QTimer::singleShot(0, this, [done, states] { done(states); });
}

void FakeCore::modelUsage(
    const QDate &since, const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done)
{
    QList<tasks::UsageRow> rows = usage;
    rows.removeIf([&](const tasks::UsageRow &row) { return row.day < since; });
    Result<QList<tasks::UsageRow>> result = rows;
    if (failWith) {
        result = tl::unexpected<Error>(*failWith);
    }
    QTimer::singleShot(0, this, [done, result] { done(result); });
}

void FakeCore::taskHistory(
    int limit, const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done)
{
    const auto list = history.first(qMin<qsizetype>(limit, history.size()));
    QTimer::singleShot(0, this, [done, list] { done(list); });
}

void FakeCore::taskStory(
    const QString &taskId, const std::function<void(const Result<QList<TaskEventRecord>> &)> &done)
{
    QTimer::singleShot(0, this, [done, story = stories.value(taskId)] { done(story); });
}

void FakeCore::stopNow()
{
    calls << u"stopNow"_s;
    if (stopAnswers) {
        QTimer::singleShot(0, this, &FakeCore::stopped);
    }
}

StatusSnapshot wellStatus()
{
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    StatusSnapshot status;
    status.link.state = device::LinkState::Online;
    status.link.host = u"wegent.example.com"_s;
    status.link.sinceMs = now - 3'600'000;
    status.link.lastHeartbeatMs = now - 4'000;
    status.engine.state = engines::EngineStatus::State::Ready;
    status.engine.version = u"0.171.0"_s;
    status.engine.path = u"/usr/local/bin/codex"_s;
    status.sandbox.state = u"protected"_s;
    status.secrets = settings::SecretsState::Ready;
    status.secretsPlace = u"the system's key store"_s;
    status.deviceId = u"0f2b4c6d-1111-4222-8333-944455556666"_s;
    status.deviceName = u"workbench"_s;
    return status;
}

tasks::TaskSummary runningTask(const QString &id, const QString &title)
{
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    tasks::TaskSummary task;
    task.taskId = id;
    task.turnId = u"turn1"_s;
    task.origin = tasks::Origin::Backend;
    task.title = title;
    task.state = tasks::TaskState::Running;
    task.cwd = u"/home/user/projects/webshop"_s;
    task.profile = u":workspace"_s;
    task.model = u"gpt-5 at https://models.example.com (responses)"_s;
    task.createdAtMs = now - 190'000;
    task.startedAtMs = now - 180'000;
    task.lastEventAtMs = now - 1'000;
    return task;
}

engines::PermissionRequest commandRequest(
    const QString &id, const QString &taskId, const QString &command)
{
    using engines::Choice;
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    engines::PermissionRequest request;
    request.id = id;
    request.taskId = taskId;
    request.turnId = u"turn1"_s;
    request.kind = engines::RequestKind::Command;
    request.summary = u"Run a command outside the sandbox"_s;
    request.command = command;
    request.cwd = u"/home/user/projects/webshop"_s;
    request.reason = u"The tests need packages that are not installed yet."_s;
    request.choices
        = { Choice::Deny, Choice::DenyAndStop, Choice::AllowOnce, Choice::AllowForTask };
    request.createdAtMs = now - 12'000;
    request.expiresAtMs = now + 14 * 60'000;
    return request;
}

} // namespace deskhand::test
