// SPDX-License-Identifier: Apache-2.0
#include "executor/common/result.h"

namespace deskhand {

Error Error::within(const QString &context) const
{
    return Error { kind, context + QStringLiteral(": ") + message, hint };
}

QString errorKindName(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::Cancelled:
        return QStringLiteral("cancelled");
    case ErrorKind::Timeout:
        return QStringLiteral("timeout");
    case ErrorKind::Network:
        return QStringLiteral("network");
    case ErrorKind::Protocol:
        return QStringLiteral("protocol");
    case ErrorKind::Auth:
        return QStringLiteral("auth");
    case ErrorKind::Io:
        return QStringLiteral("io");
    case ErrorKind::Process:
        return QStringLiteral("process");
    case ErrorKind::Usage:
        return QStringLiteral("usage");
    case ErrorKind::NotFound:
        return QStringLiteral("not_found");
    case ErrorKind::Conflict:
        return QStringLiteral("conflict");
    case ErrorKind::Policy:
        return QStringLiteral("policy");
    case ErrorKind::Unavailable:
        return QStringLiteral("unavailable");
    case ErrorKind::Internal:
        break;
    }
    return QStringLiteral("internal");
}

} // namespace deskhand
