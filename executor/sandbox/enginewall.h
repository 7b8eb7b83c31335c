// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QString>
#include <QStringList>

namespace deskhand::sandbox {

/// What an outer wall around an engine process depends on. Value type.
struct EngineWallPlan
{
    QString bubblewrap; ///< absolute
    QStringList hiddenFolders; ///< canonical, existing
    QStringList hiddenFiles;
    QStringList shown; ///< folders that stay although something above them is hidden or private
    QStringList privatePlaces; ///< become empty and the engine's own
};

/// The command line in front of the engine's own. Pure.
[[nodiscard]] QStringList engineWallArguments(const EngineWallPlan &plan);

/// The wall around a whole engine process that brings a sandbox of its own for its commands: it
/// hides the owner's secrets and this program's from engine, plug-ins and commands alike and gives
/// them a scratch of their own. It is a view of the disk only: no filter and no namespace in the
/// way of the inner sandbox; network and writing stay what the inner one makes of them. Value type.
class EngineWall final
{
public:
    struct Options
    {
        QString home; ///< the owner's
        QStringList hidden; ///< besides the usual secret paths: what belongs to this program
        QStringList secretPaths; ///< of the owner, as in FilePolicy
        QStringList shown; ///< the engine's own folders and where it works
        QStringList bubblewrapCandidates; ///< empty: the system's
    };

    /// Looks at the disk and tries it: Unavailable error when no sandbox can be built inside of it
    /// here. Blocks for some 50 ms; for worker threads.
    [[nodiscard]] static Result<EngineWall> build(const Options &options);

    /// Before each start: the bundled program must still be the one of this build.
    [[nodiscard]] Result<> verify() const;
    [[nodiscard]] QString program() const { return m_plan.bubblewrap; }
    /// What program() is given to run `program` with `arguments`.
    [[nodiscard]] QStringList arguments(const QString &program, const QStringList &arguments) const;
    /// Whether a folder cannot be seen, or is another one, inside.
    [[nodiscard]] bool hides(const QString &folder) const;

private:
    [[nodiscard]] Result<> tryWith(const QString &bubblewrap);

    EngineWallPlan m_plan;
    bool m_bundled = false;
};

} // namespace deskhand::sandbox
