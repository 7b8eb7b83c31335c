// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pure text work of the Windows back end; no Windows header, so that it is tested everywhere.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deskhand::sandbox::windows {

/// A command line that a C program splits back into exactly these arguments.
[[nodiscard]] std::wstring quoteArguments(const std::vector<std::wstring> &arguments);

/// The line for a program with its arguments: by the rules of C programs, or, when it is cmd.exe
/// with /c or /k, by cmd's: the text after the switch goes through as it is, in one pair of quotes.
[[nodiscard]] std::wstring commandLine(const std::vector<std::wstring> &words);

/// True for cmd.exe in any spelling.
[[nodiscard]] bool isCommandInterpreter(std::wstring_view program);

/// Splits as the documented C rules say; for tests and for checking what we made.
[[nodiscard]] std::vector<std::wstring> splitArguments(std::wstring_view line);

/// True for .bat and .cmd files (whatever case, trailing dots and spaces): they are read by
/// cmd.exe, which splits by other rules, and are never given arguments that are not ours.
[[nodiscard]] bool isBatchFile(std::wstring_view program);

/// One comparable form of a path: lower case, backslashes, drive form. Strips "\\?\", "\\.\" and
/// UNC spellings of local drives, streams (".git::$INDEX_ALLOCATION"), trailing dots and spaces,
/// "." and ".."; short names are expanded by `longName` (GetLongPathNameW; a table in tests).
/// Nothing for device paths and relative paths.
[[nodiscard]] std::optional<std::wstring> normalisedPath(
    std::wstring_view path, const std::function<std::wstring(const std::wstring &)> &longName);

/// True when normalised `path` is `root` or below it.
[[nodiscard]] bool isBelow(std::wstring_view path, std::wstring_view root);

/// True when a name is a protected one in any spelling the file system would accept for it.
[[nodiscard]] bool meansName(std::wstring_view typed, std::wstring_view protectedName);

/// The environment as one block: sorted without case, each ended by NUL, the block by another.
[[nodiscard]] std::wstring environmentBlock(std::vector<std::wstring> variables);

} // namespace deskhand::sandbox::windows
