// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocalServer>
#include <QLockFile>
#include <QObject>
#include <QStringList>

#include <chrono>
#include <functional>

namespace deskhand::app {

/// One program per user and executor home. The first holds a lock and listens on a local socket
/// that only its user can open; a later start hands its arguments over and ends. Owned by main,
/// main thread.
class SingleInstance final : public QObject
{
    Q_OBJECT
public:
    /// `home` names the instance: programs with different homes do not meet.
    explicit SingleInstance(const QString &home, QObject *parent = nullptr);

    /// True when this process is the first; it then listens. Never waits.
    [[nodiscard]] bool becomeFirst();

    /// Hands the arguments to the first instance; `done` hears whether it acknowledged in time.
    void handOver(const QStringList &arguments, std::chrono::milliseconds limit,
        const std::function<void(bool acknowledged)> &done);

    [[nodiscard]] QString socketName() const { return m_socketName; }

Q_SIGNALS:
    void argumentsReceived(const QStringList &arguments);

private:
    void onConnection();

    QString m_socketName;
    QLockFile m_lock;
    QLocalServer m_server;
};

} // namespace deskhand::app
