// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/clientcommand.h"
#include "executor/cli/taskview.h"

#include <QJsonArray>

namespace deskhand::cli {

/// `tasks list [--active] [--limit N]`.
class TasksListCommand final : public ClientCommand
{
    Q_OBJECT
public:
    TasksListCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    QJsonObject m_params;
};

/// `tasks show ID` and `tasks follow ID`: the story so far, and with follow what comes until the
/// task is over.
class TaskStoryCommand final : public ClientCommand
{
    Q_OBJECT
public:
    enum class Mode { Show, Follow };
    TaskStoryCommand(Invocation invocation, ExecutorHome home, Output &output, Mode mode);

protected:
    void run() override;

private:
    void readPage();
    void take(const TaskEventRecord &record);
    void caughtUp();
    void leaveWhenOver();

    Mode m_mode;
    QString m_taskId;
    TaskView m_view;
    QJsonArray m_records; ///< for `show --json`
    QList<TaskEventRecord> m_early; ///< live events while the story is still being read
    qint64 m_lastSeq = 0;
    bool m_caughtUp = false;
};

/// `tasks stop ID`.
class TasksStopCommand final : public ClientCommand
{
    Q_OBJECT
public:
    TasksStopCommand(Invocation invocation, ExecutorHome home, Output &output);

protected:
    void run() override;
};

} // namespace deskhand::cli
