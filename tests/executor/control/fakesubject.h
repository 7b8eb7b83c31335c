// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/control/subject.h"

/// A program to be seen and steered, whose answers the test decides.
class FakeSubject final : public deskhand::control::Subject
{
    Q_OBJECT
public:
    using Subject::Subject;
    template <typename T> using Callback = std::function<void(const deskhand::Result<T> &)>;

    [[nodiscard]] QJsonObject status() const override
    {
        return { { QStringLiteral("requests"), static_cast<int>(open.size()) } };
    }
    [[nodiscard]] QJsonObject settings() const override
    {
        return deskhand::settings::ExecutorSettings().toJson();
    }
    [[nodiscard]] QList<deskhand::engines::PermissionRequest> requests() const override
    {
        return open;
    }
    [[nodiscard]] QList<deskhand::tasks::TaskSummary> activeTasks() const override
    {
        return active;
    }
    void taskHistory(int limit, const Callback<QList<deskhand::tasks::TaskSummary>> &done) override
    {
        later([done, list = history.first(qMin<qsizetype>(limit, history.size()))] { done(list); });
    }
    void taskStory(
        const QString &taskId, const Callback<QList<deskhand::TaskEventRecord>> &done) override
    {
        if (taskId != QStringLiteral("t1")) {
            later([done] {
                done(deskhand::failure(
                    deskhand::ErrorKind::NotFound, QStringLiteral("there is no such task")));
            });
            return;
        }
        later([done, list = story] { done(list); });
    }
    void startLocalTask(const deskhand::LocalTask &task, const Callback<QString> &done) override
    {
        started.append(task);
        later([done] { done(QStringLiteral("t1")); });
    }
    void stopTask(const QString &taskId, const Done &done) override
    {
        stopped.append(taskId);
        answerWith(done, stopOutcome);
    }
    void answerRequest(const QString &requestId, const deskhand::engines::Decision &decision,
        const Done &done) override
    {
        answered.append({ requestId, decision });
        answerWith(done, answerOutcome);
    }
    void setToken(const QString &token, const Done &done) override
    {
        tokens.append(token);
        answerWith(done, tokenOutcome);
    }
    void ownModels(const Callback<QList<deskhand::OwnModelState>> &done) override
    {
        later([done, list = models] { done(list); });
    }
    void testModel(const deskhand::settings::OwnModel &model,
        const Callback<deskhand::modelproxy::ModelTestReport> &done) override
    {
        tested.append(model.name);
        later([done, report = testReport] { done(report); });
    }
    void addOwnModel(
        const deskhand::settings::OwnModel &model, const QString &key, const Done &done) override
    {
        added.append({ model, key });
        answerWith(done, modelOutcome);
    }
    void replaceModelKey(const QString &name, const QString &key, const Done &done) override
    {
        newKeys.append({ name, key });
        answerWith(done, modelOutcome);
    }
    void removeOwnModel(const QString &name, const Done &done) override
    {
        removed.append(name);
        answerWith(done, modelOutcome);
    }
    void setDefaultModel(const QString &name, const Done &done) override
    {
        defaults.append(name);
        answerWith(done, modelOutcome);
    }
    void modelUsage(
        const QDate &since, const Callback<QList<deskhand::tasks::UsageRow>> &done) override
    {
        usageSince = since;
        later([done, list = usage] { done(list); });
    }
    void setPaused(bool value, std::chrono::milliseconds limit) override
    {
        paused = value;
        pauseLimit = limit;
    }
    void reload() override { ++reloads; }

    QList<deskhand::engines::PermissionRequest> open;
    QList<deskhand::tasks::TaskSummary> active;
    QList<deskhand::tasks::TaskSummary> history;
    QList<deskhand::TaskEventRecord> story;
    QList<deskhand::LocalTask> started;
    QStringList stopped;
    QList<std::pair<QString, deskhand::engines::Decision>> answered;
    QStringList tokens;
    QList<deskhand::OwnModelState> models;
    QStringList tested;
    deskhand::modelproxy::ModelTestReport testReport;
    QList<std::pair<deskhand::settings::OwnModel, QString>> added;
    QList<std::pair<QString, QString>> newKeys;
    QStringList removed;
    QStringList defaults;
    QDate usageSince;
    QList<deskhand::tasks::UsageRow> usage;
    deskhand::Result<> modelOutcome;
    std::chrono::milliseconds pauseLimit {};
    deskhand::Result<> stopOutcome;
    deskhand::Result<> answerOutcome;
    deskhand::Result<> tokenOutcome;
    bool paused = false;
    bool silent = false; ///< never answers
    int reloads = 0;

private:
    template <typename Call> void later(const Call &call)
    {
        if (!silent) {
            QMetaObject::invokeMethod(this, call, Qt::QueuedConnection);
        }
    }
    void answerWith(const Done &done, const deskhand::Result<> &outcome)
    {
        later([done, outcome] { done(outcome); });
    }
};
