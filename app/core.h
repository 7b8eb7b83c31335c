// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/executor.h"
#include "executor/modelproxy/presets.h"

#include <QObject>

namespace deskhand::app {

/// What the windows know of the executor: the facade's surface as an interface, so that windows are
/// built and tested without processes or sockets. Lives on the main thread; calls return at once,
/// answers and signals arrive on the main thread.
class Core : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    using Done = Executor::Done;

    [[nodiscard]] virtual StatusSnapshot status() const = 0;
    [[nodiscard]] virtual QList<tasks::TaskSummary> activeTasks() const = 0;
    [[nodiscard]] virtual QList<engines::PermissionRequest> requests() const = 0;
    [[nodiscard]] virtual settings::ExecutorSettings settings() const = 0;
    [[nodiscard]] virtual settings::DeviceConfig deviceConfig() const = 0;

    virtual void startLocalTask(
        const LocalTask &task, const std::function<void(const Result<QString> &)> &done)
        = 0;
    virtual void stopTask(const QString &taskId, const Done &done) = 0;
    virtual void answerRequest(
        const QString &requestId, const engines::Decision &decision, const Done &done)
        = 0;
    virtual void setPaused(bool paused) = 0;
    virtual void tryLinkNow() = 0;
    virtual void restartEngine(const Done &done) = 0;
    virtual void checkSandbox() = 0;
    virtual void updateSettings(const settings::ExecutorSettings &settings, const Done &done) = 0;
    virtual void updateConnection(const QString &backendUrl, const QString &socketUrl,
        const QString &deviceName, const Done &done)
        = 0;
    virtual void setToken(const QString &token, const Done &done) = 0;
    virtual void setModelKey(const QString &secretName, const QString &key, const Done &done) = 0;
    virtual void chooseSecretPlace(Executor::SecretPlace place, const Done &done) = 0;
    [[nodiscard]] virtual QList<modelproxy::ProviderPreset> providerPresets() const = 0;
    /// What the provider of a model offers; an empty key means the stored one.
    virtual void listModels(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<QList<modelproxy::ListedModel>> &)> &done)
        = 0;
    /// A real round trip with a tool call.
    virtual void testModel(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done)
        = 0;
    /// The owner's models with what is known of their keys.
    virtual void ownModels(const std::function<void(const Result<QList<OwnModelState>> &)> &done)
        = 0;
    /// Tokens per model and day, newest first.
    virtual void modelUsage(
        const QDate &since, const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done)
        = 0;
    virtual void taskHistory(
        int limit, const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done)
        = 0;
    virtual void taskStory(const QString &taskId,
        const std::function<void(const Result<QList<TaskEventRecord>> &)> &done)
        = 0;
    /// Ends everything; stopped() follows.
    virtual void stopNow() = 0;

Q_SIGNALS:
    void statusChanged();
    void taskChanged(const deskhand::tasks::TaskSummary &summary);
    void taskEvent(const deskhand::TaskEventRecord &record);
    void requestOpened(const deskhand::engines::PermissionRequest &request);
    void requestClosed(const deskhand::engines::PermissionRequest &request,
        deskhand::engines::RequestOutcome outcome, const QString &by, const QString &reason);
    void settingsChanged();
    void stopped();
};

} // namespace deskhand::app
