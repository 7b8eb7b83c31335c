// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/tasks/taskmanager.h"

namespace deskhand::tasks {

// What a turn must satisfy before it may run. Executor thread; the folder check looks at the disk.

/// Task ids become folder names, so they are letters, digits, "_", "-" and "." (not first), at most
/// 128; turn ids at most 200 characters.
[[nodiscard]] Result<> checkIds(const engines::TurnRef &ref);

struct ChosenProfile
{
    engines::PermissionProfile effective = engines::PermissionProfile::ReadOnly;
    bool lowered = false; ///< the wish was above the ceiling
};
[[nodiscard]] Result<ChosenProfile> chooseProfile(const QString &wish, const TaskPolicy &policy);

/// The real path of the folder the turn works in. Makes the task's own folder when none is given.
[[nodiscard]] Result<QString> workFolder(
    const TurnRequest &request, const TaskPolicy &policy, engines::PermissionProfile profile);

} // namespace deskhand::tasks
