// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/jsonrpc/peer.h"
#include "executor/process/childprocess.h"

#include <QObject>
#include <QSet>
#include <QTimer>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>

namespace deskhand::engines::codex {

/// Every time limit of the engine; tests shorten them.
struct Timings
{
    using ms = std::chrono::milliseconds;
    ms request { 60'000 };
    ms initialize { 30'000 };
    ms firstProgress { 180'000 };
    ms firstProgressGrace { 5'000 }; ///< from the interrupt to giving the turn up
    ms silence { 15 * 60'000 };
    ms reconnecting { 120'000 };
    ms reconnectingAtStart { 30'000 }; ///< while the turn has done nothing yet
    ms accountCheck { 5'000 };
    ms interrupt { 10'000 };
    ms interruptAgain { 1'000 };
    ms failedTurnEnd { 2'000 }; ///< from the final error to the engine's own end of the turn
    ms fileChangeItem { 500 }; ///< how long a file request waits for its diff
    ms decisionConfirmed { 10'000 }; ///< from the written answer to "resolved"
    ms loginShell { 10'000 };
    QList<ms> restartDelays { ms(0), ms(500), ms(1'000), ms(2'000), ms(5'000), ms(10'000) };
    int exitsUntilFailed = 5;
    ms exitsWindow { 60'000 };
    ms failedPause { 60'000 }; ///< how long a failed engine refuses before it may be tried again
    process::StopLimits stop;
};

/// One `codex app-server` process of one home: spawn, handshake, restart rules. Owned by a Runtime
/// of the engine; executor thread. It is started on demand and never by itself.
class AppServer final : public QObject
{
    Q_OBJECT
public:
    enum class State { Stopped, Starting, Ready, Stopping, Failed };
    using ReadyHandler = std::function<void(const Result<> &)>;

    AppServer(const Timings &timings, QObject *parent = nullptr);
    ~AppServer() override;

    /// What to start; takes effect with the next start.
    void setCommand(const process::ChildSpec &spec) { m_spec = spec; }

    /// Calls back once the handshake is done, or with why it cannot be. Starts the process when
    /// there is none, after a delay when it died a moment ago. Dropped when `context` dies.
    void whenReady(QObject *context, ReadyHandler handler);

    /// Ends the process in the polite order; ended() follows. Waiting handlers get an error.
    void stop(const process::StopLimits &limits);
    /// Ends it at once, as after a hang; lost() follows with this reason.
    void abandon(const QString &reason);
    /// Ends an idle process, so that the next use starts one that reads its home again. Nothing is
    /// told and it does not count as an exit.
    void dismiss();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] jsonrpc::Peer *peer() const { return m_peer.get(); }
    [[nodiscard]] quint64 generation() const { return m_generation; }
    [[nodiscard]] QString version() const { return m_version; }
    [[nodiscard]] qint64 processId() const { return m_child ? m_child->processId() : 0; }
    [[nodiscard]] bool isRunning() const { return m_child && m_child->isRunning(); }
    [[nodiscard]] QString failure() const { return m_failure; }
    /// Models of the program's own catalog; empty until known.
    [[nodiscard]] const QSet<QString> &knownModels() const { return m_knownModels; }
    /// What the program last said about a broken configuration file, with file, line and column.
    [[nodiscard]] QString configWarning() const { return m_configWarning; }

Q_SIGNALS:
    void stateChanged();
    void notification(const QString &method, const QJsonObject &params);
    /// The process is gone without having been asked to go; every request in flight has failed.
    void lost(const QString &reason);
    /// The process that stop() asked to go is gone, or there was none.
    void ended();

public:
    /// Receives requests of the process; see jsonrpc::Peer.
    void setRequestHandler(jsonrpc::Peer::RequestHandler handler);

private:
    struct Waiter
    {
        QPointer<QObject> context;
        ReadyHandler handler;
    };
    void setState(State state);
    void launch();
    void handshake();
    void afterHandshake(const QJsonObject &result);
    void onNotification(const QString &method, const QJsonObject &params);
    void onExited(const QString &how);
    void answerWaiters(const Result<> &result);
    void dropChild();

    Timings m_timings;
    process::ChildSpec m_spec;
    std::unique_ptr<process::ChildProcess> m_child;
    std::unique_ptr<jsonrpc::Peer> m_peer;
    jsonrpc::Peer::RequestHandler m_requestHandler;
    QList<Waiter> m_waiters;
    QTimer m_startDelay;
    std::deque<std::chrono::steady_clock::time_point> m_exits;
    std::chrono::steady_clock::time_point m_failedSince;
    QSet<QString> m_knownModels;
    QString m_version;
    QString m_failure;
    QString m_configWarning;
    QString m_abandonReason;
    quint64 m_generation = 0;
    State m_state = State::Stopped;
};

} // namespace deskhand::engines::codex
