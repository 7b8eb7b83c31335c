// SPDX-License-Identifier: Apache-2.0
#include "executor/device/devicelink.h"

#include "executor/device/dispatcher.h"
#include "executor/device/earlierrun.h"
#include "executor/device/heartbeat.h"
#include "executor/device/linkrules.h"
#include "executor/device/localaddress.h"
#include "executor/device/outbox.h"
#include "executor/logging/log.h"
#include "executor/logging/masking.h"
#include "executor/socketio/backoff.h"
#include "executor/socketio/client.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QPointer>
#include <QRandomGenerator>
#include <QTimer>
#include <QUrl>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kConflictPause = 5min;
constexpr std::chrono::milliseconds kWrongServerPause = 5min;
constexpr std::chrono::milliseconds kOfflineAfter = 60s; // "reconnecting" until then
constexpr std::chrono::milliseconds kUnsentAnnounce = 500ms;
constexpr std::chrono::milliseconds kCloseLimit = 1s;
// The server fails running tasks 2 s after a cut, so only links that break at once earn a back-off.
constexpr std::chrono::milliseconds kStableAfter = 1s;
// A registration alone proves nothing: what breaks soon after each one backs off as well.
constexpr std::chrono::milliseconds kProvenAfter = 60s;
constexpr double kJitter = 0.3;
constexpr qint64 kMaxIncomingBytes = 32 * 1024 * 1024;

QString nsp()
{
    return u"/local-executor"_s;
}

std::shared_ptr<spdlog::logger> log()
{
    return logging::logger("device");
}

} // namespace

QString linkStateName(LinkState state)
{
    switch (state) {
    case LinkState::NotSetUp:
        return u"not_set_up"_s;
    case LinkState::Connecting:
        return u"connecting"_s;
    case LinkState::Online:
        return u"online"_s;
    case LinkState::Reconnecting:
        return u"reconnecting"_s;
    case LinkState::Offline:
        return u"offline"_s;
    case LinkState::SignInNeeded:
        return u"sign_in_needed"_s;
    case LinkState::Refused:
        return u"refused"_s;
    case LinkState::Conflict:
        return u"conflict"_s;
    case LinkState::Paused:
        break;
    }
    return u"paused"_s;
}

/// The state machine: connect, register, beat; and what follows from each refusal.
class DeviceLink::Private final : public QObject
{
public:
    Private(DeviceLink *link, tasks::TaskManager &tasks, tasks::Journal &journal)
        : q(link)
        , m_tasks(tasks)
        , m_outbox({ [this, &journal](const tasks::OutboxEntry &entry) {
                        m_earlier.noteStored(entry);
                        journal.outboxAppend(entry);
                    },
              [this, &journal](const engines::TurnRef &ref, qint64 seq) {
                  m_earlier.noteRemoved(ref, seq);
                  journal.outboxRemove(ref, seq);
              } })
        , m_earlier(journal, m_outbox)
        , m_dispatcher(tasks, journal, m_outbox)
    {
        m_status.sinceMs = QDateTime::currentMSecsSinceEpoch();
        m_retry.setSingleShot(true);
        m_announce.setSingleShot(true);
        m_stopLimit.setSingleShot(true);
        connect(&m_retry, &QTimer::timeout, this, [this] { openLink(); });
        connect(&m_announce, &QTimer::timeout, this, [this] { announce(); });
        connect(&m_stopLimit, &QTimer::timeout, this, [this] { finishStop(); });
        connect(&m_outbox, &Outbox::unsentChanged, this, [this] {
            // While messages flow the count changes all the time; told is that it grows while
            // nothing can be sent, and that what was told is no longer true.
            const bool online = m_status.state == LinkState::Online;
            if ((!online || m_toldUnsent > 0) && !m_announce.isActive()) {
                m_announce.start(kUnsentAnnounce);
            }
        });
        connect(&m_outbox, &Outbox::emptied, this, [this] { onOutboxEmptied(); });
        connect(&m_outbox, &Outbox::channelSuspect, this,
            [this](const QString &reason) { replaceLink(reason); });
        connect(&m_heartbeat, &Heartbeat::acknowledged, this, [this] { onHeartbeat(); });
        connect(&m_heartbeat, &Heartbeat::missed, this, [this](int inARow) { onMissed(inARow); });
        connect(&m_heartbeat, &Heartbeat::refused, this,
            [this](const HeartbeatReading &reading) { onHeartbeatRefused(reading); });
        connect(&m_dispatcher, &Dispatcher::sessionClosed, this, [this] { m_heartbeat.changed(); });
        connect(
            &m_tasks, &tasks::TaskManager::runningChanged, this, [this] { m_heartbeat.changed(); });
        m_earlier.begin();
    }

