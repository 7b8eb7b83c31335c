// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QProcess>
#include <QString>

/// A real Socket.IO server in a process of its own, for tests: npm's or Debian's python package.
/// Killed by the destructor; ends by itself when the test program dies.
class PeerServer
{
public:
    enum Kind { Npm, Python };

    explicit PeerServer(Kind kind);
    ~PeerServer();
    Q_DISABLE_COPY_MOVE(PeerServer)

    /// Starts it and waits for its port. `options` as server.js describes; a port given earlier is
    /// used again. False with a text in error().
    bool start(QJsonObject options = {});
    /// Ends the process at once, so that its connections are cut.
    void kill();

    [[nodiscard]] QString error() const { return m_error; }
    [[nodiscard]] quint16 port() const { return m_port; }
    [[nodiscard]] QString url() const;

private:
    Kind m_kind;
    QProcess m_process;
    quint16 m_port = 0;
    QString m_error;
};
