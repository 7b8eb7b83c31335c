// SPDX-License-Identifier: Apache-2.0
#include "app/pauseclock.h"

#include "app/core.h"

#include <QDateTime>

namespace deskhand::app {
namespace {

/// A timer may sleep with the computer; looking at the wall clock now and then catches that.
constexpr qint64 kLongestNap = 60'000; // milliseconds

} // namespace

PauseClock::PauseClock(Core &core, QObject *parent)
    : QObject(parent)
    , m_core(core)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &PauseClock::onTick);
}

void PauseClock::pauseFor(std::chrono::milliseconds time)
{
    pauseUntil(QDateTime::currentMSecsSinceEpoch() + time.count());
}

void PauseClock::pauseUntil(qint64 msSinceEpoch)
{
    m_untilMs = msSinceEpoch;
    m_core.setPaused(true);
    onTick();
    Q_EMIT changed();
}

void PauseClock::pauseUntilResumed()
{
    m_timer.stop();
    m_untilMs = 0;
    m_core.setPaused(true);
    Q_EMIT changed();
}

void PauseClock::resume()
{
    m_timer.stop();
    m_untilMs = 0;
    m_core.setPaused(false);
    Q_EMIT changed();
}

void PauseClock::onTick()
{
    if (m_untilMs == 0) {
        return;
    }
    const qint64 left = m_untilMs - QDateTime::currentMSecsSinceEpoch();
    if (left <= 0) {
        resume();
    } else {
        m_timer.start(static_cast<int>(qMin(left, kLongestNap)));
    }
}

} // namespace deskhand::app
