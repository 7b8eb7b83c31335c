// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <string>
#include <string_view>

namespace deskhand::logging {

/// Remembers a secret value, so that every later line has it replaced by "***". Values shorter
/// than 6 characters are ignored. Thread-safe.
void addSecret(const QString &secret);

/// Replaces remembered secrets and what looks like one (authorization headers, bearer tokens,
/// provider keys by prefix, passwords in URLs). Thread-safe.
[[nodiscard]] std::string maskSecrets(std::string_view text);
[[nodiscard]] QString maskSecrets(const QString &text);

} // namespace deskhand::logging
