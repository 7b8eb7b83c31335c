// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/utf8check.h"

#include <cstdint>
#include <cstring>

namespace deskhand::modelproxy {

bool Utf8Check::feed(std::string_view bytes)
{
    size_t i = 0;
    while (m_valid && i < bytes.size()) {
        if (m_need == 0) {
            // Eight ASCII bytes at a time: most of every stream.
            while (i + 8 <= bytes.size()) {
                std::uint64_t eight = 0;
                std::memcpy(&eight, bytes.data() + i, 8);
                if ((eight & 0x8080808080808080ULL) != 0) {
                    break;
                }
                i += 8;
            }
            if (i == bytes.size()) {
                break;
            }
        }
        const auto byte = static_cast<unsigned char>(bytes[i++]);
        if (m_need > 0) {
            m_valid = byte >= m_low && byte <= m_high;
            m_low = 0x80;
            m_high = 0xBF;
            --m_need;
        } else if (byte < 0x80) {
            continue;
        } else if (byte >= 0xC2 && byte <= 0xDF) {
            m_need = 1;
        } else if (byte >= 0xE0 && byte <= 0xEF) {
            m_need = 2;
            m_low = byte == 0xE0 ? 0xA0 : 0x80; // no overlong forms
            m_high = byte == 0xED ? 0x9F : 0xBF; // no surrogates
        } else if (byte >= 0xF0 && byte <= 0xF4) {
            m_need = 3;
            m_low = byte == 0xF0 ? 0x90 : 0x80;
            m_high = byte == 0xF4 ? 0x8F : 0xBF; // not above U+10FFFF
        } else {
            m_valid = false;
        }
    }
    return m_valid;
}

bool isUtf8(std::string_view text)
{
    Utf8Check check;
    return check.feed(text) && check.complete();
}

} // namespace deskhand::modelproxy
