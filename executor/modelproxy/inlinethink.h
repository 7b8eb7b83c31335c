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
    explicit InlineThink(bool enabled)
        : m_phase(enabled ? Phase::Start : Phase::Text)
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
    std::string m_held;
};

} // namespace deskhand::modelproxy
