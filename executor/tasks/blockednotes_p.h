// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/taskevent.h"
#include "executor/sandbox/denial.h"

#include <QList>

namespace deskhand::tasks {

/// What a person is told of a denial, with the code "sandbox_blocked".
[[nodiscard]] engines::StatusNote blockedNote(const sandbox::Denial &denial);

/// Whether a command that ended is worth a look at what it wrote. Cheap.
[[nodiscard]] bool mayHaveBeenBlocked(
    const engines::Item &item, engines::PermissionProfile profile);

/// What the engine's own sandbox kept the command from, as far as its output and the profile agree;
/// at most three. Looks at the disk; any thread.
[[nodiscard]] QList<engines::StatusNote> blockedNotes(
    const engines::Item &item, engines::PermissionProfile profile);

} // namespace deskhand::tasks
