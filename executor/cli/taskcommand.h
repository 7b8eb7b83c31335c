// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/clientcommand.h"
#include "executor/cli/requestasker.h"
#include "executor/cli/systemsignals.h"
#include "executor/cli/taskview.h"

#include <QTimer>

namespace deskhand::cli {

/// `task [OPTIONS] PROMPT`: one local task, streamed to the terminal, in the program that runs or
/// in this process.
class TaskCommand final : public ClientCommand
{
    Q_OBJECT
public:
    TaskCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;
    void onLost() override;

private:
    [[nodiscard]] Result<QJsonObject> readTask() const;
    void onNotification(const QString &name, const QJsonObject &params);
    void onEvent(const QJsonObject &params);
    void onRequest(const QJsonObject &params);
    void answer(const QJsonObject &params);
    void begin(const QString &taskId);
    void stopTask();
    void end();

    QJsonObject m_task; ///< parameters of tasks.start
    QString m_taskId; ///< empty until it is taken
    QList<std::pair<QString, QJsonObject>> m_early; ///< notifications that came before the id
    TaskView m_view;
    RequestAsker *m_asker = nullptr; // child
    std::unique_ptr<SystemSignals> m_signals;
    QTimer m_limit;
    QTimer m_stopLimit;
    bool m_timedOut = false;
    bool m_stopping = false;
    bool m_over = false;
};

} // namespace deskhand::cli
