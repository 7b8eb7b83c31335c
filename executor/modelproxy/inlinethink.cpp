// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/inlinethink.h"

#include <algorithm>
#include <utility>

namespace deskhand::modelproxy {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::string_view kBlanks = " \t\r\n";

/// Length of the longest end of `text` that may be the beginning of `tag`.
size_t partialTag(std::string_view text, std::string_view tag)
{
    for (size_t length = std::min(text.size(), tag.size() - 1); length > 0; --length) {
        if (tag.starts_with(text.substr(text.size() - length))) {
            return length;
        }
    }
    return 0;
}

} // namespace

InlineThink::Split InlineThink::feed(std::string_view piece)
{
    Split split;
    if (m_phase == Phase::Text) {
        split.text = piece;
        return split;
    }
    m_held += piece;
    if (m_phase == Phase::Start) {
        const size_t first = m_held.find_first_not_of(kBlanks);
        if (first == std::string::npos) {
            return split;
        }
        const std::string_view rest = std::string_view(m_held).substr(first);
        if (rest.starts_with(kOpen)) {
            m_held = rest.substr(kOpen.size());
            m_opened = true;
            m_phase = Phase::Thinking;
        } else if (kOpen.starts_with(rest)) {
            return split; // may become the tag
        } else if (m_opensItself) {
            m_phase = Phase::Thinking;
        } else {
            m_phase = Phase::Text;
            split.text = std::exchange(m_held, {});
            return split;
        }
    }
    if (m_phase == Phase::Thinking && m_opened && !m_begun) {
        // Line breaks after the opening tag are not part of the thought.
        m_held.erase(0, std::min(m_held.find_first_not_of(kBlanks), m_held.size()));
        m_begun = !m_held.empty();
    }
    if (m_phase == Phase::Thinking) {
        const size_t close = m_held.find(kClose);
        if (close == std::string::npos) {
            // Line breaks before the closing tag are not part of the thought, so they wait too.
            size_t keep = partialTag(m_held, kClose);
            size_t end = m_held.size() - keep;
            while (end > 0 && kBlanks.find(m_held[end - 1]) != std::string_view::npos) {
                --end;
            }
            split.reasoning = m_held.substr(0, end);
            m_held.erase(0, end);
            if (!m_opened) {
                m_thought += split.reasoning;
            }
            return split;
        }
        std::string_view thought = std::string_view(m_held).substr(0, close);
        const size_t last = thought.find_last_not_of(kBlanks);
        split.reasoning = last == std::string_view::npos ? std::string()
                                                         : std::string(thought.substr(0, last + 1));
        m_held.erase(0, close + kClose.size());
        m_phase = Phase::AfterThinking;
    }
    if (m_phase == Phase::AfterThinking) {
        const size_t first = m_held.find_first_not_of(kBlanks);
        if (first == std::string::npos) {
            m_held.clear();
            return split;
        }
        split.text = m_held.substr(first);
        m_held.clear();
        m_phase = Phase::Text;
    }
    return split;
}

InlineThink::Split InlineThink::finish()
{
    Split split;
    std::string held = std::exchange(m_held, {});
    if (m_phase == Phase::Thinking && !m_opened) {
        // No tag at all: the model did not think aloud this time, and what it said is the answer.
        split.text = std::exchange(m_thought, {}) + held;
    } else if (m_phase == Phase::Thinking) {
        split.reasoning = std::move(held);
    } else {
        split.text = std::move(held);
    }
    m_phase = Phase::Text;
    return split;
}

} // namespace deskhand::modelproxy
