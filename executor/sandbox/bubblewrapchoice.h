// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/bwraparguments.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace deskhand::sandbox {

/// A bubblewrap that may build the wall. Value type.
struct Bubblewrap
{
    QString path; ///< canonical
    BwrapFeatures features;
    bool bundled = false; ///< ours, its content checked against this build
};

/// Those that may serve, best first, never empty. Value type.
struct BubblewrapChoice
{
    QList<Bubblewrap> usable;
    QString passedOver; ///< why the system's is not the first; empty when it is
};

/// The candidates for the system's bubblewrap, best first: the fixed places, then PATH. Only the
/// one that `DESKHAND_SYSTEM_BWRAP` names when it is set (tests).
[[nodiscard]] QStringList bubblewrapCandidates();

/// The first candidate that is an executable file outside all `writableRoots` (whoever writes there
/// would choose our jailer). Canonical. Unavailable when there is none.
[[nodiscard]] Result<QString> findBubblewrap(
    const QStringList &candidates, const QStringList &writableRoots);

/// The system's when it can do what the wall needs; else the bundled one. A set-user-id one comes
/// after the bundled one: it can do less. Unavailable names both causes. Blocking: asks a program
/// for its options, once for each file.
[[nodiscard]] Result<BubblewrapChoice> chooseBubblewrap(
    const QStringList &candidates, const QStringList &writableRoots);

/// Whether this build brings a bubblewrap at all.
[[nodiscard]] bool hasBundledBubblewrap();

/// The bundled one, from `DESKHAND_BUNDLED_BWRAP` (tests), beside the running program, or from
/// ../libexec/deskhand and ../lib/deskhand; never from PATH. Unavailable when there is none, when
/// its checksum is not the one of this build, or when it lies in a writable root or where any user
/// may write.
[[nodiscard]] Result<Bubblewrap> bundledBubblewrap(const QStringList &writableRoots);

/// A wall that the bundled one built did not stand up with the system's `path`: from now on, until
/// that file changes, the bundled one comes first. Thread-safe.
void rememberFailing(const QString &path, const QString &because);

} // namespace deskhand::sandbox
