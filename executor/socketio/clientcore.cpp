// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/clientcore.h"

#include "executor/socketio/transport.h"
#include "executor/socketio/url.h"

#include <QNetworkInformation>
#include <QScopedValueRollback>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::socketio {

namespace {

// How long run() delivers before the owner's other events get their turn.
constexpr qint64 kRunBudgetMs = 10;
// Events kept per namespace whose answer to CONNECT has not come yet.
constexpr size_t kMaxEarlyEvents = 256;
// A try younger than this is not begun anew by reconnectNow().
constexpr qint64 kYoungTryMs = 1000;

Result<> checkOptions(const ClientOptions &options)
{
    if (options.namespaces.isEmpty()) {
        return failure(ErrorKind::Usage, u"no namespace to connect to"_s);
    }
    for (const QString &nsp : options.namespaces) {
        if (!nsp.startsWith(u'/') || nsp.contains(u',')) {
            return failure(ErrorKind::Usage,
                u"\"%1\" is no namespace: it starts with '/' and has no comma"_s.arg(nsp));
        }
    }
    return {};
}

} // namespace

ClientCore::ClientCore(SocketIoClient *client)
    : m_client(client)
    , m_inbox(std::make_shared<Inbox>())
    , m_outbox(std::make_shared<Outbox>())
    , m_backlog(std::make_shared<Backlog>())
    , m_resumeTimer(this)
    , m_retryTimer(this)
    , m_askTimer(this)
    , m_namespaceTimer(this)
    , m_ackTimer(this)
{
    m_thread.setObjectName(u"socketio"_s);
    for (QTimer *timer :
        { &m_resumeTimer, &m_retryTimer, &m_askTimer, &m_namespaceTimer, &m_ackTimer }) {
        timer->setSingleShot(true);
    }
    connect(&m_resumeTimer, &QTimer::timeout, this, &ClientCore::run);
    connect(&m_retryTimer, &QTimer::timeout, this, &ClientCore::connectNow);
    connect(&m_askTimer, &QTimer::timeout, this, [this] {
        liftResting();
        m_retryTimer.stop();
        if (m_link != Link::Opening) {
            connectNow();
        }
    });
    connect(&m_namespaceTimer, &QTimer::timeout, this, &ClientCore::onNamespaceTimeout);
    connect(&m_ackTimer, &QTimer::timeout, this, [this] {
        // The answer may be there already, behind a slot that took long.
        takeInbox();
        for (auto &delivery : m_acks.takeExpired()) {
            notify(std::move(delivery));
        }
        armAckTimer();
        run();
    });
}

ClientCore::~ClientCore()
{
    // After this no thread but ours knows of us. The transport is deleted at the thread's end.
    m_thread.quit();
    m_thread.wait();
}

Result<> ClientCore::start(const ClientOptions &options)
{
    if (m_status.state != LinkState::Stopped) {
        return failure(ErrorKind::Usage, u"the client is already started"_s);
    }
    if (auto check = checkOptions(options); !check) {
        return check;
    }
    auto url = engineUrl(options.url, options.path);
    if (!url) {
        return tl::unexpected(url.error());
    }
    m_options = options;
    m_url = *url;
    m_backOff = BackOff(options.reconnect);
    m_namespaces.clear();
    for (const QString &nsp : options.namespaces) {
        m_namespaces.emplace(nsp, Namespace {});
    }
    if (!m_transport) {
        m_transport = new Transport(this, m_inbox, m_outbox, m_backlog);
        m_transport->moveToThread(&m_thread);
        connect(&m_thread, &QThread::finished, m_transport, &QObject::deleteLater);
        m_thread.start();
    }
    if (QNetworkInformation *network = QNetworkInformation::instance();
        network && !m_reachability) {
        m_reachability = connect(network, &QNetworkInformation::reachabilityChanged, this,
            [this](QNetworkInformation::Reachability reachability) {
                if (reachability != QNetworkInformation::Reachability::Disconnected) {
                    onNetworkBack();
                }
            });
    }
    openLink();
    updateState(u"connecting to %1"_s.arg(m_url.host()));
    return {};
}

