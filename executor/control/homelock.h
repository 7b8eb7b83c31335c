// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/paths.h"
#include "executor/common/result.h"

#include <QDateTime>
#include <QString>

#include <memory>
#include <optional>

namespace deskhand::control {

/// Keeps a home to one writing process. Owned by the facade for as long as it runs; the operating
/// system lets go of it when the process dies, however it dies. Blocking (a few file calls); any
/// thread.
class HomeLock final
{
public:
    /// Who has the lock, as far as the lock file tells; pid 0 = not known.
    struct Holder
    {
        qint64 pid = 0;
        QString program;
        QDateTime startedAt; ///< UTC
    };

    /// Creates the home (owner only) when it is missing and takes its lock. Conflict names the
    /// holder; Io says why the home cannot be used.
    [[nodiscard]] static Result<std::unique_ptr<HomeLock>> acquire(
        const ExecutorHome &home, const QString &program);
    /// Nothing when no live process holds the lock. Never disturbs the holder.
    [[nodiscard]] static std::optional<Holder> holder(const ExecutorHome &home);

    ~HomeLock();
    Q_DISABLE_COPY_MOVE(HomeLock)

private:
    class Handle; // of the platform
    explicit HomeLock(std::unique_ptr<Handle> handle);
    std::unique_ptr<Handle> m_handle;
};

} // namespace deskhand::control
