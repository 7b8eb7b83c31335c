// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/policyresolver.h"

#include "executor/sandbox/guards.h"
#include "executor/sandbox/pathfacts.h"

#include <QFile>

#include <algorithm>
#include <cstring>
#include <deque>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

// The scan for nested repositories must not be felt in a start: 20,000 names take about 10 ms.
constexpr int kNestedMaxEntries = 20'000;
constexpr int kNestedMaxDepth = 6;
constexpr std::chrono::milliseconds kNestedMaxTime { 100 };
constexpr int kGlobMaxEntries = 500'000;
constexpr std::chrono::milliseconds kGlobMaxTime { 5'000 };

std::string bytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

QString shown(const std::string &path)
{
    return QString::fromUtf8(path.data(), static_cast<qsizetype>(path.size()));
}

tl::unexpected<Error> refused(const QString &what, const QString &hint = {})
{
    return failure(ErrorKind::Policy, what, hint);
}

/// A directory with a HEAD, or a file that leads to one; an empty ".git" is nothing git would find.
bool isRepository(const std::string &git)
{
    switch (paths::kindOf(git)) {
    case PathKind::Directory:
        return paths::kindOf(paths::join(git, "HEAD")) != PathKind::Missing;
    case PathKind::File:
        return paths::firstLine(git).value_or("").substr(0, 7) == "gitdir:";
    default:
        return false;
    }
}

} // namespace

std::vector<std::string> minimalRoots()
{
#ifdef Q_OS_MACOS
    return { "/bin", "/sbin", "/usr", "/etc", "/dev", "/System", "/Library", "/private/var/select",
        "/private/var/db/timezone", "/opt/homebrew", "/nix/store" };
#else
    return { "/bin", "/sbin", "/usr", "/etc", "/lib", "/lib64", "/nix/store",
        "/run/current-system/sw" };
#endif
}

bool walkTree(const std::string &directory, int maxEntries, std::chrono::milliseconds maxTime,
    const std::function<Visit(const std::string &, const char *, PathKind, int)> &visit)
{
    const auto deadline = std::chrono::steady_clock::now() + maxTime;
    std::deque<std::pair<std::string, int>> queue { { directory, 0 } };
    int seen = 0;
    while (!queue.empty()) {
        const auto [current, depth] = queue.front();
        queue.pop_front();
        const std::unique_ptr<DIR, int (*)(DIR *)> open(opendir(current.c_str()), closedir);
        if (!open) {
            continue; // what we may not list, the command may not either
        }
        while (const dirent *entry = readdir(open.get())) {
            if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) {
                continue;
            }
            if (++seen > maxEntries
                || ((seen & 255) == 0 && std::chrono::steady_clock::now() > deadline)) {
                return false;
            }
            const std::string path = paths::join(current, entry->d_name);
            PathKind kind = PathKind::Other;
            switch (entry->d_type) {
            case DT_DIR:
                kind = PathKind::Directory;
                break;
            case DT_REG:
                kind = PathKind::File;
                break;
            case DT_LNK:
                kind = PathKind::Symlink;
                break;
            case DT_UNKNOWN:
                kind = paths::kindOf(path);
                break;
            default:
                break;
            }
            const Visit next = visit(path, entry->d_name, kind, depth + 1);
            if (next == Visit::Stop) {
                return true;
            }
            if (next == Visit::Descend && kind == PathKind::Directory) {
                queue.emplace_back(path, depth + 1);
            }
        }
    }
    return true;
}

PolicyResolver::PolicyResolver(const PermissionProfile &profile, const PolicyContext &context)
    : m_profile(profile)
    , m_context(context)
    , m_home(paths::clean(bytes(context.home)))
{ }

