// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/seatbeltrun.h"

namespace deskhand::sandbox {

SandboxStatus probeOnThisSystem(const ProbeOptions &options, process::RunControl &control)
{
    return probeSeatbelt(options, control, SeatbeltTools::find());
}

} // namespace deskhand::sandbox
