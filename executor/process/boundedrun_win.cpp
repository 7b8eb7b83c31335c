// SPDX-License-Identifier: Apache-2.0
#include "executor/process/boundedrun_win.h"

#include <qt_windows.h>

namespace deskhand::process {

RunControl::RunControl()
    : m_wake(CreateEventW(nullptr, FALSE, FALSE, nullptr))
{ }

RunControl::~RunControl()
{
    CloseHandle(m_wake);
}

void RunControl::wake()
{
    SetEvent(m_wake);
}

RunControl::Orders RunControl::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_orders, {});
}

void *RunLoop::wakeHandle(const RunControl &control)
{
    return control.m_wake;
}

RunLoop::Orders RunLoop::take(RunControl &control)
{
    RunControl::Orders orders = control.take();
    // No signals here: the only one that anybody sends besides the end is ignored by the system.
    return { orders.cancel, orders.limit, orders.input, orders.closeInput, orders.size };
}

void RunLoop::written(RunControl &control, qint64 size)
{
    const std::lock_guard lock(control.m_mutex);
    control.m_unwritten -= size;
}

} // namespace deskhand::process
