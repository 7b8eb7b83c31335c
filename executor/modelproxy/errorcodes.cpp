// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/errorcodes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace deskhand::modelproxy {
namespace {

std::string lowered(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
        [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

struct Rule
{
    std::string_view code;
    std::array<std::string_view, 9> words; // in code, type or text; unused ones are empty
};
// In this order: a quota failure often also says 429.
constexpr std::array kRules {
    Rule { kContextLengthExceeded,
        { "context_length_exceeded", "maximum context length", "prompt is too long",
            "context window" } },
    Rule { kInsufficientQuota,
        { "insufficient_quota", "insufficient balance", "exceeded_current_quota",
            "insufficient_user_quota", "billing_hard_limit", "credit balance is too low",
            "arrearage", "\u4f59\u989d\u4e0d\u8db3" } }, // GLM: the balance is not enough
    Rule { kRateLimitExceeded, { "rate_limit", "rate limit" } },
    Rule { kServerOverloaded, { "overloaded", "slow_down", "insufficient_system_resource" } },
};

/// Types and codes that stand for a refusal which waiting does not cure.
int statusOfWord(std::string_view word)
{
    struct Word
    {
        std::string_view word;
        int status;
    };
    static constexpr std::array kWords { Word { "invalid_request_error", 400 },
        Word { "authentication_error", 401 }, Word { "invalid_api_key", 401 },
        Word { "billing_error", 402 }, Word { "permission_error", 403 },
        Word { "permission_denied", 403 }, Word { "not_found_error", 404 },
        Word { "model_not_found", 404 }, Word { "request_too_large", 413 } };
    const auto found = std::find_if(kWords.begin(), kWords.end(),
        [word](const Word &candidate) { return candidate.word == word; });
    if (found != kWords.end()) {
        return found->status;
    }
    int number = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = read.ec == std::errc() && read.ptr == word.data() + word.size();
    return whole && number >= 400 && number <= 599 ? number : 0;
}

constexpr std::string_view kGlmBalance = "1113"; // with status 429, but no wait helps

std::string classify(
    std::string_view code, std::string_view type, std::string_view message, int status)
{
    const std::string all = lowered(code) + '\n' + lowered(type) + '\n' + lowered(message);
    const auto matches = [&all](const Rule &rule) {
        return std::any_of(rule.words.begin(), rule.words.end(), [&all](std::string_view word) {
            return !word.empty() && all.find(word) != std::string::npos;
        });
    };
    const auto isCode = [&](std::string_view number, int value) {
        return code == number || type == number || status == value;
    };
    for (const Rule &rule : kRules) {
        const bool byNumber
            = (rule.code == kInsufficientQuota && (isCode("402", 402) || code == kGlmBalance))
            || (rule.code == kRateLimitExceeded && isCode("429", 429))
            || (rule.code == kServerOverloaded && (isCode("503", 503) || isCode("529", 529)));
        if (byNumber || matches(rule)) {
            return std::string(rule.code);
        }
    }
    return std::string(kServerError);
}

/// Text of a member that may also be a number.
std::string wordMember(const Json &object, std::string_view key)
{
    const Json *value = member(object, key);
    if (value == nullptr || value->is_null()) {
        return {};
    }
    if (value->is_string()) {
        return value->get<std::string>();
    }
    return value->is_number() ? dumpJson(*value) : std::string();
}

} // namespace

ProviderError providerErrorFromText(std::string_view code, std::string_view message, int status)
{
    ProviderError error;
    error.code = classify(code, {}, message, status);
    error.message = message;
    error.type = code.empty() ? error.code : std::string(code);
    return error;
}

ProviderError providerError(const Json &whole, int status)
{
    // Gemini wraps its error body in a list.
    const Json &body = whole.is_array() && !whole.empty() ? whole.front() : whole;
    const Json *error = member(body, "error");
    const Json &inner = error != nullptr && error->is_object() ? *error : body;
    std::string message;
    if (error != nullptr && error->is_string()) {
        message = error->get<std::string>();
    }
    for (const std::string_view key : { "message", "detail", "msg", "error_msg" }) {
        if (message.empty()) {
            message = wordMember(inner, key);
        }
    }
    if (message.empty()) {
        message = wordMember(body, "message");
    }
    ProviderError result;
    const std::string code = wordMember(inner, "code");
    result.type = wordMember(inner, "type");
    result.code = classify(code, result.type, message, status);
    for (const std::string &word : { code, result.type, wordMember(inner, "status") }) {
        result.status = result.status != 0 ? result.status : statusOfWord(word);
    }
    if (message.empty()) {
        message = !code.empty()    ? code
            : !result.type.empty() ? result.type
                                   : std::string("the provider reported "
                                                 "an error without words");
    }
    result.message = std::move(message);
    if (result.type.empty()) {
        result.type = result.code;
    }
    return result;
}

bool carriesError(const Json &object)
{
    if (textMember(object, "object") == "error") {
        return true;
    }
    const Json *error = member(object, "error");
    if (error == nullptr) {
        return false;
    }
    if (error->is_string()) {
        return !isBlank(error->get_ref<const std::string &>());
    }
    return error->is_object()
        && (!wordMember(*error, "message").empty() || !wordMember(*error, "detail").empty()
            || !wordMember(*error, "type").empty() || !wordMember(*error, "code").empty());
}

bool isRetryableCode(std::string_view code)
{
    return code == kRateLimitExceeded || code == kServerOverloaded || code == kServerError;
}

std::string localErrorBody(int status, std::string_view code, std::string_view message)
{
    const std::string_view type = status >= 500 ? "proxy_error" : "invalid_request_error";
    return dumpJson(
        Json { { "error", { { "type", type }, { "code", code }, { "message", message } } },
            { "detail", message } });
}

std::string errorBody(const ProviderError &error)
{
    return dumpJson(Json { { "error",
        { { "type", error.type }, { "code", error.code }, { "message", error.message } } } });
}

} // namespace deskhand::modelproxy
