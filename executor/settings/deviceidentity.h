// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace deskhand::settings {

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
    QStringList problems; ///< sentences for a person: bad values, a broken file kept aside
};

/// Reads the file, lays the environment over it, generates what is missing and saves only the
/// generated identity. Unknown keys survive; the write is atomic, mode 0600. A file that is not
/// JSON is kept aside and named in `problems`. A folder that cannot be written is a problem, not
/// an error: the generated identity then lasts for this run.
[[nodiscard]] Result<DeviceConfig> loadDeviceConfig(const QString &file);

/// Changes single keys of the file ("connection.auth_token", "device_name"), leaving all others.
[[nodiscard]] Result<> updateDeviceConfig(const QString &file, const QJsonObject &dottedKeys);

/// Trims and strips a leading "Bearer " in any case (device protocol, section 1.2).
[[nodiscard]] QString cleanToken(const QString &token);

} // namespace deskhand::settings
