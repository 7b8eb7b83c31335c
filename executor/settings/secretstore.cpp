// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/secretstore.h"

namespace deskhand::settings {

QString secretsStateName(SecretsState state)
{
    switch (state) {
    case SecretsState::Ready:
        return QStringLiteral("ready");
    case SecretsState::Locked:
        return QStringLiteral("locked");
    case SecretsState::Missing:
        return QStringLiteral("missing");
    case SecretsState::SessionOnly:
        break;
    }
    return QStringLiteral("session_only");
}

Result<> checkSecret(const QString &name, const QString &value)
{
    constexpr qsizetype kMaxNameLength = 200;
    constexpr qsizetype kMaxValueLength = 64 * 1024;
    if (name.isEmpty() || name.size() > kMaxNameLength) {
        return failure(ErrorKind::Usage,
            QStringLiteral("the name of a secret must have 1 to %1 characters")
                .arg(kMaxNameLength));
    }
    if (value.size() > kMaxValueLength) {
        return failure(ErrorKind::Usage,
            QStringLiteral("a secret may have at most %1 characters").arg(kMaxValueLength));
    }
    return {};
}

} // namespace deskhand::settings
