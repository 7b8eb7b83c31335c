// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/backoff.h"

#include <QRandomGenerator>

#include <algorithm>
#include <cmath>

namespace deskhand::socketio {

BackOff::BackOff(const ReconnectPolicy &policy, std::function<double()> random)
    : m_policy(policy)
    , m_random(
          random ? std::move(random) : [] { return QRandomGenerator::global()->generateDouble(); })
{ }

std::chrono::milliseconds BackOff::afterFailure()
{
    const double most = static_cast<double>(m_policy.maxDelay.count());
    const double plain = std::min(most,
        static_cast<double>(m_policy.initialDelay.count()) * std::pow(m_policy.factor, m_failures));
    // 64 doublings are far beyond any maximum; the count need not grow for ever.
    m_failures = std::min(m_failures + 1, 64);
    const double spread = 1.0 + m_policy.jitter * (2.0 * m_random() - 1.0);
    return std::chrono::milliseconds(std::llround(std::clamp(plain * spread, 0.0, most)));
}

std::chrono::milliseconds BackOff::afterLoss(std::chrono::milliseconds upFor)
{
    if (upFor >= m_policy.stableAfter) {
        reset();
    }
    if (!m_policy.firstRetryImmediate || m_isImmediateUsed || m_failures > 0) {
        return afterFailure();
    }
    m_isImmediateUsed = true;
    return std::chrono::milliseconds(0);
}

void BackOff::reset()
{
    m_failures = 0;
    m_isImmediateUsed = false;
}

} // namespace deskhand::socketio
