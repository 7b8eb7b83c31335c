// SPDX-License-Identifier: Apache-2.0
#include "executor/control/homelock_p.h"

#include <QDir>

#include <windows.h>

namespace deskhand::control {
namespace {

// The lock is the open handle itself: others may read the file, nobody else may open it to write.
HANDLE openFile(const QString &path, DWORD access, DWORD share, DWORD disposition)
{
    const std::wstring native = QDir::toNativeSeparators(path).toStdWString();
    return CreateFileW(
        native.c_str(), access, share, nullptr, disposition, FILE_ATTRIBUTE_NORMAL, nullptr);
}

} // namespace

HomeLock::Handle::~Handle()
{
    if (m_file) {
        SetFilePointer(m_file, 0, nullptr, FILE_BEGIN);
        SetEndOfFile(m_file);
        CloseHandle(m_file);
    }
}

HomeLock::Handle::Attempt HomeLock::Handle::lock(const QString &path, QString &error)
{
    const HANDLE file = openFile(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, OPEN_ALWAYS);
    if (file != INVALID_HANDLE_VALUE) {
        m_file = file;
        return Attempt::Locked;
    }
    const DWORD reason = GetLastError();
    if (reason == ERROR_SHARING_VIOLATION) {
        return Attempt::HeldByOther;
    }
    error = qt_error_string(static_cast<int>(reason));
    return Attempt::Failed;
}

bool HomeLock::Handle::write(const QByteArray &content)
{
    DWORD written = 0;
    SetFilePointer(m_file, 0, nullptr, FILE_BEGIN);
    SetEndOfFile(m_file);
    return WriteFile(
               m_file, content.constData(), static_cast<DWORD>(content.size()), &written, nullptr)
        && written == static_cast<DWORD>(content.size());
}

bool HomeLock::Handle::isLocked(const QString &path)
{
    // Only an access that the holder does not share gets an answer. One who starts within these
    // microseconds is refused and has to start again.
    const HANDLE file = openFile(path, GENERIC_READ | GENERIC_WRITE,
        FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, OPEN_EXISTING);
    if (file != INVALID_HANDLE_VALUE) {
        CloseHandle(file);
        return false;
    }
    return GetLastError() == ERROR_SHARING_VIOLATION;
}

} // namespace deskhand::control
