// SPDX-License-Identifier: Apache-2.0
#include "tests/support/socketio-peers/peerserver.h"

#include <QElapsedTimer>
#include <QJsonDocument>
#include <QProcessEnvironment>

using namespace Qt::StringLiterals;

PeerServer::PeerServer(Kind kind)
    : m_kind(kind)
{ }

PeerServer::~PeerServer()
{
    kill();
}

bool PeerServer::start(QJsonObject options)
{
    if (m_port != 0) {
        options.insert(u"port"_s, m_port);
    }
    const QString folder
        = QString::fromUtf8(DESKHAND_SOURCE_DIR) + u"/tests/support/socketio-peers/"_s;
    const QString json = QString::fromUtf8(QJsonDocument(options).toJson(QJsonDocument::Compact));
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"NODE_PATH"_s, environment.value(u"DESKHAND_PEERS"_s) + u"/node_modules"_s);
    m_process.setProcessEnvironment(environment);
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    if (m_kind == Npm) {
        m_process.start(u"node"_s, { folder + u"server.js"_s, json });
    } else {
        // Debian's own interpreter: another one in PATH lacks Debian's packages.
        m_process.start(u"/usr/bin/python3"_s, { folder + u"server.py"_s, json });
    }
    constexpr int kLimitMs = 30000;
    QElapsedTimer spent;
    spent.start();
    while (!m_process.canReadLine()) {
        if (spent.elapsed() > kLimitMs
            || (!m_process.waitForReadyRead(kLimitMs) && m_process.state() != QProcess::Running)) {
            m_error = u"the Socket.IO server did not start (run scripts/setup): "_s
                + m_process.errorString();
            kill();
            return false;
        }
    }
    m_port = m_process.readLine().trimmed().mid(5).toUShort();
    return m_port != 0;
}

void PeerServer::kill()
{
    m_process.kill();
    m_process.waitForFinished();
}

QString PeerServer::url() const
{
    return u"http://127.0.0.1:%1"_s.arg(m_port);
}
