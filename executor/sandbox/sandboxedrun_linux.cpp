// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/containerrun.h"
#include "executor/sandbox/linuxrun.h"

namespace deskhand::sandbox {

SandboxResult runSandboxed(
    const SandboxRequest &request, process::RunControl &control, const SandboxHooks &hooks)
{
    if (request.container) {
        return ContainerRun(request, control, hooks).run();
    }
    return LinuxRun(request, control, hooks).run();
}

} // namespace deskhand::sandbox