Result<ResolvedPolicy> PolicyResolver::resolve()
{
    PolicyEntry fallback;
    fallback.path = "/";
    fallback.kind = PathKind::Directory;
    insert(fallback);

    if (Result<> step = resolveWorkspaceRoots(); !step) {
        return tl::unexpected(step.error());
    }
    if (Result<> step = expandRules(); !step) {
        return tl::unexpected(step.error());
    }
    addPrivatePlaces();
    if (Result<> step = addRules(); !step) {
        return tl::unexpected(step.error());
    }
    keepWorkspacesVisible();
    addSecrets();
    addGrants();
    if (Result<> step = addProtectedNames(); !step) {
        return tl::unexpected(step.error());
    }
    addNestedRepositories();
    if (Result<> step = addGlobs(); !step) {
        return tl::unexpected(step.error());
    }
    if (Result<> step = sealOwnerSecrets(); !step) {
        return tl::unexpected(step.error());
    }
    if (Result<> step = checkNoWritableLinks(); !step) {
        return tl::unexpected(step.error());
    }
    return std::move(m_result);
}

Result<> PolicyResolver::resolveWorkspaceRoots()
{
    for (const QString &root : m_context.workspaceRoots) {
        const std::string real = paths::canonical(paths::clean(bytes(root)));
        if (paths::kindOf(real) != PathKind::Directory) {
            return failure(ErrorKind::NotFound, u"the workspace %1 is no directory"_s.arg(root));
        }
        m_result.m_workspaceRoots.push_back(real);
    }
    return {};
}

Result<> PolicyResolver::expandRules()
{
    for (const FileRule &rule : m_profile.files.rules) {
        if (rule.target.kind == RuleTarget::Kind::Glob && rule.access != Access::Deny) {
            return refused(u"the pattern %1 may only deny"_s.arg(rule.target.path));
        }
        expandRule(rule);
    }
    return {};
}

void PolicyResolver::expandRule(const FileRule &rule)
{
    const auto add = [this, &rule](const std::string &path) {
        m_expanded.push_back({ paths::clean(path), &rule });
    };
    switch (rule.target.kind) {
    case RuleTarget::Kind::Root:
        add("/");
        break;
    case RuleTarget::Kind::Minimal:
        for (const std::string &path : minimalRoots()) {
            if (paths::kindOf(path) != PathKind::Missing) {
                add(path);
            }
        }
        break;
    case RuleTarget::Kind::WorkspaceRoots:
        for (const std::string &root : m_result.m_workspaceRoots) {
            add(rule.target.path.isEmpty() ? root : paths::join(root, bytes(rule.target.path)));
        }
        break;
    case RuleTarget::Kind::TemporaryFolder:
        if (!m_context.temporaryFolder.isEmpty()) {
            add(bytes(m_context.temporaryFolder));
        }
        break;
    case RuleTarget::Kind::SlashTmp:
        add("/tmp");
        break;
    case RuleTarget::Kind::Path:
        add(paths::expandHome(bytes(rule.target.path), m_home));
        break;
    case RuleTarget::Kind::Glob:
        break; // needs the writable roots; see addGlobs
    case RuleTarget::Kind::Unknown:
        m_result.m_notes.append(
            u"the rule for \"%1\" is not understood and has no effect"_s.arg(rule.target.path));
        break;
    }
}

void PolicyResolver::addPrivatePlaces()
{
    if (m_profile.files.scratch == Scratch::Host || m_profile.enforcement != Enforcement::Managed) {
        return;
    }
    for (const char *place : { "/tmp", "/var/tmp", "/run", "/dev" }) {
        const std::string real = paths::canonical(place);
        if (paths::kindOf(real) != PathKind::Directory) {
            continue;
        }
        PolicyEntry entry;
        entry.path = real;
        const bool scratch = m_profile.files.scratch == Scratch::Private || real == "/dev";
        entry.access = scratch ? Access::Write : Access::Read;
        entry.origin = Origin::PrivatePlace;
        entry.kind = PathKind::Directory;
        if (m_result.m_index.contains(real)) {
            continue; // one is a link to another
        }
        insert(entry);
        if (real != "/dev") {
            m_result.m_privatePlaces.push_back(real);
        }
    }
}

