// SPDX-License-Identifier: Apache-2.0
#include "executor/control/homelock.h"

#include "executor/common/jsonreader.h"
#include "executor/control/homelock_p.h"
#include "executor/logging/log.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>

namespace deskhand::control {
namespace {

constexpr qint64 kMaxLockFileBytes = 4096;
constexpr auto kPid = "pid";
constexpr auto kProgram = "program";
constexpr auto kStartedAt = "started_at";

QByteArray describeUs(const QString &program)
{
    const QJsonObject us {
        { QLatin1StringView(kPid), QCoreApplication::applicationPid() },
        { QLatin1StringView(kProgram), program },
        { QLatin1StringView(kStartedAt),
            QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs) },
    };
    return json::compact(us) + '\n';
}

HomeLock::Holder readHolder(const QString &path)
{
    HomeLock::Holder holder;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return holder;
    }
    const Result<QJsonObject> content = json::parseObject(file.read(kMaxLockFileBytes));
    if (!content) {
        return holder; // the holder is just about to write it
    }
    holder.pid = content->value(QLatin1StringView(kPid)).toInteger();
    holder.program = content->value(QLatin1StringView(kProgram)).toString();
    holder.startedAt = QDateTime::fromString(
        content->value(QLatin1StringView(kStartedAt)).toString(), Qt::ISODateWithMs);
    return holder;
}

tl::unexpected<Error> heldBy(const HomeLock::Holder &holder, const ExecutorHome &home)
{
    const QString program
        = holder.program.isEmpty() ? QStringLiteral("another program") : holder.program;
    QString message = QStringLiteral("%1 is already running for %2").arg(program, home.root);
    if (holder.pid > 0) {
        message += QStringLiteral(" (pid %1)").arg(holder.pid);
    }
    return failure(ErrorKind::Conflict, message,
        QStringLiteral("Use the one that runs, quit it first, or set WEGENT_EXECUTOR_HOME to "
                       "another folder."));
}

} // namespace

HomeLock::HomeLock(std::unique_ptr<Handle> handle)
    : m_handle(std::move(handle))
{ }

HomeLock::~HomeLock() = default;

Result<std::unique_ptr<HomeLock>> HomeLock::acquire(
    const ExecutorHome &home, const QString &program)
{
    const QString useAnother
        = QStringLiteral("Make the folder writable for you, or set WEGENT_EXECUTOR_HOME to one "
                         "that is.");
    if (!QFileInfo::exists(home.root)) {
        if (!QDir().mkpath(home.root)) {
            return failure(ErrorKind::Io,
                QStringLiteral("cannot create the folder %1").arg(home.root), useAnother);
        }
        // Only a folder made here is restricted; one that was there keeps what its owner chose.
        QFile::setPermissions(home.root, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    } else if (!QFileInfo(home.root).isDir()) {
        return failure(
            ErrorKind::Io, QStringLiteral("%1 is not a folder").arg(home.root), useAnother);
    }

    const QString path = home.lockFile();
    auto handle = std::make_unique<Handle>();
    QString error;
    switch (handle->lock(path, error)) {
    case Handle::Attempt::HeldByOther:
        return heldBy(readHolder(path), home);
    case Handle::Attempt::Failed:
        return failure(ErrorKind::Io,
            QStringLiteral("cannot take the lock %1: %2").arg(path, error), useAnother);
    case Handle::Attempt::Locked:
        break;
    }
    if (!handle->write(describeUs(program))) {
        // The lock itself holds; only its holder's name is missing for others.
        logging::logger("control")->warn("{} cannot be written; is the disk full?", path);
    }
    return std::unique_ptr<HomeLock>(new HomeLock(std::move(handle)));
}

std::optional<HomeLock::Holder> HomeLock::holder(const ExecutorHome &home)
{
    const QString path = home.lockFile();
    if (!Handle::isLocked(path)) {
        return std::nullopt;
    }
    return readHolder(path);
}

} // namespace deskhand::control