    void configure(const settings::DeviceConfig &config);
    void setPaused(bool paused);
    void tryNow();
    void requestStop(std::chrono::milliseconds limit);
    [[nodiscard]] LinkStatus status() const;

private:
    void changeServer(const QString &server);

    void openLink();
    void retireClient(bool cleanly);
    [[nodiscard]] socketio::ReconnectPolicy reconnectPolicy(
        std::chrono::milliseconds stableAfter) const;
    void noteLinkEnd();
    void loseLink(const QString &cause);
    void replaceLink(const QString &cause);
    void retryLater(std::chrono::milliseconds delay);
    [[nodiscard]] LinkState lostState() const;
    void onClientState(const socketio::LinkStatus &status);
    void onRefused(const QJsonValue &data);
    void onDisconnected(socketio::DisconnectReason reason, const QString &cause);
    void sendRegistration();
    void onRegistered(const Result<socketio::Payload> &answer);
    void onHeartbeat();
    void onMissed(int inARow);
    void onHeartbeatRefused(const HeartbeatReading &reading);
    [[nodiscard]] QList<qint64> runningTaskIds() const;
    Result<> call(const QString &event, const QJsonObject &payload, std::chrono::milliseconds limit,
        const ChannelAnswer &answered);
    void onOutboxEmptied();
    void finishStop();

    void setState(LinkState state, const QString &cause);
    void announce();

    DeviceLink *q;
    tasks::TaskManager &m_tasks;
    Outbox m_outbox;
    EarlierRun m_earlier;
    Dispatcher m_dispatcher;
    Heartbeat m_heartbeat;
    LocalAddress m_address;
    QPointer<socketio::SocketIoClient> m_client;
    settings::DeviceConfig m_config;
    bool m_configured = false;
    QString m_server; ///< key of the configured one, empty: none yet

    LinkStatus m_status;
    QTimer m_retry; ///< tries of our own; the client plans those after a lost link itself
    QTimer m_announce;
    QTimer m_stopLimit;
    int m_toldUnsent = 0; ///< of the last statusChanged()
    socketio::BackOff m_backOff; ///< of our own tries
    QElapsedTimer m_registered; ///< since the last registration; invalid: not registered
    bool m_wasOnline = false; ///< in this configuration
    qint64 m_lostAtMs = 0; ///< wall clock, 0 = the link is up or never was
    bool m_paused = false;
    bool m_stopping = false;
    bool m_stopDone = false;
    quint64 m_generation = 0; ///< of the client; a registration's late answer is ignored
};

// --- configuration ----------------------------------------------------------------------------

void DeviceLink::Private::configure(const settings::DeviceConfig &config)
{
    settings::DeviceConfig wanted = config;
    wanted.authToken = settings::cleanToken(config.authToken);
    wanted.problems.clear(); // they say nothing about the link
    if (m_stopping || (m_configured && wanted == m_config)) {
        return;
    }
    logging::addSecret(wanted.authToken);
    logging::addSecret(wanted.runtimeAuthToken);
    m_config = wanted;
    m_configured = true;
    m_wasOnline = false;
    m_backOff = socketio::BackOff(reconnectPolicy(kProvenAfter));
    m_lostAtMs = 0;
    m_retry.stop();
    m_outbox.close(false);
    m_heartbeat.stop();
    retireClient(true);
    m_status.lastHeartbeatMs = 0;

    const QString address = socketAddress(m_config);
    m_status.host = QUrl(address).host();
    if (address.isEmpty() || m_config.authToken.isEmpty()) {
        setState(LinkState::NotSetUp,
            address.isEmpty() ? u"No server address is set."_s : u"No sign-in is stored."_s);
        return;
    }
    changeServer(serverKey(address));
    setState(LinkState::Connecting, QString());
    openLink();
}

/// Ids belong to the server that gave them: to another one they would be somebody else's turns.
void DeviceLink::Private::changeServer(const QString &server)
{
    if (m_server == server) {
        return;
    }
    m_server = server;
    m_dispatcher.setServer(server);
    m_earlier.setServer(server);
    const QList<TurnAddress> open = m_outbox.openTurns();
    for (const TurnAddress &turn : open) {
        if (turn.server != server) {
            m_outbox.drop(turn.ref());
            if (const Result<> stopped = m_tasks.cancel(turn.ref().taskId, turn.ref().turnId,
                    u"This device was connected to another server."_s);
                !stopped) {
                log()->debug("task {} was over already", turn.taskId);
            }
        }
    }
    m_outbox.keepOnly(server);
}

