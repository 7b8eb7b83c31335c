// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/tools.h"

#include "executor/process/boundedrun.h"
#include "executor/sandbox/environment.h"
#include "executor/sandbox/helperchecksum.h"

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

QMutex s_mutex; // guards both caches
QHash<QString, QByteArray> s_verified;
QHash<QByteArray, BwrapFeatures> s_features;

} // namespace

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

Result<> verifyOwnProgram(const QString &path, const char *sha256, const QString &what)
{
    const QByteArray stamp = fileStamp(path);
    {
        const QMutexLocker lock(&s_mutex);
        if (!stamp.isEmpty() && s_verified.value(path) == stamp) {
            return {};
        }
    }
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file)) {
        return failure(ErrorKind::Unavailable, u"%1 %2 cannot be read"_s.arg(what, path),
            u"install Deskhand again"_s);
    }
    if (hash.result().toHex() != QByteArray(sha256)) {
        return failure(ErrorKind::Unavailable,
            u"%1 %2 is not the one that belongs to this program"_s.arg(what, path),
            u"install Deskhand again"_s);
    }
    const QMutexLocker lock(&s_mutex);
    s_verified.insert(path, stamp);
    return {};
}

QString findOwnProgram(const QString &name, const char *variable)
{
    const QString override = qEnvironmentVariable(variable);
    QStringList candidates;
    if (!override.isEmpty()) {
        candidates = { override };
    } else {
        const QDir programs(QCoreApplication::applicationDirPath());
        candidates = { programs.filePath(name), programs.filePath(u"../libexec/deskhand/"_s + name),
            programs.filePath(u"../lib/deskhand/"_s + name) };
    }
    for (const QString &candidate : candidates) {
        if (const QString found = QFileInfo(candidate).canonicalFilePath(); !found.isEmpty()) {
            return found;
        }
    }
    return {};
}

Result<> verifyHelper(const QString &path)
{
    return verifyOwnProgram(path, kHelperSha256, u"the sandbox helper"_s);
}

Result<QString> findHelper()
{
    const QString path = findOwnProgram(kHelperName, "DESKHAND_SANDBOX_INIT");
    if (path.isEmpty()) {
        return failure(ErrorKind::Unavailable,
            u"the sandbox helper %1 is missing"_s.arg(kHelperName), u"install Deskhand again"_s);
    }
    return verifyHelper(path).map([&path] { return path; });
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
