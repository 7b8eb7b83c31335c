// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/command.h"
#include "executor/cli/programconnection.h"

#include <QJsonObject>

#include <chrono>

namespace deskhand::cli {

/// A command that speaks with a running executor: connects, then run(). Without one it says so
/// (exit status 3), or starts one in this process where that makes sense.
class ClientCommand : public Command
{
    Q_OBJECT
public:
    enum class WithoutProgram { Refuse, StartHere };

    ClientCommand(Invocation invocation, ExecutorHome home, Output &output,
        WithoutProgram without = WithoutProgram::Refuse);
    void start() override;

protected:
    virtual void run() = 0; ///< connected
    virtual void onLost(); ///< the program ended meanwhile

    using Got = std::function<void(const QJsonObject &result)>;
    /// An error of the call ends the command.
    void call(QLatin1StringView method, const QJsonObject &params, const Got &got,
        std::chrono::milliseconds limit = std::chrono::seconds(15));
    [[nodiscard]] control::ControlClient &client() { return m_connection.client(); }
    /// Ends an executor of this process first.
    void leave(int exitCode);
    void leaveWith(const Error &error) { leave(output().fail(error)); }

private:
    ProgramConnection m_connection;
    WithoutProgram m_without;
};

} // namespace deskhand::cli
