// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/permissionbroker.h"

#include "executor/logging/log.h"
#include "executor/sandbox/domainrules.h"
#include "executor/tasks/safetyrules_p.h"
#include "executor/tasks/taskgrants_p.h"

#include <QDateTime>
#include <QHash>
#include <QTimer>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

constexpr std::chrono::milliseconds kDeliveryLimit { 10000 };
constexpr qsizetype kRememberedEndings = 1000;

using Done = std::function<void(const Result<> &)>;

QString inWords(std::chrono::milliseconds limit)
{
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(limit).count();
    if (minutes == 1) {
        return u"1 minute"_s;
    }
    return minutes > 1 ? u"%1 minutes"_s.arg(minutes)
                       : u"%1 seconds"_s.arg(static_cast<double>(limit.count()) / 1000.0);
}

QString inWords(engines::RequestOutcome outcome)
{
    switch (outcome) {
    case engines::RequestOutcome::Allowed:
        return u"allowed once"_s;
    case engines::RequestOutcome::AllowedForTask:
        return u"allowed for this task"_s;
    case engines::RequestOutcome::Denied:
        return u"denied"_s;
    case engines::RequestOutcome::Expired:
        return u"expired"_s;
    case engines::RequestOutcome::Withdrawn:
        break;
    }
    return u"withdrawn"_s;
}

engines::RequestOutcome outcomeOf(engines::Choice choice)
{
    switch (choice) {
    case engines::Choice::AllowOnce:
        return engines::RequestOutcome::Allowed;
    case engines::Choice::AllowForTask:
        return engines::RequestOutcome::AllowedForTask;
    case engines::Choice::Deny:
    case engines::Choice::DenyAndStop:
        break;
    }
    return engines::RequestOutcome::Denied;
}

bool allows(engines::Choice choice)
{
    return choice == engines::Choice::AllowOnce || choice == engines::Choice::AllowForTask;
}

/// Every question has an answer and every answer a question.
Result<> checkAnswers(const engines::PermissionRequest &request, const engines::Decision &decision)
{
    for (auto it = decision.answers.cbegin(); it != decision.answers.cend(); ++it) {
        const bool asked = std::any_of(request.questions.begin(), request.questions.end(),
            [&it](const engines::Question &question) { return question.id == it.key(); });
        if (!asked) {
            return failure(
                ErrorKind::Usage, u"there is no question \"%1\""_s.arg(it.key().left(100)));
        }
    }
    for (const engines::Question &question : request.questions) {
        if (allows(decision.choice) && !decision.answers.contains(question.id)) {
            return failure(
                ErrorKind::Usage, u"question \"%1\" has no answer"_s.arg(question.id.left(100)));
        }
    }
    return {};
}

} // namespace

class PermissionBroker::Private
{
public:
    /// A request from raise() until the asker has the decision.
    struct Entry
    {
        engines::PermissionRequest request;
        Deliver deliver;
        QTimer *timer = nullptr; ///< the owner's limit, then the delivery's; child of the broker
        bool shown = false; ///< opened() was announced
        // Set by the first decision; later ones meet a Conflict.
        std::optional<engines::Decision> decision;
        engines::RequestOutcome outcome = engines::RequestOutcome::Withdrawn;
        QString reason;
        Done done;
    };

    explicit Private(PermissionBroker &broker)
        : q(broker)
        , rules(ExecutorHome::fromEnvironment())
        , grants(kMostGrantingTasks)
    { }

    void decide(const QString &requestId, const engines::Decision &decision,
        engines::RequestOutcome outcome, const QString &reason, const Done &done);
    // By value: the entry they may come from is taken away.
    void finish(
        QString requestId, engines::RequestOutcome outcome, QString reason, Result<> result);
    void applyGrants(const QString &taskId);
    void startTimer(
        Entry &entry, std::chrono::milliseconds limit, void (Private::*expired)(const QString &));
    void expire(const QString &requestId);
    void deliveryFailed(const QString &requestId);
    [[nodiscard]] Error tooLate(const QString &requestId) const;

