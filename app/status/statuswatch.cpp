// SPDX-License-Identifier: Apache-2.0
#include "app/status/statuswatch.h"

#include "app/pauseclock.h"

#include <QDateTime>

using namespace Qt::StringLiterals;

namespace deskhand::app {

StatusWatch::StatusWatch(Core &core, PauseClock &pause, QObject *parent)
    : QObject(parent)
    , m_core(core)
    , m_pause(pause)
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    // An early timer must not leave the state as it is for good: look again.
    connect(&m_timer, &QTimer::timeout, this, [this] {
        awaitNextChange();
        Q_EMIT changed();
    });
    connect(&core, &Core::statusChanged, this, &StatusWatch::refresh);
    connect(&pause, &PauseClock::changed, this, &StatusWatch::changed);
    refresh();
}

void StatusWatch::refresh()
{
    m_status = m_core.status();
    m_statusAtMs = QDateTime::currentMSecsSinceEpoch();
    for (const PartView &part : parts()) {
        Seen &seen = m_seen[part.key];
        if (seen.state != part.state) {
            seen = { part.state, m_statusAtMs };
        }
    }
    awaitNextChange();
    Q_EMIT changed();
}

void StatusWatch::awaitNextChange()
{
    const qint64 next = Parts::nextChange(m_status, QDateTime::currentMSecsSinceEpoch());
    if (next >= 0) {
        m_timer.start(static_cast<int>(next) + 1);
    } else {
        m_timer.stop();
    }
}

StatusSnapshot StatusWatch::status() const
{
    StatusSnapshot status = m_status;
    if (status.link.nextRetryMs > 0) {
        const qint64 gone = QDateTime::currentMSecsSinceEpoch() - m_statusAtMs;
        status.link.nextRetryMs = qMax<qint64>(0, status.link.nextRetryMs - gone);
    }
    return status;
}

Situation StatusWatch::situation() const
{
    return { QDateTime::currentMSecsSinceEpoch(), m_pause.untilMs(), m_draining };
}

Overall StatusWatch::overall() const
{
    return Parts::overall(status(), situation());
}

QList<PartView> StatusWatch::parts() const
{
    const StatusSnapshot now = status();
    return { Parts::link(now, QDateTime::currentMSecsSinceEpoch()), Parts::engine(now),
        Parts::sandbox(now), Parts::secrets(now) };
}

qint64 StatusWatch::since(const QString &partKey) const
{
    if (partKey == "link"_L1 && m_status.link.sinceMs > 0) {
        return m_status.link.sinceMs;
    }
    return m_seen.value(partKey).sinceMs;
}

void StatusWatch::setDraining(bool draining)
{
    if (m_draining != draining) {
        m_draining = draining;
        Q_EMIT changed();
    }
}

} // namespace deskhand::app
