// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/commandrules.h"

#include "executor/common/jsonreader.h"
#include "executor/sandbox/commandsplitter.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr int kMaxNestedShells = 4;

std::optional<CommandDecision> decisionFromName(const QString &name)
{
    for (const CommandDecision decision :
        { CommandDecision::Allow, CommandDecision::Prompt, CommandDecision::Forbidden }) {
        if (commandDecisionName(decision) == name) {
            return decision;
        }
    }
    return std::nullopt;
}

tl::unexpected<Error> badRule(qsizetype number, const QString &what)
{
    return failure(ErrorKind::Usage, u"command rule %1: %2"_s.arg(number + 1).arg(what));
}

QStringList strings(const QJsonValue &value)
{
    QStringList result;
    for (const QJsonValue &entry : value.toArray()) {
        if (entry.isString()) {
            result.append(entry.toString());
        }
    }
    return result;
}

} // namespace

QString commandDecisionName(CommandDecision decision)
{
    switch (decision) {
    case CommandDecision::Allow:
        return u"allow"_s;
    case CommandDecision::Prompt:
        return u"prompt"_s;
    case CommandDecision::Forbidden:
        return u"forbidden"_s;
    }
    return {};
}

Result<CommandRules::Rule> CommandRules::readRule(const QJsonObject &json, qsizetype number)
{
    Rule rule;
    for (const QJsonValue &place : json.value(u"prefix"_s).toArray()) {
        const QStringList alternatives
            = place.isString() ? QStringList(place.toString()) : strings(place);
        if (alternatives.isEmpty() || alternatives.contains(QString())) {
            return badRule(number, u"each place of \"prefix\" is a word or a list of words"_s);
        }
        rule.prefix.append(alternatives);
    }
    if (rule.prefix.isEmpty()) {
        return badRule(number, u"\"prefix\" is missing or empty"_s);
    }
    const std::optional<CommandDecision> decision
        = decisionFromName(json.value(u"decision"_s).toString());
    if (!decision) {
        return badRule(number, u"\"decision\" is allow, prompt or forbidden"_s);
    }
    rule.decision = *decision;
    rule.reason = json.value(u"reason"_s).toString();
    rule.examples = strings(json.value(u"examples"_s));
    rule.counterExamples = strings(json.value(u"counter_examples"_s));
    return rule;
}

Result<CommandRules> CommandRules::fromJson(const QJsonObject &json)
{
    CommandRules rules;
    const QJsonObject programs = json.value(u"programs"_s).toObject();
    for (auto it = programs.begin(); it != programs.end(); ++it) {
        rules.m_programs.insert(it.key(), strings(it.value()));
    }
    Result<std::optional<QJsonArray>> list = json::optionalArray(json, u"rules"_s);
    if (!list) {
        return tl::unexpected(list.error());
    }
    const QJsonArray entries = list->value_or(QJsonArray());
    for (qsizetype i = 0; i < entries.size(); ++i) {
        Result<Rule> rule = readRule(entries[i].toObject(), i);
        if (!rule) {
            return tl::unexpected(rule.error());
        }
        rules.m_rules.append(*rule);
    }
    for (const Rule &rule : std::as_const(rules.m_rules)) {
        if (Result<> checked = rules.checkExamples(rule); !checked) {
            return tl::unexpected(checked.error());
        }
    }
    return rules;
}

Result<CommandRules> CommandRules::load(const QString &file)
{
    constexpr qint64 kMaxBytes = 1024 * 1024;
    QFile source(file);
    if (!source.exists()) {
        return CommandRules();
    }
    if (!source.open(QIODevice::ReadOnly)) {
        return failure(ErrorKind::Io,
            u"the command rules %1 cannot be read: %2"_s.arg(file, source.errorString()));
    }
    if (source.size() > kMaxBytes) {
        return failure(ErrorKind::Usage, u"the command rules %1 are over 1 MiB"_s.arg(file));
    }
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(source.readAll(), &error);
    if (!document.isObject()) {
        return failure(ErrorKind::Usage,
            u"the command rules %1 are no JSON object (%2 at byte %3)"_s
                .arg(file, error.errorString())
                .arg(error.offset));
    }
    Result<CommandRules> rules = fromJson(document.object());
    return rules ? rules : tl::unexpected(rules.error().within(file));
}

Result<> CommandRules::checkExamples(const Rule &rule) const
{
    const auto matchesText = [this, &rule](const QString &text) {
        const std::optional<QList<QStringList>> parts = splitPlainCommands(text);
        return parts && parts->size() == 1 && matches(rule, parts->first());
    };
    for (const QString &example : rule.examples) {
        if (!matchesText(example)) {
            return failure(
                ErrorKind::Usage, u"the example \"%1\" is not matched by its rule"_s.arg(example));
        }
    }
    for (const QString &example : rule.counterExamples) {
        if (matchesText(example)) {
            return failure(ErrorKind::Usage,
                u"the counter example \"%1\" is matched by its rule"_s.arg(example));
        }
    }
    return {};
}

QJsonObject CommandRules::toJson() const
{
    QJsonArray rules;
    for (const Rule &rule : m_rules) {
        QJsonArray prefix;
        for (const QStringList &alternatives : rule.prefix) {
            prefix.append(alternatives.size() == 1
                    ? QJsonValue(alternatives.first())
                    : QJsonValue(QJsonArray::fromStringList(alternatives)));
        }
        rules.append(QJsonObject { { u"prefix"_s, prefix },
            { u"decision"_s, commandDecisionName(rule.decision) }, { u"reason"_s, rule.reason },
            { u"examples"_s, QJsonArray::fromStringList(rule.examples) },
            { u"counter_examples"_s, QJsonArray::fromStringList(rule.counterExamples) } });
    }
    QJsonObject programs;
    for (auto it = m_programs.begin(); it != m_programs.end(); ++it) {
        programs.insert(it.key(), QJsonArray::fromStringList(it.value()));
    }
    return { { u"rules"_s, rules }, { u"programs"_s, programs } };
}

