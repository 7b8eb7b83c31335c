// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/settings/deviceidentity.h"
#include "executor/tasks/taskmanager.h"

#include <QObject>

#include <memory>

namespace deskhand::device {

enum class LinkState {
    NotSetUp,
    Connecting,
    Online,
    Reconnecting,
    Offline,
    SignInNeeded,
    Refused,
    Conflict,
    Paused
};
/// "not_set_up", "connecting", "online", "reconnecting", "offline", "sign_in_needed", "refused",
/// "conflict", "paused".
[[nodiscard]] QString linkStateName(LinkState state);

struct LinkStatus
{
    LinkState state = LinkState::NotSetUp;
    QString cause; ///< sentence, may be empty
    qint64 sinceMs = 0; ///< wall clock, when this state began
    qint64 nextRetryMs = -1; ///< milliseconds until the next try, -1 = none planned
    QString host;
    qint64 lastHeartbeatMs = 0; ///< wall clock of the last acknowledged one
    int unsent = 0; ///< events waiting in the outbox
    int setAside = 0; ///< messages that could not be sent, since the program started
};

/// This computer as a device of a Wegent backend: connects, registers, beats, takes tasks and sends
/// what happens. Lives on the executor thread. Online only while registered with an acknowledged
/// heartbeat; a refused token stops retrying until it changes; a lost network never stops it.
class DeviceLink final : public QObject
{
    Q_OBJECT
public:
    DeviceLink(tasks::TaskManager &tasks, tasks::Journal &journal, QObject *parent = nullptr);
    ~DeviceLink() override;

    /// (Re)configures; connects when a URL and a token are there. Same values: nothing happens.
    /// Another server: its turns are stopped, and what they still had to say is dropped.
    void configure(const settings::DeviceConfig &config);
    void setPaused(bool paused); ///< stays registered, new backend tasks are refused with a reason
    /// Ends a waiting time. A refused token is not tried again before it changes.
    void tryNow();
    /// Sends what it can for at most `limit`, closes cleanly; stopped() follows.
    void requestStop(std::chrono::milliseconds limit);
    [[nodiscard]] LinkStatus status() const;

Q_SIGNALS:
    void statusChanged(const deskhand::device::LinkStatus &status);
    void stopped();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace deskhand::device

Q_DECLARE_METATYPE(deskhand::device::LinkStatus)
