// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/paths.h"
#include "executor/engines/permission.h"
#include "executor/sandbox/commandrules.h"
#include "executor/sandbox/ownerpolicy.h"

#include <QObject>

#include <chrono>
#include <functional>
#include <memory>

namespace deskhand::tasks {

/// The one place where permissions are decided: built-in blocks and the owner's secret paths, which
/// no answer lifts, then the owner's forbidding command rules and listed hosts, then what the owner
/// allowed for this task before, then the owner. The first answer wins, wherever it comes from; an
/// unanswered request is denied at its limit. Lives on the executor thread.
class PermissionBroker final : public QObject
{
    Q_OBJECT
public:
    using Deliver
        = std::function<void(const QString &requestId, const engines::Decision &decision)>;

    explicit PermissionBroker(QObject *parent = nullptr);
    ~PermissionBroker() override;

    /// Whose files the built-in blocks protect; the environment's executor home from the start.
    void setHome(const ExecutorHome &home);
    /// What a rule forbids is denied without a question. A rule that allows answers nothing here: a
    /// request wants more than the sandbox gives, and no rule widens that.
    void setCommandRules(const sandbox::CommandRules &rules);
    /// Its secret paths are granted to nobody; a request for a host that it lists is answered
    /// without a question.
    void setOwnerPolicy(const sandbox::OwnerPolicy &policy);
    /// 0 = requests wait for ever. Applies to requests raised afterwards.
    void setRequestLimit(std::chrono::milliseconds limit);

    /// Grants are forgotten when more tasks than this have some, oldest first.
    static constexpr int kMostGrantingTasks = 256;

    /// An asker puts a request; `deliver` is called exactly once with the decision, perhaps at once
    /// (a grant for this task covers it), unless the request is withdrawn first.
    void raise(const engines::PermissionRequest &request, const Deliver &deliver);
    void withdraw(const QString &requestId, const QString &reason);
    /// The asker has the decision (empty error) or could not take it.
    void confirmDelivered(const QString &requestId, const QString &error);
    /// Grants of a task end with it.
    void forgetTask(const QString &taskId);

    /// A person's answer. The result arrives by `done` once the asker has the decision (or could
    /// not be reached within 10 s): NotFound for an unknown id, Conflict for one already answered,
    /// expired or withdrawn (the message says which), Usage for a choice that is not offered.
    void answer(const QString &requestId, const engines::Decision &decision,
        const std::function<void(const Result<> &)> &done);

    [[nodiscard]] QList<engines::PermissionRequest> pending() const; ///< oldest first

Q_SIGNALS:
    /// A person has to answer. The request has its limit, its risks and at least the choice to
    /// deny.
    void opened(const deskhand::engines::PermissionRequest &request);
    /// Once per request, when the asker has the decision; also for those decided here without being
    /// opened (`by` is then "rule"). A decision the asker could not take is Withdrawn.
    void closed(const deskhand::engines::PermissionRequest &request,
        deskhand::engines::RequestOutcome outcome, const QString &by, const QString &reason);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace deskhand::tasks