void DeviceLink::Private::setPaused(bool paused)
{
    m_paused = paused;
    m_dispatcher.setPaused(paused);
    if (m_status.state == LinkState::Online || m_status.state == LinkState::Paused) {
        setState(paused ? LinkState::Paused : LinkState::Online, QString());
    }
}

// --- the link ---------------------------------------------------------------------------------

void DeviceLink::Private::openLink()
{
    m_retry.stop();
    if (m_stopping || m_server.isEmpty() || m_config.authToken.isEmpty()) {
        return;
    }
    retireClient(false);
    ++m_generation;
    m_client = new socketio::SocketIoClient(this);
    connect(m_client, &socketio::SocketIoClient::stateChanged, this,
        [this](const socketio::LinkStatus &status) { onClientState(status); });
    connect(m_client, &socketio::SocketIoClient::connected, this,
        [this](const QString &, const QString &) { sendRegistration(); });
    connect(m_client, &socketio::SocketIoClient::connectError, this,
        [this](const QString &, const QJsonValue &data) { onRefused(data); });
    connect(m_client, &socketio::SocketIoClient::disconnected, this,
        [this](const QString &, socketio::DisconnectReason reason, const QString &cause) {
            onDisconnected(reason, cause);
        });
    connect(m_client, &socketio::SocketIoClient::eventReceived, this,
        [this](const QString &, const QString &name, const socketio::Payload &payload,
            const socketio::Acknowledger &acknowledger) {
            m_dispatcher.handle(name, payload, acknowledger);
        });
    connect(m_client, &socketio::SocketIoClient::packetRejected, this,
        [](const Error &error) { log()->warn("a packet was dropped: {}", error.message); });

    socketio::ClientOptions options;
    options.url = socketAddress(m_config);
    options.namespaces = { nsp() };
    options.auth = { { u"token"_s, m_config.authToken } };
    options.maxIncomingBytes = kMaxIncomingBytes;
    options.closeTimeLimit = kCloseLimit;
    options.reconnect = reconnectPolicy(kStableAfter);
    m_address.detect(QUrl(options.url));
    if (const Result<> started = m_client->start(options); !started) {
        retireClient(false);
        setState(LinkState::Refused, started.error().message);
    }
}

/// Of the client, for lost links, and of our own tries, for links that do not serve.
socketio::ReconnectPolicy DeviceLink::Private::reconnectPolicy(
    std::chrono::milliseconds stableAfter) const
{
    socketio::ReconnectPolicy policy;
    policy.initialDelay = m_config.times.reconnectDelay;
    policy.maxDelay = m_config.times.reconnectMaxDelay;
    policy.jitter = kJitter;
    policy.stableAfter = stableAfter;
    policy.retryAfterServerDisconnect = true;
    return policy;
}

/// Lets go of the socket: with a clean close in the background, or at once.
void DeviceLink::Private::retireClient(bool cleanly)
{
    if (!m_client) {
        return;
    }
    socketio::SocketIoClient *client = m_client;
    m_client = nullptr;
    client->disconnect(this);
    if (cleanly) {
        connect(client, &socketio::SocketIoClient::stopped, client, &QObject::deleteLater);
        client->stop();
    } else {
        client->deleteLater(); // this may run inside one of its signals
    }
}

void DeviceLink::Private::noteLinkEnd()
{
    if (m_lostAtMs == 0 && m_wasOnline) {
        m_lostAtMs = QDateTime::currentMSecsSinceEpoch();
    }
    if (m_registered.isValid() && m_registered.hasExpired(kProvenAfter.count())) {
        m_backOff.reset();
    }
    m_registered.invalidate();
    m_heartbeat.stop();
}

void DeviceLink::Private::loseLink(const QString &cause)
{
    noteLinkEnd();
    m_outbox.close(false);
    retireClient(false);
    setState(lostState(), cause);
}

/// For a link that stands but does not serve: a new one at once, and with growing pauses when that
/// one does not serve either.
void DeviceLink::Private::replaceLink(const QString &cause)
{
    loseLink(cause);
    retryLater(m_backOff.afterLoss(0ms));
}

LinkState DeviceLink::Private::lostState() const
{
    const qint64 away = QDateTime::currentMSecsSinceEpoch() - m_lostAtMs;
    const bool recent = m_wasOnline && (m_lostAtMs == 0 || away < kOfflineAfter.count());
    return recent ? LinkState::Reconnecting : LinkState::Offline;
}

void DeviceLink::Private::retryLater(std::chrono::milliseconds delay)
{
    m_retry.start(delay);
    announce();
}

