// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// Cuts a server-sent event stream into events, as the WHATWG standard describes it, more leniently
/// where servers are sloppy: CRLF, LF and CR mixed, fields indented by blanks. Comments, `id` and
/// `retry` are dropped. Knows nothing of what the data mean.
class SseReader final
{
public:
    class Sink
    {
    public:
        virtual ~Sink() = default;
        /// `data` lines joined by LF. `complete` is false for a last block without its empty line.
        virtual void onSseEvent(std::string_view event, std::string_view data, bool complete) = 0;
    };

    SseReader(Sink &sink, size_t maxEventBytes);

    /// False when one event exceeds the limit; nothing more is read then.
    [[nodiscard]] bool feed(std::string_view bytes);
    /// The stream ended: a last block without its empty line counts.
    void finish();
    /// Events and comments so far: both show that the peer is alive.
    [[nodiscard]] size_t signsOfLife() const { return m_signsOfLife; }

private:
    void takeLine(std::string_view line);
    void dispatch(bool complete);

    Sink &m_sink;
    size_t m_maxEventBytes;
    std::string m_partial; // line not yet ended
    std::string m_event;
    std::string m_data;
    bool m_hasData = false;
    bool m_afterCr = false;
    bool m_tooLarge = false;
    size_t m_signsOfLife = 0;
};

} // namespace deskhand::modelproxy
