// SPDX-License-Identifier: Apache-2.0
#include "executor/common/atomicfile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace deskhand {

Result<> writeFileAtomically(const QString &path, const QByteArray &content, bool ownerOnly)
{
    const QString folder = QFileInfo(path).absolutePath();
    if (!QDir().mkpath(folder)) {
        return failure(ErrorKind::Io, QStringLiteral("cannot create the folder %1").arg(folder));
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return failure(
            ErrorKind::Io, QStringLiteral("cannot write %1: %2").arg(path, file.errorString()));
    }
    if (ownerOnly && !file.setPermissions(QFile::ReadOwner | QFile::WriteOwner)) {
        return failure(ErrorKind::Io,
            QStringLiteral("cannot restrict %1 to its owner: %2").arg(path, file.errorString()));
    }
    if (file.write(content) != content.size() || !file.commit()) {
        return failure(
            ErrorKind::Io, QStringLiteral("cannot write %1: %2").arg(path, file.errorString()));
    }
    return {};
}

Result<QByteArray> readFileLimited(const QString &path, qint64 maxBytes)
{
    QFile file(path);
    if (!file.exists()) {
        return failure(ErrorKind::NotFound, QStringLiteral("%1 does not exist").arg(path));
    }
    if (!QFileInfo(path).isFile()) {
        return failure(ErrorKind::Io, QStringLiteral("%1 is not a regular file").arg(path));
    }
    if (!file.open(QIODevice::ReadOnly)) {
        return failure(
            ErrorKind::Io, QStringLiteral("cannot read %1: %2").arg(path, file.errorString()));
    }
    QByteArray content = file.read(maxBytes + 1);
    if (file.error() != QFileDevice::NoError) {
        return failure(
            ErrorKind::Io, QStringLiteral("cannot read %1: %2").arg(path, file.errorString()));
    }
    if (content.size() > maxBytes) {
        return failure(ErrorKind::Protocol,
            QStringLiteral("%1 is larger than %2 bytes").arg(path).arg(maxBytes));
    }
    return content;
}

} // namespace deskhand
