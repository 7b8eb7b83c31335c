// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/command.h"

namespace deskhand::cli {

Command::Command(Invocation invocation, ExecutorHome home, Output &output)
    : m_invocation(std::move(invocation))
    , m_home(std::move(home))
    , m_output(output)
{ }

void Command::finish(int exitCode)
{
    if (!m_finished) {
        m_finished = true;
        QMetaObject::invokeMethod(
            this, [this, exitCode] { Q_EMIT finished(exitCode); }, Qt::QueuedConnection);
    }
}

} // namespace deskhand::cli
