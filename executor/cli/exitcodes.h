// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

namespace deskhand::cli {

/// What every command returns to the shell.
enum ExitCode {
    kOk = 0,
    kFailed = 1,
    kUsage = 2,
    kNotRunning = 3,
    kNotSignedIn = 4,
    kRefusedByPolicy = 5,
    kTimedOut = 6
};

[[nodiscard]] int exitCodeOf(const Error &error);

} // namespace deskhand::cli
