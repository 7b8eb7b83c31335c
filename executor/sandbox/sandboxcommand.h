// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/ownerpolicy.h"

#include <QStringList>

namespace deskhand::sandbox {

/// `deskhand-executor sandbox ...`: runs a command under a profile, explains a path, or probes.
/// `args` is what follows the word "sandbox". Without readable settings of the owner nothing is run
/// or explained. Returns the exit status: the command's own; 124 for a
/// time-out, 125 when refused (bad usage, bad policy), 126 when no sandbox is available, 128 + n
/// for signal n. Blocks; needs a QCoreApplication, no event loop. Main thread of a program that
/// does nothing else.
[[nodiscard]] int runSandboxCommand(const QStringList &args, const Result<OwnerPolicy> &owner);

} // namespace deskhand::sandbox
