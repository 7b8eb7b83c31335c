// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// Separates a `<think>` block at the very start of an answer's text from the text, over any
/// division into pieces. Later literal tags are text. Value type.
class InlineThink final
{
public:
    /// `opensItself`: the answer begins within the block, only the closing tag comes.
    explicit InlineThink(bool enabled, bool opensItself = false)
        : m_phase(enabled || opensItself ? Phase::Start : Phase::Text)
        , m_opensItself(opensItself)
    { }

    /// What the piece adds to the reasoning and to the text; what may be half a tag is held back.
    struct Split
    {
        std::string reasoning;
        std::string text;
    };
    [[nodiscard]] Split feed(std::string_view piece);
    /// The end: nothing is held back any more.
    [[nodiscard]] Split finish();

private:
    enum class Phase { Start, Thinking, AfterThinking, Text };

    Phase m_phase;
    bool m_opensItself;
    bool m_opened = false; // by a tag
    bool m_begun = false; // the thought has more than line breaks
    std::string m_held;
    std::string m_thought; // while no tag has opened or closed it: it may be the answer
};

} // namespace deskhand::modelproxy
