// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"

#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// A provider's failure in the words Codex acts upon.
struct ProviderError
{
    std::string code; ///< one of the constants below
    std::string message; ///< the provider's, verbatim: Codex reads delays from it
    std::string type; ///< the provider's own word
    int status = 0; ///< the HTTP status that the provider's own code or type stands for, 0: unknown
};

inline constexpr std::string_view kContextLengthExceeded = "context_length_exceeded";
inline constexpr std::string_view kInsufficientQuota = "insufficient_quota";
inline constexpr std::string_view kRateLimitExceeded = "rate_limit_exceeded";
inline constexpr std::string_view kServerOverloaded = "server_is_overloaded";
inline constexpr std::string_view kServerError = "server_error";

/// Reads any shape of error object or body: `{"error":{…}}`, `{"error":"…"}`, `{"message":…}`,
/// `{"detail":…}`, `{"object":"error",…}`, also the first of a list. `status` is the HTTP status, 0
/// when there was none.
[[nodiscard]] ProviderError providerError(const Json &whole, int status);
/// The same from words alone.
[[nodiscard]] ProviderError providerErrorFromText(
    std::string_view code, std::string_view message, int status);
/// Whether an object carries an error that says something; an empty object or null does not.
[[nodiscard]] bool carriesError(const Json &object);

/// Whether waiting can help.
[[nodiscard]] bool isRetryableCode(std::string_view code);

/// The body of a refusal of our own: `{"error":{"type","code","message"},"detail":message}`.
[[nodiscard]] std::string localErrorBody(
    int status, std::string_view code, std::string_view message);
/// `{"error":{"type","code","message"}}`.
[[nodiscard]] std::string errorBody(const ProviderError &error);

} // namespace deskhand::modelproxy
