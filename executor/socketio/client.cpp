// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/client.h"

#include "executor/socketio/clientcore.h"

using namespace Qt::StringLiterals;

namespace deskhand::socketio {

bool Acknowledger::isWanted() const
{
    return m_state && !m_state->isUsed;
}

Result<> Acknowledger::send(const Payload &payload)
{
    if (!m_state) {
        return failure(ErrorKind::Usage, u"the event asks for no answer"_s);
    }
    if (m_state->isUsed) {
        return failure(ErrorKind::Conflict, u"the event was already answered"_s);
    }
    if (!m_state->core) {
        return failure(ErrorKind::Network, u"the connection that asked is gone"_s);
    }
    auto sent = m_state->core->answer(m_state->link, m_state->nsp, m_state->id, payload);
    // An answer that cannot be said (too large) may be replaced by one that can.
    m_state->isUsed = sent.has_value() || sent.error().kind == ErrorKind::Network;
    return sent;
}

SocketIoClient::SocketIoClient(QObject *parent)
    : QObject(parent)
    , m_core(std::make_unique<ClientCore>(this))
{ }

SocketIoClient::~SocketIoClient() = default;

Result<> SocketIoClient::start(const ClientOptions &options)
{
    return m_core->start(options);
}

void SocketIoClient::stop()
{
    m_core->stop();
}

bool SocketIoClient::isStopped() const
{
    return status().state == LinkState::Stopped;
}

LinkStatus SocketIoClient::status() const
{
    return m_core->status();
}

bool SocketIoClient::isConnected(const QString &nsp) const
{
    return m_core->isConnected(nsp);
}

void SocketIoClient::setAuth(const QJsonObject &auth)
{
    m_core->setAuth(auth);
}

void SocketIoClient::reconnectNow()
{
    m_core->reconnectNow();
}

void SocketIoClient::retryIn(std::chrono::milliseconds delay)
{
    m_core->retryIn(delay);
}

void SocketIoClient::dropLink(const QString &cause)
{
    m_core->dropLink(cause);
}

Result<> SocketIoClient::emitEvent(const QString &nsp, const QString &name, const Payload &payload)
{
    return m_core->emitEvent(nsp, name, payload);
}

Result<> SocketIoClient::emitEvent(const QString &nsp, const QString &name, const Payload &payload,
    std::chrono::milliseconds limit, QObject *context, AckHandler handler)
{
    return m_core->emitEvent(nsp, name, payload, limit, context, std::move(handler));
}

qint64 SocketIoClient::bytesToWrite() const
{
    return m_core->bytesToWrite();
}

qint64 SocketIoClient::maxFrameBytes() const
{
    return m_core->maxFrameBytes();
}

} // namespace deskhand::socketio