    PermissionBroker &q;
    [[nodiscard]] QString forbidden(const engines::PermissionRequest &request) const;
    [[nodiscard]] sandbox::DomainRules::Answer hostAnswer(
        const engines::PermissionRequest &request) const;

    SafetyRules rules;
    QStringList ownerSecrets;
    sandbox::DomainRules hosts; ///< the owner's
    sandbox::CommandRules commandRules;
    TaskGrants grants;
    std::chrono::milliseconds limit { 15 * 60 * 1000 };
    QHash<QString, Entry> entries;
    QStringList order; ///< ids of entries, oldest first
    QHash<QString, QString> endings; ///< how past requests ended, in words
    QStringList endingOrder;
};

PermissionBroker::PermissionBroker(QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(*this))
{ }

PermissionBroker::~PermissionBroker() = default;

void PermissionBroker::setHome(const ExecutorHome &home)
{
    d->rules = SafetyRules(home);
    d->rules.setOwnerSecrets(d->ownerSecrets);
}

void PermissionBroker::setOwnerPolicy(const sandbox::OwnerPolicy &policy)
{
    d->ownerSecrets = policy.secretPaths;
    d->rules.setOwnerSecrets(d->ownerSecrets);
    d->hosts = sandbox::DomainRules::parse(policy.domains()).value_or(sandbox::DomainRules());
}

void PermissionBroker::setCommandRules(const sandbox::CommandRules &rules)
{
    d->commandRules = rules;
}

sandbox::DomainRules::Answer PermissionBroker::Private::hostAnswer(
    const engines::PermissionRequest &request) const
{
    return request.kind == engines::RequestKind::Network
        ? hosts.check(sandbox::normalisedHost(request.host))
        : sandbox::DomainRules::Answer::NotListed;
}

/// Why a command rule or a denied host forbids it; empty when none does.
QString PermissionBroker::Private::forbidden(const engines::PermissionRequest &request) const
{
    if (hostAnswer(request) == sandbox::DomainRules::Answer::Denied) {
        return u"The settings of this device deny the host %1."_s.arg(request.host);
    }
    if (request.kind != engines::RequestKind::Command) {
        return {};
    }
    const sandbox::CommandJudgement judgement
        = commandRules.judge({ u"/bin/sh"_s, u"-c"_s, request.command });
    if (judgement.decision != sandbox::CommandDecision::Forbidden) {
        return {};
    }
    return judgement.reason.isEmpty()
        ? u"A command rule forbids \"%1\"."_s.arg(judgement.matchedPrefix.join(u' '))
        : u"A command rule forbids it: %1"_s.arg(judgement.reason);
}

void PermissionBroker::setRequestLimit(std::chrono::milliseconds limit)
{
    d->limit = limit;
}

void PermissionBroker::raise(const engines::PermissionRequest &given, const Deliver &deliver)
{
    if (d->entries.contains(given.id)) {
        // The first asker will be answered; a second one with the same id cannot be told apart.
        logging::logger("tasks.broker")->warn("request {} was raised twice", given.id);
        return;
    }
    const SafetyRules::Findings findings = d->rules.inspect(given);
    Private::Entry entry;
    entry.request = given;
    entry.deliver = deliver;
    engines::PermissionRequest &request = entry.request;
    if (request.createdAtMs == 0) {
        request.createdAtMs = QDateTime::currentMSecsSinceEpoch();
    }
    request.expiresAtMs = d->limit.count() > 0 ? request.createdAtMs + d->limit.count() : 0;
    if (request.risks.isEmpty()) {
        request.risks = findings.risks;
    }
    if (request.choices.isEmpty()) {
        request.choices = { engines::Choice::Deny };
    }
    const QString id = request.id;
    d->endings.remove(id);
    d->entries.insert(id, entry);
    d->order.append(id);

    const QString blocked = findings.blocked.isEmpty() ? d->forbidden(request) : findings.blocked;
    if (!blocked.isEmpty()) {
        d->decide(id, { engines::Choice::Deny, u"rule"_s, blocked, {} },
            engines::RequestOutcome::Denied, blocked, {});
        return;
    }
    if (d->hostAnswer(request) == sandbox::DomainRules::Answer::Allowed
        && request.choices.contains(engines::Choice::AllowOnce)) {
        d->decide(id, { engines::Choice::AllowOnce, u"rule"_s, {}, {} },
            engines::RequestOutcome::Allowed,
            u"The settings of this device allow the host %1."_s.arg(request.host), {});
        return;
    }
    if (d->grants.covers(request)) {
        d->decide(id, { engines::Choice::AllowOnce, u"rule"_s, {}, {} },
            engines::RequestOutcome::Allowed, u"Allowed for this task before."_s, {});
        return;
    }
    Private::Entry &kept = d->entries[id];
    kept.shown = true;
    if (d->limit.count() > 0) {
        d->startTimer(kept, d->limit, &Private::expire);
    }
    const engines::PermissionRequest announced = kept.request;
    Q_EMIT opened(announced);
}

