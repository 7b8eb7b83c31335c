// SPDX-License-Identifier: Apache-2.0
#include "executor/control/homelock_p.h"

#include <QFile>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace deskhand::control {
namespace {

// Locks of the open file description: they belong to this open file, not to the process, so a
// second attempt of the same process is refused as well, and closing another descriptor of the
// file does not drop them. O_CLOEXEC keeps children from inheriting them.
#ifdef F_OFD_SETLK
struct flock wholeFile()
{
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

int tryLock(int file)
{
    struct flock lock = wholeFile();
    return ::fcntl(file, F_OFD_SETLK, &lock);
}

bool lockedBySomebody(int file)
{
    struct flock lock = wholeFile();
    return ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
#else
int tryLock(int file)
{
    return ::flock(file, LOCK_EX | LOCK_NB);
}

bool lockedBySomebody(int file)
{
    if (::flock(file, LOCK_SH | LOCK_NB) == 0) {
        ::flock(file, LOCK_UN);
        return false;
    }
    return errno == EWOULDBLOCK;
}
#endif

} // namespace

HomeLock::Handle::~Handle()
{
    if (m_file >= 0) {
        // The file stays: removing it would let two processes lock two files of the same name.
        // It is emptied so that nobody reads the name of one who has left.
        [[maybe_unused]] const int emptied = ::ftruncate(m_file, 0);
        ::close(m_file);
    }
}

HomeLock::Handle::Attempt HomeLock::Handle::lock(const QString &path, QString &error)
{
    m_file = ::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
        S_IRUSR | S_IWUSR);
    if (m_file < 0) {
        error = qt_error_string(errno);
        return Attempt::Failed;
    }
    if (tryLock(m_file) == 0) {
        return Attempt::Locked;
    }
    const int reason = errno;
    ::close(m_file);
    m_file = -1;
    if (reason == EWOULDBLOCK || reason == EACCES) {
        return Attempt::HeldByOther;
    }
    error = qt_error_string(reason);
    return Attempt::Failed;
}

bool HomeLock::Handle::write(const QByteArray &content)
{
    return ::ftruncate(m_file, 0) == 0
        && ::pwrite(m_file, content.constData(), static_cast<size_t>(content.size()), 0)
        == static_cast<ssize_t>(content.size());
}

bool HomeLock::Handle::isLocked(const QString &path)
{
    // Asking for a write lock needs a file open for writing, also when it is only a question.
    const int file = ::open(QFile::encodeName(path).constData(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) {
        return false;
    }
    const bool locked = lockedBySomebody(file);
    ::close(file);
    return locked;
}

} // namespace deskhand::control
