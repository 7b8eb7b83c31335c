// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/pathscope_p.h"

#include <QDir>
#include <QFileInfo>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

// As many links as common kernels follow before they call it a loop.
constexpr int kMostLinks = 40;

#if defined(Q_OS_WIN) || defined(Q_OS_MACOS)
constexpr Qt::CaseSensitivity kPathCase = Qt::CaseInsensitive;
#else
constexpr Qt::CaseSensitivity kPathCase = Qt::CaseSensitive;
#endif

/// "/" or "C:/" of an absolute path with forward slashes.
QString rootOf(const QString &path)
{
    return path.startsWith(u'/') ? u"/"_s : path.left(path.indexOf(u'/') + 1);
}

QString parentOf(const QString &path, const QString &root)
{
    const qsizetype slash = path.lastIndexOf(u'/');
    return slash < root.size() ? root : path.left(slash);
}

QString resolve(const QString &absolute, int linksLeft)
{
    QString root = rootOf(absolute);
    QString current = root;
    const QStringList parts = absolute.mid(root.size()).split(u'/', Qt::SkipEmptyParts);
    for (qsizetype i = 0; i < parts.size(); ++i) {
        const QString &part = parts.at(i);
        if (part == "."_L1) {
            continue;
        }
        if (part == ".."_L1) {
            current = parentOf(current, root);
            continue;
        }
        const QString next = current.endsWith(u'/') ? current + part : current + u'/' + part;
        const QFileInfo info(next);
        if (!info.isSymLink() || linksLeft <= 0) {
            current = next;
            continue;
        }
        // symLinkTarget() is absolute; its own ".." and links are followed from there.
        const QString target = QDir::fromNativeSeparators(info.symLinkTarget());
        const QStringList rest = parts.mid(i + 1);
        return resolve(target + u'/' + rest.join(u'/'), linksLeft - 1);
    }
    return current;
}

} // namespace

QString realPath(const QString &path, const QString &cwd)
{
    QString absolute = QDir::fromNativeSeparators(path);
    if (QDir::isRelativePath(absolute)) {
        absolute = QDir::fromNativeSeparators(cwd) + u'/' + absolute;
    }
    if (QDir::isRelativePath(absolute)) {
        return {};
    }
    return resolve(absolute, kMostLinks);
}

bool liesIn(const QString &path, const QString &root)
{
    if (path.isEmpty() || root.isEmpty()) {
        return false;
    }
    if (path.compare(root, kPathCase) == 0) {
        return true;
    }
    const QString folder = root.endsWith(u'/') ? root : root + u'/';
    return path.startsWith(folder, kPathCase);
}

} // namespace deskhand::tasks
