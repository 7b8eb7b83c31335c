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

/// Checks a helper's content against the checksum of this build.
[[nodiscard]] Result<> verifyHelper(const QString &path);

/// Checks the content of a program that comes with this one against the checksum of this build;
/// `what` names it in the error. Remembered while inode, size and times stay the same. Thread-safe.
[[nodiscard]] Result<> verifyOwnProgram(
    const QString &path, const char *sha256, const QString &what);

/// Where a program that comes with this one lies, canonical: what the environment variable names
/// (tests), beside the running program, or ../libexec/deskhand and ../lib/deskhand. Empty when it
/// is in none of them.
[[nodiscard]] QString findOwnProgram(const QString &name, const char *variable);

/// What identifies a file's content without reading it; empty when it is not there. A change sets
/// the time of change, which no user can set back.
[[nodiscard]] QByteArray fileStamp(const QString &path);

/// Asks it for its options, once for each file (path, inode, time of change). Blocking up to 500
/// ms.
[[nodiscard]] Result<BwrapFeatures> bubblewrapFeatures(const QString &path);

/// Version of the kernel's Landlock interface, 0 for none.
[[nodiscard]] int landlockAbi();

/// True inside a wall of ours or of a similar program: another one inside would be weaker or fail.
[[nodiscard]] bool alreadySandboxed();

} // namespace deskhand::sandbox
