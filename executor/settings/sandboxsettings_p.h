// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/settings/settingvalues_p.h"

namespace deskhand::settings {

/// The keys of ExecutorSettings::sandbox, each "sandbox.NAME".
[[nodiscard]] std::span<const Key> sandboxKeys();

} // namespace deskhand::settings
