// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QHash>
#include <QSet>

namespace deskhand::test {

/// A core under the test's control: it says what the test tells it to and records what was asked.
/// Answers are given on the next turn of the event loop, like the real one's.
class FakeCore final : public app::Core
{
    Q_OBJECT
public:
    explicit FakeCore(QObject *parent = nullptr);

    StatusSnapshot statusNow;
    QList<tasks::TaskSummary> active;
    QList<engines::PermissionRequest> open;
    settings::ExecutorSettings settingsNow;
    settings::DeviceConfig config;
    QList<tasks::TaskSummary> history;
    QHash<QString, QList<TaskEventRecord>> stories;

    struct Answer
    {
        QString requestId;
        engines::Decision decision;
    };
    QList<Answer> answers;
    QList<LocalTask> started;
    QStringList stoppedTasks;
    QList<QPair<QString, QString>> modelKeys;
    QStringList tokens;
    QList<Executor::SecretPlace> places;
    QList<modelproxy::ProviderPreset> presets;
    QList<modelproxy::ListedModel> offered;
    modelproxy::ModelTestReport testReport;
    QList<settings::OwnModel> tested;
    QSet<QString> missingKeys; ///< names of secrets the key store does not have
    QList<tasks::UsageRow> usage; ///< newest first
    QStringList calls; ///< "tryLinkNow", "restartEngine", …
    /// When set, every call with an answer fails with it.
    std::optional<Error> failWith;
    bool stopAnswers = true; ///< stopped() follows a stopNow()
    /// Answers to decisions wait until the test gives them.
    bool holdAnswers = false;
    QList<Done> heldAnswers;

    void setStatus(const StatusSnapshot &status);
    void setTask(const tasks::TaskSummary &task);
    void openRequest(const engines::PermissionRequest &request);
    void closeRequest(const QString &id, engines::RequestOutcome outcome, const QString &by,
        const QString &reason = {});
    void tell(const QString &taskId, const engines::TaskEvent &event);

    [[nodiscard]] StatusSnapshot status() const override { return statusNow; }
    [[nodiscard]] QList<tasks::TaskSummary> activeTasks() const override { return active; }
    [[nodiscard]] QList<engines::PermissionRequest> requests() const override { return open; }
    [[nodiscard]] settings::ExecutorSettings settings() const override { return settingsNow; }
    [[nodiscard]] settings::DeviceConfig deviceConfig() const override { return config; }

    void startLocalTask(
        const LocalTask &task, const std::function<void(const Result<QString> &)> &done) override;
    void stopTask(const QString &taskId, const Done &done) override;
    void answerRequest(
        const QString &requestId, const engines::Decision &decision, const Done &done) override;
    void setPaused(bool paused) override;
    void tryLinkNow() override { calls << QStringLiteral("tryLinkNow"); }
    void restartEngine(const Done &done) override;
    void checkSandbox() override { calls << QStringLiteral("checkSandbox"); }
    void updateSettings(const settings::ExecutorSettings &settings, const Done &done) override;
    void updateConnection(const QString &backendUrl, const QString &socketUrl,
        const QString &deviceName, const Done &done) override;
    void setToken(const QString &token, const Done &done) override;
    void setModelKey(const QString &secretName, const QString &key, const Done &done) override;
    void chooseSecretPlace(Executor::SecretPlace place, const Done &done) override;
    [[nodiscard]] QList<modelproxy::ProviderPreset> providerPresets() const override
    {
        return presets;
    }
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
    void answer(const Done &done);
    [[nodiscard]] Result<> outcome() const;

    QHash<QString, qint64> m_seq;
};

/// A status in which everything is well.
[[nodiscard]] StatusSnapshot wellStatus();
/// A running task.
[[nodiscard]] tasks::TaskSummary runningTask(const QString &id, const QString &title);
/// A request to run a command, with all four choices.
[[nodiscard]] engines::PermissionRequest commandRequest(
    const QString &id, const QString &taskId, const QString &command);

} // namespace deskhand::test
