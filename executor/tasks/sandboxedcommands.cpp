// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/sandboxedcommands.h"

#include "executor/common/ids.h"
#include "executor/tasks/blockednotes_p.h"
#include "executor/tasks/permissionbroker.h"

#include <QFile>
#include <QRegularExpression>

#include <algorithm>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;
using sandbox::Denial;

QString protocolOf(int port)
{
    switch (port) {
    case 80:
        return u"http"_s;
    case 443:
        return u"https"_s;
    default:
        return u"tcp:%1"_s.arg(port);
    }
}

QStringList words(const QList<QByteArray> &command)
{
    QStringList result;
    for (const QByteArray &word : command) {
        result.append(QString::fromUtf8(word));
    }
    return result;
}

bool isAllowed(const engines::Decision &decision)
{
    return decision.choice == engines::Choice::AllowOnce
        || decision.choice == engines::Choice::AllowForTask;
}

} // namespace

QString shownCommand(const QList<QByteArray> &command)
{
    static const QRegularExpression plain(u"^[A-Za-z0-9_./:,+@%=-]+$"_s);
    QStringList shown;
    for (const QString &word : words(command)) {
        shown.append(
            word.contains(plain) ? word : u'\'' + QString(word).replace(u'\'', u"'\\''"_s) + u'\'');
    }
    return shown.join(u' ');
}

std::optional<engines::PermissionRequest> requestFor(const Denial &denial)
{
    const std::optional<sandbox::RetryGrant> grant = sandbox::grantFor(denial);
    if (!grant) {
        return std::nullopt;
    }
    engines::PermissionRequest request;
    switch (grant->kind) {
    case Denial::Kind::Write:
        request.kind = engines::RequestKind::FileChange;
        request.summary = u"Let the command write to %1 and try again"_s.arg(grant->target);
        request.grantRoot = grant->target;
        request.files
            = { { grant->target, QFile::exists(grant->target) ? u"update"_s : u"add"_s, {} } };
        break;
    case Denial::Kind::Read:
        request.kind = engines::RequestKind::Permissions;
        request.summary = u"Let the command read %1 and try again"_s.arg(grant->target);
        request.grants = { u"read %1"_s.arg(grant->target) };
        request.grantsAsked = { { u"read"_s, grant->target } };
        break;
    case Denial::Kind::Network:
        request.kind = engines::RequestKind::Network;
        request.summary = u"Let the command reach %1 and try again"_s.arg(grant->target);
        request.host = grant->target;
        break;
    case Denial::Kind::SystemCall:
        return std::nullopt;
    }
    return request;
}

struct SandboxedCommands::Command
{
    CommandWish wish;
    engines::Item item;
    std::optional<quint64> run; ///< while the engine has it
    QHash<QString, Then> asking; ///< what follows the answer, by request id
    QStringList refused; ///< paths and hosts that the owner did not allow: not asked for again
    int retries = 0;
    bool cancelled = false;
    sandbox::ApprovalMode mode = sandbox::ApprovalMode::OnRequest;
};

SandboxedCommands::SandboxedCommands(
    sandbox::ExecutionEngine &engine, PermissionBroker &broker, QObject *parent)
    : QObject(parent)
    , m_engine(engine)
    , m_broker(broker)
{
    m_engine.setAsksForHosts(true);
    connect(&m_engine, &sandbox::ExecutionEngine::text, this,
        [this](quint64 run, process::Stream, const QString &text) { onText(run, text); });
    connect(&m_engine, &sandbox::ExecutionEngine::hostAsked, this, &SandboxedCommands::onHostAsked);
    connect(
        &m_engine, &sandbox::ExecutionEngine::hostDecided, this, &SandboxedCommands::onHostDecided);
    connect(&m_engine, &sandbox::ExecutionEngine::finished, this, &SandboxedCommands::onFinished);
    // Taken back by somebody else (the turn is over): nobody will answer any more.
    connect(&m_broker, &PermissionBroker::closed, this,
        [this](const engines::PermissionRequest &request, engines::RequestOutcome outcome) {
            if (outcome == engines::RequestOutcome::Withdrawn) {
                answered(request.itemId, request.id, false);
            }
        });
}

SandboxedCommands::~SandboxedCommands()
{
    m_broker.disconnect(this);
    for (const auto &command : std::as_const(m_commands)) {
        withdraw(*command, u"The program is closing."_s);
    }
}

void SandboxedCommands::setRules(const sandbox::CommandRules &rules)
{
    m_rules = rules;
}

void SandboxedCommands::setApprovalMode(sandbox::ApprovalMode mode)
{
    m_mode = mode;
}

SandboxedCommands::Command *SandboxedCommands::find(const QString &itemId)
{
    const auto found = m_commands.constFind(itemId);
    return found == m_commands.cend() ? nullptr : found->get();
}

SandboxedCommands::Command *SandboxedCommands::ofRun(quint64 run)
{
    return find(m_runs.value(run));
}

