// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/windows/names.h"

#include <algorithm>
#include <cwctype>

namespace deskhand::sandbox::windows {

namespace {

std::wstring lowered(std::wstring_view text)
{
    std::wstring result(text);
    std::transform(result.begin(), result.end(), result.begin(),
        [](wchar_t c) { return static_cast<wchar_t>(std::towlower(static_cast<std::wint_t>(c))); });
    return result;
}

/// The file system ignores a stream's suffix of the main stream, and dots and spaces at the end.
std::wstring_view baseName(std::wstring_view name)
{
    name = name.substr(0, name.find(L':'));
    const size_t end = name.find_last_not_of(L". ");
    return end == std::wstring_view::npos ? std::wstring_view() : name.substr(0, end + 1);
}

void quoteOne(std::wstring &line, const std::wstring &argument)
{
    if (!argument.empty() && argument.find_first_of(L" \t\n\v\"") == std::wstring::npos) {
        line += argument;
        return;
    }
    line += L'"';
    size_t backslashes = 0;
    for (const wchar_t c : argument) {
        if (c == L'\\') {
            ++backslashes;
            continue;
        }
        // Backslashes count only before a quote: there each needs a partner.
        line.append(c == L'"' ? backslashes * 2 + 1 : backslashes, L'\\');
        backslashes = 0;
        line += c;
    }
    line.append(backslashes * 2, L'\\');
    line += L'"';
}

} // namespace

std::wstring quoteArguments(const std::vector<std::wstring> &arguments)
{
    std::wstring line;
    for (const std::wstring &argument : arguments) {
        if (!line.empty()) {
            line += L' ';
        }
        quoteOne(line, argument);
    }
    return line;
}

std::vector<std::wstring> splitArguments(std::wstring_view line)
{
    std::vector<std::wstring> result;
    size_t i = 0;
    while (i < line.size()) {
        while (i < line.size() && (line[i] == L' ' || line[i] == L'\t')) {
            ++i;
        }
        if (i >= line.size()) {
            break;
        }
        std::wstring argument;
        bool quoted = false;
        for (; i < line.size() && (quoted || (line[i] != L' ' && line[i] != L'\t')); ++i) {
            size_t backslashes = 0;
            while (i < line.size() && line[i] == L'\\') {
                ++backslashes;
                ++i;
            }
            if (i < line.size() && line[i] == L'"') {
                argument.append(backslashes / 2, L'\\');
                if (backslashes % 2 == 1) {
                    argument += L'"';
                } else {
                    quoted = !quoted;
                }
                continue;
            }
            argument.append(backslashes, L'\\');
            if (i >= line.size() || (!quoted && (line[i] == L' ' || line[i] == L'\t'))) {
                break;
            }
            argument += line[i];
        }
        result.push_back(argument);
    }
    return result;
}

bool isCommandInterpreter(std::wstring_view program)
{
    const std::wstring name = lowered(baseName(program.substr(program.find_last_of(L"\\/") + 1)));
    return name == L"cmd.exe" || name == L"cmd";
}

std::wstring commandLine(const std::vector<std::wstring> &words)
{
    if (words.empty() || !isCommandInterpreter(words.front())) {
        return quoteArguments(words);
    }
    size_t text = 1;
    while (text < words.size() && lowered(words[text]) != L"/c" && lowered(words[text]) != L"/k") {
        ++text;
    }
    if (text >= words.size()) {
        return quoteArguments(words);
    }
    // /s: the outer quotes come off and nothing else is looked at.
    std::wstring line = quoteArguments({ words.begin(), words.begin() + static_cast<long>(text) })
        + L" /s " + words[text] + L" \"";
    for (size_t i = text + 1; i < words.size(); ++i) {
        line += (i > text + 1 ? L" " : L"") + words[i];
    }
    return line + L'"';
}

bool isBatchFile(std::wstring_view program)
{
    const std::wstring name = lowered(baseName(program.substr(program.find_last_of(L"\\/") + 1)));
    const auto endsWith = [&name](std::wstring_view suffix) {
        return name.size() >= suffix.size()
            && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
    };
    return endsWith(L".bat") || endsWith(L".cmd");
}

std::optional<std::wstring> normalisedPath(
    std::wstring_view path, const std::function<std::wstring(const std::wstring &)> &longName)
{
    std::wstring text(path);
    std::replace(text.begin(), text.end(), L'/', L'\\');
    const auto startsWith = [&text](std::wstring_view prefix) {
        return lowered(text.substr(0, prefix.size())) == prefix;
    };
    std::wstring prefix;
    if (startsWith(L"\\\\?\\unc\\") || startsWith(L"\\\\.\\unc\\")) {
        text = L"\\\\" + text.substr(8);
    } else if (startsWith(L"\\\\?\\") || startsWith(L"\\\\.\\") || startsWith(L"\\??\\")) {
        text = text.substr(4);
    }
    if (startsWith(L"\\\\")) {
        // \\localhost\c$\x is the local drive under another name.
        const size_t server = text.find(L'\\', 2);
        const std::wstring host = lowered(
            text.substr(2, server == std::wstring::npos ? std::wstring::npos : server - 2));
        const bool local = host == L"localhost" || host == L"127.0.0.1" || host == L"::1"
            || host == L"--1.ipv6-literal.net";
        if (local && server != std::wstring::npos && text.size() > server + 2
            && text[server + 2] == L'$') {
            text = text.substr(server + 1, 1) + L":" + text.substr(server + 3);
        } else {
            prefix = L"\\";
            text = text.substr(1);
        }
    }
    const bool drive = text.size() >= 3 && std::iswalpha(static_cast<std::wint_t>(text[0])) != 0
        && text[1] == L':' && text[2] == L'\\';
    if (!drive && prefix.empty()) {
        return std::nullopt;
    }
    std::wstring expanded = longName ? longName(prefix + text) : prefix + text;
    if (expanded.empty()) {
        expanded = prefix + text;
    }
    const size_t start = prefix.empty() ? 3 : 2;
    std::vector<std::wstring> parts;
    for (size_t from = start; from <= expanded.size();) {
        const size_t end = std::min(expanded.find(L'\\', from), expanded.size());
        const std::wstring_view part = std::wstring_view(expanded).substr(from, end - from);
        if (part == L"..") {
            if (!parts.empty()) {
                parts.pop_back();
            }
        } else if (const std::wstring_view base = baseName(part); !base.empty()) {
            parts.push_back(lowered(base));
        }
        from = end + 1;
    }
    std::wstring result = prefix.empty() ? lowered(expanded.substr(0, 2)) : L"\\";
    for (const std::wstring &part : parts) {
        result += L'\\' + part;
    }
    return parts.empty() ? result + L'\\' : result;
}

bool isBelow(std::wstring_view path, std::wstring_view root)
{
    if (!root.empty() && root.back() == L'\\') {
        root.remove_suffix(1);
    }
    return path.substr(0, root.size()) == root
        && (path.size() == root.size() || path[root.size()] == L'\\');
}

bool meansName(std::wstring_view typed, std::wstring_view protectedName)
{
    return lowered(baseName(typed)) == lowered(protectedName);
}

std::wstring environmentBlock(std::vector<std::wstring> variables)
{
    std::sort(variables.begin(), variables.end(), [](const std::wstring &a, const std::wstring &b) {
        return lowered(a.substr(0, a.find(L'='))) < lowered(b.substr(0, b.find(L'=')));
    });
    std::wstring block;
    for (const std::wstring &variable : variables) {
        block.append(variable).push_back(L'\0');
    }
    block.push_back(L'\0');
    return block;
}

} // namespace deskhand::sandbox::windows
