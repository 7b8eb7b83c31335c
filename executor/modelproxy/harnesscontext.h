// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QHash>
#include <QJsonObject>
#include <QMutex>
#include <QString>

#include <chrono>
#include <optional>

namespace deskhand::modelproxy {

/// Who works with which model, told to a harness without secrets: only known fields survive the
/// registration. Thread-safe, owned by the facade.
class HarnessContexts final
{
public:
    explicit HarnessContexts(std::chrono::milliseconds life = std::chrono::minutes(30));
    Q_DISABLE_COPY_MOVE(HarnessContexts)

    /// Gives the token, 64 hex digits. A usage error names the missing field.
    [[nodiscard]] Result<QString> add(const QJsonObject &payload);
    void revoke(const QString &token);
    /// `what` is user, model or status. Nothing for a token that is unknown or too old.
    [[nodiscard]] std::optional<QJsonObject> read(
        const QByteArray &token, const QByteArray &what) const;

private:
    struct Entry
    {
        QString scope;
        QJsonObject user;
        QJsonObject model;
        std::chrono::steady_clock::time_point until;
    };

    const std::chrono::milliseconds m_life;
    mutable QMutex m_mutex; // guards m_entries
    QHash<QString, Entry> m_entries;
};

} // namespace deskhand::modelproxy
