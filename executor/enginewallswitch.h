// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/codex/codexengine.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThread>

#include <memory>

namespace deskhand {

/// The owner's switch for the wall around the engine's process. Tries the wall on a thread of its
/// own when it is wanted; where none can be built the engine runs without, and the cause is told.
/// Owned by the core, on the executor thread.
class EngineWallSwitch final : public QObject
{
    Q_OBJECT
public:
    enum class State { Off, Building, On, Impossible };

    EngineWallSwitch(engines::codex::CodexEngine &engine, QStringList hidden, QStringList shown);
    ~EngineWallSwitch() override;
    Q_DISABLE_COPY_MOVE(EngineWallSwitch)

    /// `secretPaths`: of the owner, hidden besides the usual ones. Another list builds it anew.
    void setWanted(bool wanted, const QStringList &secretPaths);
    [[nodiscard]] State state() const { return m_state; }
    /// Turns wait meanwhile: none may start without the wall that the owner wants.
    [[nodiscard]] bool isBuilding() const { return m_state == State::Building; }
    [[nodiscard]] QString cause() const { return m_cause; } ///< why it is impossible

Q_SIGNALS:
    void changed();

private:
    void build();
    void setState(State state, const QString &cause);

    engines::codex::CodexEngine &m_engine;
    QStringList m_hidden;
    QStringList m_shown;
    QStringList m_secrets; ///< of the owner
    QStringList m_triedSecrets; ///< those the wall was last tried with
    std::unique_ptr<QThread> m_thread;
    QString m_cause;
    State m_state = State::Off;
    bool m_wanted = false;
};

/// "off", "building", "on", "impossible".
[[nodiscard]] QString engineWallName(EngineWallSwitch::State state);

} // namespace deskhand
