// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/taskevent.h"
#include "executor/sandbox/commandrules.h"
#include "executor/sandbox/executionengine.h"
#include "executor/sandbox/ownerpolicy.h"

#include <QHash>
#include <QObject>
#include <QString>

#include <memory>

namespace deskhand::tasks {

class PermissionBroker;

/// One command that this program itself runs for a task. Plain value.
struct CommandWish
{
    engines::TurnRef ref; ///< whose it is: its events and requests belong to this turn
    sandbox::Execution execution;
};

/// Runs commands of tasks behind the wall and asks where the rules want it: before a run, what the
/// command rules say; during it, each host that no pattern allows; after it, whether the one path
/// or host that was refused may be allowed for a second try. Never asks for running without a wall.
/// Owned by the executor, on its thread; engine and broker outlive it.
///
/// For each run(): ItemStarted, then progress, notes and requests, then ItemEnded and finished(),
/// once each.
class SandboxedCommands final : public QObject
{
    Q_OBJECT
public:
    SandboxedCommands(
        sandbox::ExecutionEngine &engine, PermissionBroker &broker, QObject *parent = nullptr);
    ~SandboxedCommands() override;
    Q_DISABLE_COPY_MOVE(SandboxedCommands)

    /// All of them apply to commands started afterwards.
    void setRules(const sandbox::CommandRules &rules);
    void setApprovalMode(sandbox::ApprovalMode mode);
    /// Lies over the profile of every command.
    void setOwnerPolicy(const sandbox::OwnerPolicy &policy) { m_owner = policy; }

    /// The item's id, also the id in finished().
    QString run(const CommandWish &wish);
    /// Also takes back what is being asked. No-op for an unknown id.
    void cancel(const QString &itemId);

    /// A command that was refused is tried again at most this often, each time with one grant more.
    static constexpr int kMostRetries = 3;

Q_SIGNALS:
    void event(const deskhand::engines::TurnRef &ref, const deskhand::engines::TaskEvent &event);
    void finished(const QString &itemId, const deskhand::sandbox::SandboxResult &result);

private:
    struct Command;
    using Then = std::function<void(Command &, bool allowed)>;
    void launch(Command &command);
    void end(const QString &itemId, engines::ItemStatus status,
        const sandbox::SandboxResult &result, const QString &error);
    void ask(Command &command, engines::PermissionRequest request, const Then &then);
    void answered(const QString &itemId, const QString &requestId, bool allowed);
    void withdraw(Command &command, const QString &reason);
    void onText(quint64 run, const QString &text);
    void onHostAsked(quint64 run, quint64 question, const sandbox::HostQuestion &host);
    void onHostDecided(quint64 run, const sandbox::ProxyDecision &decision);
    void onFinished(quint64 run, const sandbox::SandboxResult &result);
    void offerRetry(
        Command &command, const sandbox::SandboxResult &result, const sandbox::Denial &denial);
    [[nodiscard]] Command *find(const QString &itemId);
    [[nodiscard]] Command *ofRun(quint64 run);

    sandbox::ExecutionEngine &m_engine;
    PermissionBroker &m_broker;
    sandbox::CommandRules m_rules;
    sandbox::OwnerPolicy m_owner;
    sandbox::ApprovalMode m_mode = sandbox::ApprovalMode::OnRequest;
    QHash<QString, std::shared_ptr<Command>> m_commands;
    QHash<quint64, QString> m_runs; ///< the engine's runs to item ids
};

/// The command as one line that a shell would read back as the same words.
[[nodiscard]] QString shownCommand(const QList<QByteArray> &command);

/// What asks for the one path or host of a denial, without ids and texts of its own; nothing when
/// it names none.
[[nodiscard]] std::optional<engines::PermissionRequest> requestFor(const sandbox::Denial &denial);

} // namespace deskhand::tasks