void PermissionBroker::Private::startTimer(
    Entry &entry, std::chrono::milliseconds time, void (Private::*expired)(const QString &))
{
    if (entry.timer != nullptr) {
        entry.timer->stop();
        entry.timer->deleteLater(); // this may run inside its signal
    }
    // QTimer runs on the monotonic clock: a changed wall clock moves no limit, and where that clock
    // stands still during sleep, neither does sleep.
    entry.timer = new QTimer(&q);
    entry.timer->setSingleShot(true);
    entry.timer->setInterval(static_cast<int>(
        std::min<std::chrono::milliseconds::rep>(time.count(), std::numeric_limits<int>::max())));
    QObject::connect(entry.timer, &QTimer::timeout, &q,
        [this, expired, id = entry.request.id] { (this->*expired)(id); });
    entry.timer->start();
}

void PermissionBroker::Private::expire(const QString &requestId)
{
    const auto &request = entries.value(requestId).request;
    const QString reason = u"No answer from the owner in %1."_s.arg(
        inWords(std::chrono::milliseconds(request.expiresAtMs - request.createdAtMs)));
    decide(requestId, { engines::Choice::Deny, u"time limit"_s, reason, {} },
        engines::RequestOutcome::Expired, reason, {});
}

void PermissionBroker::Private::deliveryFailed(const QString &requestId)
{
    const QString reason = u"The engine did not take the decision within 10 seconds."_s;
    finish(
        requestId, engines::RequestOutcome::Withdrawn, reason, failure(ErrorKind::Timeout, reason));
}

void PermissionBroker::Private::decide(const QString &requestId, const engines::Decision &decision,
    engines::RequestOutcome outcome, const QString &reason, const Done &done)
{
    Entry &entry = entries[requestId];
    entry.decision = decision;
    entry.outcome = outcome;
    entry.reason = reason;
    entry.done = done;
    startTimer(entry, kDeliveryLimit, &Private::deliveryFailed);
    const Deliver deliver = entry.deliver;
    deliver(requestId, decision); // may come back at once by confirmDelivered()
}

void PermissionBroker::Private::finish(
    QString requestId, engines::RequestOutcome outcome, QString reason, Result<> result)
{
    const Entry entry = entries.take(requestId);
    order.removeOne(requestId);
    if (entry.timer != nullptr) {
        entry.timer->stop();
        entry.timer->deleteLater();
    }
    const QString by = entry.decision ? entry.decision->by : QString();
    endings.insert(requestId,
        by.isEmpty() || outcome == engines::RequestOutcome::Withdrawn
            ? u"%1: %2"_s.arg(inWords(outcome), reason)
            : u"%1 by %2"_s.arg(inWords(outcome), by));
    endingOrder.append(requestId);
    while (endingOrder.size() > kRememberedEndings) {
        endings.remove(endingOrder.takeFirst());
    }
    const bool granted = outcome == engines::RequestOutcome::AllowedForTask;
    if (granted) {
        grants.remember(entry.request);
    }
    Q_EMIT q.closed(entry.request, outcome, by, reason);
    if (entry.done) {
        entry.done(result);
    }
    if (granted) {
        applyGrants(entry.request.taskId);
    }
}

