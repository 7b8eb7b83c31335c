// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/status/parts.h"

#include <QHash>
#include <QObject>
#include <QTimer>

namespace deskhand::app {

class PauseClock;

/// The last status of the core together with what only the program knows: when each part entered
/// its state, how long the pause lasts, whether it is draining. Announces changes and the moments
/// when time alone changes the overall state. Owned by the desktop, main thread.
class StatusWatch final : public QObject
{
    Q_OBJECT
public:
    StatusWatch(Core &core, PauseClock &pause, QObject *parent = nullptr);

    /// The status, with the time until the next try counted down to now.
    [[nodiscard]] StatusSnapshot status() const;
    [[nodiscard]] Situation situation() const;
    [[nodiscard]] Overall overall() const;
    /// Link, engine, sandbox, secrets.
    [[nodiscard]] QList<PartView> parts() const;
    /// Milliseconds since the epoch when the part entered its present state, 0 = not known.
    [[nodiscard]] qint64 since(const QString &partKey) const;

    void setDraining(bool draining);

Q_SIGNALS:
    void changed();

private:
    void refresh();
    void awaitNextChange();

    struct Seen
    {
        QString state;
        qint64 sinceMs = 0;
    };

    Core &m_core;
    PauseClock &m_pause;
    QTimer m_timer;
    StatusSnapshot m_status;
    qint64 m_statusAtMs = 0;
    bool m_draining = false;
    QHash<QString, Seen> m_seen;
};

} // namespace deskhand::app
