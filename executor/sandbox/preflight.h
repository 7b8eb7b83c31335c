// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

namespace deskhand::sandbox {

/// Turns what bubblewrap or the helper said when the wall did not stand up into a cause and a next
/// step: missing or powerless user namespaces, AppArmor's restriction, refused /proc, nested walls.
/// Pure apart from asking which restriction this kernel has.
[[nodiscard]] Error explainWallFailure(const Error &raw);

} // namespace deskhand::sandbox
