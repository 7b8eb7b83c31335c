// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>

namespace deskhand::modelproxy {

/// One of the JSON files of resources/models/, compiled into the program. They are part of it, so
/// a broken one stops a debug build at once and is empty otherwise.
[[nodiscard]] QByteArray modelResourceText(const QString &fileName);
/// The same, parsed.
[[nodiscard]] QJsonObject modelResource(const QString &fileName);

} // namespace deskhand::modelproxy
