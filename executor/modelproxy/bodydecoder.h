// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QByteArray>

#include <string>

namespace deskhand::modelproxy {

/// A request body without its compression (`zstd`, or none). The limit counts decoded bytes.
/// Errors: Unavailable for another encoding, Policy above the limit, Protocol for broken data.
[[nodiscard]] Result<std::string> decodedBody(
    std::string body, const QByteArray &encoding, size_t maxBytes);

} // namespace deskhand::modelproxy
