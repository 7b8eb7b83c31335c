// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/statuscommands.h"

#include "executor/cli/exitcodes.h"
#include "executor/control/homelock.h"
#include "executor/control/protocol.h"

#include <QDateTime>
#include <QJsonArray>

namespace deskhand::cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

namespace method = control::method;

constexpr auto kQuitGrace = 8s; // beyond the drain: ending takes up to five seconds

QString field(const QJsonObject &status, QLatin1StringView part, QLatin1StringView key)
{
    return oneLine(status.value(part).toObject().value(key).toString(), 300);
}

QString row(const QString &name, const QString &state, const QString &more = {})
{
    const QString line = u"%1 %2"_s.arg(name + u':', -10).arg(state);
    return more.isEmpty() ? line : line + u"  ("_s + more + u')';
}

} // namespace

StatusCommand::StatusCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output)
{
    m_limit.setSingleShot(true);
}

void StatusCommand::start()
{
    m_waitFor = invocation().value("wait"_L1);
    const Result<qint64> limit = readSeconds(invocation(), "timeout"_L1, 0, 60'000);
    if (!limit) {
        fail(limit.error());
        return;
    }
    if (!m_waitFor.isEmpty() && m_waitFor != u"online"_s && m_waitFor != u"idle"_s) {
        fail(Error {
            ErrorKind::Usage, u"--wait must be online or idle, not \"%1\""_s.arg(m_waitFor), {} });
        return;
    }
    if (m_waitFor.isEmpty() && invocation().has("timeout"_L1)) {
        fail(Error { ErrorKind::Usage, u"--timeout needs --wait"_s, {} });
        return;
    }
    m_limit.setInterval(static_cast<int>(*limit));
    ClientCommand::start();
}

void StatusCommand::run()
{
    if (m_waitFor.isEmpty()) {
        call(method::status, {}, [this](const QJsonObject &status) {
            show(status);
            leave(kOk);
        });
        return;
    }
    connect(&client(), &control::ControlClient::notification, this,
        [this](const QString &name, const QJsonObject &params) {
            if (name == method::statusChanged) {
                consider(params);
            }
        });
    connect(&m_limit, &QTimer::timeout, this, [this] {
        show(m_latest);
        leaveWith(Error { ErrorKind::Timeout,
            u"not %1 within %2 s"_s.arg(m_waitFor).arg(m_limit.interval() / 1000.0), {} });
    });
    m_limit.start();
    call(method::statusSubscribe, {}, [this](const QJsonObject &status) { consider(status); });
}

void StatusCommand::consider(const QJsonObject &status)
{
    m_latest = status;
    const QString link = status.value("link"_L1).toObject().value("state"_L1).toString();
    const QJsonObject tasks = status.value("tasks"_L1).toObject();
    const bool idle
        = tasks.value("running"_L1).toInt() == 0 && tasks.value("queued"_L1).toInt() == 0;
    if (m_waitFor == u"online"_s ? link == u"online"_s : idle) {
        show(status);
        leave(kOk);
    } else if (m_waitFor == u"online"_s && link == u"sign_in_needed"_s) {
        show(status);
        leaveWith(Error { ErrorKind::Auth, u"the sign-in was refused"_s,
            u"Sign in again with: deskhand-executor login"_s });
    }
}

void StatusCommand::show(const QJsonObject &status)
{
    if (output().json()) {
        output().jsonLine(status);
        return;
    }
    const QJsonObject link = status.value("link"_L1).toObject();
    QStringList linkMore;
    if (const QString host = field(status, "link"_L1, "host"_L1); !host.isEmpty()) {
        linkMore.append(host);
    }
    const QDateTime since
        = QDateTime::fromString(link.value("since"_L1).toString(), Qt::ISODateWithMs);
    if (since.isValid()) {
        linkMore.append(u"since "_s + timeText(since.toMSecsSinceEpoch()));
    }
    if (link.value("next_retry_ms"_L1).isDouble()) {
        linkMore.append(
            u"next try in %1 s"_s.arg(link.value("next_retry_ms"_L1).toInteger() / 1000));
    }
    if (const QString cause = field(status, "link"_L1, "cause"_L1); !cause.isEmpty()) {
        linkMore.append(cause);
    }
    QStringList engineMore;
    for (const QLatin1StringView key : { "version"_L1, "path"_L1, "cause"_L1 }) {
        if (const QString value = field(status, "engine"_L1, key); !value.isEmpty()) {
            engineMore.append(value);
        }
    }
    const QJsonObject tasks = status.value("tasks"_L1).toObject();
    output().line(row(u"Link"_s, field(status, "link"_L1, "state"_L1), linkMore.join(u", "_s)));
    output().line(
        row(u"Engine"_s, field(status, "engine"_L1, "state"_L1), engineMore.join(u", "_s)));
    const QString cause = field(status, "sandbox"_L1, "cause"_L1);
    output().line(row(u"Sandbox"_s, field(status, "sandbox"_L1, "state"_L1),
        cause.isEmpty() ? field(status, "sandbox"_L1, "wall"_L1) : cause));
    output().line(row(u"Secrets"_s, field(status, "secrets"_L1, "state"_L1),
        field(status, "secrets"_L1, "place"_L1)));
    output().line(row(
        u"Device"_s, field(status, "device"_L1, "name"_L1), field(status, "device"_L1, "id"_L1)));
    output().line(row(u"Tasks"_s,
        u"%1 running, %2 queued"_s.arg(tasks.value("running"_L1).toInt())
            .arg(tasks.value("queued"_L1).toInt())));
    output().line(row(u"Requests"_s, QString::number(status.value("requests"_L1).toInt())));
    if (status.value("paused"_L1).toBool()) {
        const QDateTime until
            = QDateTime::fromString(status.value("paused_until"_L1).toString(), Qt::ISODateWithMs);
        output().line(row(u"Paused"_s, u"no new tasks are taken"_s,
            until.isValid() ? u"until "_s + timeText(until.toMSecsSinceEpoch()) : QString()));
    }
    for (const QJsonValue &problem : status.value("problems"_L1).toArray()) {
        output().line(row(u"Problem"_s, oneLine(problem.toString(), 500)));
    }
}

SimpleCommand::SimpleCommand(Invocation given, ExecutorHome home, Output &output,
    QLatin1StringView method, const QJsonObject &params, const QString &said)
    : ClientCommand(std::move(given), std::move(home), output)
    , m_method(method)
    , m_params(params)
    , m_said(said)
{ }

void SimpleCommand::run()
{
    call(m_method, m_params, [this](const QJsonObject & /*nothing*/) {
        if (output().json()) {
            output().jsonLine(QJsonObject { { u"ok"_s, true } });
        } else {
            output().line(m_said);
        }
        leave(kOk);
    });
}

PauseCommand::PauseCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output)
{ }

