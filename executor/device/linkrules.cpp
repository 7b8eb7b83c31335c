// SPDX-License-Identifier: Apache-2.0
#include "executor/device/linkrules.h"

#include "executor/common/jsonreader.h"

#include <QJsonArray>
#include <QUrl>

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kRateLimitPause = 35s; // the server's window is 30 s
constexpr qsizetype kMaxShownText = 300;

QJsonObject identity(const settings::DeviceConfig &config, const QString &clientIp)
{
    return {
        { u"device_id"_s, config.deviceId }, { u"runtime_instance_id"_s, config.runtimeInstanceId },
        { u"executor_version"_s, QStringLiteral(DESKHAND_VERSION) },
        { u"runtime_transfer_host"_s, clientIp },
        { u"runtime_features"_s,
            QJsonObject { { u"schemaVersion"_s, 1 },
                { u"worktrees"_s, QJsonObject { { u"version"_s, 1 }, { u"managed"_s, false } } } } }
    };
}

} // namespace

Refusal readRefusal(const QJsonValue &data)
{
    const QString text
        = (data.isObject() ? data.toObject().value(u"message"_s).toString() : data.toString())
              .trimmed()
              .left(kMaxShownText);
    if (text == u"Missing authentication token" || text == u"Invalid or expired API key"
        || text == u"Invalid or expired token") {
        return { Refusal::Kind::SignIn,
            u"The server does not accept the sign-in (%1). Sign in again."_s.arg(text), 0ms };
    }
    if (text == u"Too many device connection attempts") {
        return { Refusal::Kind::RateLimit,
            u"The server asks for a pause: too many connection attempts."_s, kRateLimitPause };
    }
    // "Unable to connect" is python-socketio's word for a namespace it does not have, "Invalid
    // namespace" that of the server of npm.
    if (text == u"Unable to connect" || text == u"Invalid namespace") {
        return { Refusal::Kind::WrongServer,
            u"This server does not take devices. Check the address."_s, 0ms };
    }
    return { Refusal::Kind::Later,
        text.isEmpty() ? u"The server refused the connection."_s
                       : u"The server refused the connection: %1."_s.arg(text),
        0ms };
}

QJsonObject answerObject(const socketio::Payload &answer)
{
    QJsonValue value = answer.args.at(0);
    if (value.isArray()) {
        value = value.toArray().at(0);
    }
    return value.toObject();
}

std::optional<QString> answerProblem(const QJsonObject &answer)
{
    const QJsonValue error = answer.value(u"error"_s);
    const bool blank = error.isString() && error.toString().trimmed().isEmpty();
    if (!error.isUndefined() && !error.isNull() && !blank) {
        const QString text = error.isString()
            ? error.toString().trimmed()
            : QString::fromUtf8(json::compact({ { u"error"_s, error } }));
        return text.left(kMaxShownText);
    }
    const QJsonValue success = answer.value(u"success"_s);
    if (!success.isUndefined() && success != QJsonValue(true)) {
        return u"no reason was given"_s;
    }
    return std::nullopt;
}

Result<> readRegistrationAnswer(const socketio::Payload &answer)
{
    const QJsonObject object = answerObject(answer);
    const auto problem = answerProblem(object);
    if (!problem && object.value(u"success"_s) == QJsonValue(true)) {
        return {};
    }
    return failure(ErrorKind::Protocol,
        u"The server did not register this device: %1."_s.arg(
            problem.value_or(u"it did not say that it did"_s)));
}

HeartbeatReading readHeartbeatAnswer(const QJsonObject &answer)
{
    const auto problem = answerProblem(answer);
    if (!problem) {
        return {};
    }
    const QString &text = *problem;
    if (text == u"Stale device connection") {
        return { HeartbeatAnswer::Stale,
            u"Another program is online with this device identity."_s };
    }
    if (text == u"Not authenticated" || text == u"Device ID mismatch"
        || text == u"Runtime instance ID mismatch") {
        return { HeartbeatAnswer::Forgotten, u"The server refused a heartbeat: %1."_s.arg(text) };
    }
    return { HeartbeatAnswer::Refused, u"The server refused a heartbeat: %1."_s.arg(text) };
}

QJsonObject registration(const settings::DeviceConfig &config, const QString &clientIp)
{
    QJsonObject payload = identity(config, clientIp);
    payload.insert(u"name"_s, config.deviceName);
    payload.insert(u"device_type"_s, config.deviceType);
    payload.insert(u"bind_shell"_s, config.bindShell);
    payload.insert(u"client_ip"_s, clientIp);
    payload.insert(u"app_device_id"_s, QString(u""_s));
    return payload;
}

QJsonObject heartbeat(
    const settings::DeviceConfig &config, const QString &clientIp, const QList<qint64> &running)
{
    QJsonObject payload = identity(config, clientIp);
    QJsonArray ids;
    for (const qint64 id : running) {
        ids.append(id);
    }
    payload.insert(u"running_task_ids"_s, ids);
    return payload;
}

QJsonObject unsupportedAnswer(const QString &event)
{
    const QString text = u"%1 is not supported by this version"_s.arg(event.left(kMaxShownText));
    QJsonObject answer { { u"success"_s, false }, { u"error"_s, text } };
    if (event == u"device:execute_command") {
        answer.insert(u"exit_code"_s, QJsonValue::Null);
        answer.insert(u"stdout"_s, QString(u""_s));
        answer.insert(u"stderr"_s, QString(u""_s));
        answer.insert(u"duration"_s, 0);
        answer.insert(u"timed_out"_s, false);
    } else if (event == u"runtime:rpc") {
        answer.insert(u"code"_s, u"unsupported_method"_s);
    } else if (event == u"device:run_extension") {
        answer.insert(u"message"_s, text);
    }
    return answer;
}

QString socketAddress(const settings::DeviceConfig &config)
{
    const QString own = config.socketUrl.trimmed();
    return own.isEmpty() ? config.backendUrl.trimmed() : own;
}

QString serverKey(const QString &address)
{
    QUrl url(address.trimmed());
    QString scheme = url.scheme().toLower();
    scheme = scheme == u"ws" ? u"http"_s : scheme == u"wss" ? u"https"_s : scheme;
    QString path = url.path();
    while (path.endsWith(u'/')) {
        path.chop(1);
    }
    return u"%1://%2:%3%4"_s.arg(scheme, url.host().toLower())
        .arg(url.port(scheme == u"https" ? 443 : 80))
        .arg(path);
}

} // namespace deskhand::device
