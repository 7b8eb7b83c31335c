// SPDX-License-Identifier: Apache-2.0
#include "executor/control/executorsubject.h"

namespace deskhand::control {

ExecutorSubject::ExecutorSubject(Executor &executor, QObject *parent)
    : Subject(parent)
    , m_executor(executor)
{
    connect(&executor, &Executor::statusChanged, this, &Subject::statusChanged);
    connect(&executor, &Executor::taskChanged, this, &Subject::taskChanged);
    connect(&executor, &Executor::taskEvent, this, &Subject::taskEvent);
    connect(&executor, &Executor::requestOpened, this, &Subject::requestOpened);
    connect(&executor, &Executor::requestClosed, this, &Subject::requestClosed);
}

QJsonObject ExecutorSubject::status() const
{
    return m_executor.status().toJson();
}

QJsonObject ExecutorSubject::settings() const
{
    return m_executor.settings().toJson();
}

QList<engines::PermissionRequest> ExecutorSubject::requests() const
{
    return m_executor.requests();
}

QList<tasks::TaskSummary> ExecutorSubject::activeTasks() const
{
    return m_executor.activeTasks();
}

void ExecutorSubject::taskHistory(
    int limit, const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done)
{
    m_executor.taskHistory(limit, done);
}

void ExecutorSubject::taskStory(
    const QString &taskId, const std::function<void(const Result<QList<TaskEventRecord>> &)> &done)
{
    m_executor.taskStory(taskId, done);
}

void ExecutorSubject::startLocalTask(
    const LocalTask &task, const std::function<void(const Result<QString> &)> &done)
{
    m_executor.startLocalTask(task, done);
}

void ExecutorSubject::stopTask(const QString &taskId, const Done &done)
{
    m_executor.stopTask(taskId, done);
}

void ExecutorSubject::answerRequest(
    const QString &requestId, const engines::Decision &decision, const Done &done)
{
    m_executor.answerRequest(requestId, decision, done);
}

void ExecutorSubject::setToken(const QString &token, const Done &done)
{
    m_executor.setToken(token, done);
}

void ExecutorSubject::ownModels(
    const std::function<void(const Result<QList<OwnModelState>> &)> &done)
{
    m_executor.ownModels(done);
}

void ExecutorSubject::testModel(const settings::OwnModel &model,
    const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done)
{
    m_executor.testModel(model, {}, done);
}

void ExecutorSubject::addOwnModel(
    const settings::OwnModel &model, const QString &key, const Done &done)
{
    m_executor.addOwnModel(model, key, done);
}

void ExecutorSubject::replaceModelKey(const QString &name, const QString &key, const Done &done)
{
    m_executor.replaceModelKey(name, key, done);
}

void ExecutorSubject::removeOwnModel(const QString &name, const Done &done)
{
    m_executor.removeOwnModel(name, done);
}

void ExecutorSubject::setDefaultModel(const QString &name, const Done &done)
{
    m_executor.setDefaultModel(name, done);
}

void ExecutorSubject::modelUsage(
    const QDate &since, const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done)
{
    m_executor.modelUsage(since, done);
}

void ExecutorSubject::setPaused(bool paused, std::chrono::milliseconds limit)
{
    m_executor.setPaused(paused, limit);
}

void ExecutorSubject::reload()
{
    m_executor.reload();
}

} // namespace deskhand::control
