// SPDX-License-Identifier: Apache-2.0
#include "app/platform/singleinstance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocalSocket>
#include <QStandardPaths>
#include <QTimer>

#include <memory>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace deskhand::app {
namespace {

/// Longer messages are not from us.
constexpr qint64 kMessageLimit = 64 * 1024;
/// A connection that says nothing is closed after this.
constexpr auto kSilenceLimit = 5s;
constexpr auto kAcknowledgement = "ok\n";

/// A short path: socket addresses hold about a hundred bytes, homes may be longer.
QString baseName(const QString &home)
{
    const QString canonical = QFileInfo(home).canonicalFilePath();
    const QByteArray key = (canonical.isEmpty() ? QDir::cleanPath(home) : canonical).toUtf8();
    const QString hash = QString::fromLatin1(
        QCryptographicHash::hash(key, QCryptographicHash::Sha256).toHex().left(16));
    QString folder = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
    if (folder.isEmpty()) {
        folder = QDir::tempPath();
    }
    return folder + "/deskhand-"_L1 + hash;
}

} // namespace

SingleInstance::SingleInstance(const QString &home, QObject *parent)
    : QObject(parent)
    , m_socketName(baseName(home) + ".sock"_L1)
    , m_lock(baseName(home) + ".lock"_L1)
{
    // Only a lock whose process is gone is stale, however old.
    m_lock.setStaleLockTime(0);
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::onConnection);
}

bool SingleInstance::becomeFirst()
{
    if (!m_lock.tryLock()) {
        return false;
    }
    // Holding the lock, whatever lies there is left over.
    QLocalServer::removeServer(m_socketName);
    m_server.listen(m_socketName);
    return true;
}

void SingleInstance::onConnection()
{
    while (QLocalSocket *socket = m_server.nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        QTimer::singleShot(kSilenceLimit, socket, &QLocalSocket::abort);
        const auto read = [this, socket] {
            if (socket->bytesAvailable() > kMessageLimit) {
                socket->abort();
                return;
            }
            if (!socket->canReadLine()) {
                return;
            }
            const QJsonDocument message = QJsonDocument::fromJson(socket->readLine());
            if (!message.isArray()) {
                socket->abort();
                return;
            }
            QStringList arguments;
            for (const QJsonValue &argument : message.array()) {
                arguments << argument.toString();
            }
            socket->write(kAcknowledgement);
            socket->disconnectFromServer();
            Q_EMIT argumentsReceived(arguments);
        };
        connect(socket, &QLocalSocket::readyRead, this, read);
        read();
    }
}

void SingleInstance::handOver(const QStringList &arguments, std::chrono::milliseconds limit,
    const std::function<void(bool)> &done)
{
    auto *socket = new QLocalSocket(this);
    auto *timer = new QTimer(socket);
    // Called once, by whichever comes first.
    const auto finish = [socket, timer, done](bool acknowledged) {
        timer->stop();
        socket->disconnect();
        socket->abort();
        socket->deleteLater();
        done(acknowledged);
    };
    timer->setSingleShot(true);
    connect(timer, &QTimer::timeout, socket, [finish] { finish(false); });
    connect(socket, &QLocalSocket::connected, socket, [socket, arguments] {
        socket->write(
            QJsonDocument(QJsonArray::fromStringList(arguments)).toJson(QJsonDocument::Compact)
            + '\n');
    });
    connect(socket, &QLocalSocket::readyRead, socket, [socket, finish] {
        if (socket->canReadLine()) {
            finish(socket->readLine() == kAcknowledgement);
        }
    });
    // The first instance may be just starting: it holds the lock and does not listen yet.
    connect(socket, &QLocalSocket::errorOccurred, socket, [this, socket] {
        QTimer::singleShot(
            100ms, socket, [socket, name = m_socketName] { socket->connectToServer(name); });
    });
    timer->start(limit);
    socket->connectToServer(m_socketName);
}

} // namespace deskhand::app
