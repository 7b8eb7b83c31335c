// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/socketio/options.h"

#include <chrono>
#include <functional>

namespace deskhand::socketio {

/// How long to wait before the next try: exponential with jitter, without end. Knows no clock, so
/// that hours of it can be tested at once. One thread.
class BackOff
{
public:
    /// `random` gives numbers in [0, 1); by default the system's generator.
    explicit BackOff(const ReconnectPolicy &policy = {}, std::function<double()> random = {});

    /// After a try that never came up.
    [[nodiscard]] std::chrono::milliseconds afterFailure();
    /// After the loss of a link that had been up for `upFor`. A link that was not stable does not
    /// reset the waiting, so a server that accepts and cuts is not stormed.
    [[nodiscard]] std::chrono::milliseconds afterLoss(std::chrono::milliseconds upFor);
    void reset();

private:
    ReconnectPolicy m_policy;
    std::function<double()> m_random;
    int m_failures = 0; ///< delays given since the last stable link
    bool m_isImmediateUsed = false; ///< the try without delay, since the last stable link
};

} // namespace deskhand::socketio
