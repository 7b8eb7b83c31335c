// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>

/// What the scripted model does, and how what came of it is read.
namespace steps {

inline QJsonObject command(const QString &line, bool escalated = false)
{
    QJsonObject arguments { { QStringLiteral("cmd"), line } };
    if (escalated) {
        arguments.insert(
            QStringLiteral("sandbox_permissions"), QStringLiteral("require_escalated"));
        arguments.insert(QStringLiteral("justification"), QStringLiteral("The test wants it."));
    }
    const QJsonObject call { { QStringLiteral("name"), QStringLiteral("exec_command") },
        { QStringLiteral("arguments"), arguments } };
    return { { QStringLiteral("calls"), QJsonArray { call } } };
}

inline QJsonObject say(const QString &text)
{
    return { { QStringLiteral("text"), text } };
}

inline QJsonObject script(const QJsonArray &list)
{
    return { { QStringLiteral("steps"), list } };
}

/// Empty when it cannot be read.
inline QString fileText(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// How many of the backend's events end a turn.
inline int endings(const QList<QJsonObject> &events)
{
    return static_cast<int>(
        std::count_if(events.begin(), events.end(), [](const QJsonObject &event) {
            const QString name = event.value(QStringLiteral("name")).toString();
            return name == QStringLiteral("response.completed")
                || name == QStringLiteral("response.incomplete") || name == QStringLiteral("error");
        }));
}

} // namespace steps
