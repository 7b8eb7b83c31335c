// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/grantedfiles.h"

#include "executor/sandbox/filetimes.h"
#include "executor/sandbox/pathfacts.h"

#include <QFile>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace deskhand::sandbox {

namespace {

constexpr time_t kUntouched = 981'173'106; // 2001-02-03 04:05:06 UTC, as for guards

} // namespace

GrantedFiles::~GrantedFiles()
{
    removeUnused();
}

void GrantedFiles::stand(const QStringList &paths)
{
    for (const QString &granted : paths) {
        const std::string path
            = paths::canonical(paths::clean(QFile::encodeName(granted).toStdString()));
        if (!granted.startsWith(u'/') || paths::kindOf(path) != PathKind::Missing) {
            continue;
        }
        const int file
            = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file < 0) {
            continue;
        }
        const timespec times[2] = { { kUntouched, 0 }, { kUntouched, 0 } };
        struct stat info
        { };
        if (futimens(file, times) == 0 && fstat(file, &info) == 0) {
            m_made.push_back({ path, static_cast<unsigned long>(info.st_dev),
                static_cast<unsigned long>(info.st_ino) });
        }
        close(file);
    }
}

void GrantedFiles::removeUnused()
{
    for (const Made &made : m_made) {
        struct stat info
        { };
        if (lstat(made.path.c_str(), &info) == 0 && S_ISREG(info.st_mode)
            && static_cast<unsigned long>(info.st_dev) == made.device
            && static_cast<unsigned long>(info.st_ino) == made.inode && info.st_size == 0
            && modificationTime(info).tv_sec == kUntouched) {
            unlink(made.path.c_str());
        }
    }
    m_made.clear();
}

} // namespace deskhand::sandbox
