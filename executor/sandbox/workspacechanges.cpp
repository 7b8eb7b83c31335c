// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/workspacechanges.h"

#include "executor/sandbox/filetimes.h"
#include "executor/sandbox/pathfacts.h"
#include "executor/sandbox/policyresolver.h"

#include <QDateTime>
#include <QFile>

#include <algorithm>
#include <cstring>
#include <sys/stat.h>

namespace deskhand::sandbox {

namespace {

constexpr int kMaxEntries = 20'000;
constexpr int kMaxDepth = 8;
constexpr std::chrono::milliseconds kMaxTime { 100 };

/// Changes whenever the file, or a directory's list of names, changes.
std::string stampOf(const std::string &path)
{
    struct stat info
    { };
    if (lstat(path.c_str(), &info) != 0) {
        return "missing";
    }
    return std::to_string(info.st_ino) + ":" + std::to_string(info.st_size) + ":"
        + std::to_string(info.st_mode) + ":" + std::to_string(modificationTime(info).tv_sec) + "."
        + std::to_string(modificationTime(info).tv_nsec);
}

QString shown(const std::string &path)
{
    return QFile::decodeName(QByteArray::fromStdString(path));
}

} // namespace

WorkspaceChanges::WorkspaceChanges(const ResolvedPolicy &policy, const QStringList &watchedNames)
    : m_known(policy.nestedRepositories())
    , m_startSeconds(QDateTime::currentSecsSinceEpoch())
{
    for (const std::string &root : policy.writableRoots()) {
        if (root == "/" || paths::kindOf(root) != PathKind::Directory) {
            continue;
        }
        m_roots.push_back(root);
        for (const QString &name : watchedNames) {
            const std::string path = paths::join(root, QFile::encodeName(name).toStdString());
            m_watched[path] = stampOf(path);
        }
    }
}

WorkspaceChanges::Report WorkspaceChanges::compare() const
{
    Report report;
    for (const auto &[path, before] : m_watched) {
        if (stampOf(path) != before) {
            report.watchedChanged.append(shown(path));
        }
    }
    for (const std::string &root : m_roots) {
        (void)walkTree(root, kMaxEntries, kMaxTime,
            [&](const std::string &path, const char *name, PathKind kind, int depth) {
                if (std::strcmp(name, ".git") == 0) {
                    if (depth > 1
                        && std::find(m_known.begin(), m_known.end(), path) == m_known.end()) {
                        report.newRepositories.append(shown(path));
                    }
                    return Visit::Skip;
                }
                struct stat info
                { };
                if (kind == PathKind::File && lstat(path.c_str(), &info) == 0 && info.st_nlink > 1
                    && modificationTime(info).tv_sec >= m_startSeconds) {
                    report.linkedOutside.append(shown(path));
                }
                return depth < kMaxDepth && std::strcmp(name, "node_modules") != 0 ? Visit::Descend
                                                                                   : Visit::Skip;
            });
    }
    return report;
}

} // namespace deskhand::sandbox
