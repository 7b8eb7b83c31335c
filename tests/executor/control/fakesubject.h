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
    void setPaused(bool value) override { paused = value; }
    void reload() override { ++reloads; }

    QList<deskhand::engines::PermissionRequest> open;
    QList<deskhand::tasks::TaskSummary> active;
    QList<deskhand::tasks::TaskSummary> history;
    QList<deskhand::TaskEventRecord> story;
    QList<deskhand::LocalTask> started;
    QStringList stopped;
    QList<std::pair<QString, deskhand::engines::Decision>> answered;
    QStringList tokens;
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
