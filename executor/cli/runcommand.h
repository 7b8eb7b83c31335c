// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/command.h"
#include "executor/cli/systemsignals.h"

#include <QTimer>

#include <chrono>
#include <memory>

namespace deskhand {
class Executor;
namespace control {
class ControlServer;
class ExecutorSubject;
} // namespace control
} // namespace deskhand

namespace deskhand::cli {

/// `run [--drain-timeout S] [--log-level L]`: the executor as a program without a display, in the
/// foreground, until a signal or `quit` ends it.
class RunCommand final : public Command
{
    Q_OBJECT
public:
    RunCommand(Invocation invocation, ExecutorHome home, Output &output);
    ~RunCommand() override;
    void start() override;

private:
    [[nodiscard]] QString storedLevel() const;
    [[nodiscard]] Result<> startLogging();
    void onStopSignal();
    void drain(std::chrono::milliseconds limit);
    void stopNow();

    std::chrono::milliseconds m_drainLimit {};
    SystemSignals m_signals;
    std::unique_ptr<Executor> m_executor;
    std::unique_ptr<control::ExecutorSubject> m_subject;
    std::unique_ptr<control::ControlServer> m_server;
    QTimer m_lastResort; ///< stopping takes at most five seconds
    bool m_draining = false;
};

} // namespace deskhand::cli
