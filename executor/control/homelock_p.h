// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/control/homelock.h"

#include <QByteArray>

namespace deskhand::control {

/// What the platform does for HomeLock: an open file that only one process can have locked.
class HomeLock::Handle final
{
public:
    enum class Attempt { Locked, HeldByOther, Failed };

    Handle() = default;
    ~Handle(); ///< lets go
    Q_DISABLE_COPY_MOVE(Handle)

    /// Opens (creating it, owner only) and tries to lock; never waits. With Failed `error` says
    /// why.
    [[nodiscard]] Attempt lock(const QString &path, QString &error);
    /// Replaces the content of the locked file; false when the disk takes nothing.
    [[nodiscard]] bool write(const QByteArray &content);
    /// Whether some process has this file locked.
    [[nodiscard]] static bool isLocked(const QString &path);

private:
#ifdef Q_OS_WIN
    void *m_file = nullptr;
#else
    int m_file = -1;
#endif
};

} // namespace deskhand::control
