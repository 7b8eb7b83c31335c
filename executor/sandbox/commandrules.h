// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/denial.h"
#include "executor/sandbox/sandboxedrun.h"

#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

#include <optional>

namespace deskhand::sandbox {

enum class CommandDecision { Allow, Prompt, Forbidden }; // in the order of strictness
[[nodiscard]] QString commandDecisionName(CommandDecision decision);

struct CommandJudgement
{
    CommandDecision decision = CommandDecision::Prompt;
    QString reason;
    QStringList matchedPrefix; ///< of the rule that decided; empty when none matched
    bool opaque = false; ///< shell text that could not be taken apart
};

/// Rules about asking: token prefixes with alternatives, each allow, prompt or forbidden. What a
/// command can do is the sandbox's matter; no rule widens a profile. Value type, any thread.
///
/// JSON: {"rules": [{"prefix": ["git", ["log", "status"]], "decision": "allow", "reason": "...",
///                   "examples": ["git log -1"], "counter_examples": ["git push"]}],
///        "programs": {"git": ["/usr/bin/git"]}}
class CommandRules final
{
public:
    /// Usage error naming the rule; also when an example is not decided as the rule says.
    [[nodiscard]] static Result<CommandRules> fromJson(const QJsonObject &json);
    /// From a file; one that does not exist has no rules. At most 1 MiB.
    [[nodiscard]] static Result<CommandRules> load(const QString &file);
    [[nodiscard]] QJsonObject toJson() const;

    /// Adds the rule that a person allowed: exactly these leading words.
    void addAllowed(const QStringList &prefix, const QString &reason);

    /// The strictest rule over all parts counts; a part without a rule prompts. Shell text is taken
    /// apart when it is plain, otherwise only a forbidding rule can match it.
    [[nodiscard]] CommandJudgement judge(const QStringList &command) const;

private:
    struct Rule
    {
        QList<QStringList> prefix; ///< alternatives for each place
        CommandDecision decision = CommandDecision::Prompt;
        QString reason;
        QStringList examples;
        QStringList counterExamples;
    };

    [[nodiscard]] static Result<Rule> readRule(const QJsonObject &json, qsizetype number);
    [[nodiscard]] Result<> checkExamples(const Rule &rule) const;
    [[nodiscard]] bool matches(const Rule &rule, const QStringList &words) const;
    [[nodiscard]] CommandJudgement judgeWords(const QStringList &words, int depth) const;
    [[nodiscard]] CommandJudgement judgeText(const QString &text, int depth) const;

    QList<Rule> m_rules;
    QMap<QString, QStringList> m_programs; ///< bare name to the absolute paths that mean it
};

/// When a person is asked.
enum class ApprovalMode {
    Untrusted, ///< for everything not allowed by a rule and not known to be harmless
    OnRequest, ///< only when a rule prompts or more than the profile is wanted
    Never ///< nobody is asked; the denial goes back
};
enum class ApprovalStep { Run, Ask, Refuse };
/// `escalates`: the command wants more than its profile gives.
[[nodiscard]] ApprovalStep approvalStep(
    ApprovalMode mode, const CommandJudgement &judgement, bool knownHarmless, bool escalates);
/// Programs that only show something, without options that write or run.
[[nodiscard]] bool isKnownHarmless(const QStringList &command);

/// What an "allow and retry" may give: one path or one host, never the absence of the sandbox.
struct RetryGrant
{
    Denial::Kind kind = Denial::Kind::Write;
    QString target;
};
[[nodiscard]] std::optional<RetryGrant> grantFor(const Denial &denial);
void applyGrant(const RetryGrant &grant, SandboxRequest &request);

/// Whether running without a sandbox may even be offered: never when the profile hides something.
[[nodiscard]] bool mayOfferUnsandboxedRetry(const PermissionProfile &profile);

} // namespace deskhand::sandbox
