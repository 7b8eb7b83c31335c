// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/windows/containedprocess.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace deskhand::sandbox::windows {

/// What others want of a run that is under way.
struct RunOrders
{
    bool cancel = false;
    std::string limit; ///< ends the run as this limit
    std::string input;
    bool closeInput = false;
    short rows = 0; ///< 0: no new size
    short columns = 0;
};

struct RunSetup
{
    std::uint32_t wallMilliseconds = 0; ///< 0: no limit
    std::uint32_t graceMilliseconds = 0; ///< only a terminal can be asked: it gets byte 3
    void *wake = nullptr; ///< event; set when orders() has something. May be null
    std::function<RunOrders()> orders;
    std::function<void(size_t size)> written; ///< input that is out; from a thread of the run
    /// One call at a time, from threads of the run.
    std::function<void(bool error, const char *data, size_t size)> sink;
};

struct RunEnding
{
    enum class Why { Exited, TimedOut, Cancelled, Limit };
    Why why = Why::Exited;
    std::string limit; ///< which one, also when the command went on to its own end
    unsigned long exitCode = 0;
    ContainedUse use;
    std::uint32_t wallMilliseconds = 0;
};

/// Follows a started process to its end: drains both streams, passes orders on, ends the whole job
/// at the time limit, on cancel, and with the first process. Blocks the calling thread.
[[nodiscard]] RunEnding follow(ContainedProcess &process, const RunSetup &setup);

} // namespace deskhand::sandbox::windows
