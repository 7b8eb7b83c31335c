// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/bwraparguments.h"

#include <QString>
#include <QStringList>

namespace deskhand::sandbox {

/// Where deskhand-sandbox-init lies: `DESKHAND_SANDBOX_INIT` (tests), beside the running program,
/// or in ../libexec/deskhand and ../lib/deskhand. Unavailable when none is there or when the one
/// found is not the one this build made (its checksum differs).
[[nodiscard]] Result<QString> findHelper();

/// Checks a helper's content against the checksum of this build; remembered while inode, size and
/// times stay the same. Thread-safe.
[[nodiscard]] Result<> verifyHelper(const QString &path);

/// The candidates for bubblewrap, best first: the fixed system places, then PATH.
[[nodiscard]] QStringList bubblewrapCandidates();

/// The first candidate that is an executable file outside all `writableRoots` (whoever writes there
/// would choose our jailer). Canonical. NotFound names what was looked at.
[[nodiscard]] Result<QString> findBubblewrap(
    const QStringList &candidates, const QStringList &writableRoots);

/// Asks it for its options, once for each file (path, inode, time of change). Blocking up to 500
/// ms.
[[nodiscard]] Result<BwrapFeatures> bubblewrapFeatures(const QString &path);

/// Version of the kernel's Landlock interface, 0 for none.
[[nodiscard]] int landlockAbi();

/// True inside a wall of ours or of a similar program: another one inside would be weaker or fail.
[[nodiscard]] bool alreadySandboxed();

} // namespace deskhand::sandbox
