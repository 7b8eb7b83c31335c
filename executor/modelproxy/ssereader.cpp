// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/ssereader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace deskhand::modelproxy {

SseReader::SseReader(Sink &sink, size_t maxEventBytes)
    : m_sink(sink)
    , m_maxEventBytes(maxEventBytes)
{ }

bool SseReader::feed(std::string_view bytes)
{
    size_t begin = 0;
    size_t lineFeed = 0; // the next one, once it is known
    bool known = false;
    while (begin < bytes.size() && !m_tooLarge) {
        if (m_afterCr) {
            m_afterCr = false;
            if (bytes[begin] == '\n') { // second half of CRLF
                ++begin;
                continue;
            }
        }
        // Two searches of the C library are several times faster than one for either byte.
        if (!known || lineFeed < begin) {
            lineFeed = std::min(bytes.find('\n', begin), bytes.size());
            known = true;
        }
        const size_t end = std::min(bytes.substr(0, lineFeed).find('\r', begin), lineFeed);
        if (end == bytes.size()) {
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