QString SandboxedCommands::run(const CommandWish &wish)
{
    const auto command = std::make_shared<Command>();
    command->wish = wish;
    m_owner.applyTo(command->wish.execution.request.profile);
    command->mode = m_mode;
    engines::Item &item = command->item;
    item.id = u"cmd-"_s + randomHex(8);
    item.kind = engines::ItemKind::Command;
    item.name = u"shell"_s;
    item.command = shownCommand(wish.execution.request.command);
    item.title = item.command.simplified().left(120);
    item.cwd = wish.execution.request.directory;
    m_commands.insert(item.id, command);
    Q_EMIT event(wish.ref, engines::ItemStarted { item });

    const QStringList argv = words(wish.execution.request.command);
    const sandbox::CommandJudgement judgement = m_rules.judge(argv);
    const bool unprotected
        = wish.execution.request.profile.enforcement == sandbox::Enforcement::None;
    switch (sandbox::approvalStep(m_mode, judgement, sandbox::isKnownHarmless(argv), unprotected)) {
    case sandbox::ApprovalStep::Run:
        launch(*command);
        break;
    case sandbox::ApprovalStep::Refuse: {
        sandbox::SandboxResult result;
        result.endedBy = sandbox::EndedBy::Refused;
        result.error = Error { ErrorKind::Policy,
            judgement.decision == sandbox::CommandDecision::Forbidden
                ? u"a command rule forbids it: %1"_s.arg(judgement.reason)
                : u"it wants more than its profile gives, and nobody may be asked"_s,
            {} };
        // The caller has the id before it hears of the end.
        QMetaObject::invokeMethod(
            this,
            [this, id = item.id, result] {
                end(id, engines::ItemStatus::Declined, result, result.error.message);
            },
            Qt::QueuedConnection);
        break;
    }
    case sandbox::ApprovalStep::Ask: {
        engines::PermissionRequest request;
        request.kind = engines::RequestKind::Command;
        request.summary = unprotected ? u"Run a command without a sandbox"_s
                                      : u"Run a command in the sandbox"_s;
        request.command = item.command;
        request.reason = judgement.reason;
        request.choices
            = { engines::Choice::Deny, engines::Choice::AllowOnce, engines::Choice::AllowForTask };
        ask(*command, request, [this](Command &asked, bool allowed) {
            if (allowed) {
                launch(asked);
                return;
            }
            sandbox::SandboxResult result;
            result.endedBy = sandbox::EndedBy::Refused;
            result.error = Error { ErrorKind::Policy, u"the command was not allowed"_s, {} };
            end(asked.item.id, engines::ItemStatus::Declined, result, result.error.message);
        });
        break;
    }
    }
    return item.id;
}

/// `then` is called with the answer, or never when the command ended meanwhile.
void SandboxedCommands::ask(Command &command, engines::PermissionRequest request, const Then &then)
{
    request.id = u"box-"_s + randomHex(8);
    request.taskId = command.wish.ref.taskId;
    request.turnId = command.wish.ref.turnId;
    request.itemId = command.item.id;
    request.cwd = command.item.cwd;
    command.asking.insert(request.id, then);
    // A grant for the task answers inside raise(); the caller must have the item's id by then.
    QMetaObject::invokeMethod(
        this,
        [this, request] {
            const Command *asking = find(request.itemId);
            if (asking == nullptr || !asking->asking.contains(request.id)) {
                return;
            }
            m_broker.raise(request,
                [this, itemId = request.itemId](
                    const QString &id, const engines::Decision &decision) {
                    m_broker.confirmDelivered(id, {});
                    answered(itemId, id, isAllowed(decision));
                });
        },
        Qt::QueuedConnection);
}

void SandboxedCommands::answered(const QString &itemId, const QString &requestId, bool allowed)
{
    Command *command = find(itemId);
    if (command == nullptr) {
        return;
    }
    if (const Then then = command->asking.take(requestId)) {
        then(*command, allowed);
    }
}

void SandboxedCommands::withdraw(Command &command, const QString &reason)
{
    const QStringList ids = command.asking.keys();
    command.asking.clear();
    for (const QString &id : ids) {
        m_broker.withdraw(id, reason);
    }
}

void SandboxedCommands::launch(Command &command)
{
    const Result<sandbox::ExecutionEngine::RunId> run = m_engine.submit(command.wish.execution);
    if (run) {
        command.run = *run;
        m_runs.insert(*run, command.item.id);
        return;
    }
    sandbox::SandboxResult result;
    result.endedBy = sandbox::EndedBy::Refused;
    result.error = run.error();
    QMetaObject::invokeMethod(
        this,
        [this, id = command.item.id, result] {
            end(id, engines::ItemStatus::Failed, result, result.error.message);
        },
        Qt::QueuedConnection);
}

