// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/commandfront.h"

#include <qt_windows.h>

#include <atomic>

namespace deskhand::sandbox::front {

namespace {

constexpr DWORD kTryMs = 50;

std::atomic<process::RunControl *> s_control { nullptr };

BOOL WINAPI onConsoleEvent(DWORD)
{
    if (process::RunControl *control = s_control.load()) {
        control->cancel();
        return TRUE;
    }
    return FALSE;
}

} // namespace

void writeAll(int descriptor, const QByteArray &bytes)
{
    const HANDLE handle
        = GetStdHandle(descriptor == kOutput ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
    for (qsizetype done = 0; done < bytes.size();) {
        DWORD put = 0;
        if (WriteFile(handle, bytes.constData() + done, static_cast<DWORD>(bytes.size() - done),
                &put, nullptr)
            == 0) {
            return;
        }
        done += static_cast<qsizetype>(put);
    }
}

struct Front::Private
{
    static DWORD WINAPI run(void *self)
    {
        static_cast<Private *>(self)->copyKeys();
        return 0;
    }
    void copyKeys()
    {
        char buffer[4096];
        DWORD got = 0;
        while (!stop
            && ReadFile(GetStdHandle(STD_INPUT_HANDLE), buffer, sizeof buffer, &got, nullptr) != 0
            && got > 0 && control->write(QByteArray(buffer, static_cast<qsizetype>(got)))) { }
        if (!stop) {
            control->closeInput();
        }
    }

    process::RunControl *control = nullptr;
    std::atomic<bool> stop { false };
    HANDLE keys = nullptr; ///< a thread
};

Front::Front(process::RunControl &control, bool terminal)
    : m(std::make_unique<Private>())
{
    m->control = &control;
    s_control = &control;
    SetConsoleCtrlHandler(onConsoleEvent, TRUE);
    if (terminal) {
        m->keys = CreateThread(nullptr, 0, &Private::run, m.get(), 0, nullptr);
    }
}

Front::~Front()
{
    SetConsoleCtrlHandler(onConsoleEvent, FALSE);
    s_control = nullptr;
    m->stop = true;
    if (m->keys != nullptr) {
        while (WaitForSingleObject(m->keys, kTryMs) != WAIT_OBJECT_0) {
            CancelSynchronousIo(m->keys);
        }
        CloseHandle(m->keys);
    }
}

} // namespace deskhand::sandbox::front
