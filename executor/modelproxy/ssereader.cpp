// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/ssereader.h"

#include <cstdint>
#include <cstring>
#include <utility>

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

SseReader::SseReader(Sink &sink, size_t maxEventBytes)
    : m_sink(sink)
    , m_maxEventBytes(maxEventBytes)
{ }

bool SseReader::feed(std::string_view bytes)
{
    size_t begin = 0;
    while (begin < bytes.size() && !m_tooLarge) {
        if (m_afterCr) {
            m_afterCr = false;
            if (bytes[begin] == '\n') { // second half of CRLF
                ++begin;
                continue;
            }
        }
        const size_t end = bytes.find_first_of("\r\n", begin);
        if (end == std::string_view::npos) {
            m_partial.append(bytes.substr(begin));
            m_tooLarge = m_partial.size() + m_data.size() > m_maxEventBytes;
            break;
        }
        if (m_partial.empty()) {
            takeLine(bytes.substr(begin, end - begin));
        } else {
            m_partial.append(bytes.substr(begin, end - begin));
            const std::string line = std::exchange(m_partial, {});
            takeLine(line);
        }
        m_afterCr = bytes[end] == '\r';
        begin = end + 1;
    }
    return !m_tooLarge;
}

void SseReader::finish()
{
    if (!m_partial.empty()) {
        const std::string line = std::exchange(m_partial, {});
        takeLine(line);
    }
    dispatch(false);
}

void SseReader::takeLine(std::string_view line)
{
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        dispatch(true);
        return;
    }
    line.remove_prefix(first);
    if (line.front() == ':') {
        ++m_signsOfLife;
        return;
    }
    const size_t colon = line.find(':');
    const std::string_view field = line.substr(0, colon);
    std::string_view value;
    if (colon != std::string_view::npos) {
        value = line.substr(colon + 1);
        if (!value.empty() && value.front() == ' ') {
            value.remove_prefix(1);
        }
    }
    if (field == "data") {
        if (m_hasData) {
            m_data.push_back('\n');
        }
        m_hasData = true;
        m_data.append(value);
        m_tooLarge = m_tooLarge || m_data.size() > m_maxEventBytes;
    } else if (field == "event") {
        m_event = value;
    }
}

void SseReader::dispatch(bool complete)
{
    if (m_hasData && !m_tooLarge) {
        ++m_signsOfLife;
        m_sink.onSseEvent(m_event, m_data, complete);
    }
    m_event.clear();
    m_data.clear();
    m_hasData = false;
}

} // namespace deskhand::modelproxy
