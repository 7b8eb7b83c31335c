// SPDX-License-Identifier: Apache-2.0
#include "executor/control/endpoint.h"

#include <QCryptographicHash>

namespace deskhand::control {

using namespace Qt::StringLiterals;

QString findEndpoint(const ExecutorHome &home)
{
    // Names of pipes are shared by all users, so the home's path makes it the user's own; access is
    // limited by the pipe's security descriptor.
    const QByteArray hash
        = QCryptographicHash::hash(home.root.toLower().toUtf8(), QCryptographicHash::Sha256);
    return u"deskhand-"_s + QString::fromLatin1(hash.toHex().first(32));
}

Result<QString> prepareEndpoint(const ExecutorHome &home)
{
    return findEndpoint(home);
}

void forgetEndpoint(const ExecutorHome & /*home*/) { }

bool isOwnUser(qintptr /*socketDescriptor*/)
{
    return true; // the pipe of UserAccessOption lets nobody else in
}

} // namespace deskhand::control
