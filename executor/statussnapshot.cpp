// SPDX-License-Identifier: Apache-2.0
#include "executor/executor.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonObject>
#include <QTimeZone>

namespace deskhand {
namespace {

using namespace Qt::StringLiterals;

QJsonValue timeOrNull(qint64 ms)
{
    return ms == 0
        ? QJsonValue(QJsonValue::Null)
        : QJsonValue(QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC).toString(Qt::ISODateWithMs));
}

QJsonValue textOrNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(text);
}

} // namespace

QJsonObject StatusSnapshot::toJson() const
{
    return {
        { u"link"_s,
            QJsonObject { { u"state"_s, device::linkStateName(link.state) },
                { u"cause"_s, textOrNull(link.cause) }, { u"since"_s, timeOrNull(link.sinceMs) },
                { u"next_retry_ms"_s,
                    link.nextRetryMs < 0 ? QJsonValue(QJsonValue::Null)
                                         : QJsonValue(link.nextRetryMs) },
                { u"host"_s, textOrNull(link.host) },
                { u"last_heartbeat"_s, timeOrNull(link.lastHeartbeatMs) },
                { u"unsent"_s, link.unsent } } },
        { u"engine"_s,
            QJsonObject { { u"state"_s, engines::engineStateName(engine.state) },
                { u"cause"_s, textOrNull(engine.cause) },
                { u"version"_s, textOrNull(engine.version) },
                { u"path"_s, textOrNull(engine.path) } } },
        { u"sandbox"_s,
            QJsonObject { { u"state"_s, sandbox.state }, { u"cause"_s, textOrNull(sandbox.cause) },
                { u"fix"_s, textOrNull(sandbox.fix) }, { u"wall"_s, textOrNull(sandbox.wall) },
                { u"engine_wall"_s, sandbox.engineWall },
                { u"engine_wall_cause"_s, textOrNull(sandbox.engineWallCause) } } },
        { u"secrets"_s,
            QJsonObject { { u"state"_s, settings::secretsStateName(secrets) },
                { u"place"_s, textOrNull(secretsPlace) } } },
        { u"device"_s, QJsonObject { { u"id"_s, deviceId }, { u"name"_s, deviceName } } },
        { u"tasks"_s, QJsonObject { { u"running"_s, running }, { u"queued"_s, queued } } },
        { u"requests"_s, requests },
        { u"paused"_s, paused },
        { u"paused_until"_s, timeOrNull(pausedUntilMs) },
        { u"draining"_s, draining },
        { u"problems"_s, QJsonArray::fromStringList(problems) },
    };
}

} // namespace deskhand
