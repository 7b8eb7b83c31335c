// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/control/subject.h"

namespace deskhand::control {

/// The running executor as the subject of a control server. Owned beside the server, on the
/// facade's thread; the executor outlives it.
class ExecutorSubject final : public Subject
{
    Q_OBJECT
public:
    explicit ExecutorSubject(Executor &executor, QObject *parent = nullptr);

    [[nodiscard]] QJsonObject status() const override;
    [[nodiscard]] QJsonObject settings() const override;
    [[nodiscard]] QList<engines::PermissionRequest> requests() const override;
    [[nodiscard]] QList<tasks::TaskSummary> activeTasks() const override;
    void taskHistory(int limit,
        const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done) override;
    void taskStory(const QString &taskId,
        const std::function<void(const Result<QList<TaskEventRecord>> &)> &done) override;
    void startLocalTask(
        const LocalTask &task, const std::function<void(const Result<QString> &)> &done) override;
    void stopTask(const QString &taskId, const Done &done) override;
    void answerRequest(
        const QString &requestId, const engines::Decision &decision, const Done &done) override;
    void setToken(const QString &token, const Done &done) override;
    void ownModels(const std::function<void(const Result<QList<OwnModelState>> &)> &done) override;
    void testModel(const settings::OwnModel &model,
        const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done) override;
    void addOwnModel(
        const settings::OwnModel &model, const QString &key, const Done &done) override;
    void replaceModelKey(const QString &name, const QString &key, const Done &done) override;
    void removeOwnModel(const QString &name, const Done &done) override;
    void setDefaultModel(const QString &name, const Done &done) override;
    void modelUsage(const QDate &since,
        const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done) override;
    void setPaused(bool paused, std::chrono::milliseconds limit) override;
    void reload() override;

private:
    Executor &m_executor;
};

} // namespace deskhand::control