void PermissionBroker::Private::applyGrants(const QString &taskId)
{
    // The same thing may wait several times; one answer for the task is enough.
    const QStringList waiting = order;
    for (const QString &id : waiting) {
        const auto entry = entries.constFind(id);
        if (entry != entries.cend() && entry->request.taskId == taskId && !entry->decision
            && grants.covers(entry->request)) {
            decide(id, { engines::Choice::AllowOnce, u"rule"_s, {}, {} },
                engines::RequestOutcome::Allowed, u"Allowed for this task before."_s, {});
        }
    }
}

void PermissionBroker::withdraw(const QString &requestId, const QString &reason)
{
    if (d->entries.contains(requestId)) {
        d->finish(requestId, engines::RequestOutcome::Withdrawn, reason,
            failure(ErrorKind::Conflict, u"The request was withdrawn: %1"_s.arg(reason)));
    }
}

void PermissionBroker::confirmDelivered(const QString &requestId, const QString &error)
{
    const auto entry = d->entries.constFind(requestId);
    if (entry == d->entries.cend() || !entry->decision) {
        return;
    }
    if (error.isEmpty()) {
        d->finish(requestId, entry->outcome, entry->reason, {});
        return;
    }
    const QString reason = u"The decision could not be delivered: %1"_s.arg(error);
    d->finish(
        requestId, engines::RequestOutcome::Withdrawn, reason, failure(ErrorKind::Process, reason));
}

void PermissionBroker::forgetTask(const QString &taskId)
{
    d->grants.forget(taskId);
}

Error PermissionBroker::Private::tooLate(const QString &requestId) const
{
    if (const auto entry = entries.constFind(requestId); entry != entries.cend()) {
        return { ErrorKind::Conflict,
            u"The request is already answered: %1 by %2."_s.arg(
                inWords(entry->outcome), entry->decision->by) };
    }
    if (const auto ending = endings.constFind(requestId); ending != endings.cend()) {
        return { ErrorKind::Conflict,
            u"The request is no longer waiting: %1."_s.arg(
                ending->endsWith(u'.') ? ending->chopped(1) : *ending) };
    }
    return { ErrorKind::NotFound, u"There is no request \"%1\"."_s.arg(requestId.left(100)) };
}

void PermissionBroker::answer(
    const QString &requestId, const engines::Decision &decision, const Done &done)
{
    const auto entry = d->entries.constFind(requestId);
    if (entry == d->entries.cend() || entry->decision) {
        done(tl::unexpected(d->tooLate(requestId)));
        return;
    }
    const engines::PermissionRequest &request = entry->request;
    // Denying is always possible.
    if (decision.choice != engines::Choice::Deny && !request.choices.contains(decision.choice)) {
        QStringList offered;
        for (const engines::Choice choice : request.choices) {
            offered.append(engines::choiceName(choice));
        }
        done(failure(ErrorKind::Usage,
            u"\"%1\" is not offered for this request"_s.arg(engines::choiceName(decision.choice)),
            u"Offered: %1."_s.arg(offered.join(u", "_s))));
        return;
    }
    if (const auto answers = checkAnswers(request, decision); !answers) {
        done(answers);
        return;
    }
    d->decide(requestId, decision, outcomeOf(decision.choice), decision.note, done);
}

QList<engines::PermissionRequest> PermissionBroker::pending() const
{
    QList<engines::PermissionRequest> list;
    for (const QString &id : std::as_const(d->order)) {
        const auto entry = d->entries.constFind(id);
        if (entry->shown && !entry->decision) {
            list.append(entry->request);
        }
    }
    return list;
}

} // namespace deskhand::tasks
