// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/modelproxy/jsontext.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// JSON that keeps the order of its keys: tool schemas are text of the prompt. Only this room
/// uses it; the rest of the program has QJson.
using Json = nlohmann::ordered_json;

/// Deeper nesting than any tool schema; more is refused instead of followed.
constexpr int kMaxJsonDepth = 256;

/// Parses one value. Errors name the byte offset, or that it is nested too deeply. Keys are not
/// looked up while parsing, so that an object with a million keys costs no more than its length.
[[nodiscard]] Result<Json> parseJson(std::string_view text, int maxDepth = kMaxJsonDepth);
/// What a failed reading means.
[[nodiscard]] Error jsonError(const JsonReading &reading, int maxDepth = kMaxJsonDepth);

/// Compact text; invalid UTF-8 becomes the replacement character.
[[nodiscard]] std::string dumpJson(const Json &value);

/// Appends `text` with quotes and escapes; invalid UTF-8 becomes the replacement character.
void appendJsonString(std::string &out, std::string_view text);

/// The member, or null when `object` is none or has none of that name.
[[nodiscard]] const Json *member(const Json &object, std::string_view key);
[[nodiscard]] Json *member(Json &object, std::string_view key);
/// The member as text; empty when it is missing or not a string. Valid as long as `object`.
[[nodiscard]] std::string_view textMember(const Json &object, std::string_view key);
/// A whole number, also when it is written as 3.0; nothing otherwise.
[[nodiscard]] std::optional<std::int64_t> intMember(const Json &object, std::string_view key);
/// A count as providers report them: negative ones are 0, and any few of them can be added.
[[nodiscard]] std::optional<std::int64_t> countMember(const Json &object, std::string_view key);
[[nodiscard]] bool isBlank(std::string_view text);

/// What stands at the top level of an object's text, without building anything.
struct TopLevelMember
{
    std::string key; ///< unescaped
    size_t keyBegin = 0; ///< of the opening quote
    size_t valueBegin = 0;
    size_t valueEnd = 0;
};
/// The members in order. `text` is known to be a valid object.
[[nodiscard]] std::vector<TopLevelMember> topLevelMembers(std::string_view text);

} // namespace deskhand::modelproxy
