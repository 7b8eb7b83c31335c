// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/stopsignals.h"

namespace deskhand::modelproxy {

// Without POSIX signals the console ends the program in its own way.
struct StopSignals::Platform
{ };

StopSignals::StopSignals() = default;
StopSignals::~StopSignals() = default;

} // namespace deskhand::modelproxy
