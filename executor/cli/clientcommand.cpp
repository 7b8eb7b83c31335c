// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/clientcommand.h"

#include "executor/cli/exitcodes.h"

namespace deskhand::cli {

using namespace Qt::StringLiterals;

ClientCommand::ClientCommand(
    Invocation invocation, ExecutorHome home, Output &output, WithoutProgram without)
    : Command(std::move(invocation), home, output)
    , m_connection(std::move(home))
    , m_without(without)
{
    connect(&m_connection, &ProgramConnection::lost, this, [this] { onLost(); });
}

void ClientCommand::start()
{
    const auto opened = [this](const Result<> &outcome) {
        if (outcome) {
            run();
        } else if (outcome.error().kind == ErrorKind::NotFound) {
            output().fail(outcome.error());
            leave(kNotRunning);
        } else {
            leaveWith(outcome.error());
        }
    };
    if (m_without == WithoutProgram::StartHere) {
        m_connection.openOrStart(opened);
    } else {
        m_connection.open(opened);
    }
}

void ClientCommand::onLost()
{
    leaveWith(Error { ErrorKind::Network, u"the program ended or closed the connection"_s, {} });
}

void ClientCommand::call(QLatin1StringView method, const QJsonObject &params, const Got &got,
    std::chrono::milliseconds limit)
{
    client().call(
        method, params, this,
        [this, got](const Result<QJsonObject> &answer) {
            if (answer) {
                got(*answer);
            } else {
                leaveWith(answer.error());
            }
        },
        limit);
}

void ClientCommand::leave(int exitCode)
{
    m_connection.close([this, exitCode] { finish(exitCode); });
}

} // namespace deskhand::cli
