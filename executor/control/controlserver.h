// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/paths.h"
#include "executor/common/result.h"

#include <QLocalServer>
#include <QObject>

#include <chrono>
#include <vector>

namespace deskhand::control {

class Session;
class Subject;

struct ServerOptions
{
    int maxClients = 32;
    /// A client that has not read this many bytes is let go.
    qint64 maxUnreadBytes = 8 * 1024 * 1024;
    /// A client must have said something that makes sense by then.
    std::chrono::milliseconds firstWordLimit { 10'000 };
};

/// The local control endpoint of one home: the command line and other programs of the same user
/// see and steer the executor through it. Owned by the program beside the facade, on the main
/// thread; the subject outlives it. Nothing a client sends or fails to read harms the program.
/// Listen only while the lock of the home is held: a socket found there is then a dead one's.
class ControlServer final : public QObject
{
    Q_OBJECT
public:
    ControlServer(
        Subject &subject, ExecutorHome home, ServerOptions options = {}, QObject *parent = nullptr);
    ~ControlServer() override;
    Q_DISABLE_COPY_MOVE(ControlServer)

    [[nodiscard]] Result<> listen();
    [[nodiscard]] int clients() const;

Q_SIGNALS:
    /// A client asks the program to end: no new tasks, running ones may take `drain` (0: none).
    void quitRequested(std::chrono::milliseconds drain);

private:
    void takeConnection();
    void drop(Session *session);

    Subject &m_subject;
    ExecutorHome m_home;
    ServerOptions m_options;
    QLocalServer m_server;
    std::vector<Session *> m_sessions; // children
};

} // namespace deskhand::control
