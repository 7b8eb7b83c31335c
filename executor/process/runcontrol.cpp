// SPDX-License-Identifier: Apache-2.0
// What a run and its control are on every system.
#include "executor/process/boundedrun.h"

namespace deskhand::process {

namespace {

constexpr qint64 kMaxWaitingInput = 1024 * 1024;
constexpr int kTimedOut = 124;
constexpr int kNotStarted = 125;
constexpr int kSignalled = 128;
constexpr int kKill = 9; // SIGKILL, which Windows does not name

} // namespace

int RunOutcome::shellStatus() const
{
    switch (end) {
    case RunEnd::Exited:
        return signal != 0 ? kSignalled + signal : exitCode;
    case RunEnd::TimedOut:
        return kTimedOut;
    case RunEnd::NotStarted:
        return kNotStarted;
    case RunEnd::Cancelled:
    case RunEnd::Limit:
        return signal != 0 ? kSignalled + signal : (exitCode > 0 ? exitCode : kSignalled + kKill);
    }
    return kNotStarted;
}

void RunControl::cancel(std::optional<milliseconds> grace)
{
    {
        const std::lock_guard lock(m_mutex);
        m_orders.cancel = true;
        m_orders.grace = grace;
    }
    wake();
}

void RunControl::stopForLimit(const QString &name)
{
    {
        const std::lock_guard lock(m_mutex);
        m_orders.limit = name;
    }
    wake();
}

bool RunControl::write(const QByteArray &bytes)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_unwritten + bytes.size() > kMaxWaitingInput) {
            return false;
        }
        m_unwritten += bytes.size();
        m_orders.input.append(bytes);
    }
    wake();
    return true;
}

void RunControl::closeInput()
{
    {
        const std::lock_guard lock(m_mutex);
        m_orders.closeInput = true;
    }
    wake();
}

void RunControl::resize(TerminalSize size)
{
    {
        const std::lock_guard lock(m_mutex);
        m_orders.size = size;
    }
    wake();
}

void RunControl::signal(int number)
{
    {
        const std::lock_guard lock(m_mutex);
        m_orders.signals.append(number);
    }
    wake();
}

} // namespace deskhand::process
