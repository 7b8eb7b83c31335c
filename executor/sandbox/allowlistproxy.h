// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/identity.h"
#include "executor/sandbox/proxyconnection.h"
#include "executor/sandbox/sandboxedrun.h"

#include <QMutex>
#include <QTemporaryDir>
#include <QThread>

#include <memory>

namespace deskhand::sandbox {

/// The only way out of a run in proxy mode: listens on a UNIX socket in a folder of the run's own,
/// which only that run is given, so every connection is known to be its; or on a port of the
/// loopback, where other programs of this computer can come too. Has a thread of its own;
/// owned by the run, start and stop on the run's thread.
class AllowListProxy final
{
public:
    struct Options
    {
        NetworkPolicy policy;
        QString callId;
        HostBroker broker; ///< called on the proxy's thread
        ProxyJournal journal; ///< called on the proxy's thread
        std::optional<Identity> identity; ///< who must be able to connect
        bool onLoopback = false; ///< listen on port() instead of the socket
        decltype(ProxyShared::lookup) lookup; ///< empty: the system's
    };
    static constexpr int kMaxConnections = 64;
    static inline const QString kSocketName = QStringLiteral("proxy");

    [[nodiscard]] static Result<std::unique_ptr<AllowListProxy>> start(Options options);
    ~AllowListProxy();
    AllowListProxy(const AllowListProxy &) = delete;
    AllowListProxy &operator=(const AllowListProxy &) = delete;

    [[nodiscard]] QString folder() const { return m_folder.path(); }
    [[nodiscard]] QString socketPath() const { return m_folder.filePath(kSocketName); }
    [[nodiscard]] int port() const { return m_port; } ///< 0 with the socket
    /// What was refused so far.
    [[nodiscard]] QList<ProxyDecision> refused() const;
    /// Ends all connections and the thread. Idempotent.
    void stop();

private:
    class Server;
    AllowListProxy() = default;

    QTemporaryDir m_folder;
    QThread m_thread;
    std::unique_ptr<Server> m_server; ///< lives on m_thread
    int m_port = 0;
    mutable QMutex m_mutex; ///< guards m_refused
    QList<ProxyDecision> m_refused;
};

} // namespace deskhand::sandbox