void DeviceLink::Private::onClientState(const socketio::LinkStatus &status)
{
    switch (status.state) {
    case socketio::LinkState::Connecting:
        if (m_status.state == LinkState::Offline) {
            announce(); // still offline until it works; only the next try has changed
        } else {
            setState(m_wasOnline ? LinkState::Reconnecting : LinkState::Connecting, m_status.cause);
        }
        break;
    case socketio::LinkState::Waiting:
        setState(lostState(), status.cause);
        break;
    case socketio::LinkState::Connected:
    case socketio::LinkState::Idle:
    case socketio::LinkState::Stopped:
    case socketio::LinkState::Stopping:
        break; // told by the more precise signals
    }
}

void DeviceLink::Private::onRefused(const QJsonValue &data)
{
    const Refusal refusal = readRefusal(data);
    log()->warn("{}", refusal.cause);
    switch (refusal.kind) {
    case Refusal::Kind::SignIn:
        retireClient(true);
        setState(LinkState::SignInNeeded, refusal.cause);
        return;
    case Refusal::Kind::WrongServer:
        retireClient(true);
        setState(LinkState::Refused, refusal.cause);
        retryLater(kWrongServerPause);
        return;
    case Refusal::Kind::RateLimit:
        retireClient(true);
        setState(lostState(), refusal.cause);
        retryLater(
            refusal.pause + std::chrono::milliseconds(QRandomGenerator::global()->bounded(5000)));
        return;
    case Refusal::Kind::Later:
        break;
    }
    retireClient(true);
    setState(lostState(), refusal.cause);
    retryLater(m_backOff.afterFailure());
}

void DeviceLink::Private::onDisconnected(socketio::DisconnectReason reason, const QString &cause)
{
    noteLinkEnd();
    // A link that goes down in an orderly way, or by silence, accuses no message.
    m_outbox.close(reason == socketio::DisconnectReason::LinkLost
        || reason == socketio::DisconnectReason::ServerClosed);
    log()->info("the link to {} is gone: {}", m_status.host, cause);
    setState(lostState(), cause); // the client itself tries again
}

// --- registration and heartbeats --------------------------------------------------------------

Result<> DeviceLink::Private::call(const QString &event, const QJsonObject &payload,
    std::chrono::milliseconds limit, const ChannelAnswer &answered)
{
    if (!m_client) {
        return failure(ErrorKind::Network, u"there is no link"_s);
    }
    return m_client->emitEvent(
        nsp(), event, payload, limit, this, [answered](const Result<socketio::Payload> &answer) {
            answered(
                answer.map([](const socketio::Payload &value) { return answerObject(value); }));
        });
}

void DeviceLink::Private::sendRegistration()
{
    const Result<> sent = m_client->emitEvent(nsp(), u"device:register"_s,
        registration(m_config, m_address.current()), m_config.times.registerLimit, this,
        [this, generation = m_generation](const Result<socketio::Payload> &answer) {
            if (generation == m_generation) {
                onRegistered(answer);
            }
        });
    if (!sent) {
        loseLink(sent.error().message);
        retryLater(m_backOff.afterFailure());
    }
}

void DeviceLink::Private::onRegistered(const Result<socketio::Payload> &answer)
{
    if (!answer && answer.error().kind == ErrorKind::Network) {
        return; // the loss of the link is told by its own signal, and the client tries again
    }
    Result<> registered;
    if (answer) {
        registered = readRegistrationAnswer(*answer);
    } else {
        registered = failure(ErrorKind::Timeout, u"The server did not answer the registration."_s);
    }
    if (!registered) {
        log()->warn("{}", registered.error().message);
        loseLink(registered.error().message);
        retryLater(m_backOff.afterFailure());
        return;
    }
    m_registered.start();
    log()->info("registered at {} as {}", m_status.host, m_config.deviceId);
    m_heartbeat.start(
        [this](std::chrono::milliseconds limit, const Heartbeat::Answer &answered) {
            return call(u"device:heartbeat"_s,
                heartbeat(m_config, m_address.current(), runningTaskIds()), limit, answered);
        },
        m_config.times);
    m_outbox.open(
        [this](const QString &event, const QJsonObject &payload, std::chrono::milliseconds limit,
            const ChannelAnswer &answered) { return call(event, payload, limit, answered); },
        m_client->maxFrameBytes());
}

