// SPDX-License-Identifier: Apache-2.0
// What a policy hides: the usual secret paths, and those of the owner, which nothing opens.
#include "executor/sandbox/pathfacts.h"
#include "executor/sandbox/policyresolver.h"

#include <QFile>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

// Patterns stand in the last name only, so one folder is listed.
constexpr int kMostNames = 20'000;
constexpr std::chrono::milliseconds kMostTime { 100 };

} // namespace

bool PolicyResolver::eachSecret(
    const QStringList &patterns, const std::function<void(const std::string &path)> &visit)
{
    bool complete = true;
    for (const QString &pattern : patterns) {
        const std::string path
            = paths::clean(paths::expandHome(QFile::encodeName(pattern).toStdString(), m_home));
        const std::string name = path.substr(path.rfind('/') + 1);
        if (name.find_first_of("*?[") == std::string::npos) {
            visit(path);
            continue;
        }
        const bool all = walkTree(paths::parentOf(path), kMostNames, kMostTime,
            [&visit, &name](const std::string &found, const char *foundName, PathKind, int) {
                if (matchesComponent(name, foundName)) {
                    visit(found);
                }
                return Visit::Skip;
            });
        complete = complete && all;
    }
    return complete;
}

void PolicyResolver::addSecrets()
{
    (void)eachSecret(m_profile.files.secretPaths,
        [this](const std::string &path) { addSecret(path, Origin::Secret); });
}

/// Last of all, so that whatever lies at or below such a path is gone again.
Result<> PolicyResolver::sealOwnerSecrets()
{
    std::vector<std::string> sealed;
    const bool complete
        = eachSecret(m_profile.files.ownerSecrets, [&sealed](const std::string &path) {
              sealed.push_back(path);
              sealed.push_back(paths::canonical(path));
          });
    if (!complete) {
        return failure(ErrorKind::Policy,
            u"a folder with a secret path of the owner has too many names to be searched"_s,
            u"name the whole folder in the settings"_s);
    }
    const auto isSealed = [&sealed](const std::string &path) {
        return std::any_of(sealed.begin(), sealed.end(),
            [&path](const std::string &secret) { return paths::isWithin(path, secret); });
    };
    for (const std::string &root : m_result.m_workspaceRoots) {
        if (isSealed(root)) {
            return failure(ErrorKind::Policy,
                u"%1 lies in a secret path of the owner"_s.arg(
                    QFile::decodeName(QByteArray::fromStdString(root))),
                u"work in another folder, or take it off the secret paths in the settings"_s);
        }
    }
    if (sealed.empty()) {
        return {};
    }
    std::erase_if(m_result.m_entries, [this, &isSealed](const PolicyEntry &entry) {
        if (!isSealed(entry.path)) {
            return false;
        }
        const bool wished = entry.origin == Origin::Rule || entry.origin == Origin::Grant;
        if (wished && entry.access != Access::Deny && !entry.alias) {
            m_result.m_notes.append(u"%1 stays closed: the owner keeps it secret"_s.arg(
                QFile::decodeName(QByteArray::fromStdString(entry.path))));
        }
        return true;
    });
    m_result.m_index.clear();
    for (size_t at = 0; at < m_result.m_entries.size(); ++at) {
        m_result.m_index.emplace(m_result.m_entries[at].path, at);
    }
    std::erase_if(m_result.m_nested, isSealed);
    std::erase_if(m_result.m_privatePlaces, isSealed);
    for (const std::string &path : sealed) {
        addSecret(path, Origin::OwnerSecret);
    }
    return {};
}

void PolicyResolver::addSecret(const std::string &path, Origin origin)
{
    PolicyEntry entry;
    entry.path = paths::canonical(path);
    entry.access = Access::Deny;
    entry.origin = origin;
    entry.kind = paths::kindOf(entry.path);
    if (entry.kind == PathKind::Missing || entry.kind == PathKind::Symlink) {
        return; // nothing is there, and a link to nothing hides nothing
    }
    insert(entry);
    if (entry.path != path) {
        PolicyEntry alias = entry;
        alias.path = path;
        alias.alias = true;
        m_spellings.emplace_back(path, entry.path);
        insert(alias);
    }
    if (origin == Origin::OwnerSecret) {
        return;
    }
    // Host keys of others are no secret, and ssh asks for them.
    const std::string knownHosts = paths::join(entry.path, "known_hosts");
    if (path == paths::join(m_home, ".ssh") && paths::kindOf(knownHosts) == PathKind::File) {
        PolicyEntry open;
        open.path = knownHosts;
        open.access = Access::Read;
        open.origin = Origin::Rule;
        open.kind = PathKind::File;
        insert(open);
    }
}

} // namespace deskhand::sandbox
