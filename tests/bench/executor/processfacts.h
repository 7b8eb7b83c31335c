// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

/// What the system knows about a running process, from /proc. Zero where that is not there.
struct Memory
{
    double residentMb = 0;
    double anonymousMb = 0; ///< without program and library pages, which others share
    double peakMb = 0; ///< most resident since resetPeak(), else since the start
};
[[nodiscard]] Memory memoryOf(qint64 pid);
void resetPeak(qint64 pid);

struct Switches
{
    qint64 voluntary = 0; ///< each is one wake-up
    qint64 involuntary = 0;
};
/// Of all threads together.
[[nodiscard]] Switches switchesOf(qint64 pid);
