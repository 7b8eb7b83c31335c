// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

namespace deskhand::app {

/// Turns the system's requests to end (SIGTERM, SIGINT, SIGHUP; console events on Windows) into a
/// signal on the main thread. At most one object. Owned by main.
class QuitSignals final : public QObject
{
    Q_OBJECT
public:
    explicit QuitSignals(QObject *parent = nullptr);
    ~QuitSignals() override;

Q_SIGNALS:
    void quitRequested();
    /// SIGHUP: read the configuration again.
    void reloadRequested();
};

} // namespace deskhand::app
