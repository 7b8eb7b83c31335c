// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/codex/appserver.h"
#include "executor/engines/codex/requestmapper.h"
#include "executor/engines/permission.h"
#include "executor/engines/taskevent.h"

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QQueue>
#include <QTimer>

#include <chrono>
#include <map>
#include <memory>

namespace deskhand::engines::codex {

class Turn;

/// The open questions of all conversations: gives each an id that never comes again, carries the
/// decision to the process it came from, and tells when it has arrived. Owned by the engine;
/// executor thread. Every question is answered, also those nobody may be asked about.
class RequestDesk final : public QObject
{
    Q_OBJECT
public:
    explicit RequestDesk(const Timings &timings, QObject *parent = nullptr);
    ~RequestDesk() override;

    /// A request of `server`; `turn` is the active turn of its conversation or null. False for
    /// methods that are none of our questions.
    [[nodiscard]] bool take(
        AppServer &server, const jsonrpc::IncomingRequest &incoming, Turn *turn);
    /// An item of `turn` was announced; a file request may wait for it.
    void itemSeen(Turn &turn, const QString &itemId);
    void decide(const QString &id, const Decision &decision);
    /// The engine closed a request: answered, or void.
    void resolved(const AppServer &server, const QJsonValue &rpcId);
    void withdrawTurn(const TurnRef &ref, const QString &reason);
    void withdrawServer(const AppServer &server, const QString &reason);

Q_SIGNALS:
    void requested(const deskhand::engines::PermissionRequest &request);
    void withdrawn(const QString &id, const QString &reason);
    void delivered(const QString &id, const QString &error);
    /// The decision ends the turn; `byEngine` when the answer itself makes the engine stop.
    void stopTurn(const deskhand::engines::TurnRef &ref, bool byEngine);
    /// The turn has, or no longer has, a question that waits for the owner.
    void waitingChanged(const deskhand::engines::TurnRef &ref, bool waiting);
    /// A question that was refused without asking; for the task's stream.
    void noted(const deskhand::engines::TurnRef &ref, const deskhand::engines::StatusNote &note);

private:
    enum class State { WaitsForItem, Open, Writing, Written };
    struct Ticket
    {
        Ask ask = Ask::Command;
        State state = State::Open;
        QJsonValue rpcId;
        QJsonObject params;
        QPointer<AppServer> server;
        quint64 generation = 0;
        QPointer<Turn> turn;
        PermissionRequest request;
        std::unique_ptr<QTimer> timer; ///< waits for the item, later for the confirmation
        QString note; ///< the owner's words with a denial, for the model
        bool confirmed = false;
    };

    void open(const QString &id);
    void fillFiles(Ticket &ticket);
    void answerNow(AppServer &server, const QJsonValue &rpcId, const QJsonObject &result);
    void confirm(const QString &id);
    void close(const QString &id, const QString &reason);
    void withdraw(const QString &id, const QString &reason);
    void tellWaiting(const TurnRef &ref);

    Timings m_timings;
    std::map<QString, Ticket> m_tickets;
    QHash<QString, QString> m_closed; ///< id -> what became of it, for late answers
    QQueue<QString> m_closedOrder;
};

} // namespace deskhand::engines::codex
