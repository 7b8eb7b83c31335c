// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/resolvedpolicy.h"

#include <optional>
#include <string>
#include <string_view>

namespace deskhand::sandbox::paths {

// Questions about paths, on byte strings, because names on disk are bytes. Blocking; any thread.

/// Absolute and without ".", "..", doubled or trailing slashes; nothing is looked up.
[[nodiscard]] std::string clean(std::string_view path);
/// Of the name itself, links not followed.
[[nodiscard]] PathKind kindOf(const std::string &path);
/// All links resolved; of a path that does not exist, the existing part is.
[[nodiscard]] std::string canonical(const std::string &path);
/// The first component of `path` that is a symlink, with all before it.
[[nodiscard]] std::optional<std::string> firstLink(const std::string &path);
/// True when `path` is `root` or below it.
[[nodiscard]] bool isWithin(std::string_view path, std::string_view root);
[[nodiscard]] std::string parentOf(std::string_view path);
[[nodiscard]] std::string join(std::string_view directory, std::string_view name);
/// "~" and "~/..." become paths below `home`.
[[nodiscard]] std::string expandHome(const std::string &path, const std::string &home);
/// The first line of a small regular file; nothing when it is none.
[[nodiscard]] std::optional<std::string> firstLine(const std::string &path);

} // namespace deskhand::sandbox::paths
