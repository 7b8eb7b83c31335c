// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/device/linkrules.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>

namespace deskhand::device {

/// Beats while the device is registered: at once, then by the interval, and soon after a change.
/// One beat is under way at a time, and each asks for its answer; the second one in a row without
/// an answer means that the link is dead. Owner: DeviceLink; executor thread.
class Heartbeat final : public QObject
{
    Q_OBJECT
public:
    using Answer = std::function<void(const Result<QJsonObject> &)>;
    using Send = std::function<Result<>(std::chrono::milliseconds limit, const Answer &answer)>;

    explicit Heartbeat(QObject *parent = nullptr);

    void start(const Send &send, const settings::LinkTimes &times);
    void stop();
    /// What is reported has changed: beats within a moment. Many changes make one beat.
    void changed();

Q_SIGNALS:
    void acknowledged();
    void missed(int inARow); ///< no answer in time; at 2 the link is dead
    void refused(const deskhand::device::HeartbeatReading &reading);

private:
    void beat();
    void onAnswer(quint64 generation, const Result<QJsonObject> &answer);

    Send m_send;
    settings::LinkTimes m_times;
    QTimer m_timer;
    bool m_underWay = false;
    bool m_again = false;
    int m_missed = 0;
    quint64 m_generation = 0; ///< answers for an earlier link are ignored
};

} // namespace deskhand::device
