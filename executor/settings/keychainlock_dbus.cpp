// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/keychainlock.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QMap>

namespace deskhand::settings {
namespace {

using namespace Qt::StringLiterals;
using Attributes = QMap<QString, QString>;

constexpr int kLimitMs = 3000;

} // namespace

// A Secret Service that was not allowed to unlock anything simply returns nothing for a lookup
// (Secret Service API, "Unlocking": a dismissed prompt is no error). SearchItems lists locked items
// without a prompt. The attributes are those the key store library writes.
void askWhetherLocked(const QString &service, const QString &name, QObject *context,
    const std::function<void(bool locked)> &answer)
{
    qDBusRegisterMetaType<Attributes>();
    QDBusMessage search = QDBusMessage::createMethodCall(u"org.freedesktop.secrets"_s,
        u"/org/freedesktop/secrets"_s, u"org.freedesktop.Secret.Service"_s, u"SearchItems"_s);
    search << QVariant::fromValue(Attributes { { u"server"_s, service }, { u"user"_s, name } });
    auto *watcher = new QDBusPendingCallWatcher(
        QDBusConnection::sessionBus().asyncCall(search, kLimitMs), context);
    QObject::connect(watcher, &QDBusPendingCallWatcher::finished, context,
        [answer](QDBusPendingCallWatcher *finished) {
            finished->deleteLater();
            const QDBusPendingReply<QList<QDBusObjectPath>, QList<QDBusObjectPath>> reply
                = *finished;
            answer(!reply.isError() && !reply.argumentAt<1>().isEmpty());
        });
}

} // namespace deskhand::settings
