// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// An id every provider takes: not empty, A-Z a-z 0-9 _ - only, at most 64 characters.
[[nodiscard]] bool isSafeId(std::string_view id);
/// The id itself when it is safe; otherwise a safe one that is always the same for the same
/// original, so that a call and its result stay a pair.
[[nodiscard]] std::string safeId(std::string_view id);
/// Nine letters or digits made from an id, for providers that insist on that form. `attempt`
/// gives another one when the first is taken.
[[nodiscard]] std::string nineCharacterId(std::string_view id, int attempt);
/// `prefix` and 24 random hex digits.
[[nodiscard]] std::string freshId(std::string_view prefix);
/// Lower-case hex of SHA-256.
[[nodiscard]] std::string sha256Hex(std::string_view bytes);

} // namespace deskhand::modelproxy
