// SPDX-License-Identifier: Apache-2.0
#include "executor/common/atomicfile.h"
#include "executor/control/endpoint.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <cerrno>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace deskhand::control {
namespace {

using namespace Qt::StringLiterals;

// The local server binds in a temporary folder beside the final name first, which costs this many
// bytes more than the name itself.
constexpr size_t kTemporarySuffix = 12;
constexpr qint64 kMaxPointerBytes = 4096;

bool fits(const QString &path)
{
    return static_cast<size_t>(QFile::encodeName(path).size()) + kTemporarySuffix
        < sizeof(sockaddr_un::sun_path);
}

QString pointerFile(const ExecutorHome &home)
{
    return home.root + u"/control.path"_s;
}

/// A folder that is really one (no link), ours, and closed to everybody else.
Result<> checkPrivateFolder(const QString &path)
{
    struct stat found = {};
    if (::lstat(QFile::encodeName(path).constData(), &found) != 0) {
        return failure(ErrorKind::Io, u"%1: %2"_s.arg(path, qt_error_string(errno)));
    }
    if (!S_ISDIR(found.st_mode) || found.st_uid != ::geteuid()
        || (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return failure(ErrorKind::Policy,
            u"%1 is not a folder that belongs to you alone"_s.arg(path),
            u"Remove it, or set XDG_RUNTIME_DIR to a private folder."_s);
    }
    return {};
}

Result<QString> privateFolder()
{
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    if (QDir::isAbsolutePath(runtime) && checkPrivateFolder(runtime)) {
        return runtime;
    }
    const QString folder = u"/tmp/deskhand-%1"_s.arg(::geteuid());
    if (::mkdir(QFile::encodeName(folder).constData(), S_IRWXU) != 0 && errno != EEXIST) {
        return failure(
            ErrorKind::Io, u"cannot create %1: %2"_s.arg(folder, qt_error_string(errno)));
    }
    if (const Result<> checked = checkPrivateFolder(folder); !checked) {
        return tl::unexpected<Error>(checked.error());
    }
    return folder;
}

} // namespace

Result<QString> prepareEndpoint(const ExecutorHome &home)
{
    if (fits(home.controlSocket())) {
        QFile::remove(pointerFile(home));
        return home.controlSocket();
    }
    const Result<QString> folder = privateFolder();
    if (!folder) {
        return folder;
    }
    const QByteArray hash
        = QCryptographicHash::hash(QFile::encodeName(home.root), QCryptographicHash::Sha256);
    const QString path
        = *folder + u"/deskhand-"_s + QString::fromLatin1(hash.toHex().first(16)) + u".sock"_s;
    if (!fits(path)) {
        return failure(
            ErrorKind::Io, u"no path short enough for the control socket of %1"_s.arg(home.root));
    }
    if (const Result<> written
        = writeFileAtomically(pointerFile(home), QFile::encodeName(path) + '\n');
        !written) {
        return tl::unexpected<Error>(written.error());
    }
    return path;
}

QString findEndpoint(const ExecutorHome &home)
{
    if (fits(home.controlSocket())) {
        return home.controlSocket();
    }
    const Result<QByteArray> pointer = readFileLimited(pointerFile(home), kMaxPointerBytes);
    return pointer ? QFile::decodeName(pointer->trimmed()) : home.controlSocket();
}

void forgetEndpoint(const ExecutorHome &home)
{
    QFile::remove(pointerFile(home));
}

bool isOwnUser(qintptr socketDescriptor)
{
    uid_t uid = static_cast<uid_t>(-1);
#ifdef Q_OS_LINUX
    struct ucred peer = {};
    socklen_t size = sizeof(peer);
    if (::getsockopt(static_cast<int>(socketDescriptor), SOL_SOCKET, SO_PEERCRED, &peer, &size)
        != 0) {
        return false;
    }
    uid = peer.uid;
#else
    gid_t gid = 0;
    if (::getpeereid(static_cast<int>(socketDescriptor), &uid, &gid) != 0) {
        return false;
    }
#endif
    return uid == ::geteuid() || uid == 0;
}

} // namespace deskhand::control
