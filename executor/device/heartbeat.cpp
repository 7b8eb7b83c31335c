// SPDX-License-Identifier: Apache-2.0
#include "executor/device/heartbeat.h"

namespace deskhand::device {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kCoalesce = 50ms;

} // namespace

Heartbeat::Heartbeat(QObject *parent)
    : QObject(parent)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &Heartbeat::beat);
}

void Heartbeat::start(const Send &send, const settings::LinkTimes &times)
{
    stop();
    m_send = send;
    m_times = times;
    m_missed = 0;
    beat();
}

void Heartbeat::stop()
{
    ++m_generation;
    m_send = nullptr;
    m_timer.stop();
    m_underWay = false;
    m_again = false;
}

void Heartbeat::changed()
{
    if (!m_send) {
        return;
    }
    if (m_underWay) {
        m_again = true;
    } else if (!m_timer.isActive() || m_timer.remainingTimeAsDuration() > kCoalesce) {
        m_timer.start(kCoalesce);
    }
}

void Heartbeat::beat()
{
    if (!m_send || m_underWay) {
        return;
    }
    m_timer.stop();
    m_underWay = true;
    m_again = false;
    const Result<> sent = m_send(m_times.heartbeatLimit,
        [this, generation = m_generation](
            const Result<QJsonObject> &answer) { onAnswer(generation, answer); });
    if (!sent) {
        // The link is gone and its owner is about to be told; only a beat that cannot be said at
        // all would come here again, so it waits for the next interval.
        m_underWay = false;
        m_timer.start(m_times.heartbeatInterval);
    }
}

void Heartbeat::onAnswer(quint64 generation, const Result<QJsonObject> &answer)
{
    if (generation != m_generation) {
        return;
    }
    m_underWay = false;
    if (!answer) {
        if (answer.error().kind == ErrorKind::Timeout) {
            ++m_missed;
            // Sent before it is told, since the owner may stop this object when it hears of it.
            if (m_missed < 2) {
                beat();
            }
            Q_EMIT missed(m_missed);
        }
        return;
    }
    m_missed = 0;
    m_timer.start(m_again ? kCoalesce : m_times.heartbeatInterval);
    const HeartbeatReading reading = readHeartbeatAnswer(*answer);
    if (reading.kind == HeartbeatAnswer::Fine) {
        Q_EMIT acknowledged();
    } else {
        Q_EMIT refused(reading);
    }
}

} // namespace deskhand::device