void CommandRules::addAllowed(const QStringList &prefix, const QString &reason)
{
    Rule rule;
    for (const QString &word : prefix) {
        rule.prefix.append(QStringList(word));
    }
    rule.decision = CommandDecision::Allow;
    rule.reason = reason;
    if (!rule.prefix.isEmpty()) {
        m_rules.append(rule);
    }
}

bool CommandRules::matches(const Rule &rule, const QStringList &words) const
{
    if (words.size() < rule.prefix.size()) {
        return false;
    }
    for (qsizetype i = 0; i < rule.prefix.size(); ++i) {
        if (rule.prefix[i].contains(words[i])) {
            continue;
        }
        // An absolute program is the bare one only where that is said.
        const bool listed = i == 0 && words[0].startsWith(u'/')
            && std::any_of(
                rule.prefix[0].begin(), rule.prefix[0].end(), [this, &words](const QString &name) {
                    return m_programs.value(name).contains(words[0]);
                });
        if (!listed) {
            return false;
        }
    }
    return true;
}

CommandJudgement CommandRules::judge(const QStringList &command) const
{
    return judgeWords(command, 0);
}

CommandJudgement CommandRules::judgeWords(const QStringList &words, int depth) const
{
    if (const std::optional<QString> text = shellText(words)) {
        return judgeText(*text, depth);
    }
    CommandJudgement result;
    result.reason = u"no rule names this command"_s;
    bool found = false;
    for (const Rule &rule : m_rules) {
        if (!matches(rule, words) || (found && rule.decision <= result.decision)) {
            continue;
        }
        found = true;
        result.decision = rule.decision;
        result.reason = rule.reason;
        result.matchedPrefix = words.first(rule.prefix.size());
    }
    return result;
}

CommandJudgement CommandRules::judgeText(const QString &text, int depth) const
{
    CommandJudgement result;
    const std::optional<QList<QStringList>> parts = splitPlainCommands(text);
    if (!parts || depth >= kMaxNestedShells) {
        result.opaque = true;
        result.reason = u"the shell text cannot be taken apart safely"_s;
        return result;
    }
    result.decision = CommandDecision::Allow;
    for (const QStringList &part : *parts) {
        const CommandJudgement judgement = judgeWords(part, depth + 1);
        if (judgement.decision > result.decision || result.reason.isEmpty()) {
            result = judgement;
        }
    }
    return result;
}

ApprovalStep approvalStep(
    ApprovalMode mode, const CommandJudgement &judgement, bool knownHarmless, bool escalates)
{
    if (judgement.decision == CommandDecision::Forbidden) {
        return ApprovalStep::Refuse;
    }
    bool ask = escalates;
    switch (mode) {
    case ApprovalMode::Untrusted:
        ask = ask || (judgement.decision != CommandDecision::Allow && !knownHarmless);
        break;
    case ApprovalMode::OnRequest:
        // No rule at all is no reason to ask: the sandbox holds it.
        ask = ask
            || (judgement.decision == CommandDecision::Prompt
                && !judgement.matchedPrefix.isEmpty());
        break;
    case ApprovalMode::Never:
        return escalates ? ApprovalStep::Refuse : ApprovalStep::Run;
    }
    return ask ? ApprovalStep::Ask : ApprovalStep::Run;
}

bool isKnownHarmless(const QStringList &command)
{
    static const QSet<QString> programs { u"cat"_s, u"ls"_s, u"pwd"_s, u"head"_s, u"tail"_s,
        u"wc"_s, u"echo"_s, u"true"_s, u"false"_s, u"stat"_s, u"file"_s, u"du"_s, u"df"_s, u"id"_s,
        u"uname"_s, u"which"_s, u"basename"_s, u"dirname"_s, u"realpath"_s, u"grep"_s, u"cut"_s,
        u"nl"_s, u"cmp"_s };
    if (command.isEmpty()) {
        return false;
    }
    if (const std::optional<QString> text = shellText(command)) {
        const std::optional<QList<QStringList>> parts = splitPlainCommands(*text);
        return parts && std::all_of(parts->begin(), parts->end(), [](const QStringList &part) {
            return !shellText(part) && isKnownHarmless(part);
        });
    }
    return programs.contains(command.first());
}

std::optional<RetryGrant> grantFor(const Denial &denial)
{
    if (!denial.offersRetry()) {
        return std::nullopt;
    }
    return RetryGrant { denial.kind, denial.target };
}

void applyGrant(const RetryGrant &grant, SandboxRequest &request)
{
    switch (grant.kind) {
    case Denial::Kind::Write:
        request.grantedWritable.append(grant.target);
        break;
    case Denial::Kind::Read:
        request.grantedReadable.append(grant.target);
        break;
    case Denial::Kind::Network:
        if (request.profile.network.mode == NetworkMode::Off) {
            request.profile.network.mode = NetworkMode::Proxy;
        }
        // What is denied there stays denied.
        request.profile.network.domains.insert(
            grant.target, request.profile.network.domains.value(grant.target, true));
        break;
    case Denial::Kind::SystemCall:
        break;
    }
}

bool mayOfferUnsandboxedRetry(const PermissionProfile &profile)
{
    const QList<FileRule> &rules = profile.files.rules;
    return profile.files.secretPaths.isEmpty()
        && std::none_of(rules.begin(), rules.end(),
            [](const FileRule &rule) { return rule.access == Access::Deny; });
}

} // namespace deskhand::sandbox