Result<> PolicyResolver::addRules()
{
    for (const Expanded &expanded : m_expanded) {
        if (Result<> added = addRule(expanded); !added) {
            return added;
        }
    }
    return {};
}

Result<> PolicyResolver::addRule(const Expanded &expanded)
{
    const FileRule &rule = *expanded.rule;
    PolicyEntry entry;
    entry.path = paths::canonical(expanded.path);
    entry.access = rule.access;
    entry.origin = Origin::Rule;
    entry.kind = paths::kindOf(entry.path);
    if (entry.kind == PathKind::Missing) {
        switch (rule.onMissing) {
        case OnMissing::Error:
            return failure(ErrorKind::NotFound,
                u"%1 does not exist, and its rule requires it"_s.arg(shown(entry.path)));
        case OnMissing::Default:
            entry.guard = rule.access != Access::Write;
            break;
        case OnMissing::Guard:
            entry.guard = true;
            break;
        case OnMissing::Skip:
            break;
        }
        if (!entry.guard) {
            if (rule.access == Access::Write) {
                m_result.m_notes.append(
                    u"%1 does not exist and was left out"_s.arg(shown(entry.path)));
            }
            return {};
        }
    }
    // A rule for a private place itself is meant for the host's directory of that name.
    if (const auto found = m_result.m_index.find(entry.path); found != m_result.m_index.end()
        && m_result.m_entries[found->second].origin == Origin::PrivatePlace) {
        m_result.m_entries[found->second] = entry;
        std::erase(m_result.m_privatePlaces, entry.path);
        return {};
    }
    insert(entry);
    if (entry.path != expanded.path) {
        if (rule.access != Access::Write) {
            m_spellings.emplace_back(expanded.path, entry.path);
        }
        entry.subject = entry.path;
        entry.path = expanded.path;
        entry.alias = true;
        insert(entry);
    }
    return {};
}

/// A workspace below /tmp must not vanish behind the private one when no rule names it.
void PolicyResolver::keepWorkspacesVisible()
{
    for (const std::string &root : m_result.m_workspaceRoots) {
        if (m_result.decide(root).origin == Origin::PrivatePlace) {
            PolicyEntry entry;
            entry.path = root;
            entry.access = Access::Read;
            entry.origin = Origin::Rule;
            entry.kind = PathKind::Directory;
            insert(std::move(entry));
        }
    }
}

void PolicyResolver::addGrants()
{
    const auto grant = [this](const QString &path, Access access) {
        PolicyEntry entry;
        entry.path = paths::canonical(paths::clean(paths::expandHome(bytes(path), m_home)));
        entry.access = access;
        entry.origin = Origin::Grant;
        entry.kind = paths::kindOf(entry.path);
        if (entry.kind == PathKind::Missing) {
            m_result.m_notes.append(u"%1 does not exist and was left out"_s.arg(path));
            return;
        }
        // A person answered for this very path: it replaces what the profile says there.
        if (const auto found = m_result.m_index.find(entry.path); found != m_result.m_index.end()) {
            if (m_result.m_entries[found->second].access < access) {
                m_result.m_entries[found->second] = entry;
            }
            return;
        }
        insert(entry);
    };
    for (const QString &path : m_context.extraReadable) {
        grant(path, Access::Read);
    }
    for (const QString &path : m_context.extraWritable) {
        grant(path, Access::Write);
    }
}

bool PolicyResolver::hasExplicitWrite(const std::string &path) const
{
    const auto found = m_result.m_index.find(path);
    return found != m_result.m_index.end()
        && m_result.m_entries[found->second].access == Access::Write;
}

Result<> PolicyResolver::addProtectedNames()
{
    for (const std::string &root : m_result.writableRoots()) {
        if (paths::kindOf(root) != PathKind::Directory) {
            continue;
        }
        for (const QString &name : m_profile.files.protectedNames) {
            if (Result<> added = addProtectedName(root, bytes(name)); !added) {
                return added;
            }
        }
    }
    return {};
}

