// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/controlgroup.h"
#include "executor/sandbox/sandboxedrun.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <memory>

namespace deskhand::sandbox {

/// The transient scope of one run. systemd-run asks the user's systemd for it and then becomes the
/// launcher, which waits inside until check() has seen that the limits are real: nothing of the
/// command ran before. A process of its own, so that a systemd that never answers costs its
/// deadline and nothing else. Owned by the run; one thread.
class SystemdScope final
{
public:
    /// NotFound: this user has no systemd. Unavailable: it failed within the last minute, and how.
    [[nodiscard]] static Result<std::unique_ptr<SystemdScope>> plan(
        const LimitPolicy &limits, const SystemdAccess &access);

    [[nodiscard]] QString program() const { return m_program; }
    /// In front of the launcher's path and arguments.
    [[nodiscard]] QList<QByteArray> arguments() const;
    /// What program() needs in its environment and the command must not see.
    static constexpr char kVariable[] = "XDG_RUNTIME_DIR";
    [[nodiscard]] QByteArray runtimeFolder() const { return m_runtimeFolder; }

    /// Whether the process is in this scope and every asked limit can be written there and reads
    /// back as asked; then the scope's group. Else Unavailable, naming what is missing.
    [[nodiscard]] Result<std::unique_ptr<ControlGroup>> check(qint64 pid);
    [[nodiscard]] bool isPlaced() const { return m_placed; }
    /// It did not come to that: the next minute's runs do not ask again.
    void rememberFailure(const QString &because) const;

private:
    SystemdScope() = default;

    QString m_program;
    QString m_unit;
    QByteArray m_runtimeFolder;
    SystemdAccess m_access;
    qint64 m_memoryBytes = 0;
    int m_processes = 0;
    bool m_placed = false;
};

} // namespace deskhand::sandbox
