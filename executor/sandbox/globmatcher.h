// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QString>
#include <QStringList>

#include <string>
#include <string_view>
#include <vector>

namespace deskhand::sandbox {

/// `*` and `?` and `[a-z]` inside one path component; an unclosed `[` is a literal.
/// Case-sensitive, on bytes; a `?` stands for one byte sequence of a UTF-8 character.
[[nodiscard]] bool matchesComponent(std::string_view pattern, std::string_view name);

/// An absolute pattern for whole paths. `**` as a component spans any number of components,
/// none included. Pure value, any thread.
class PathGlob final
{
public:
    /// Usage error when the pattern is not absolute, or when its fixed prefix is empty or "/":
    /// finding its matches would mean to search the whole disk.
    [[nodiscard]] static Result<PathGlob> parse(const QString &pattern);

    [[nodiscard]] bool matches(std::string_view absolutePath) const;
    /// True when something below this directory could match: whether a scan must look inside.
    [[nodiscard]] bool mayMatchBelow(std::string_view absoluteDirectory) const;
    /// The components before the first one with a wildcard, e.g. "/home/me/project".
    [[nodiscard]] const std::string &fixedPrefix() const { return m_prefix; }
    [[nodiscard]] const std::string &text() const { return m_text; }

private:
    std::string m_text;
    std::string m_prefix;
    std::vector<std::string> m_components;
};

} // namespace deskhand::sandbox