void ClientCore::stop()
{
    if (m_status.state == LinkState::Stopped || m_isStopping) {
        return;
    }
    m_isStopping = true;
    m_retryTimer.stop();
    m_askTimer.stop();
    m_namespaceTimer.stop();
    if (m_link == Link::None) {
        finishStop();
        return;
    }
    closeLink();
    updateState(u"stopping"_s);
}

LinkStatus ClientCore::status() const
{
    LinkStatus status = m_status;
    status.nextRetryMs = nextRetryMs();
    return status;
}

qint64 ClientCore::nextRetryMs() const
{
    qint64 next = -1;
    for (const QTimer *timer : { &m_retryTimer, &m_askTimer }) {
        if (timer->isActive() && (next < 0 || timer->remainingTime() < next)) {
            next = timer->remainingTime();
        }
    }
    return next;
}

bool ClientCore::isConnected(const QString &nsp) const
{
    const auto it = m_namespaces.find(nsp);
    return it != m_namespaces.end() && it->second.phase == Phase::Up && !m_isStopping;
}

void ClientCore::reconnectNow()
{
    if (m_status.state == LinkState::Stopped || m_isStopping) {
        return;
    }
    m_backOff.reset();
    m_retryTimer.stop();
    m_askTimer.stop();
    liftResting();
    if (m_link != Link::Opening || m_linkStarted.elapsed() >= kYoungTryMs) {
        connectNow();
    }
}

void ClientCore::onNetworkBack()
{
    // Namespaces that rest stay at rest: no change of network makes a refused token good.
    const bool isOldTry = m_link == Link::Opening && m_linkStarted.elapsed() >= kYoungTryMs;
    if (isOldTry || (m_link == Link::None && m_retryTimer.isActive())) {
        m_backOff.reset();
        m_retryTimer.stop();
        connectNow();
    }
}

void ClientCore::retryIn(std::chrono::milliseconds delay)
{
    if (m_status.state == LinkState::Stopped || m_isStopping) {
        return;
    }
    m_retryTimer.stop();
    m_askTimer.start(delay);
    updateState(m_status.cause);
}

void ClientCore::dropLink(const QString &cause)
{
    if (m_link == Link::Open && !m_isStopping) {
        cutLink(DisconnectReason::LinkLost, cause);
    }
}

Result<> ClientCore::emitEvent(const QString &nsp, const QString &name, const Payload &payload)
{
    return send(Packet { PacketType::Event, nsp, std::nullopt, name, payload });
}

Result<> ClientCore::emitEvent(const QString &nsp, const QString &name, const Payload &payload,
    std::chrono::milliseconds limit, QObject *context, SocketIoClient::AckHandler handler)
{
    const qint64 id = m_acks.add(nsp, name, limit, context, std::move(handler));
    auto sent = send(Packet { PacketType::Event, nsp, id, name, payload });
    if (!sent) {
        m_acks.forget(id);
        return sent;
    }
    if (!m_ackTimer.isActive() || limit < m_ackTimer.remainingTimeAsDuration()) {
        m_ackTimer.start(limit);
    }
    return {};
}

Result<> ClientCore::answer(quint64 link, const QString &nsp, qint64 id, const Payload &payload)
{
    if (link != m_linkId) {
        return failure(ErrorKind::Network, u"the connection that asked is gone"_s);
    }
    return send(Packet { PacketType::Ack, nsp, id, {}, payload });
}

qint64 ClientCore::bytesToWrite() const
{
    return m_backlog->posted + m_backlog->inSocket;
}

void ClientCore::run()
{
    const QPointer<ClientCore> self(this);
    m_isRunQueued = false;
    QElapsedTimer spent;
    spent.start();
    for (;;) {
        while (!m_notices.empty()) {
            const auto notice = std::move(m_notices.front());
            m_notices.pop_front();
            notice();
            if (!self) {
                return;
            }
            if (spent.elapsed() >= kRunBudgetMs) {
                m_resumeTimer.start(0);
                return;
            }
        }
        auto item = m_inbox->take();
        if (!item) {
            return;
        }
        handle(*item);
    }
}

void ClientCore::takeInbox()
{
    while (auto item = m_inbox->take()) {
        handle(*item);
    }
}

