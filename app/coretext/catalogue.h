// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace deskhand::app::coretext {

/// One sentence of the core, as the sources of the core write it; %1 to %9 stand for what is filled
/// in. scripts/check-coretext keeps the two in step.
struct Sentence
{
    enum class Kind {
        Said, ///< what happened
        Hint, ///< a next step; never looked for in what may be somebody else's words
        Proxy ///< what the model proxy says where a provider's words could stand
    };
    const char *english;
    /// The places that hold words of the core themselves, "1 2! 3?": `!` the sentence is only meant
    /// when that place holds a known one, `?` it may hold a provider's words. Every other place is
    /// shown as it came.
    const char *places = "";
    Kind kind = Kind::Said;
};

[[nodiscard]] std::span<const Sentence> linkSentences();
[[nodiscard]] std::span<const Sentence> engineSentences();
[[nodiscard]] std::span<const Sentence> modelSentences();
[[nodiscard]] std::span<const Sentence> sandboxSentences();
[[nodiscard]] std::span<const Sentence> settingsSentences();
[[nodiscard]] std::span<const Sentence> taskSentences();

} // namespace deskhand::app::coretext
