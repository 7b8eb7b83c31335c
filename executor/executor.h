// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/paths.h"
#include "executor/common/result.h"
#include "executor/device/devicelink.h"
#include "executor/engines/engine.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/settings/deviceidentity.h"
#include "executor/settings/executorsettings.h"
#include "executor/settings/secretstore.h"
#include "executor/tasks/journal.h"
#include "executor/tasks/taskmanager.h"

#include <QObject>

#include <chrono>
#include <functional>
#include <memory>

namespace deskhand {

struct SandboxStatus
{
    QString state; ///< checking, protected, reduced, unavailable, external
    QString cause;
    QString fix; ///< what the owner can do, may be empty
    QString wall; ///< which program builds it, and why not the usual one; may be empty
    QString engineWall = QStringLiteral("off"); ///< off, building, on, impossible
    QString engineWallCause = {}; ///< why it is impossible
};

/// Everything `status --json` says.
struct StatusSnapshot
{
    device::LinkStatus link;
    engines::EngineStatus engine;
    SandboxStatus sandbox;
    settings::SecretsState secrets = settings::SecretsState::Missing;
    QString secretsPlace;
    QString deviceId;
    QString deviceName;
    int running = 0;
    int queued = 0;
    int requests = 0;
    bool paused = false;
    qint64 pausedUntilMs = 0; ///< wall clock; 0 = until somebody resumes
    bool draining = false;
    QStringList problems; ///< of start-up and settings, sentences for a person
    [[nodiscard]] QJsonObject toJson() const;
};

/// One event of a task with its place in the task's story. `seq` counts from 1 per task.
struct TaskEventRecord
{
    engines::TurnRef ref;
    qint64 seq = 0;
    qint64 timeMs = 0;
    engines::TaskEvent event;
};

struct LocalTask
{
    QString prompt;
    QString cwd; ///< absolute existing folder
    QString profile; ///< wire name, empty = the default
    QString continueTask; ///< task id for a follow-up turn, empty = a new task
    QString model; ///< name of one of the owner's models, empty = the default
};

/// A model of the owner and what is known of its key. Holds no secret.
struct OwnModelState
{
    enum class Key { None, Stored, Missing, Unreadable };
    settings::OwnModel model;
    bool isDefault = false;
    Key key = Key::None;
};
/// "none" (it needs none), "stored", "missing", "unreadable".
[[nodiscard]] inline QString keyStateName(OwnModelState::Key key)
{
    switch (key) {
    case OwnModelState::Key::None:
        return QStringLiteral("none");
    case OwnModelState::Key::Stored:
        return QStringLiteral("stored");
    case OwnModelState::Key::Missing:
        return QStringLiteral("missing");
    case OwnModelState::Key::Unreadable:
        break;
    }
    return QStringLiteral("unreadable");
}

struct ExecutorOptions
{
    ExecutorHome home;
    bool connectToBackend = true;
    /// Chosen by the program: key store for the desktop, file or session elsewhere. Made on the
    /// executor thread by calling this.
    std::function<std::unique_ptr<settings::SecretStore>()> makeSecretStore;
    /// How long the end waits for the executor thread; one that hangs is then left to itself.
    std::chrono::milliseconds threadEndLimit { 5000 };
};

/// The facade of the core: owns its threads (executor, proxy, journal), builds the rooms in order
/// and takes them down in order. Lives on the program's main thread; every call returns at once,
/// callbacks and signals arrive on that thread as plain values.
class Executor final : public QObject
{
    Q_OBJECT
public:
    explicit Executor(ExecutorOptions options, QObject *parent = nullptr);
    ~Executor() override;

    /// Takes the lock of $H and starts everything. Conflict names the holder.
    [[nodiscard]] Result<> start();
    /// Takes no new turns; finished() of the stop once nothing runs or `limit` passed, then stops.
    void drainAndStop(std::chrono::milliseconds limit);
    /// Ends every turn with an ending and every process; stopped() within 5 s.
    void stopNow();

    [[nodiscard]] StatusSnapshot status() const; ///< last known, never blocks
    [[nodiscard]] QList<tasks::TaskSummary> activeTasks() const; ///< last known
    [[nodiscard]] QList<engines::PermissionRequest> requests() const; ///< last known
    [[nodiscard]] settings::ExecutorSettings settings() const;
    [[nodiscard]] settings::DeviceConfig deviceConfig() const; ///< without tokens

    using Done = std::function<void(const Result<> &)>;
    void startLocalTask(
        const LocalTask &task, const std::function<void(const Result<QString> &taskId)> &done);
    void stopTask(const QString &taskId, const Done &done);
    void answerRequest(
        const QString &requestId, const engines::Decision &decision, const Done &done);
    /// A pause with a limit ends by itself; zero means none.
    void setPaused(bool paused, std::chrono::milliseconds limit = {});
    void tryLinkNow();
    void restartEngine(const Done &done);
    void checkSandbox();

    void updateSettings(const settings::ExecutorSettings &settings, const Done &done);
    /// Backend address, socket address, device name: keys of device-config.json.
    void updateConnection(const QString &backendUrl, const QString &socketUrl,
        const QString &deviceName, const Done &done);
    /// Stores the sign-in token in the chosen store and reconnects; empty = sign out.
    void setToken(const QString &token, const Done &done);
    void setModelKey(const QString &secretName, const QString &key, const Done &done);
    /// The owner's explicit choice when there is no key store.
    enum class SecretPlace { KeyStore, File, SessionOnly };
    void chooseSecretPlace(SecretPlace place, const Done &done);
    /// Reads the configuration files again (SIGHUP).
    void reload();

    void ownModels(const std::function<void(const Result<QList<OwnModelState>> &)> &done);
    /// Stores the key (empty: none is needed) and then the model, which must have a new name.
    void addOwnModel(const settings::OwnModel &model, const QString &key, const Done &done);
    /// Puts another key in the place of the stored one. Tasks that use the model go on with the old
    /// one until their next turn.
    void replaceModelKey(const QString &name, const QString &key, const Done &done);
    /// With its key. Tasks that use it go on.
    void removeOwnModel(const QString &name, const Done &done);
    /// Empty: the engine's own account.
    void setDefaultModel(const QString &name, const Done &done);
    /// What the provider of a model offers. `key` empty = the stored one.
    void listModels(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<QList<modelproxy::ListedModel>> &)> &done);
    /// A real round trip with a tool call through the proxy.
    void testModel(const settings::OwnModel &model, const QString &key,
        const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done);
    /// Tokens per model and day, newest first.
    void modelUsage(const QDate &since,
        const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done);

    /// Newest first, from the journal.
    void taskHistory(
        int limit, const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done);
    /// The story of a task so far, in order; live events continue it by taskEvent().
    void taskStory(const QString &taskId,
        const std::function<void(const Result<QList<TaskEventRecord>> &)> &done);

Q_SIGNALS:
    void statusChanged();
    void taskChanged(const deskhand::tasks::TaskSummary &summary);
    void taskEvent(const deskhand::TaskEventRecord &record);
    void requestOpened(const deskhand::engines::PermissionRequest &request);
    void requestClosed(const deskhand::engines::PermissionRequest &request,
        deskhand::engines::RequestOutcome outcome, const QString &by, const QString &reason);
    void settingsChanged();
    void stopped();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace deskhand

Q_DECLARE_METATYPE(deskhand::TaskEventRecord)