void ClientCore::handle(Inbound &item)
{
    if (item.link != m_linkId || m_link == Link::None) {
        return; // of a link given up
    }
    const QScopedValueRollback handling(m_isHandling, true);
    if (auto *opened = std::get_if<LinkOpened>(&item.fact)) {
        onOpened(opened->info);
    } else if (auto *received = std::get_if<PacketReceived>(&item.fact)) {
        onPacket(received->packet);
    } else if (auto *refused = std::get_if<PacketRefused>(&item.fact)) {
        notify([this, error = refused->error] { Q_EMIT m_client->packetRejected(error); });
    } else if (auto *gone = std::get_if<LinkGone>(&item.fact)) {
        onGone(*gone);
    } else {
        notify([this] { Q_EMIT m_client->drained(); });
    }
}

void ClientCore::onOpened(const OpenInfo &info)
{
    if (m_isStopping) {
        return;
    }
    m_link = Link::Open;
    m_maxFrameBytes = info.maxPayload.value_or(m_options.maxOutgoingBytes);
    askNamespaces();
}

void ClientCore::onGone(const LinkGone &gone)
{
    const auto upFor = std::chrono::milliseconds(m_upSince.isValid() ? m_upSince.elapsed() : 0);
    // A link on which a namespace never got its answer was not really up.
    const bool wasUp = m_upSince.isValid() && !anyIn(Phase::Asking);
    m_link = Link::None;
    m_upSince.invalidate();
    m_namespaceTimer.stop();
    for (auto &[nsp, space] : m_namespaces) {
        if (space.phase == Phase::Up) {
            loseNamespace(nsp, gone.reason, gone.cause);
        }
        if (space.phase != Phase::Resting) {
            space.phase = Phase::Wanted;
            space.early.clear();
        }
    }
    if (m_isStopping) {
        finishStop();
        return;
    }
    if (m_options.reconnect.enabled) {
        m_retryTimer.start(wasUp ? m_backOff.afterLoss(upFor) : m_backOff.afterFailure());
    }
    updateState(gone.cause);
}

void ClientCore::onPacket(Packet &packet)
{
    const auto it = m_namespaces.find(packet.nsp);
    if (it == m_namespaces.end()) {
        reject(u"a packet for a namespace that was not asked for"_s);
        return;
    }
    Namespace &space = it->second;
    switch (packet.type) {
    case PacketType::Ack:
        if (auto delivery = m_acks.resolve(packet.nsp, *packet.id, packet.payload)) {
            notify(std::move(*delivery));
            if (m_acks.isEmpty()) {
                m_ackTimer.stop();
            }
        } else {
            reject(u"an answer to id %1, for which no event waits"_s.arg(*packet.id));
        }
        return;
    case PacketType::Connect:
        onConnect(it->first, space, packet);
        return;
    case PacketType::Disconnect:
        onDisconnect(it->first, space);
        return;
    case PacketType::ConnectError:
        onConnectError(it->first, space, packet.data);
        return;
    case PacketType::Event:
        onEvent(space, packet);
        return;
    }
}

void ClientCore::onConnect(const QString &nsp, Namespace &space, const Packet &packet)
{
    if (m_isStopping) {
        return;
    }
    if (space.phase != Phase::Asking) {
        reject(u"CONNECT for a namespace that does not wait for it"_s);
        return;
    }
    const QString sid = packet.data.toObject().value(u"sid").toString();
    if (sid.isEmpty()) {
        cutLink(DisconnectReason::ProtocolFault,
            u"the server answered CONNECT without a session id; it may speak an older "
            "Socket.IO"_s);
        return;
    }
    space.phase = Phase::Up;
    if (!m_upSince.isValid()) {
        m_upSince.start();
    }
    if (!anyIn(Phase::Asking)) {
        m_namespaceTimer.stop();
    }
    updateState(u"connected"_s);
    notify([this, nsp, sid] { Q_EMIT m_client->connected(nsp, sid); });
    for (Packet &early : std::exchange(space.early, {})) {
        onEvent(space, early);
    }
}

void ClientCore::onDisconnect(const QString &nsp, Namespace &space)
{
    const QString cause = u"the server disconnected the namespace %1"_s.arg(nsp);
    if (m_isStopping) {
        return;
    }
    if (space.phase != Phase::Up && space.phase != Phase::Asking) {
        reject(u"DISCONNECT for a namespace that is not connected"_s);
        return;
    }
    if (space.phase == Phase::Up) {
        loseNamespace(nsp, DisconnectReason::ServerDisconnect, cause);
    }
    space.early.clear();
    space.phase = Phase::Resting;
    afterNamespaceEnd(m_options.reconnect.retryAfterServerDisconnect, cause);
}

