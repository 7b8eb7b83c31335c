// SPDX-License-Identifier: Apache-2.0
#include "executor/process/childprocess_p.h"

#include <QHash>
#include <QProcess>

#include <windows.h>

namespace deskhand::process::platform {

namespace {

// One job object per child; its last handle closing (also by our death) ends all its members.
QHash<qint64, HANDLE> &jobs()
{
    static QHash<qint64, HANDLE> byPid; // executor thread only
    return byPid;
}

} // namespace

void prepare(QProcess &process)
{
    process.setCreateProcessArgumentsModifier([](QProcess::CreateProcessArguments *arguments) {
        arguments->flags |= CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP;
    });
}

void adopt(qint64 pid)
{
    const HANDLE job = ::CreateJobObjectW(nullptr, nullptr);
    if (job == nullptr) {
        return;
    }
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits {};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    ::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    const HANDLE child
        = ::OpenProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE, FALSE, static_cast<DWORD>(pid));
    if (child == nullptr || !::AssignProcessToJobObject(job, child)) {
        ::CloseHandle(job);
    } else {
        jobs().insert(pid, job);
    }
    if (child != nullptr) {
        ::CloseHandle(child);
    }
}

void terminate(qint64)
{
    // A console program without a window has no polite way to be asked beyond the end of its input.
}

void killTree(qint64 pid)
{
    killGroup(pid); // the job holds all of them
}

void killGroup(qint64 pid)
{
    if (const HANDLE job = jobs().take(pid); job != nullptr) {
        ::TerminateJobObject(job, 1);
        ::CloseHandle(job);
    }
}

} // namespace deskhand::process::platform
