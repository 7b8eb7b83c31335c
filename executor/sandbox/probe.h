// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThread>

#include <chrono>
#include <memory>

namespace deskhand::process {
class RunControl;
}

namespace deskhand::sandbox {

/// What the wall is worth on this computer.
enum class SandboxState {
    Protected, ///< the full wall stands: a command ran in it and was held
    Reduced, ///< something of it is missing; `cause` says what
    Unavailable, ///< no wall: tasks that need protection are refused
    External ///< somebody else's wall is around us, and ours cannot be built inside
};

/// Stable lower-case word: protected, reduced, unavailable, external.
[[nodiscard]] QString sandboxStateName(SandboxState state);

/// The result of a probe. Value type.
struct SandboxStatus
{
    SandboxState state = SandboxState::Unavailable;
    QString kind; ///< bwrap, landlock, seatbelt, appcontainer, wintoken, container, none
    QString cause; ///< why it is not Protected; one sentence, empty when it is
    QString fix; ///< the one next step, empty when there is none
    QString bwrapPath; ///< the one that builds the wall, or would
    bool bundled = false; ///< it is the one that comes with this program
    QString bwrapNote; ///< why it is not the system's; empty when it is
    QString helperPath;
    int landlockAbi = 0;
    QString
        limits; ///< what counts memory and processes: systemd-scope, cgroup2, cgroup1, rlimit, job
    QString limitsNote; ///< why not the systemd that is there; else empty
    bool asRoot = false;
    bool inContainer = false;
    std::chrono::milliseconds took { 0 };

    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] QString summary() const; ///< one line for people
    /// "bubblewrap", or "the bundled bubblewrap" and why; empty when the wall is another one.
    [[nodiscard]] QString wall() const;
};

struct ProbeOptions
{
    std::chrono::milliseconds deadline { 5'000 };
    QStringList bubblewrapCandidates; ///< empty: the system's usual places
    bool containerIsSandbox = false; ///< the owner says that the container around us is the wall
    bool allowDegraded = false; ///< Landlock alone may serve read-only work
};

/// Finds out whether commands can be held: builds the real sandbox, runs a real command in it that
/// tries to write outside, and looks at what happened. Works on a thread of its own and never
/// blocks its owner; `finished` follows each start() exactly once, within the deadline and a
/// little. Owned by whoever wants to know; lives on the owner's thread.
class Probe final : public QObject
{
    Q_OBJECT
public:
    explicit Probe(QObject *parent = nullptr);
    ~Probe() override; ///< ends a probe under way, without a signal
    Q_DISABLE_COPY_MOVE(Probe)

    /// No-op while one is under way.
    void start(const ProbeOptions &options = {});
    [[nodiscard]] bool isRunning() const;
    /// The last result; state Unavailable with a cause before the first one.
    [[nodiscard]] const SandboxStatus &status() const { return m_status; }

Q_SIGNALS:
    void finished(const deskhand::sandbox::SandboxStatus &status);

private:
    struct Work;
    std::unique_ptr<QThread> m_thread;
    std::shared_ptr<Work> m_work;
    SandboxStatus m_status;
};

/// What is here, found out the way of this system; in probe_linux.cpp, probe_mac.cpp,
/// probe_win.cpp.
[[nodiscard]] SandboxStatus probeOnThisSystem(
    const ProbeOptions &options, process::RunControl &control);

/// The same, blocking the caller; for programs without an event loop and for worker threads.
[[nodiscard]] SandboxStatus probeBlocking(const ProbeOptions &options = {});

} // namespace deskhand::sandbox

Q_DECLARE_METATYPE(deskhand::sandbox::SandboxStatus)
