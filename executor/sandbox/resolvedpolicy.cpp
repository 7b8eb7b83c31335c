// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/resolvedpolicy.h"

#include "executor/sandbox/pathfacts.h"

#include <QFile>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

QString shown(std::string_view path)
{
    return QString::fromUtf8(path.data(), static_cast<qsizetype>(path.size()));
}

} // namespace

const PolicyEntry *ResolvedPolicy::entryAt(std::string_view path) const
{
    const auto found = m_index.find(path);
    return found == m_index.end() ? nullptr : &m_entries[found->second];
}

const PolicyEntry &ResolvedPolicy::decide(std::string_view cleanPath) const
{
    // From the path upward: the entry with the most components wins; a glob that matches at the
    // same depth is a denial and therefore wins over it.
    for (std::string_view place = cleanPath;;) {
        for (size_t i = 0; i < m_globs.size(); ++i) {
            if (m_globs[i].matches(place)) {
                return m_globEntries[i];
            }
        }
        if (const PolicyEntry *entry = entryAt(place)) {
            return *entry;
        }
        const size_t slash = place.rfind('/');
        if (place == "/" || slash == std::string_view::npos) {
            return m_entries[m_index.find(std::string_view("/"))->second];
        }
        place = slash == 0 ? std::string_view("/") : place.substr(0, slash);
    }
}

QString ResolvedPolicy::explain(const PolicyEntry &entry, Access wanted, bool allowed) const
{
    const QString what = wanted == Access::Write ? u"write"_s : u"read"_s;
    const QString prefix = what + (allowed ? u" allowed: "_s : u" denied: "_s);
    const QString place = shown(entry.path);
    switch (entry.origin) {
    case Origin::Default:
        return prefix + u"no rule of the profile names it"_s;
    case Origin::Rule:
        return prefix + u"the rule for %1 says %2"_s.arg(place, accessName(entry.access));
    case Origin::Grant:
        return prefix + u"granted for this call: %1"_s.arg(place);
    case Origin::ProtectedName:
        return prefix + u"%1 is protected in %2"_s.arg(shown(entry.subject), shown(entry.root));
    case Origin::GitIndirection:
        return prefix + u"%1 holds the repository data of %2"_s.arg(place, shown(entry.root));
    case Origin::NestedRepository:
        return prefix + u"%1 belongs to a nested repository"_s.arg(place);
    case Origin::Secret:
        return prefix + u"%1 holds secrets"_s.arg(place);
    case Origin::OwnerSecret:
        return prefix + u"%1 is kept secret by the owner"_s.arg(place);
    case Origin::Glob:
        return prefix + u"it matches the pattern %1"_s.arg(shown(entry.subject));
    case Origin::PrivatePlace:
        return prefix + u"%1 is private to the run, not the host's"_s.arg(place);
    }
    return prefix;
}

ResolvedPolicy::Verdict ResolvedPolicy::verdict(const QString &path, Access wanted) const
{
    const std::string literal = paths::clean(QFile::encodeName(path).toStdString());
    const std::string real = paths::canonical(literal);
    const PolicyEntry *entry = &decide(literal);
    const PolicyEntry &second = decide(real);
    if (second.access < entry->access) {
        entry = &second;
    }
    Verdict result;
    result.effective = entry->access;
    result.allowed = entry->access >= wanted && entry->access != Access::Deny;
    result.privateView = entry->origin == Origin::PrivatePlace;
    result.reason = explain(*entry, wanted, result.allowed);
    return result;
}

std::vector<std::string> ResolvedPolicy::writableRoots() const
{
    std::vector<std::string> result;
    for (const PolicyEntry &entry : m_entries) {
        if (entry.access == Access::Write && entry.origin != Origin::PrivatePlace && !entry.alias
            && entry.kind != PathKind::Missing) {
            result.push_back(entry.path);
        }
    }
    return result;
}

std::vector<std::string> ResolvedPolicy::denyGlobs() const
{
    std::vector<std::string> result;
    for (const PathGlob &glob : m_globs) {
        result.push_back(glob.text());
    }
    return result;
}

} // namespace deskhand::sandbox