Result<> PolicyResolver::addProtectedName(const std::string &root, const std::string &name)
{
    PolicyEntry entry;
    entry.path = paths::join(root, name);
    if (hasExplicitWrite(entry.path)) {
        return {};
    }
    entry.access = Access::Read;
    entry.origin = Origin::ProtectedName;
    entry.subject = name;
    entry.root = root;
    entry.kind = GuardSet::kindWithoutGuards(entry.path);
    if (entry.kind == PathKind::Symlink) {
        return refused(
            u"%1 is a symbolic link; what it protects could be swapped"_s.arg(shown(entry.path)),
            u"replace the link by what it points to"_s);
    }
    if (entry.kind == PathKind::Missing) {
        if (faccessat(AT_FDCWD, root.c_str(), W_OK, AT_EACCESS) != 0) {
            return {}; // nobody here can create it
        }
        entry.guard = true;
        if (name == ".git") {
            // A guard would hide the repository this directory belongs to from git.
            for (std::string up = root; up != "/";) {
                up = paths::parentOf(up);
                if (isRepository(paths::join(up, ".git"))) {
                    entry.guard = false;
                    entry.watchOnly = true;
                    break;
                }
            }
        }
    }
    const std::string path = entry.path;
    const PathKind kind = entry.kind;
    insert(std::move(entry));
    if (name == ".git" && kind == PathKind::File) {
        followGitFile(path, root);
    }
    return {};
}

/// A .git file says "gitdir: D"; D may hold a "commondir" file that names the main repository.
void PolicyResolver::followGitFile(const std::string &gitFile, const std::string &root)
{
    constexpr std::string_view kKey = "gitdir:";
    const std::optional<std::string> line = paths::firstLine(gitFile);
    if (!line || line->substr(0, kKey.size()) != kKey) {
        return;
    }
    const auto absolute = [](std::string_view text, const std::string &base) {
        const size_t start = text.find_first_not_of(" \t");
        const std::string target(start == std::string_view::npos ? "" : text.substr(start));
        return paths::canonical(
            paths::clean(target.substr(0, 1) == "/" ? target : base + "/" + target));
    };
    const auto protect = [this, &root](const std::string &path) {
        PolicyEntry entry;
        entry.path = path;
        entry.kind = paths::kindOf(path);
        entry.access = Access::Read;
        entry.origin = Origin::GitIndirection;
        entry.root = root;
        if (entry.kind == PathKind::Directory && !m_result.m_index.contains(path)) {
            insert(std::move(entry));
        }
    };
    const std::string directory
        = absolute(std::string_view(*line).substr(kKey.size()), paths::parentOf(gitFile));
    protect(directory);
    if (const std::optional<std::string> common
        = paths::firstLine(paths::join(directory, "commondir"))) {
        protect(absolute(*common, directory));
    }
}

void PolicyResolver::addNestedRepositories()
{
    if (m_profile.files.protectedNames.isEmpty()) {
        return;
    }
    for (const std::string &root : m_result.writableRoots()) {
        if (paths::kindOf(root) != PathKind::Directory || root == "/") {
            continue;
        }
        std::vector<std::string> found;
        const bool complete = walkTree(root, kNestedMaxEntries, kNestedMaxTime,
            [&](const std::string &path, const char *name, PathKind kind, int depth) {
                if (std::strcmp(name, ".git") == 0) {
                    if (depth > 1 && (kind == PathKind::Directory || kind == PathKind::File)) {
                        found.push_back(path);
                    }
                    return Visit::Skip;
                }
                const bool enter = kind == PathKind::Directory && depth < kNestedMaxDepth
                    && std::strcmp(name, "node_modules") != 0 && !m_result.m_index.contains(path);
                return enter ? Visit::Descend : Visit::Skip;
            });
        if (!complete) {
            m_result.m_notes.append(
                u"%1 is large: not all of it was searched for nested repositories"_s.arg(
                    shown(root)));
        }
        for (const std::string &path : found) {
            m_result.m_nested.push_back(path);
            if (m_result.m_index.contains(path)) {
                continue;
            }
            PolicyEntry entry;
            entry.path = path;
            entry.kind = paths::kindOf(path);
            entry.access = Access::Read;
            entry.origin = Origin::NestedRepository;
            entry.root = root;
            insert(entry);
            if (entry.kind == PathKind::File) {
                followGitFile(path, paths::parentOf(path));
            }
        }
    }
}

