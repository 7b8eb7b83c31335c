// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <functional>

QT_BEGIN_NAMESPACE
class QObject;
QT_END_NAMESPACE

namespace deskhand::settings {

/// Tells "there is no such secret" from "it is there and locked", where the key store library says
/// the first for both. Answers on the calling thread, which must be the keychain thread: the first
/// call may block while it connects.
void askWhetherLocked(const QString &service, const QString &name, QObject *context,
    const std::function<void(bool locked)> &answer);

} // namespace deskhand::settings
