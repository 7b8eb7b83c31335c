// SPDX-License-Identifier: Apache-2.0
#include "app/platform/quitsignals.h"

#include <QMetaObject>

#include <atomic>
#include <windows.h>

namespace deskhand::app {
namespace {

std::atomic<QuitSignals *> receiver { nullptr };

/// Runs on a thread of the system.
BOOL WINAPI onConsoleEvent(DWORD)
{
    QuitSignals *object = receiver.load();
    if (object == nullptr) {
        return FALSE;
    }
    QMetaObject::invokeMethod(object, &QuitSignals::quitRequested, Qt::QueuedConnection);
    return TRUE;
}

} // namespace

QuitSignals::QuitSignals(QObject *parent)
    : QObject(parent)
{
    receiver = this;
    SetConsoleCtrlHandler(onConsoleEvent, TRUE);
}

QuitSignals::~QuitSignals()
{
    SetConsoleCtrlHandler(onConsoleEvent, FALSE);
    receiver = nullptr;
}

} // namespace deskhand::app
