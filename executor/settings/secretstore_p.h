// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/settings/secretstore.h"

namespace deskhand::settings {

/// What every store asks of a name (1..200 characters) and of a value (up to 64 KiB characters).
[[nodiscard]] Result<> checkSecret(const QString &name, const QString &value = {});

} // namespace deskhand::settings
