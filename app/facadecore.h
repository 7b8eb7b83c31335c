// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"
#include "executor/control/controlserver.h"
#include "executor/control/executorsubject.h"

#include <memory>

namespace deskhand::app {

/// The Core of the running program: hands every call to the facade it owns, and lets the command
/// line reach it through the control endpoint. Lives on the main thread.
class FacadeCore final : public Core
{
    Q_OBJECT
public:
    explicit FacadeCore(ExecutorOptions options, QObject *parent = nullptr);

    /// Takes the lock of the home, starts the threads and the control endpoint; Conflict names the
    /// holder. Without the endpoint the program goes on; only commands cannot reach it.
    [[nodiscard]] Result<> start();
    void reload();

    [[nodiscard]] StatusSnapshot status() const override;
    [[nodiscard]] QList<tasks::TaskSummary> activeTasks() const override;
    [[nodiscard]] QList<engines::PermissionRequest> requests() const override;
    [[nodiscard]] settings::ExecutorSettings settings() const override;
    [[nodiscard]] settings::DeviceConfig deviceConfig() const override;

    void startLocalTask(
        const LocalTask &task, const std::function<void(const Result<QString> &)> &done) override;
    void stopTask(const QString &taskId, const Done &done) override;
    void answerRequest(
        const QString &requestId, const engines::Decision &decision, const Done &done) override;
    void setPaused(bool paused) override;
    void tryLinkNow() override;
    void restartEngine(const Done &done) override;
    void checkSandbox() override;
    void updateSettings(const settings::ExecutorSettings &settings, const Done &done) override;
    void updateConnection(const QString &backendUrl, const QString &socketUrl,
        const QString &deviceName, const Done &done) override;
    void setToken(const QString &token, const Done &done) override;
    void setModelKey(const QString &secretName, const QString &key, const Done &done) override;
    void chooseSecretPlace(Executor::SecretPlace place, const Done &done) override;
    [[nodiscard]] QList<modelproxy::ProviderPreset> providerPresets() const override;
    void listModels(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<QList<modelproxy::ListedModel>> &)> &done) override;
    void testModel(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done) override;
    void ownModels(const std::function<void(const Result<QList<OwnModelState>> &)> &done) override;
    void modelUsage(const QDate &since,
        const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done) override;
    void taskHistory(int limit,
        const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done) override;
    void taskStory(const QString &taskId,
        const std::function<void(const Result<QList<TaskEventRecord>> &)> &done) override;
    void stopNow() override;

private:
    ExecutorHome m_home;
    Executor m_executor;
    std::unique_ptr<control::ExecutorSubject> m_subject;
    std::unique_ptr<control::ControlServer> m_server;
};

} // namespace deskhand::app
