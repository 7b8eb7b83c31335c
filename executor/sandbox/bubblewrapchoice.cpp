// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/bubblewrapchoice.h"

#include "executor/sandbox/bundledchecksum.h"
#include "executor/sandbox/pathfacts.h"
#include "executor/sandbox/tools.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QMutex>

#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

const QString kBundledName = QStringLiteral("deskhand-bwrap");
const QString kInstallHint = QStringLiteral("install the package \"bubblewrap\"");
const QString kAgainHint = QStringLiteral("install Deskhand again");

struct Failing
{
    QByteArray stamp;
    QString because;
};

QMutex s_mutex; // guards the table
QHash<QString, Failing> s_failing;

QString failingBecause(const QString &path)
{
    const QMutexLocker lock(&s_mutex);
    const auto found = s_failing.constFind(path);
    return found != s_failing.constEnd() && found->stamp == fileStamp(path) ? found->because
                                                                            : QString();
}

bool liesInside(const QString &typed, const QString &canonical, const QStringList &roots)
{
    const std::string real = QFile::encodeName(canonical).toStdString();
    const std::string clean = paths::clean(QFile::encodeName(typed).toStdString());
    for (const QString &root : roots) {
        const std::string top = paths::canonical(QFile::encodeName(root).toStdString());
        if (top != "/" && (paths::isWithin(real, top) || paths::isWithin(clean, top))) {
            return true;
        }
    }
    return false;
}

/// Whether somebody else could put another file there: it or its directory may be written by any
/// user, or one above may and does not keep what belongs to others (no sticky bit).
bool anyoneMayReplace(const QString &canonical)
{
    struct stat info
    { };
    const auto look = [&info](const QString &path) {
        return stat(QFile::encodeName(path).constData(), &info) == 0;
    };
    if (!look(canonical) || (info.st_mode & S_IWOTH) != 0
        || (info.st_uid != 0 && info.st_uid != geteuid())) {
        return true;
    }
    QDir directory = QFileInfo(canonical).dir();
    for (bool nearest = true;; nearest = false) {
        if (!look(directory.path())
            || ((info.st_mode & S_IWOTH) != 0 && (nearest || (info.st_mode & S_ISVTX) == 0))) {
            return true;
        }
        if (directory.isRoot() || !directory.cdUp()) {
            return false;
        }
    }
}

Result<Bubblewrap> systemBubblewrap(const QStringList &candidates, const QStringList &writableRoots)
{
    const Result<QString> path = findBubblewrap(candidates, writableRoots);
    if (!path) {
        return tl::unexpected(path.error());
    }
    const Result<BwrapFeatures> features = bubblewrapFeatures(*path);
    if (!features) {
        return tl::unexpected(features.error());
    }
    if (!features->sufficient()) {
        return failure(ErrorKind::Unavailable, u"the bubblewrap at %1 is too old"_s.arg(*path),
            u"install bubblewrap 0.8.0 or later"_s);
    }
    return Bubblewrap { *path, *features, false };
}

} // namespace

QStringList bubblewrapCandidates()
{
    if (const QString only = qEnvironmentVariable("DESKHAND_SYSTEM_BWRAP"); !only.isEmpty()) {
        return { only };
    }
    QStringList result { u"/usr/bin/bwrap"_s, u"/usr/local/bin/bwrap"_s, u"/bin/bwrap"_s,
        u"/run/current-system/sw/bin/bwrap"_s };
    const QStringList path = qEnvironmentVariable("PATH").split(u':', Qt::SkipEmptyParts);
    for (const QString &directory : path) {
        if (QDir::isAbsolutePath(directory)) {
            result.append(QDir(directory).filePath(u"bwrap"_s));
        }
    }
    result.removeDuplicates();
    return result;
}

Result<QString> findBubblewrap(const QStringList &candidates, const QStringList &writableRoots)
{
    bool planted = false;
    for (const QString &candidate : candidates) {
        const QFileInfo info(candidate);
        const QString canonical = info.canonicalFilePath();
        if (canonical.isEmpty() || !info.isFile() || !info.isExecutable()) {
            continue;
        }
        if (!liesInside(candidate, canonical, writableRoots)) {
            return canonical;
        }
        planted = true;
    }
    return failure(ErrorKind::Unavailable,
        planted ? u"the only bubblewrap (bwrap) found lies where commands may write"_s
                : u"bubblewrap (the program bwrap) is not installed"_s,
        kInstallHint);
}

bool hasBundledBubblewrap()
{
    return kBundledBwrapSha256[0] != '\0';
}

Result<Bubblewrap> bundledBubblewrap(const QStringList &writableRoots)
{
    if (!hasBundledBubblewrap()) {
        return failure(
            ErrorKind::Unavailable, u"this program brings no bubblewrap"_s, kInstallHint);
    }
    const QString path = findOwnProgram(kBundledName, "DESKHAND_BUNDLED_BWRAP");
    if (path.isEmpty()) {
        return failure(
            ErrorKind::Unavailable, u"the bundled bubblewrap is missing"_s, kInstallHint);
    }
    if (liesInside(path, path, writableRoots)) {
        return failure(ErrorKind::Unavailable,
            u"the bundled bubblewrap %1 lies where commands may write"_s.arg(path), kAgainHint);
    }
    if (anyoneMayReplace(path)) {
        return failure(ErrorKind::Unavailable,
            u"the bundled bubblewrap %1 lies where any user may write"_s.arg(path), kAgainHint);
    }
    if (Result<> verified
        = verifyOwnProgram(path, kBundledBwrapSha256, u"the bundled bubblewrap"_s);
        !verified) {
        return tl::unexpected(verified.error());
    }
    const Result<BwrapFeatures> features = bubblewrapFeatures(path);
    if (!features) {
        return tl::unexpected(features.error());
    }
    if (!features->sufficient() || features->setUserId) {
        return failure(ErrorKind::Unavailable,
            u"the bundled bubblewrap %1 cannot do what the wall needs"_s.arg(path), kInstallHint);
    }
    return Bubblewrap { path, *features, true };
}

Result<BubblewrapChoice> chooseBubblewrap(
    const QStringList &candidates, const QStringList &writableRoots)
{
    const Result<Bubblewrap> system = systemBubblewrap(
        candidates.isEmpty() ? bubblewrapCandidates() : candidates, writableRoots);
    QString because;
    if (!system) {
        because = system.error().message;
    } else if (system->features.setUserId) {
        because = u"the bubblewrap at %1 is set-user-id"_s.arg(system->path);
    } else {
        because = failingBecause(system->path);
    }
    BubblewrapChoice choice;
    if (because.isEmpty()) {
        choice.usable = { *system };
        return choice;
    }
    const Result<Bubblewrap> bundled = bundledBubblewrap(writableRoots);
    if (bundled) {
        choice.usable.append(*bundled);
        choice.passedOver = because;
    }
    if (system) {
        choice.usable.append(*system);
    }
    if (choice.usable.isEmpty()) {
        Error error = system.error();
        if (hasBundledBubblewrap()) {
            error.message += u"; "_s + bundled.error().message;
        }
        return tl::unexpected(error);
    }
    return choice;
}

void rememberFailing(const QString &path, const QString &because)
{
    const QMutexLocker lock(&s_mutex);
    s_failing.insert(path, { fileStamp(path), because });
}

} // namespace deskhand::sandbox
