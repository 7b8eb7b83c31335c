// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/executor.h"

#include <QJsonObject>
#include <QObject>

#include <functional>

namespace deskhand::control {

/// What a control server lets its clients see and do: the facade as the server needs it. Lives on
/// the server's thread; every call returns at once, callbacks come later on that thread, once.
class Subject : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    using Done = std::function<void(const Result<> &)>;

    /// The form of `status --json`.
    [[nodiscard]] virtual QJsonObject status() const = 0;
    /// The form of the settings file; holds no secret.
    [[nodiscard]] virtual QJsonObject settings() const = 0;
    [[nodiscard]] virtual QList<engines::PermissionRequest> requests() const = 0;
    [[nodiscard]] virtual QList<tasks::TaskSummary> activeTasks() const = 0;
    virtual void taskHistory(
        int limit, const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done)
        = 0;
    virtual void taskStory(const QString &taskId,
        const std::function<void(const Result<QList<TaskEventRecord>> &)> &done)
        = 0;
    virtual void startLocalTask(
        const LocalTask &task, const std::function<void(const Result<QString> &taskId)> &done)
        = 0;
    virtual void stopTask(const QString &taskId, const Done &done) = 0;
    virtual void answerRequest(
        const QString &requestId, const engines::Decision &decision, const Done &done)
        = 0;
    virtual void setToken(const QString &token, const Done &done) = 0;
    virtual void ownModels(const std::function<void(const Result<QList<OwnModelState>> &)> &done)
        = 0;
    virtual void testModel(const settings::OwnModel &model,
        const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done)
        = 0;
    virtual void addOwnModel(const settings::OwnModel &model, const QString &key, const Done &done)
        = 0;
    virtual void replaceModelKey(const QString &name, const QString &key, const Done &done) = 0;
    virtual void removeOwnModel(const QString &name, const Done &done) = 0;
    virtual void setDefaultModel(const QString &name, const Done &done) = 0;
    virtual void modelUsage(
        const QDate &since, const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done)
        = 0;
    /// A limit of zero means none.
    virtual void setPaused(bool paused, std::chrono::milliseconds limit) = 0;
    virtual void reload() = 0;

Q_SIGNALS:
    void statusChanged();
    void taskChanged(const deskhand::tasks::TaskSummary &summary);
    void taskEvent(const deskhand::TaskEventRecord &record);
    void requestOpened(const deskhand::engines::PermissionRequest &request);
    void requestClosed(const deskhand::engines::PermissionRequest &request,
        deskhand::engines::RequestOutcome outcome, const QString &by, const QString &reason);
};

} // namespace deskhand::control
