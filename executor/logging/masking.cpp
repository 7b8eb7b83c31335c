// SPDX-License-Identifier: Apache-2.0
#include "executor/logging/masking.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <vector>

namespace deskhand::logging {
namespace {

constexpr std::string_view kMask = "***";
constexpr size_t kShortestSecret = 6;

struct Known
{
    std::mutex mutex; // guards values
    std::vector<std::string> values;
};

Known &known()
{
    static Known instance;
    return instance;
}

bool isTokenChar(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.'
        || c == '~' || c == '+' || c == '/' || c == '=';
}

char lower(char c)
{
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Position of `word` (lower case) in `text` from `from`, ignoring case.
size_t findWord(std::string_view text, std::string_view word, size_t from)
{
    const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
        word.begin(), word.end(), [](char a, char b) { return lower(a) == b; });
    return found == text.end() ? std::string_view::npos : static_cast<size_t>(found - text.begin());
}

void replaceAll(std::string &text, std::string_view secret)
{
    for (size_t at = text.find(secret); at != std::string::npos;
         at = text.find(secret, at + kMask.size())) {
        text.replace(at, secret.size(), kMask);
    }
}

/// Masks the token that follows each occurrence of `lead`, if it is at least `shortest` long.
/// With `keepLead` the lead stays readable, otherwise it is part of the secret.
void maskAfter(std::string &text, std::string_view lead, size_t shortest, bool keepLead)
{
    size_t at = findWord(text, lead, 0);
    while (at != std::string::npos) {
        size_t begin = at + lead.size();
        if (keepLead) {
            while (begin < text.size()
                && (text[begin] == ' ' || text[begin] == '"' || text[begin] == ':'
                    || text[begin] == '=' || text[begin] == '\'')) {
                ++begin;
            }
        }
        size_t end = begin;
        while (end < text.size() && isTokenChar(text[end])) {
            ++end;
        }
        const bool startsWord = keepLead || at == 0 || !isTokenChar(text[at - 1]);
        if (startsWord && end - begin >= shortest
            && text.compare(begin, kMask.size(), kMask) != 0) {
            const size_t from = keepLead ? begin : at;
            text.replace(from, end - from, kMask);
            end = from + kMask.size();
        }
        at = end >= text.size() ? std::string::npos : findWord(text, lead, std::max(end, at + 1));
    }
}

void maskUrlPasswords(std::string &text)
{
    size_t at = text.find("://");
    while (at != std::string::npos) {
        const size_t begin = at + 3;
        const size_t end = text.find_first_of("/ \t\n\"'", begin);
        const size_t limit = end == std::string::npos ? text.size() : end;
        const size_t sign = text.rfind('@', limit);
        if (sign != std::string::npos && sign > begin && sign < limit) {
            text.replace(begin, sign - begin, kMask);
        }
        at = text.find("://", begin);
    }
}

} // namespace

void addSecret(const QString &secret)
{
    std::string value = secret.trimmed().toStdString();
    if (value.size() < kShortestSecret) {
        return;
    }
    Known &all = known();
    const std::lock_guard lock(all.mutex);
    if (std::find(all.values.begin(), all.values.end(), value) == all.values.end()) {
        all.values.push_back(std::move(value));
        // Longest first: a secret that contains another is masked whole.
        std::sort(all.values.begin(), all.values.end(),
            [](const std::string &a, const std::string &b) { return a.size() > b.size(); });
    }
}

std::string maskSecrets(std::string_view text)
{
    std::string masked(text);
    {
        Known &all = known();
        const std::lock_guard lock(all.mutex);
        for (const std::string &secret : all.values) {
            replaceAll(masked, secret);
        }
    }
    maskAfter(masked, "bearer ", 8, true);
    maskAfter(masked, "x-api-key", 8, true);
    maskAfter(masked, "api_key", 8, true);
    maskAfter(masked, "auth_token", 8, true);
    static constexpr std::array<std::string_view, 6> kPrefixes
        = { "sk-", "wg-", "ghp_", "github_pat_", "glpat-", "xoxb-" };
    for (const std::string_view prefix : kPrefixes) {
        maskAfter(masked, prefix, 12, false);
    }
    maskUrlPasswords(masked);
    return masked;
}

QString maskSecrets(const QString &text)
{
    return QString::fromStdString(maskSecrets(text.toStdString()));
}

} // namespace deskhand::logging
