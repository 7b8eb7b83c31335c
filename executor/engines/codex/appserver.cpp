// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/appserver.h"

#include "executor/engines/codex/wire.h"
#include "executor/logging/log.h"

#include <QJsonArray>

#include <algorithm>
#include <utility>

using namespace Qt::StringLiterals;
using std::chrono::steady_clock;

namespace deskhand::engines::codex {

namespace {

constexpr int kGarbageLinesInARow = 3;
constexpr std::chrono::milliseconds kModelListLimit { 5'000 }; // nothing waits longer for it

auto log()
{
    return logging::logger("engine.codex");
}

QString describeConfigWarning(const QJsonObject &params)
{
    QString text = wire::text(params, { "summary"_L1 });
    if (const QString details = wire::text(params, { "details"_L1 }); !details.isEmpty()) {
        text += u": "_s + details;
    }
    if (const QString path = wire::text(params, { "path"_L1 }); !path.isEmpty()) {
        const QJsonObject start = params.value("range"_L1).toObject().value("start"_L1).toObject();
        text += start.isEmpty() ? u" (%1)"_s.arg(path)
                                : u" (%1, line %2, column %3)"_s.arg(path)
                                      .arg(start.value("line"_L1).toInteger())
                                      .arg(start.value("column"_L1).toInteger());
    }
    return text;
}

/// The line of its error output that most likely says why it ended: an error's first line, since
/// a backtrace may follow, else the last one. Without the full stop, for use in a sentence.
QString tellingLine(const QByteArray &output)
{
    QByteArray found;
    const QList<QByteArray> lines = output.split('\n');
    for (const QByteArray &line : lines) {
        if (line.trimmed().isEmpty()) {
            continue;
        }
        found = line;
        if (line.toLower().contains("error")) {
            break;
        }
    }
    QString text = QString::fromUtf8(found).left(300).trimmed();
    while (text.endsWith(u'.')) {
        text.chop(1);
    }
    return text;
}

} // namespace

AppServer::AppServer(const Timings &timings, QObject *parent)
    : QObject(parent)
    , m_timings(timings)
{
    m_startDelay.setSingleShot(true);
    connect(&m_startDelay, &QTimer::timeout, this, &AppServer::launch);
}

AppServer::~AppServer() = default;

void AppServer::setRequestHandler(jsonrpc::Peer::RequestHandler handler)
{
    m_requestHandler = std::move(handler);
}

void AppServer::setState(State state)
{
    if (m_state != state) {
        m_state = state;
        Q_EMIT stateChanged();
    }
}

void AppServer::whenReady(QObject *context, ReadyHandler handler)
{
    if (m_state == State::Ready && m_abandonReason.isEmpty()) {
        handler({});
        return;
    }
    if (m_state == State::Stopping) {
        handler(deskhand::failure(ErrorKind::Cancelled, u"the engine is being stopped"_s));
        return;
    }
    if (m_state == State::Failed) {
        if (steady_clock::now() - m_failedSince < m_timings.failedPause) {
            handler(deskhand::failure(
                ErrorKind::Process, m_failure, u"Look at the log, then try again in a minute."_s));
            return;
        }
        m_exits.clear();
        setState(State::Stopped);
    }
    m_waiters.append({ context, std::move(handler) }); // of the next process while this one dies
    if (m_state == State::Stopped) {
        setState(State::Starting);
        const auto &delays = m_timings.restartDelays;
        const auto index
            = std::min<qsizetype>(static_cast<qsizetype>(m_exits.size()), delays.size() - 1);
        m_startDelay.start(index < 0 ? std::chrono::milliseconds(0) : delays.at(index));
    }
}

void AppServer::launch()
{
    ++m_generation;
    m_abandonReason.clear();
    m_configWarning.clear();
    m_child = std::make_unique<process::ChildProcess>();
    m_peer = std::make_unique<jsonrpc::Peer>(
        m_child->io(), jsonrpc::PeerOptions { .requestLimit = m_timings.request });
    m_peer->setRequestHandler([this](const jsonrpc::IncomingRequest &request) {
        return m_requestHandler && m_requestHandler(request);
    });
    connect(m_peer.get(), &jsonrpc::Peer::notification, this, &AppServer::onNotification);
    connect(
        m_peer.get(), &jsonrpc::Peer::garbage, this, [this](const QByteArray &preview, int inARow) {
            log()->warn("unreadable line from codex: {}", preview);
            if (inARow >= kGarbageLinesInARow) {
                abandon(u"codex sent %1 unreadable lines in a row"_s.arg(inARow));
            }
        });
    connect(m_peer.get(), &jsonrpc::Peer::closed, this, [this] {
        // The end of its output is the end of its use, even when the process lingers.
        if (m_child && m_child->isRunning() && m_state != State::Stopping) {
            m_child->stop(m_timings.stop);
        }
    });
    connect(m_child.get(), &process::ChildProcess::exited, this,
        [this](const process::ChildExit &exit) { onExited(exit.describe()); });
    connect(m_child.get(), &process::ChildProcess::failedToStart, this,
        [this](const Error &error) { onExited(error.message); });
    connect(m_child.get(), &process::ChildProcess::started, this, &AppServer::handshake);
    m_child->start(m_spec);
}

void AppServer::handshake()
{
    const QJsonObject params {
        { u"clientInfo"_s,
            QJsonObject { { u"name"_s, u"deskhand"_s }, { u"title"_s, u"Deskhand"_s },
                { u"version"_s, QStringLiteral(DESKHAND_VERSION) } } },
        { u"capabilities"_s,
            QJsonObject { { u"experimentalApi"_s, true },
                { u"optOutNotificationMethods"_s,
                    QJsonArray { u"account/rateLimits/updated"_s, u"remoteControl/status/changed"_s,
                        u"thread/readState/changed"_s } } } },
    };
    m_peer->request(
        u"initialize"_s, params, this,
        [this](const jsonrpc::Reply &reply) {
            if (reply.ok()) {
                afterHandshake(reply.result.toObject());
            } else if (reply.outcome != jsonrpc::Reply::Outcome::Closed) {
                abandon(u"codex did not complete the handshake: %1"_s.arg(reply.message));
            }
        },
        m_timings.initialize);
}

void AppServer::afterHandshake(const QJsonObject &result)
{
    // "deskhand/0.171.0 (Debian 12.0.0; x86_64) …": what stands after the first slash.
    const QString agent = wire::text(result, { "userAgent"_L1, "user_agent"_L1 });
    m_version = agent.section(u'/', 1).section(u' ', 0, 0);
    m_peer->notify(u"initialized"_s);
    log()->info("codex {} is ready, process {}", m_version, processId());
    setState(State::Ready);
    m_peer->request(
        u"model/list"_s, { { u"includeHidden"_s, true } }, this,
        [this](const jsonrpc::Reply &reply) {
            for (const QJsonValue &model : reply.result.toObject().value("data"_L1).toArray()) {
                m_knownModels.insert(wire::text(model.toObject(), { "model"_L1, "id"_L1 }));
            }
            // Without the list every model counts as unknown, which is safe.
            answerWaiters({});
        },
        kModelListLimit);
}

void AppServer::onNotification(const QString &method, const QJsonObject &params)
{
    if (method == "configWarning"_L1) {
        // Those without a place in a file are advice, for instance that a folder is not trusted,
        // which is how we want it.
        const QString text = describeConfigWarning(params);
        if (params.value("range"_L1).isObject()) {
            m_configWarning = text;
            log()->warn("codex configuration: {}", text);
        } else {
            log()->info("codex configuration: {}", text.simplified());
        }
    } else if (method == "deprecationNotice"_L1) {
        log()->info("codex deprecation: {}", wire::text(params, { "summary"_L1 }));
    }
    Q_EMIT notification(method, params);
}

void AppServer::answerWaiters(const Result<> &result)
{
    const QList<Waiter> waiters = std::exchange(m_waiters, {});
    for (const Waiter &waiter : waiters) {
        if (waiter.context) {
            waiter.handler(result);
        }
    }
}

void AppServer::abandon(const QString &reason)
{
    if (m_child && m_child->isRunning()) {
        if (m_abandonReason.isEmpty()) {
            m_abandonReason = reason;
        }
        m_child->kill();
    }
}

void AppServer::dismiss()
{
    if (m_state != State::Ready || !m_child) {
        return;
    }
    m_peer->closeNow();
    process::ChildProcess *child = m_child.release();
    child->disconnect(this);
    child->setParent(this); // until it is gone
    connect(child, &process::ChildProcess::exited, child, &QObject::deleteLater);
    child->kill();
    m_peer->disconnect(this);
    m_peer.release()->deleteLater();
    m_knownModels.clear();
    setState(State::Stopped);
}

void AppServer::stop(const process::StopLimits &limits)
{
    m_startDelay.stop();
    const bool running = m_child && m_child->isRunning();
    setState(State::Stopping);
    answerWaiters(deskhand::failure(ErrorKind::Cancelled, u"the engine is being stopped"_s));
    if (running) {
        m_child->stop(limits);
    } else {
        QMetaObject::invokeMethod(this, &AppServer::ended, Qt::QueuedConnection);
    }
}

void AppServer::dropChild()
{
    // Both may be on the call stack below us.
    if (m_peer) {
        m_peer->disconnect(this);
        m_peer.release()->deleteLater();
    }
    if (m_child) {
        m_child->disconnect(this);
        m_child.release()->deleteLater();
    }
}

void AppServer::onExited(const QString &how)
{
    const QByteArray errors = m_child->errorTail().trimmed();
    const QString reason = m_abandonReason.isEmpty() ? how : m_abandonReason;
    // The peer may not have seen the end of the stream yet; its pending requests fail here.
    m_peer->closeNow();
    dropChild();
    if (m_state == State::Stopping) {
        Q_EMIT ended();
        return;
    }
    const QString said = tellingLine(errors);
    log()->warn("codex ended: {}; its error output: {}", reason, said);
    const auto now = steady_clock::now();
    m_exits.push_back(now);
    while (!m_exits.empty() && now - m_exits.front() > m_timings.exitsWindow) {
        m_exits.pop_front();
    }
    const bool duringStart = m_state == State::Starting;
    QString what = u"codex ended: %1"_s.arg(reason);
    if (duringStart) {
        // Whoever named a wrong program must see which one it was.
        what = u"codex ended while it was started from %1: %2"_s.arg(m_spec.program, reason);
        if (!said.isEmpty()) {
            what += u". It said: "_s + said;
        }
    }
    if (static_cast<int>(m_exits.size()) >= m_timings.exitsUntilFailed) {
        m_failure
            = u"codex has ended %1 times within a minute. The last time: %2"_s.arg(m_exits.size())
                  .arg(what);
        m_failedSince = now;
        setState(State::Failed);
    } else {
        m_failure = what;
        setState(State::Stopped);
    }
    // Those who came while a running process was being ended are not concerned by its end.
    const QList<Waiter> next = duringStart ? QList<Waiter>() : std::exchange(m_waiters, {});
    answerWaiters(deskhand::failure(
        ErrorKind::Process, what, u"Run \"deskhand-executor doctor\" to see why."_s));
    Q_EMIT lost(what);
    for (const Waiter &waiter : next) {
        if (waiter.context) {
            whenReady(waiter.context, waiter.handler);
        }
    }
}

} // namespace deskhand::engines::codex
