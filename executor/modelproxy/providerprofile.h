// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/modelproxy/upstream.h"

#include <QJsonObject>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace deskhand::modelproxy {

enum class ReasoningEcho {
    Never,
    WhenPresent,
    Required, ///< on every assistant turn with calls, with a placeholder if there is none
    InlineThink ///< as a <think> block in front of the content
};
enum class SchemaSupport { Full, JsonObject, Dropped };
enum class EffortField {
    Dropped,
    ReasoningEffort, ///< reasoning_effort, verbatim
    ThinkingAndEffort, ///< thinking:{type} and reasoning_effort when on
    ThinkingSwitch, ///< thinking:{type} only
    EnableThinking, ///< enable_thinking
    ReasoningObject ///< reasoning:{effort}
};
enum class MessagesThinking { None, Budget, Adaptive };
enum class SystemRole {
    Leading, ///< one system message in front
    InlineSystem, ///< where it stands, role system
    InlineDeveloper ///< where it stands, role developer
};

/// How one provider family wants to be spoken to; plain data from resources/models/profiles.json,
/// overridden per model. The keys are documented in docs/models.md. Value type.
struct ProviderProfile
{
    std::string family = "generic";
    std::string keyHeader; ///< carries the key instead of a bearer token
    std::string outputField = "max_tokens";
    std::optional<std::int64_t> outputCap; ///< never more than this
    std::optional<std::int64_t> maxOutputTokens; ///< when the request names none
    ReasoningEcho reasoningEcho = ReasoningEcho::WhenPresent;
    bool emptyContent = false; ///< "" instead of null beside tool calls
    SchemaSupport jsonSchema = SchemaSupport::Full;
    bool parallelFlag = true;
    EffortField effort = EffortField::ReasoningEffort;
    bool images = true;
    bool inlineThink = false;
    bool thinkOpensItself = false; ///< such a block has no opening tag
    bool truncatesSilently = false; ///< beyond the window the beginning is dropped without a word
    std::optional<std::int64_t> imageBytes; ///< larger images are refused
    bool streamOptions = true;
    SystemRole systemRole = SystemRole::Leading;
    bool openaiFields = false; ///< service_tier, user, metadata, verbosity, files, audio
    bool promptCacheKey = false;
    bool toolChoiceAutoOnly = false;
    std::string requiredWord = "required";
    bool forcedChoiceWhileThinking = true;
    bool nineCharacterIds = false;
    bool typedAnyOf = false; ///< a type beside anyOf moves into its branches
    bool mergeNeighbours = false; ///< roles must alternate
    bool assistantAfterTool = false; ///< no user message right after a tool message
    bool imagesInToolOutput = true; ///< Responses and Messages
    std::vector<std::string> stripFields; ///< Responses: fields a strict server refuses
    bool cacheControl = false; ///< Messages
    MessagesThinking thinking = MessagesThinking::None; ///< Messages
    bool unsignedThinking = false; ///< Messages
    std::optional<std::int64_t> contextWindow;

    /// Family by the configured word, else by host, else by model id; then the overrides. Usage
    /// error for an unknown family, key or word.
    [[nodiscard]] static Result<ProviderProfile> resolve(const Upstream &upstream);
    /// The profile of a family with overrides on top.
    [[nodiscard]] static Result<ProviderProfile> fromOverrides(const QJsonObject &overrides);
};

} // namespace deskhand::modelproxy
