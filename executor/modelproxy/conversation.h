// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"
#include "executor/modelproxy/toolnames.h"

#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace deskhand::modelproxy {

/// One piece of content.
struct ContentPart
{
    enum class Kind { Text, Image, File, Audio };
    Kind kind = Kind::Text;
    std::string text; ///< or the URL of an image; empty when it has none
    std::string detail; ///< of an image
    Json raw; ///< of a file or of audio
};

/// What a tool answered.
struct ToolResult
{
    bool missing = true; ///< the call never got one
    std::vector<ContentPart> parts;

    [[nodiscard]] std::string text() const; ///< texts joined by line breaks
    [[nodiscard]] bool hasImages() const;
};

struct ToolCall
{
    ToolIdentity identity;
    std::string callId; ///< safe, and different from every other call's of the request
    std::string arguments;
    ToolResult result;
    size_t resultOrder = 0; ///< when the result arrived
};

struct AssistantBlock
{
    enum class Kind { Reasoning, Text, Call };
    Kind kind = Kind::Text;
    std::string text;
    std::string encrypted; ///< of reasoning
    ToolCall call;
};

/// One message. An assistant's calls hold their results, wherever these stood in the history: so
/// every call has exactly one, and it comes directly after.
struct Turn
{
    enum class Role { System, Developer, User, Assistant };
    Role role = Role::User;
    std::vector<ContentPart> parts; ///< all but the assistant
    std::vector<AssistantBlock> blocks; ///< the assistant

    [[nodiscard]] bool hasCalls() const;
    [[nodiscard]] bool hasResults() const;
};

/// A Responses history put in the order in which stateless protocols want it. Value type.
struct Conversation
{
    std::string instructions;
    std::vector<Turn> turns;

    /// Consumes `input` (a string, an item, or a list).
    [[nodiscard]] static Conversation fromResponses(Json &&input, std::string instructions);
};

/// Appends a text as a paragraph of its own; an empty one changes nothing.
void joinParagraph(std::string &text, std::string_view more);

/// Content of a message or an output as parts: a string, or a list of typed parts.
[[nodiscard]] std::vector<ContentPart> contentParts(Json &&content);

} // namespace deskhand::modelproxy
