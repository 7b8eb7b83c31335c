// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/errorcodes.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/net/httpclient.h"

#include <QDateTime>

#include <chrono>
#include <optional>

namespace deskhand::modelproxy {

/// How one attempt ended, before any byte went to the client.
struct AttemptOutcome
{
    int status = 0; ///< 0: no answer; a failure in the first event has the status of its code
    net::HeaderList headers;
    ProviderError error;
    net::TransferFault fault = net::TransferFault::None;
};

/// Decides whether and when a request is sent again. One object for one request; pure but for the
/// random jitter.
class RetryPolicy final
{
public:
    explicit RetryPolicy(const ProxyTiming &timing);

    /// The wait before the next attempt; nothing when the outcome is final. Counts the attempt.
    [[nodiscard]] std::optional<std::chrono::milliseconds> next(
        const AttemptOutcome &outcome, const QDateTime &now);
    [[nodiscard]] int attempt() const { return m_attempt; }
    [[nodiscard]] int maxAttempts() const { return m_maxAttempts; }

private:
    ProxyTiming m_timing;
    int m_attempt = 0;
    int m_connectAttempts = 0;
    int m_maxAttempts = 0;
};

/// What the provider asked to wait: `retry-after-ms`, `retry-after` in seconds or as a date (past
/// ones are 0), `x-ratelimit-reset-requests` such as "1m2.5s".
[[nodiscard]] std::optional<std::chrono::milliseconds> requestedWait(
    const net::HeaderList &headers, const QDateTime &now);

/// The HTTP status that says the same as a failure within a stream.
[[nodiscard]] int statusOfError(const ProviderError &error);

} // namespace deskhand::modelproxy