Result<> PolicyResolver::addGlobs()
{
    int left = m_profile.files.globMaxMatches;
    for (const FileRule &rule : m_profile.files.rules) {
        if (rule.target.kind != RuleTarget::Kind::Glob) {
            continue;
        }
        Result<PathGlob> glob
            = PathGlob::parse(shown(paths::expandHome(bytes(rule.target.path), m_home)));
        if (!glob) {
            return tl::unexpected(glob.error());
        }
        PolicyEntry answer;
        answer.path = glob->fixedPrefix();
        answer.access = Access::Deny;
        answer.origin = Origin::Glob;
        answer.subject = glob->text();
        bool tooMany = false;
        bool tooDeep = false;
        const bool complete = walkTree(glob->fixedPrefix(), kGlobMaxEntries, kGlobMaxTime,
            [&](const std::string &path, const char *, PathKind kind, int depth) {
                if (glob->matches(path)) {
                    if (--left < 0) {
                        tooMany = true;
                        return Visit::Stop;
                    }
                    PolicyEntry entry = answer;
                    entry.path = path;
                    entry.kind = kind;
                    if (kind != PathKind::Symlink) {
                        insert(std::move(entry));
                    }
                    return Visit::Skip; // all below is denied with it
                }
                if (kind != PathKind::Directory || !glob->mayMatchBelow(path)) {
                    return Visit::Skip;
                }
                if (depth >= m_profile.files.globMaxDepth) {
                    tooDeep = true;
                    return Visit::Stop;
                }
                return Visit::Descend;
            });
        if (tooMany) {
            return refused(u"the pattern %1 matches more than %2 files"_s.arg(rule.target.path)
                               .arg(m_profile.files.globMaxMatches),
                u"deny their directory instead"_s);
        }
        if (tooDeep || !complete) {
            return refused(u"not everything below %1 could be searched for the pattern %2"_s.arg(
                               shown(glob->fixedPrefix()), rule.target.path),
                u"begin the pattern deeper, or raise glob_max_depth"_s);
        }
        m_result.m_globs.push_back(std::move(*glob));
        m_result.m_globEntries.push_back(std::move(answer));
    }
    return {};
}

/// A denied or read-only path that is reached through a link the command may change could be made
/// to mean something else.
Result<> PolicyResolver::checkNoWritableLinks()
{
    for (const auto &[typed, real] : m_spellings) {
        const std::optional<std::string> link = paths::firstLink(typed);
        if (link
            && m_result.decide(paths::canonical(paths::parentOf(*link))).access == Access::Write) {
            return refused(u"%1 goes through the link %2, which the command could change"_s.arg(
                               shown(typed), shown(*link)),
                u"name %1 instead"_s.arg(shown(real)));
        }
    }
    return {};
}

void PolicyResolver::insert(PolicyEntry entry)
{
    const auto [place, isNew] = m_result.m_index.try_emplace(entry.path, m_result.m_entries.size());
    if (isNew) {
        m_result.m_entries.push_back(std::move(entry));
        return;
    }
    // At equal depth the stricter one holds; the default of "/" gives way to any rule.
    PolicyEntry &present = m_result.m_entries[place->second];
    if (present.origin == Origin::Default || entry.access < present.access) {
        present = std::move(entry);
    }
}

Result<ResolvedPolicy> ResolvedPolicy::resolve(
    const PermissionProfile &profile, const PolicyContext &context)
{
    return PolicyResolver(profile, context).resolve();
}

} // namespace deskhand::sandbox