void PauseCommand::start()
{
    const Result<qint64> limit = readDuration(invocation(), "for"_L1, 0);
    if (!limit) {
        fail(limit.error());
        return;
    }
    m_limitMs = *limit;
    ClientCommand::start();
}

void PauseCommand::run()
{
    call(method::pause, { { u"for_ms"_s, m_limitMs } }, [this](const QJsonObject & /*nothing*/) {
        const QDateTime end = QDateTime::currentDateTime().addMSecs(m_limitMs);
        if (output().json()) {
            output().jsonLine(QJsonObject { { u"ok"_s, true } });
        } else if (m_limitMs > 0) {
            output().line(u"Paused until %1: no new tasks are taken."_s.arg(
                timeText(end.toMSecsSinceEpoch())));
        } else {
            output().line(u"Paused: no new tasks are taken."_s);
        }
        leave(kOk);
    });
}

QuitCommand::QuitCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output)
{
    m_limit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, [this] {
        leaveWith(Error { ErrorKind::Timeout, u"the program has not ended in time"_s, {} });
    });
    connect(&m_poll, &QTimer::timeout, this, &QuitCommand::waitForTheLock);
}

void QuitCommand::start()
{
    const Result<qint64> drain = readSeconds(invocation(), "drain"_L1, 0, 0);
    if (!drain) {
        fail(drain.error());
        return;
    }
    m_drainMs = *drain;
    ClientCommand::start();
}

void QuitCommand::run()
{
    m_limit.start(std::chrono::milliseconds(m_drainMs) + kQuitGrace);
    call(method::quit, { { u"drain_ms"_s, m_drainMs } },
        [this](const QJsonObject & /*nothing*/) { m_poll.start(50ms); });
}

void QuitCommand::onLost()
{
    // Expected; the lock tells when the process is really gone.
    m_poll.start(50ms);
}

void QuitCommand::waitForTheLock()
{
    if (control::HomeLock::holder(home())) {
        return;
    }
    m_poll.stop();
    m_limit.stop();
    if (output().json()) {
        output().jsonLine(QJsonObject { { u"ok"_s, true } });
    } else {
        output().line(u"Stopped."_s);
    }
    leave(kOk);
}

} // namespace deskhand::cli
