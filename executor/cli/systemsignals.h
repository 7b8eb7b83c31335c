// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <memory>

namespace deskhand::cli {

/// Signals of the system as signals of Qt: what the handler notes is told from the event loop. One
/// object per process, main thread.
class SystemSignals final : public QObject
{
    Q_OBJECT
public:
    explicit SystemSignals(QObject *parent = nullptr);
    ~SystemSignals() override;
    Q_DISABLE_COPY_MOVE(SystemSignals)

Q_SIGNALS:
    void stopRequested(); ///< SIGTERM, SIGINT; on Windows Ctrl-C, closing, signing out
    void reloadRequested(); ///< SIGHUP

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace deskhand::cli
