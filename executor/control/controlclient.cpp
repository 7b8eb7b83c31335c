// SPDX-License-Identifier: Apache-2.0
#include "executor/control/controlclient.h"

#include "executor/control/endpoint.h"
#include "executor/control/homelock.h"
#include "executor/control/protocol.h"

namespace deskhand::control {

using namespace Qt::StringLiterals;

ControlClient::ControlClient(ExecutorHome home, QObject *parent)
    : QObject(parent)
    , m_home(std::move(home))
{
    m_openLimit.setSingleShot(true);
    connect(&m_openLimit, &QTimer::timeout, this, [this] {
        finishOpen(failure(
            ErrorKind::Timeout, u"the program running for %1 does not answer"_s.arg(m_home.root)));
        m_socket.abort();
    });
    connect(&m_socket, &QLocalSocket::errorOccurred, this, [this] {
        if (!m_peer) {
            finishOpen(tl::unexpected<Error>(whyNot()));
        }
    });
    connect(&m_socket, &QLocalSocket::connected, this, [this] {
        jsonrpc::PeerOptions options;
        options.maxLineBytes = kMaxLineBytes;
        m_peer = new jsonrpc::Peer(&m_socket, options, this);
        connect(m_peer, &jsonrpc::Peer::notification, this, &ControlClient::notification);
        connect(m_peer, &jsonrpc::Peer::closed, this, [this] {
            if (std::exchange(m_established, false)) {
                Q_EMIT closed();
            }
        });
        // A connection can be taken by the system before the program is there to answer.
        m_peer->request(method::hello, {}, this, [this](const jsonrpc::Reply &reply) {
            const qint64 protocol = reply.result.toObject().value("protocol"_L1).toInteger();
            if (!reply.ok()) {
                finishOpen(failure(ErrorKind::Unavailable,
                    u"the program running for %1 does not take this connection: %2"_s.arg(
                        m_home.root, reply.message)));
            } else if (protocol != kProtocolVersion) {
                finishOpen(failure(ErrorKind::Protocol,
                    u"the program running for %1 speaks version %2 of the control protocol, this "
                    "one version %3"_s.arg(m_home.root)
                        .arg(protocol)
                        .arg(kProtocolVersion),
                    u"Use programs of the same version."_s));
            } else {
                finishOpen({});
            }
        });
    });
}

ControlClient::~ControlClient()
{
    m_socket.disconnect(this);
    delete m_peer;
}

Error ControlClient::whyNot() const
{
    const std::optional<HomeLock::Holder> holder = HomeLock::holder(m_home);
    if (!holder) {
        return Error { ErrorKind::NotFound, u"Deskhand is not running for %1"_s.arg(m_home.root),
            u"Start it with: deskhand-executor run"_s };
    }
    return Error { ErrorKind::Unavailable,
        u"%1 (pid %2) runs for %3 but its control socket cannot be used: %4"_s
            .arg(holder->program.isEmpty() ? u"a program"_s : holder->program)
            .arg(holder->pid)
            .arg(m_home.root, m_socket.errorString()),
        {} };
}

void ControlClient::open(
    std::chrono::milliseconds limit, const std::function<void(const Result<> &)> &done)
{
    m_opened = done;
    m_openLimit.start(limit);
    // Queued: a refused connection reports itself from inside the call.
    QMetaObject::invokeMethod(
        this, [this] { m_socket.connectToServer(findEndpoint(m_home)); }, Qt::QueuedConnection);
}

bool ControlClient::isOpen() const
{
    return m_established;
}

void ControlClient::finishOpen(const Result<> &outcome)
{
    m_openLimit.stop();
    m_established = outcome.has_value();
    if (const auto done = std::exchange(m_opened, {})) {
        done(outcome);
    }
}

void ControlClient::call(QLatin1StringView method, const QJsonObject &params, QObject *context,
    const Answer &answer, std::chrono::milliseconds limit)
{
    if (!m_peer) {
        QMetaObject::invokeMethod(
            context,
            [answer] {
                answer(failure(ErrorKind::Network, u"there is no connection to the program"_s));
            },
            Qt::QueuedConnection);
        return;
    }
    m_peer->request(
        method, params, context,
        [answer](const jsonrpc::Reply &reply) {
            switch (reply.outcome) {
            case jsonrpc::Reply::Outcome::Result:
                answer(reply.result.toObject());
                return;
            case jsonrpc::Reply::Outcome::Error:
                answer(tl::unexpected<Error>(errorFromReply(reply.message, reply.data)));
                return;
            case jsonrpc::Reply::Outcome::TimedOut:
                answer(failure(ErrorKind::Timeout, reply.message));
                return;
            case jsonrpc::Reply::Outcome::Closed:
            case jsonrpc::Reply::Outcome::NotSent:
                break;
            }
            answer(failure(ErrorKind::Network, reply.message));
        },
        limit);
}

} // namespace deskhand::control
