// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <chrono>

namespace deskhand::settings {

/// Times of the link to the backend (device protocol, section 1.5). Each has its environment
/// variable, a positive whole number of seconds; other values are ignored and named.
struct LinkTimes
{
    std::chrono::milliseconds heartbeatInterval { 30000 }; ///< LOCAL_HEARTBEAT_INTERVAL
    std::chrono::milliseconds heartbeatLimit { 30000 }; ///< LOCAL_HEARTBEAT_CALL_TIMEOUT
    std::chrono::milliseconds reconnectDelay { 1000 }; ///< LOCAL_RECONNECT_DELAY, doubling up to
    std::chrono::milliseconds reconnectMaxDelay { 60000 }; ///< LOCAL_RECONNECT_MAX_DELAY
    std::chrono::milliseconds registerLimit { 10000 }; ///< wait for the registration's answer

    [[nodiscard]] bool operator==(const LinkTimes &other) const = default;
};

/// device-config.json merged with the environment (device protocol, section 2.1).
struct DeviceConfig
{
    QString deviceId;
    QString runtimeInstanceId;
    QString deviceName;
    QString deviceType = QStringLiteral("local");
    QString bindShell = QStringLiteral("claudecode");
    QString backendUrl;
    QString socketUrl; ///< empty = backendUrl
    QString authToken; ///< from the environment or the file; never logged
    QString runtimeAuthToken;
    bool tokenFromEnvironment = false;
    LinkTimes times;
    QStringList problems; ///< sentences for a person: bad values, a broken file kept aside

    [[nodiscard]] bool operator==(const DeviceConfig &other) const = default;
};

/// Reads the file, lays the environment over it, generates what is missing and saves only the
/// generated identity. Unknown keys survive; the write is atomic, mode 0600. A file that is not
/// JSON is kept aside and named in `problems`. A folder that cannot be written is a problem, not
/// an error: the generated identity then lasts for this run.
[[nodiscard]] Result<DeviceConfig> loadDeviceConfig(const QString &file);

/// Changes single keys of the file ("connection.auth_token", "device_name"), leaving all others;
/// null removes a key. A broken file is kept aside first.
[[nodiscard]] Result<> updateDeviceConfig(const QString &file, const QJsonObject &dottedKeys);

/// Trims and strips a leading "Bearer " in any case (device protocol, section 1.2).
[[nodiscard]] QString cleanToken(const QString &token);

} // namespace deskhand::settings
