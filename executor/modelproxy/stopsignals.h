// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <memory>

namespace deskhand::modelproxy {

/// The system's wishes towards a program without a window, as Qt signals. One object at a time, on
/// the main thread.
class StopSignals final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StopSignals)

public:
    StopSignals();
    ~StopSignals() override;

Q_SIGNALS:
    void hangup(); ///< read the configuration again; never on Windows
    void stop(); ///< terminate or interrupt

private:
    struct Platform;
    std::unique_ptr<Platform> m_platform;
};

} // namespace deskhand::modelproxy
