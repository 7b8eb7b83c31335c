// SPDX-License-Identifier: Apache-2.0
#include "executor/control/controlserver.h"

#include "executor/control/endpoint.h"
#include "executor/control/session.h"
#include "executor/control/subject.h"
#include "executor/logging/log.h"

#include <QFile>
#include <QLocalSocket>

namespace deskhand::control {

using namespace Qt::StringLiterals;

ControlServer::ControlServer(
    Subject &subject, ExecutorHome home, ServerOptions options, QObject *parent)
    : QObject(parent)
    , m_subject(subject)
    , m_home(std::move(home))
    , m_options(options)
{
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    m_server.setMaxPendingConnections(m_options.maxClients);
    connect(&m_server, &QLocalServer::newConnection, this, &ControlServer::takeConnection);
}

ControlServer::~ControlServer()
{
    if (m_server.isListening()) {
        m_server.close();
        forgetEndpoint(m_home);
    }
}

Result<> ControlServer::listen()
{
    const Result<QString> path = prepareEndpoint(m_home);
    if (!path) {
        return tl::unexpected<Error>(path.error());
    }
    QLocalServer::removeServer(*path);
    if (!m_server.listen(*path)) {
        return failure(ErrorKind::Io,
            u"cannot listen on the control socket %1: %2"_s.arg(*path, m_server.errorString()));
    }
    return {};
}

int ControlServer::clients() const
{
    return static_cast<int>(m_sessions.size());
}

void ControlServer::takeConnection()
{
    while (QLocalSocket *socket = m_server.nextPendingConnection()) {
        if (!isOwnUser(socket->socketDescriptor())) {
            logging::logger("control")->warn("refused a connection of another user");
            socket->abort();
            socket->deleteLater();
            continue;
        }
        if (clients() >= m_options.maxClients) {
            logging::logger("control")->warn("refused a connection: {} are open", clients());
            socket->write(
                "{\"method\":\"refused\",\"params\":{\"reason\":\"too many clients\"}}\n");
            socket->flush();
            socket->deleteLater();
            continue;
        }
        auto *session = new Session(m_subject, socket, m_options, this);
        m_sessions.push_back(session);
        connect(session, &Session::ended, this, [this, session] { drop(session); });
        connect(session, &Session::quitRequested, this, &ControlServer::quitRequested);
    }
}

void ControlServer::drop(Session *session)
{
    std::erase(m_sessions, session);
    session->deleteLater();
}

} // namespace deskhand::control
