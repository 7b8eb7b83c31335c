// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/clientcommand.h"

#include <QTimer>

namespace deskhand::cli {

/// `status [--wait online|idle] [--timeout S]`.
class StatusCommand final : public ClientCommand
{
    Q_OBJECT
public:
    StatusCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    void consider(const QJsonObject &status);
    void show(const QJsonObject &status);

    QString m_waitFor;
    QTimer m_limit;
    QJsonObject m_latest;
};

/// Commands that are one call without an answer to show: `resume`, `reload`.
class SimpleCommand final : public ClientCommand
{
    Q_OBJECT
public:
    SimpleCommand(Invocation invocation, ExecutorHome home, Output &output,
        QLatin1StringView method, const QJsonObject &params, const QString &said);

protected:
    void run() override;

private:
    QLatin1StringView m_method;
    QJsonObject m_params;
    QString m_said;
};

/// `pause [--for TIME]`.
class PauseCommand final : public ClientCommand
{
    Q_OBJECT
public:
    PauseCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;

private:
    qint64 m_limitMs = 0; ///< 0: until somebody resumes
};

/// `quit [--drain S]`: waits until the program has ended.
class QuitCommand final : public ClientCommand
{
    Q_OBJECT
public:
    QuitCommand(Invocation invocation, ExecutorHome home, Output &output);
    void start() override;

protected:
    void run() override;
    void onLost() override;

private:
    void waitForTheLock();

    qint64 m_drainMs = 0;
    QTimer m_limit;
    QTimer m_poll;
};

} // namespace deskhand::cli