QList<qint64> DeviceLink::Private::runningTaskIds() const
{
    QList<qint64> ids;
    const QList<engines::TurnRef> running = m_tasks.runningTurns();
    for (const engines::TurnRef &ref : running) {
        bool ok = false;
        const qint64 id = ref.taskId.toLongLong(&ok);
        // Local tasks have words for ids, and other servers' turns are not in the outbox.
        if (ok && m_outbox.contains(ref) && !ids.contains(id)) {
            ids.append(id);
        }
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

void DeviceLink::Private::onHeartbeat()
{
    m_status.lastHeartbeatMs = QDateTime::currentMSecsSinceEpoch();
    m_lostAtMs = 0;
    m_wasOnline = true;
    setState(m_paused ? LinkState::Paused : LinkState::Online, QString());
}

void DeviceLink::Private::onMissed(int inARow)
{
    log()->warn("heartbeat {} in a row was not acknowledged", inARow);
    if (inARow >= 2) {
        replaceLink(u"The server has not answered two heartbeats; connecting again."_s);
    }
}

void DeviceLink::Private::onHeartbeatRefused(const HeartbeatReading &reading)
{
    log()->warn("{}", reading.text);
    switch (reading.kind) {
    case HeartbeatAnswer::Stale:
        loseLink(reading.text);
        setState(LinkState::Conflict, reading.text);
        retryLater(kConflictPause);
        return;
    case HeartbeatAnswer::Forgotten:
    case HeartbeatAnswer::Refused:
        loseLink(reading.text);
        retryLater(m_backOff.afterFailure());
        return;
    case HeartbeatAnswer::Fine:
        return;
    }
}

void DeviceLink::Private::tryNow()
{
    if (m_stopping || m_status.state == LinkState::SignInNeeded) {
        return;
    }
    m_backOff.reset();
    if (m_client) {
        m_client->reconnectNow();
    } else if (m_configured) {
        openLink();
    }
}

// --- stopping ---------------------------------------------------------------------------------

void DeviceLink::Private::requestStop(std::chrono::milliseconds limit)
{
    if (m_stopping) {
        return;
    }
    m_stopping = true;
    m_retry.stop();
    m_dispatcher.setStopping();
    const bool online = m_status.state == LinkState::Online || m_status.state == LinkState::Paused;
    if (!online || m_outbox.isEmpty()) {
        QMetaObject::invokeMethod(
            this, [this] { finishStop(); }, Qt::QueuedConnection);
        return;
    }
    m_stopLimit.start(limit);
}

void DeviceLink::Private::onOutboxEmptied()
{
    if (m_stopLimit.isActive()) {
        finishStop();
    }
}

void DeviceLink::Private::finishStop()
{
    if (m_stopDone) {
        return;
    }
    m_stopDone = true;
    m_stopLimit.stop();
    m_heartbeat.stop();
    m_outbox.close(false);
    if (!m_client) {
        Q_EMIT q->stopped();
        return;
    }
    m_client->disconnect(this);
    connect(m_client, &socketio::SocketIoClient::stopped, this, [this] { Q_EMIT q->stopped(); });
    m_client->stop();
}

// --- telling ----------------------------------------------------------------------------------

void DeviceLink::Private::setState(LinkState state, const QString &cause)
{
    if (m_status.state != state) {
        m_status.state = state;
        m_status.sinceMs = QDateTime::currentMSecsSinceEpoch();
        log()->info("link: {}{}", linkStateName(state),
            cause.isEmpty() ? QString() : u" ("_s + cause + u')');
    }
    m_status.cause = cause;
    announce();
}

LinkStatus DeviceLink::Private::status() const
{
    LinkStatus status = m_status;
    status.nextRetryMs = -1;
    if (m_retry.isActive()) {
        status.nextRetryMs = m_retry.remainingTime();
    } else if (m_client && m_client->status().state == socketio::LinkState::Waiting) {
        status.nextRetryMs = m_client->status().nextRetryMs;
    }
    status.unsent = m_outbox.unsent();
    status.setAside = m_outbox.setAside();
    return status;
}

void DeviceLink::Private::announce()
{
    m_announce.stop();
    const LinkStatus now = status();
    m_toldUnsent = now.unsent;
    Q_EMIT q->statusChanged(now);
}

DeviceLink::DeviceLink(tasks::TaskManager &tasks, tasks::Journal &journal, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this, tasks, journal))
{ }

DeviceLink::~DeviceLink() = default;

void DeviceLink::configure(const settings::DeviceConfig &config)
{
    d->configure(config);
}

void DeviceLink::setPaused(bool paused)
{
    d->setPaused(paused);
}

void DeviceLink::tryNow()
{
    d->tryNow();
}

void DeviceLink::requestStop(std::chrono::milliseconds limit)
{
    d->requestStop(limit);
}

LinkStatus DeviceLink::status() const
{
    return d->status();
}

} // namespace deskhand::device
