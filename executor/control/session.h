// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/control/controlserver.h"
#include "executor/control/subject.h"
#include "executor/jsonrpc/peer.h"

#include <QSet>
#include <QTimer>

QT_BEGIN_NAMESPACE
class QLocalSocket;
QT_END_NAMESPACE

namespace deskhand::control {

/// One client of the control server: reads its requests, answers them, and sends what it
/// subscribed to. Owned by the server, same thread; ended() comes once.
class Session final : public QObject
{
    Q_OBJECT
public:
    /// Takes over the socket.
    Session(Subject &subject, QLocalSocket *socket, const ServerOptions &options, QObject *parent);

Q_SIGNALS:
    void ended();
    void quitRequested(std::chrono::milliseconds drain);

private:
    using Id = QJsonValue;

    [[nodiscard]] bool handle(const jsonrpc::IncomingRequest &request);
    void answer(const Id &id, const QJsonObject &result);
    void refuse(const Id &id, const Error &error);
    void answerLater(const Id &id, const Result<> &outcome);
    void notify(QLatin1StringView method, const QJsonObject &params);
    void end(const QString &why);

    void hello(const Id &id, const QJsonObject &params);
    void status(const Id &id, const QJsonObject &params);
    void subscribeStatus(const Id &id, const QJsonObject &params);
    void settings(const Id &id, const QJsonObject &params);
    void listTasks(const Id &id, const QJsonObject &params);
    void showTask(const Id &id, const QJsonObject &params);
    void startTask(const Id &id, const QJsonObject &params);
    void stopTask(const Id &id, const QJsonObject &params);
    void subscribeTasks(const Id &id, const QJsonObject &params);
    void listRequests(const Id &id, const QJsonObject &params);
    void answerRequest(const Id &id, const QJsonObject &params);
    void subscribeRequests(const Id &id, const QJsonObject &params);
    void listModels(const Id &id, const QJsonObject &params);
    void testModel(const Id &id, const QJsonObject &params);
    void addModel(const Id &id, const QJsonObject &params);
    void replaceModelKey(const Id &id, const QJsonObject &params);
    void removeModel(const Id &id, const QJsonObject &params);
    void setDefaultModel(const Id &id, const QJsonObject &params);
    void modelUsage(const Id &id, const QJsonObject &params);
    void pause(const Id &id, const QJsonObject &params);
    void resume(const Id &id, const QJsonObject &params);
    void reload(const Id &id, const QJsonObject &params);
    void quit(const Id &id, const QJsonObject &params);
    void setToken(const Id &id, const QJsonObject &params);

    Subject &m_subject;
    QLocalSocket *m_socket;
    jsonrpc::Peer *m_peer;
    QTimer m_firstWord;
    QString m_onlyTask; ///< of the subscription to tasks; empty: all
    bool m_statusWanted = false;
    bool m_tasksWanted = false;
    bool m_requestsWanted = false;
    bool m_over = false;
};

} // namespace deskhand::control
