// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/systemsignals.h"

#include <windows.h>

namespace deskhand::cli {
namespace {

SystemSignals *g_instance = nullptr;

// Runs on a thread of the system's own.
BOOL WINAPI onControl(DWORD /*kind*/)
{
    if (g_instance) {
        QMetaObject::invokeMethod(
            g_instance, [instance = g_instance] { Q_EMIT instance->stopRequested(); },
            Qt::QueuedConnection);
    }
    return TRUE;
}

} // namespace

class SystemSignals::Private
{ };

SystemSignals::SystemSignals(QObject *parent)
    : QObject(parent)
{
    g_instance = this;
    SetConsoleCtrlHandler(onControl, TRUE);
}

SystemSignals::~SystemSignals()
{
    SetConsoleCtrlHandler(onControl, FALSE);
    g_instance = nullptr;
}

} // namespace deskhand::cli