void ClientCore::onConnectError(const QString &nsp, Namespace &space, const QJsonValue &data)
{
    if (m_isStopping) {
        return;
    }
    if (space.phase != Phase::Asking) {
        reject(u"CONNECT_ERROR for a namespace that does not wait for it"_s);
        return;
    }
    space.early.clear();
    space.phase = Phase::Resting;
    const QString said
        = data.isString() ? data.toString() : data.toObject().value(u"message").toString();
    notify([this, nsp, data] { Q_EMIT m_client->connectError(nsp, data); });
    afterNamespaceEnd(m_options.reconnect.retryAfterRefusal,
        u"the server refused the namespace %1: %2"_s.arg(nsp, said.left(500)));
}

void ClientCore::onEvent(Namespace &space, Packet &packet)
{
    if (m_isStopping) {
        return;
    }
    if (space.phase == Phase::Asking && space.early.size() < kMaxEarlyEvents) {
        space.early.push_back(std::move(packet));
        return;
    }
    if (space.phase != Phase::Up) {
        reject(u"an event for a namespace that is not connected"_s);
        return;
    }
    Acknowledger acknowledger;
    if (packet.id) {
        acknowledger.m_state = std::make_shared<Acknowledger::State>(
            Acknowledger::State { this, m_linkId, packet.nsp, *packet.id, false });
    }
    notify([this, packet = std::move(packet), acknowledger] {
        Q_EMIT m_client->eventReceived(packet.nsp, packet.event, packet.payload, acknowledger);
    });
}

void ClientCore::onNamespaceTimeout()
{
    // The answer may be there already, behind a slot that took long.
    takeInbox();
    if (anyIn(Phase::Asking)) {
        cutLink(DisconnectReason::ProtocolFault,
            u"no answer to CONNECT within %1 ms"_s.arg(m_options.namespaceTimeLimit.count()));
    }
    run();
}

void ClientCore::reject(const QString &what)
{
    notify([this, what] { Q_EMIT m_client->packetRejected({ ErrorKind::Protocol, what }); });
}

void ClientCore::liftResting()
{
    for (auto &[nsp, space] : m_namespaces) {
        if (space.phase == Phase::Resting) {
            space.phase = Phase::Wanted;
        }
    }
}

void ClientCore::connectNow()
{
    if (m_link == Link::Open) {
        askNamespaces();
        return;
    }
    openLink();
    updateState(u"connecting to %1"_s.arg(m_url.host()));
}

void ClientCore::openLink()
{
    m_link = Link::Opening;
    ++m_linkId;
    m_linkStarted.start();
    m_upSince.invalidate();
    post([link = m_linkId, url = m_url, options = m_options](
             Transport &transport) { transport.open(link, url, options); });
}

void ClientCore::askNamespaces()
{
    for (auto &[nsp, space] : m_namespaces) {
        if (space.phase != Phase::Wanted) {
            continue;
        }
        Packet packet { PacketType::Connect, nsp };
        if (!m_options.auth.isEmpty()) {
            packet.data = m_options.auth;
        }
        if (const auto sent = send(packet); !sent) {
            cutLink(DisconnectReason::ProtocolFault, sent.error().message);
            return;
        }
        space.phase = Phase::Asking;
        m_namespaceTimer.start(m_options.namespaceTimeLimit);
    }
    updateState(m_status.cause);
}

void ClientCore::loseNamespace(const QString &nsp, DisconnectReason reason, const QString &cause)
{
    const Error error = reason == DisconnectReason::Stopped
        ? Error { ErrorKind::Cancelled, u"the client was stopped before the answer came"_s }
        : Error { ErrorKind::Network,
              u"the connection was lost before the answer came: %1"_s.arg(cause) };
    for (auto &delivery : m_acks.failNamespace(nsp, error)) {
        notify(std::move(delivery));
    }
    notify([this, nsp, reason, cause] { Q_EMIT m_client->disconnected(nsp, reason, cause); });
}

