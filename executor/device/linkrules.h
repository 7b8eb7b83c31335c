// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/settings/deviceidentity.h"
#include "executor/socketio/packet.h"

#include <QJsonObject>
#include <QJsonValue>

#include <chrono>
#include <optional>

namespace deskhand::device {

// What the backend's answers mean for the link (device protocol, sections 1.3, 3.1, 4.1). The
// backend has no codes: its texts are the interface. All pure, any thread.

/// What to do about a refused connection.
struct Refusal
{
    enum class Kind {
        SignIn, ///< the token is no good: nothing helps but another one
        RateLimit, ///< too many attempts: leave it alone for at least `pause`
        WrongServer, ///< this server knows no devices
        Later ///< try again by the back-off
    };
    Kind kind = Kind::Later;
    QString cause; ///< sentence for a person
    std::chrono::milliseconds pause { 0 };
};
/// `data` of the CONNECT_ERROR: {"message": text}, or a bare text.
[[nodiscard]] Refusal readRefusal(const QJsonValue &data);

/// The object of an acknowledgement, bare or wrapped in a list; empty for anything else.
[[nodiscard]] QJsonObject answerObject(const socketio::Payload &answer);
/// Why it is a refusal: an `error` that says something, or a `success` that is anything but true.
/// Nothing when it is none; an answer without either is none.
[[nodiscard]] std::optional<QString> answerProblem(const QJsonObject &answer);
/// Taken only with `success` true; else what the server said.
[[nodiscard]] Result<> readRegistrationAnswer(const socketio::Payload &answer);

enum class HeartbeatAnswer {
    Fine,
    Stale, ///< another connection is registered with this device id
    Forgotten, ///< the server does not know this registration: register again
    Refused ///< the payload was not taken
};
struct HeartbeatReading
{
    HeartbeatAnswer kind = HeartbeatAnswer::Fine;
    QString text;
};
[[nodiscard]] HeartbeatReading readHeartbeatAnswer(const QJsonObject &answer);

[[nodiscard]] QJsonObject registration(
    const settings::DeviceConfig &config, const QString &clientIp);
[[nodiscard]] QJsonObject heartbeat(
    const settings::DeviceConfig &config, const QString &clientIp, const QList<qint64> &running);

/// Answer to a call this version does not carry out, in the form of that call (section 8).
[[nodiscard]] QJsonObject unsupportedAnswer(const QString &event);

/// Address the socket goes to, trimmed; empty when nothing is configured.
[[nodiscard]] QString socketAddress(const settings::DeviceConfig &config);
/// scheme://host:port/path in one spelling, to tell servers apart.
[[nodiscard]] QString serverKey(const QString &address);

} // namespace deskhand::device