void SandboxedCommands::cancel(const QString &itemId)
{
    Command *command = find(itemId);
    if (command == nullptr || command->cancelled) {
        return;
    }
    command->cancelled = true;
    withdraw(*command, u"The command was cancelled."_s);
    if (command->run) {
        m_engine.cancel(*command->run);
        return;
    }
    sandbox::SandboxResult result;
    result.endedBy = sandbox::EndedBy::Cancel;
    result.outcome.end = process::RunEnd::Cancelled;
    end(itemId, engines::ItemStatus::Cancelled, result, {});
}

void SandboxedCommands::end(const QString &itemId, engines::ItemStatus status,
    const sandbox::SandboxResult &result, const QString &error)
{
    const std::shared_ptr<Command> command = m_commands.take(itemId);
    if (!command) {
        return;
    }
    withdraw(*command, u"The command is over."_s);
    engines::Item item = command->item;
    item.status = status;
    item.error = error;
    item.output = QString::fromUtf8(result.outcome.merged.joined());
    if (result.outcome.end != process::RunEnd::NotStarted) {
        item.exitCode = result.exitStatus();
        item.durationMs = result.outcome.wall.count();
    }
    Q_EMIT event(command->wish.ref, engines::ItemEnded { item });
    Q_EMIT finished(itemId, result);
}

void SandboxedCommands::onText(quint64 run, const QString &text)
{
    if (const Command *command = ofRun(run)) {
        Q_EMIT event(command->wish.ref, engines::ItemProgress { command->item.id, text, {} });
    }
}

void SandboxedCommands::onHostAsked(
    quint64 run, quint64 question, const sandbox::HostQuestion &host)
{
    Command *command = ofRun(run);
    if (command == nullptr || command->mode == sandbox::ApprovalMode::Never) {
        m_engine.answerHost(question, sandbox::HostAnswer::Deny);
        return;
    }
    engines::PermissionRequest request;
    request.kind = engines::RequestKind::Network;
    request.summary = u"Let the command reach %1"_s.arg(host.host);
    request.host = host.host;
    request.protocol = protocolOf(host.port);
    request.command = command->item.command;
    request.choices
        = { engines::Choice::Deny, engines::Choice::AllowOnce, engines::Choice::AllowForTask };
    ask(*command, request, [this, question, host](Command &asked, bool allowed) {
        if (!allowed) {
            asked.refused.append(host.host);
        }
        m_engine.answerHost(
            question, allowed ? sandbox::HostAnswer::Allow : sandbox::HostAnswer::Deny);
    });
}

/// Every decision of the proxy becomes part of the turn, and so of the journal.
void SandboxedCommands::onHostDecided(quint64 run, const sandbox::ProxyDecision &decision)
{
    const Command *command = ofRun(run);
    if (command == nullptr) {
        return;
    }
    const QString where = u"%1 port %2"_s.arg(decision.host).arg(decision.port);
    Q_EMIT event(command->wish.ref,
        engines::StatusNote { engines::StatusNote::Level::Info, u"network_decision"_s,
            decision.allowed
                ? u"The command reached %1"_s.arg(where)
                : u"The command was kept from %1 (%2)"_s.arg(where, decision.reason) });
}

void SandboxedCommands::onFinished(quint64 run, const sandbox::SandboxResult &result)
{
    Command *command = find(m_runs.take(run));
    if (command == nullptr) {
        return;
    }
    command->run.reset();
    if (command->cancelled) {
        end(command->item.id, engines::ItemStatus::Cancelled, result, {});
        return;
    }
    const Denial *offered = nullptr;
    for (const Denial &denial : result.denials) {
        if (denial.grade == sandbox::DenialGrade::Possible) {
            continue;
        }
        Q_EMIT event(command->wish.ref, blockedNote(denial));
        if (offered == nullptr && denial.offersRetry()
            && !command->refused.contains(denial.target)) {
            offered = &denial;
        }
    }
    if (offered != nullptr && command->mode != sandbox::ApprovalMode::Never
        && command->retries < kMostRetries) {
        offerRetry(*command, result, *offered);
        return;
    }
    const bool good = result.endedBy == sandbox::EndedBy::Command && result.exitStatus() == 0;
    end(command->item.id, good ? engines::ItemStatus::Completed : engines::ItemStatus::Failed,
        result, offered != nullptr ? offered->reason : result.error.message);
}

void SandboxedCommands::offerRetry(
    Command &command, const sandbox::SandboxResult &result, const Denial &denial)
{
    engines::PermissionRequest request = *requestFor(denial);
    if (denial.kind == Denial::Kind::Network && request.protocol.isEmpty()) {
        request.protocol = u"https"_s;
    }
    request.command = command.item.command;
    request.reason = denial.reason;
    request.choices
        = { engines::Choice::Deny, engines::Choice::AllowOnce, engines::Choice::AllowForTask };
    ask(command, request, [this, result, denial](Command &asked, bool allowed) {
        if (!allowed) {
            end(asked.item.id, engines::ItemStatus::Failed, result, denial.reason);
            return;
        }
        ++asked.retries;
        sandbox::applyGrant(*sandbox::grantFor(denial), asked.wish.execution.request);
        launch(asked);
    });
}

} // namespace deskhand::tasks
