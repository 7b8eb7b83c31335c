// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/seatbeltrun.h"

namespace deskhand::sandbox {

SandboxResult runSandboxed(
    const SandboxRequest &request, process::RunControl &control, const SandboxHooks &hooks)
{
    const Result<SeatbeltTools> tools = SeatbeltTools::find();
    if (!tools) {
        // Without a launcher there is no run at all, not even one that wants no wall.
        SandboxResult result;
        result.backend = QStringLiteral("none");
        result.endedBy = EndedBy::Unavailable;
        result.error = tools.error();
        result.outcome.startError = tools.error();
        return result;
    }
    return SeatbeltRun(request, control, hooks, *tools).run();
}

} // namespace deskhand::sandbox
