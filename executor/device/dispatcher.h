// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/device/outbox.h"
#include "executor/device/taskrequest.h"
#include "executor/socketio/client.h"
#include "executor/tasks/taskmanager.h"

#include <QElapsedTimer>
#include <QObject>

#include <deque>

namespace deskhand::device {

/// Carries out what the backend asks for (device protocol, section 5), in the order it arrives,
/// and answers every call. Owner: DeviceLink; executor thread.
class Dispatcher final : public QObject
{
    Q_OBJECT
public:
    Dispatcher(tasks::TaskManager &tasks, tasks::Journal &journal, Outbox &outbox,
        QObject *parent = nullptr);

    void setServer(const QString &server) { m_server = server; }
    void setPaused(bool paused) { m_paused = paused; }
    void setStopping() { m_stopping = true; }

    void handle(const QString &event, const socketio::Payload &payload,
        socketio::Acknowledger acknowledger);

Q_SIGNALS:
    /// A session was closed: the backend waits for a heartbeat without it.
    void sessionClosed();

private:
    [[nodiscard]] QJsonObject carryOut(const QString &event, const socketio::Payload &payload);
    // Each gives why nothing was done; a task that ended at once has also said so itself.
    [[nodiscard]] Result<> execute(const QJsonObject &payload);
    [[nodiscard]] Result<> run(const TurnAddress &address, const ExecuteRequest &request);
    [[nodiscard]] Result<> cancel(const QJsonObject &payload);
    [[nodiscard]] Result<> closeSession(const QJsonObject &payload);
    [[nodiscard]] Result<> taskError(const QJsonObject &payload);
    void endAlone(const TurnAddress &address, const QString &code, const QString &message);
    [[nodiscard]] Result<> endRefused(
        const TurnAddress &address, const QString &code, const QString &message);
    [[nodiscard]] bool isKnown(const engines::TurnRef &ref) const;
    void rememberCancel(const QString &key);
    [[nodiscard]] bool takeCancel(const TurnAddress &address);
    void rememberOver(const engines::TurnRef &ref);

    struct EarlyCancel
    {
        QString key;
        QElapsedTimer age;
    };

    tasks::TaskManager &m_tasks;
    tasks::Journal &m_journal;
    Outbox &m_outbox;
    QString m_server;
    bool m_paused = false;
    bool m_stopping = false;
    std::deque<EarlyCancel> m_earlyCancels; ///< of turns whose execute has not come yet
    std::deque<engines::TurnRef> m_over; ///< the newest turns that were answered here
    QSet<QString> m_reported; ///< unknown events that were logged once
};

} // namespace deskhand::device
