// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace deskhand::modelproxy {

/// Checks UTF-8 over any division into pieces. Value type.
class Utf8Check final
{
public:
    /// False at the first byte that cannot stand there; stays false.
    [[nodiscard]] bool feed(std::string_view bytes);
    /// Nothing is half-way.
    [[nodiscard]] bool complete() const { return m_need == 0 && m_valid; }

private:
    bool m_valid = true;
    int m_need = 0;
    unsigned char m_low = 0x80; // range of the next continuation byte
    unsigned char m_high = 0xBF;
};

/// The whole text at once.
[[nodiscard]] bool isUtf8(std::string_view text);

} // namespace deskhand::modelproxy
