// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

#include <sys/stat.h>

// The same fields of a file's state under the names that each system has for them.
namespace deskhand::sandbox {

[[nodiscard]] inline const timespec &modificationTime(const struct stat &info)
{
#ifdef Q_OS_DARWIN
    return info.st_mtimespec;
#else
    return info.st_mtim;
#endif
}

[[nodiscard]] inline const timespec &changeTime(const struct stat &info)
{
#ifdef Q_OS_DARWIN
    return info.st_ctimespec;
#else
    return info.st_ctim;
#endif
}

} // namespace deskhand::sandbox
