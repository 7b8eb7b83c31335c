// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/tools.h"

#include "executor/process/boundedrun.h"
#include "executor/sandbox/environment.h"
#include "executor/sandbox/helperchecksum.h"
#include "executor/sandbox/pathfacts.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QHash>
#include <QMutex>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

// It takes 2 ms. On a computer so busy that it takes a second, a shorter limit would call a working
// sandbox missing.
constexpr std::chrono::milliseconds kHelpLimit { 5'000 };
const QString kHelperName = QStringLiteral("deskhand-sandbox-init");

/// What identifies a file's content without reading it. A change sets the time of change, which
/// no user can set back.
QByteArray fileStamp(const QString &path)
{
    struct stat info
    { };
    if (stat(QFile::encodeName(path).constData(), &info) != 0) {
        return {};
    }
    return QByteArray::number(static_cast<qint64>(info.st_dev)) + ':'
        + QByteArray::number(static_cast<qint64>(info.st_ino)) + ':'
        + QByteArray::number(static_cast<qint64>(info.st_size)) + ':'
        + QByteArray::number(static_cast<qint64>(info.st_ctim.tv_sec)) + '.'
        + QByteArray::number(static_cast<qint64>(info.st_ctim.tv_nsec));
}

QMutex s_mutex; // guards both caches
QHash<QString, QByteArray> s_verifiedHelpers;
QHash<QByteArray, BwrapFeatures> s_features;

} // namespace

Result<> verifyHelper(const QString &path)
{
    const QByteArray stamp = fileStamp(path);
    {
        const QMutexLocker lock(&s_mutex);
        if (!stamp.isEmpty() && s_verifiedHelpers.value(path) == stamp) {
            return {};
        }
    }
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file)) {
        return failure(ErrorKind::Unavailable, u"the sandbox helper %1 cannot be read"_s.arg(path),
            u"install Deskhand again"_s);
    }
    if (hash.result().toHex() != QByteArray(kHelperSha256)) {
        return failure(ErrorKind::Unavailable,
            u"the sandbox helper %1 is not the one that belongs to this program"_s.arg(path),
            u"install Deskhand again"_s);
    }
    const QMutexLocker lock(&s_mutex);
    s_verifiedHelpers.insert(path, stamp);
    return {};
}

Result<QString> findHelper()
{
    const QString override = qEnvironmentVariable("DESKHAND_SANDBOX_INIT");
    QStringList candidates;
    if (!override.isEmpty()) {
        candidates = { override };
    } else {
        const QDir programs(QCoreApplication::applicationDirPath());
        candidates = { programs.filePath(kHelperName),
            programs.filePath(u"../libexec/deskhand/"_s + kHelperName),
            programs.filePath(u"../lib/deskhand/"_s + kHelperName) };
    }
    for (const QString &candidate : candidates) {
        const QString canonical = QFileInfo(candidate).canonicalFilePath();
        if (canonical.isEmpty()) {
            continue;
        }
        if (Result<> verified = verifyHelper(canonical); !verified) {
            return tl::unexpected(verified.error());
        }
        return canonical;
    }
    return failure(ErrorKind::Unavailable, u"the sandbox helper %1 is missing"_s.arg(kHelperName),
        u"install Deskhand again"_s);
}

QStringList bubblewrapCandidates()
{
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
        const std::string real = QFile::encodeName(canonical).toStdString();
        const std::string typed = paths::clean(QFile::encodeName(candidate).toStdString());
        bool inside = false;
        for (const QString &root : writableRoots) {
            const std::string top = paths::canonical(QFile::encodeName(root).toStdString());
            inside = inside
                || (top != "/" && (paths::isWithin(real, top) || paths::isWithin(typed, top)));
        }
        if (!inside) {
            return canonical;
        }
        planted = true;
    }
    return failure(ErrorKind::Unavailable,
        planted ? u"the only bubblewrap (bwrap) found lies where commands may write"_s
                : u"bubblewrap (the program bwrap) is not installed"_s,
        u"install the package \"bubblewrap\""_s);
}

Result<BwrapFeatures> bubblewrapFeatures(const QString &path)
{
    const QByteArray key = QFile::encodeName(path) + '\n' + fileStamp(path);
    {
        const QMutexLocker lock(&s_mutex);
        if (const auto found = s_features.constFind(key); found != s_features.constEnd()) {
            return *found;
        }
    }
    process::RunSpec spec;
    spec.program = QFile::encodeName(path);
    spec.arguments = { "--help" };
    spec.environment = { "LC_ALL=C" };
    spec.directory = "/";
    spec.wallLimit = kHelpLimit;
    spec.grace = std::chrono::milliseconds(0);
    process::RunControl control;
    const process::RunOutcome outcome = process::runBounded(spec, control);
    if (outcome.end != process::RunEnd::Exited || outcome.exitCode != 0) {
        return failure(ErrorKind::Unavailable, u"%1 --help does not answer"_s.arg(path),
            u"install the package \"bubblewrap\" again"_s);
    }
    struct stat info
    { };
    const bool setUserId
        = stat(spec.program.constData(), &info) == 0 && (info.st_mode & S_ISUID) != 0;
    const BwrapFeatures features = BwrapFeatures::fromHelp(
        outcome.output.retained.joined() + outcome.error.retained.joined(), setUserId);
    const QMutexLocker lock(&s_mutex);
    s_features.insert(key, features);
    return features;
}

int landlockAbi()
{
    constexpr long kCreateRuleset = 444;
    const long abi = syscall(kCreateRuleset, nullptr, 0, 1U);
    return abi > 0 ? static_cast<int>(abi) : 0;
}

bool alreadySandboxed()
{
    const QString ours = qEnvironmentVariable("DESKHAND_SANDBOX");
    return (!ours.isEmpty() && ours != u"none"_s)
        || !qEnvironmentVariable("CODEX_SANDBOX").isEmpty();
}

} // namespace deskhand::sandbox
