// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/enginewallswitch.h"
#include "executor/executor.h"

#include <QHash>
#include <QTimer>

namespace deskhand::engines::codex {
class CodexEngine;
}
namespace deskhand::modelproxy {
class ModelProxy;
}
namespace deskhand::sandbox {
class Probe;
}
namespace deskhand::tasks {
class Journal;
class PermissionBroker;
} // namespace deskhand::tasks

namespace deskhand {

namespace settings {
class SecretShelf;
}
class LocalTasks;
class OwnModels;
class ProxyRoutes;

/// The rooms of one running executor, built in order and taken down in order. Owned by the facade,
/// lives on the executor thread; the facade talks to it by queued calls and its signals.
class ExecutorCore final : public QObject
{
    Q_OBJECT
public:
    explicit ExecutorCore(ExecutorOptions options);
    ~ExecutorCore() override;

    void start();
    void drainAndStop(std::chrono::milliseconds limit);
    void stopNow();

    [[nodiscard]] LocalTasks &localTasks() { return *m_local; }
    void stopTask(const QString &taskId, const Executor::Done &done);
    void answerRequest(
        const QString &requestId, const engines::Decision &decision, const Executor::Done &done);
    void setPaused(bool paused, std::chrono::milliseconds limit);
    void tryLinkNow();
    void restartEngine(const Executor::Done &done);
    void checkSandbox();
    void updateSettings(const settings::ExecutorSettings &settings, const Executor::Done &done);
    void updateConnection(const QString &backendUrl, const QString &socketUrl,
        const QString &deviceName, const Executor::Done &done);
    void setToken(const QString &token, const Executor::Done &done);
    void setModelKey(const QString &secretName, const QString &key, const Executor::Done &done);
    void chooseSecretPlace(Executor::SecretPlace place, const Executor::Done &done);
    void reload();
    [[nodiscard]] OwnModels &models() { return *m_models; }
    void modelUsage(const QDate &since,
        const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done);
    void taskHistory(
        int limit, const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done);
    void taskStory(const QString &taskId,
        const std::function<void(const Result<QList<TaskEventRecord>> &)> &done);

Q_SIGNALS:
    /// At most once per turn of the event loop, however much changed.
    void snapshotChanged(const deskhand::StatusSnapshot &snapshot);
    void activeTasksChanged(const QList<deskhand::tasks::TaskSummary> &active);
    void taskChanged(const deskhand::tasks::TaskSummary &summary);
    void taskEvent(const deskhand::TaskEventRecord &record);
    void requestOpened(const deskhand::engines::PermissionRequest &request);
    void requestClosed(const deskhand::engines::PermissionRequest &request,
        deskhand::engines::RequestOutcome outcome, const QString &by, const QString &reason);
    void settingsChanged(const deskhand::settings::ExecutorSettings &settings);
    void deviceConfigChanged(const deskhand::settings::DeviceConfig &config); ///< without tokens
    void stopped();

private:
    void buildRooms();
    void connectRooms();
    void announceSoon();
    void announce();
    void readDeviceConfig();
    void readToken();
    void configureLink();
    void applySettings(const settings::ExecutorSettings &settings);
    void readCommandRules();
    void applyPause();
    void resolveOwnModel(const settings::ExecutorSettings &settings);
    void adoptOwnModel(const Result<std::optional<engines::ModelConfig>> &model);
    void makeSecrets();
    void stopRooms();
    void stopLinkAndEngine();
    void closeStores();
    void finishStop();

    ExecutorOptions m_options;
    settings::DeviceConfig m_device;
    QString m_storedToken; ///< from the secret store
    std::unique_ptr<settings::SecretShelf> m_secrets;
    std::unique_ptr<settings::SettingsStore> m_settings;
    std::unique_ptr<tasks::Journal> m_journal;
    std::unique_ptr<modelproxy::ModelProxy> m_proxy;
    std::unique_ptr<ProxyRoutes> m_routes;
    std::unique_ptr<OwnModels> m_models;
    std::unique_ptr<engines::codex::CodexEngine> m_engine;
    std::unique_ptr<EngineWallSwitch> m_wall; ///< destroyed before the engine
    std::unique_ptr<tasks::PermissionBroker> m_broker;
    std::unique_ptr<tasks::TaskManager> m_tasks;
    std::unique_ptr<LocalTasks> m_local;
    std::unique_ptr<device::DeviceLink> m_link;
    std::unique_ptr<sandbox::Probe> m_probe;

    SandboxStatus m_sandbox { QStringLiteral("checking"), {}, {}, {} };
    settings::SecretsState m_secretsState = settings::SecretsState::Missing;
    QStringList m_settingsProblems;
    QStringList m_runProblems; ///< told by rooms while running
    QString m_modelProblem; ///< why the device's own model cannot be used
    QTimer m_announceTimer;
    QTimer m_stopTimer; ///< deadline of the present step of stopping
    QTimer m_pauseTimer; ///< end of a pause that has one
    qint64 m_pausedUntilMs = 0; ///< wall clock, 0 = no end is set
    int m_openStops = 0;
    bool m_paused = false;
    bool m_draining = false;
    bool m_stopping = false;
    quint64 m_modelRead = 0; ///< the latest reading of the own model's key; older ones are void
};

} // namespace deskhand
