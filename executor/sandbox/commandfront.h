// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/process/boundedrun.h"

#include <memory>

// What `deskhand-executor sandbox` has to do with its own terminal, streams and signals; one file
// for each kind of system.
namespace deskhand::sandbox::front {

constexpr int kOutput = 1;
constexpr int kError = 2;

/// Returns early when nobody reads any more; the run goes on.
void writeAll(int descriptor, const QByteArray &bytes);

/// Turns this program's signals into orders for the run, and with a terminal copies its keys. A
/// thread of its own, because the main thread is busy with the run.
class Front final
{
public:
    Front(process::RunControl &control, bool terminal);
    ~Front();
    Front(const Front &) = delete;
    Front &operator=(const Front &) = delete;

private:
    struct Private;
    std::unique_ptr<Private> m;
};

} // namespace deskhand::sandbox::front
