// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>

#include <chrono>

namespace deskhand::app {

class Core;

/// Pauses new tasks for a while: asks the core to pause and resumes it when the time is over. The
/// wall clock counts, so time asleep counts too. Owned by the desktop, main thread.
class PauseClock final : public QObject
{
    Q_OBJECT
public:
    explicit PauseClock(Core &core, QObject *parent = nullptr);

    void pauseFor(std::chrono::milliseconds time);
    void pauseUntil(qint64 msSinceEpoch);
    void pauseUntilResumed();
    void resume();

    /// 0 when not paused or paused without an end.
    [[nodiscard]] qint64 untilMs() const { return m_untilMs; }

Q_SIGNALS:
    void changed();

private:
    void onTick();

    Core &m_core;
    QTimer m_timer;
    qint64 m_untilMs = 0;
};

} // namespace deskhand::app