void ClientCore::afterNamespaceEnd(bool retry, const QString &cause)
{
    if (!anyIn(Phase::Asking)) {
        m_namespaceTimer.stop();
        if (!anyIn(Phase::Up)) {
            // A link without namespaces serves nobody.
            closeLink();
            m_link = Link::None;
        }
    }
    if (retry) {
        m_askTimer.start(m_backOff.afterFailure());
    }
    updateState(cause);
}

void ClientCore::closeLink()
{
    QList<QByteArray> farewell;
    for (const auto &[nsp, space] : m_namespaces) {
        if (space.phase == Phase::Up || space.phase == Phase::Asking) {
            if (const auto frames = encodePacket(Packet { PacketType::Disconnect, nsp })) {
                farewell.append(frames->text);
            }
        }
    }
    farewell.append(encodeEngine(EngineType::Close));
    post([link = m_linkId, farewell, limit = m_options.closeTimeLimit](
             Transport &transport) { transport.close(link, farewell, limit); });
}

void ClientCore::cutLink(DisconnectReason reason, const QString &cause)
{
    // What is decided follows at LinkGone, as for every other loss.
    post([link = m_linkId, reason, cause](
             Transport &transport) { transport.cut(link, reason, cause); });
}

void ClientCore::finishStop()
{
    m_isStopping = false;
    m_link = Link::None;
    m_status = { LinkState::Stopped, u"stopped"_s, -1 };
    notify([this, status = m_status] { Q_EMIT m_client->stateChanged(status); });
    notify([this] { Q_EMIT m_client->stopped(); });
}

void ClientCore::updateState(const QString &cause)
{
    LinkStatus next { LinkState::Idle, cause, nextRetryMs() };
    if (m_isStopping) {
        next.state = LinkState::Stopping;
    } else if (m_link == Link::Opening || (m_link == Link::Open && anyIn(Phase::Asking))) {
        next.state = LinkState::Connecting;
    } else if (m_link == Link::Open && anyIn(Phase::Up)) {
        next.state = LinkState::Connected;
    } else if (next.nextRetryMs >= 0) {
        next.state = LinkState::Waiting;
    }
    const bool isNews = next.state != m_status.state || next.cause != m_status.cause
        || next.state == LinkState::Waiting;
    m_status = next;
    if (isNews) {
        notify([this, next] { Q_EMIT m_client->stateChanged(next); });
    }
}

void ClientCore::armAckTimer()
{
    if (const auto deadline = m_acks.nextDeadline()) {
        m_ackTimer.start(std::chrono::milliseconds(std::max<qint64>(0, deadline->remainingTime())));
    } else {
        m_ackTimer.stop();
    }
}

Result<> ClientCore::send(const Packet &packet)
{
    const bool isConnect = packet.type == PacketType::Connect;
    if (!isConnect && !isConnected(packet.nsp)) {
        return failure(ErrorKind::Network, u"the namespace %1 is not connected"_s.arg(packet.nsp));
    }
    auto frames = encodePacket(packet);
    if (!frames) {
        return tl::unexpected(frames.error());
    }
    if (frames->largestFrame() > m_maxFrameBytes) {
        return failure(ErrorKind::Usage,
            u"a frame of %1 bytes is above the server's limit of %2"_s.arg(frames->largestFrame())
                .arg(m_maxFrameBytes));
    }
    m_backlog->posted += frames->totalBytes();
    post([link = m_linkId, frames = std::move(*frames)](
             Transport &transport) { transport.send(link, frames); });
    return {};
}

void ClientCore::notify(std::function<void()> notice)
{
    m_notices.push_back(std::move(notice));
    if (!m_isRunQueued && !m_isHandling) {
        m_isRunQueued = true;
        QMetaObject::invokeMethod(this, "run", Qt::QueuedConnection);
    }
}

void ClientCore::post(Outbox::Command command)
{
    if (m_outbox->push(std::move(command))) {
        QMetaObject::invokeMethod(m_transport, "takeCommands", Qt::QueuedConnection);
    }
}

bool ClientCore::anyIn(Phase phase) const
{
    return std::any_of(m_namespaces.begin(), m_namespaces.end(),
        [phase](const auto &item) { return item.second.phase == phase; });
}

} // namespace deskhand::socketio
