// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/globmatcher.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

size_t characterEnd(std::string_view text, size_t from)
{
    ++from;
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xc0U) == 0x80U) {
        ++from;
    }
    return from;
}

/// Matches a bracket expression that starts at `pattern[at]`. `next` becomes the place after it;
/// npos when it is not closed.
bool matchesBracket(std::string_view pattern, size_t at, unsigned char byte, size_t &next)
{
    size_t i = at + 1;
    const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
    if (negated) {
        ++i;
    }
    bool found = false;
    for (bool first = true; i < pattern.size(); first = false) {
        if (pattern[i] == ']' && !first) {
            next = i + 1;
            return found != negated;
        }
        const auto low = static_cast<unsigned char>(pattern[i]);
        auto high = low;
        if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
            high = static_cast<unsigned char>(pattern[i + 2]);
            i += 2;
        }
        found = found || (byte >= low && byte <= high);
        ++i;
    }
    next = std::string_view::npos;
    return false;
}

std::vector<std::string_view> split(std::string_view path)
{
    std::vector<std::string_view> parts;
    size_t from = 0;
    while (from < path.size()) {
        const size_t end = std::min(path.find('/', from), path.size());
        if (end > from) {
            parts.push_back(path.substr(from, end - from));
        }
        from = end + 1;
    }
    return parts;
}

/// Dynamic programming over components: quadratic at worst, however many "**" there are.
/// `asPrefix`: could the path be continued to a match?
bool matchComponents(const std::vector<std::string> &pattern,
    const std::vector<std::string_view> &path, bool asPrefix)
{
    std::vector<bool> reach(pattern.size() + 1, false);
    reach[0] = true;
    const auto spread = [&pattern](std::vector<bool> &states) {
        for (size_t p = 0; p < pattern.size(); ++p) {
            if (states[p] && pattern[p] == "**") {
                states[p + 1] = true;
            }
        }
    };
    spread(reach);
    for (const std::string_view component : path) {
        std::vector<bool> next(pattern.size() + 1, false);
        for (size_t p = 0; p < pattern.size(); ++p) {
            if (!reach[p]) {
                continue;
            }
            if (pattern[p] == "**") {
                next[p] = true;
            } else if (matchesComponent(pattern[p], component)) {
                next[p + 1] = true;
            }
        }
        spread(next);
        reach = std::move(next);
    }
    if (!asPrefix) {
        return reach[pattern.size()];
    }
    return std::find(reach.begin(), reach.end() - 1, true) != reach.end() - 1;
}

bool hasWildcard(std::string_view component)
{
    return component.find_first_of("*?[") != std::string_view::npos;
}

} // namespace

bool matchesComponent(std::string_view pattern, std::string_view name)
{
    size_t p = 0;
    size_t n = 0;
    size_t starPattern = std::string_view::npos;
    size_t starName = 0;
    while (n < name.size()) {
        bool matched = false;
        if (p < pattern.size()) {
            size_t next = std::string_view::npos;
            if (pattern[p] == '*') {
                starPattern = p++;
                starName = n;
                continue;
            }
            if (pattern[p] == '?') {
                ++p;
                n = characterEnd(name, n);
                matched = true;
            } else if (pattern[p] == '[') {
                const bool inSet
                    = matchesBracket(pattern, p, static_cast<unsigned char>(name[n]), next);
                const bool literal = next == std::string_view::npos;
                matched = literal ? name[n] == '[' : inSet;
                if (matched) {
                    p = literal ? p + 1 : next;
                    ++n;
                }
            } else if (pattern[p] == name[n]) {
                ++p;
                ++n;
                matched = true;
            }
        }
        if (matched) {
            continue;
        }
        if (starPattern == std::string_view::npos) {
            return false;
        }
        p = starPattern + 1;
        n = ++starName;
    }
    while (p < pattern.size() && pattern[p] == '*') {
        ++p;
    }
    return p == pattern.size();
}

Result<PathGlob> PathGlob::parse(const QString &pattern)
{
    const std::string text = pattern.toStdString();
    if (text.empty() || text[0] != '/' || text.find('\0') != std::string::npos) {
        return failure(ErrorKind::Usage,
            u"the pattern \"%1\" is not an absolute path"_s.arg(pattern),
            u"start it with / or ~/"_s);
    }
    PathGlob glob;
    glob.m_text = text;
    bool fixed = true;
    for (const std::string_view component : split(text)) {
        if (component == "." || component == "..") {
            return failure(ErrorKind::Usage, u"the pattern \"%1\" contains . or .."_s.arg(pattern));
        }
        fixed = fixed && !hasWildcard(component);
        if (fixed) {
            glob.m_prefix.append("/").append(component);
        }
        if (component == "**" && !glob.m_components.empty() && glob.m_components.back() == "**") {
            continue;
        }
        glob.m_components.emplace_back(component);
    }
    if (glob.m_prefix.empty()) {
        return failure(ErrorKind::Usage,
            u"the pattern \"%1\" could match anywhere on the disk"_s.arg(pattern),
            u"begin it with a fixed directory"_s);
    }
    return glob;
}

bool PathGlob::matches(std::string_view absolutePath) const
{
    if (absolutePath.substr(0, m_prefix.size()) != m_prefix) {
        return false;
    }
    // Nearly every path fails at its last name; only the others are worth a closer look.
    const std::string &last = m_components.back();
    if (last != "**" && !matchesComponent(last, absolutePath.substr(absolutePath.rfind('/') + 1))) {
        return false;
    }
    return matchComponents(m_components, split(absolutePath), false);
}

bool PathGlob::mayMatchBelow(std::string_view absoluteDirectory) const
{
    return matchComponents(m_components, split(absoluteDirectory), true);
}

} // namespace deskhand::sandbox
