// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/process/boundedrun.h"

namespace deskhand::process {

/// The run's side of a RunControl on Windows, where the process itself is followed elsewhere.
class RunLoop final
{
public:
    struct Orders
    {
        bool cancel = false;
        QString limit;
        QByteArray input;
        bool closeInput = false;
        std::optional<TerminalSize> size;
    };

    /// An event that is set while there is something to take. Lives as long as `control`.
    [[nodiscard]] static void *wakeHandle(const RunControl &control);
    [[nodiscard]] static Orders take(RunControl &control);
    /// So much of what was taken has been written: there is room for more. Any thread.
    static void written(RunControl &control, qint64 size);
};

} // namespace deskhand::process
