// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/windows/plan.h"

#include "executor/sandbox/windows/names.h"

#include <algorithm>
#include <optional>

namespace deskhand::sandbox::windows {

namespace {

using Access = PlanRule::Access;

class Planner final
{
public:
    Planner(const PlanRequest &request, const PlanFacts &facts)
        : m_request(request)
        , m_facts(facts)
    { }

    Plan make()
    {
        // The first step that refuses has said why.
        (void)(checkCommand() && choose() && normaliseRules() && checkDirectory() && grant());
        return std::move(m_plan);
    }

private:
    bool refuse(Plan::Verdict verdict, const std::string &reason)
    {
        m_plan.verdict = verdict;
        m_plan.reason = reason;
        return false;
    }

    bool checkCommand()
    {
        const PlanRequest &request = m_request;
        if (request.command.empty() || request.command.front().empty()) {
            return refuse(Plan::Verdict::Refused, "there is no command to run");
        }
        for (const std::wstring &word : request.command) {
            if (word.find(L'\0') != std::wstring::npos) {
                return refuse(Plan::Verdict::Refused, "an argument contains a NUL character");
            }
        }
        ContainedSpec &spec = m_plan.spec;
        spec.program = m_facts.findProgram(request.command.front());
        if (spec.program.empty()) {
            return refuse(Plan::Verdict::NotFound, "the program was not found");
        }
        if (isBatchFile(spec.program)) {
            return refuse(Plan::Verdict::Refused,
                "a batch file is read by cmd.exe, which splits its arguments by rules of its own; "
                "it is not started directly");
        }
        spec.arguments.assign(request.command.begin() + 1, request.command.end());
        spec.directory = request.directory;
        spec.environment = request.environment;
        spec.containerName = request.containerName;
        spec.memoryBytes = request.memoryBytes;
        spec.processes = request.processes;
        spec.terminal = request.terminal;
        spec.rows = request.rows;
        spec.columns = request.columns;
        return true;
    }

    bool choose()
    {
        using Network = PlanRequest::Network;
        m_plan.verdict = Plan::Verdict::Run;
        if (m_request.enforcement == PlanRequest::Enforcement::None) {
            m_plan.spec.isolation = Isolation::JobOnly;
            return false; // nothing else to be done
        }
        if (m_request.network == Network::Proxy) {
            return refuse(Plan::Verdict::Refused,
                "a proxy on the loopback cannot be reached from an AppContainer, so listed hosts "
                "are not offered on Windows");
        }
        if (m_request.enforcement == PlanRequest::Enforcement::External) {
            if (m_request.network != Network::Full) {
                return refuse(Plan::Verdict::Refused,
                    "inside another sandbox the network can only be full on this system");
            }
            m_plan.spec.isolation = Isolation::JobOnly;
            return false;
        }
        if (m_request.writesWholeDisk) {
            return refuse(Plan::Verdict::Refused,
                "writing the whole disk cannot be given to an AppContainer");
        }
        Wish wish;
        // A token without a container could read whatever its owner can.
        wish.hidesPaths = std::any_of(m_request.rules.begin(), m_request.rules.end(),
            [](const PlanRule &rule) { return rule.access == Access::Deny; });
        wish.networkOff = m_request.network != Network::Full;
        wish.needsLocalNetwork = m_request.network == Network::Local;
        wish.appContainerWorks = m_facts.appContainerWorks;
        m_plan.choice = chooseBackend(wish);
        if (m_plan.choice.backend == Backend::Refuse) {
            return refuse(
                m_facts.appContainerWorks ? Plan::Verdict::Refused : Plan::Verdict::Unavailable,
                m_plan.choice.reason);
        }
        if (m_plan.choice.backend == Backend::RestrictedToken) {
            // Low integrity writes nowhere of the owner's, and access lists cannot name the run.
            if (std::any_of(m_request.rules.begin(), m_request.rules.end(),
                    [](const PlanRule &rule) { return rule.access == Access::Write; })) {
                return refuse(Plan::Verdict::Unavailable,
                    "without AppContainers only work that writes nothing can be held");
            }
            m_plan.spec.isolation = Isolation::RestrictedToken;
            m_plan.notes.push_back("degraded: a restricted token holds writing, not reading");
            return false;
        }
        m_plan.spec.isolation = Isolation::AppContainer;
        m_plan.spec.internetAllowed = m_request.network == Network::Full;
        if (m_request.readsWholeDisk) {
            m_plan.notes.push_back(
                "reading is limited to what Windows opens to all containers, and "
                "to the folders of the task");
        }
        return true;
    }

    bool normaliseRules()
    {
        std::vector<PlanRule> rules = m_request.rules;
        if (!m_request.scratch.empty()) {
            rules.push_back({ m_request.scratch, Access::Write });
        }
        for (PlanRule &rule : rules) {
            if (const size_t wildcard = rule.path.find_first_of(L"*?");
                wildcard != std::wstring::npos) {
                if (rule.access != Access::Deny) {
                    return refuse(Plan::Verdict::Refused, "a pattern may only deny");
                }
                m_patterns.push_back(rule.path.substr(0, rule.path.find_last_of(L"\\/", wildcard)));
                continue;
            }
            const std::optional<std::wstring> path = normalisedPath(rule.path, m_facts.longName);
            if (!path) {
                return refuse(Plan::Verdict::Refused, "a rule names no path of a local drive");
            }
            if (rule.access == Access::Write && path->size() <= 3) {
                return refuse(Plan::Verdict::Refused,
                    "a whole drive cannot be given to a command for writing");
            }
            rule.path = *path;
            const auto same = std::find_if(m_rules.begin(), m_rules.end(),
                [&](const PlanRule &other) { return other.path == rule.path; });
            if (same == m_rules.end()) {
                m_rules.push_back(rule);
            } else {
                same->access = std::min(same->access, rule.access); // the stricter one
            }
        }
        std::sort(m_rules.begin(), m_rules.end(),
            [](const PlanRule &a, const PlanRule &b) { return a.path < b.path; });
        return checkPatterns();
    }

    /// An access list names paths. A pattern is held by the denial that is the default, or not at
    /// all.
    bool checkPatterns()
    {
        for (const std::wstring &typed : m_patterns) {
            const std::optional<std::wstring> folder = normalisedPath(typed, m_facts.longName);
            const bool reaches
                = !folder || std::any_of(m_rules.begin(), m_rules.end(), [&](const PlanRule &rule) {
                      return rule.access != Access::Deny
                          && (isBelow(*folder, rule.path) || isBelow(rule.path, *folder));
                  });
            if (reaches) {
                return refuse(Plan::Verdict::Refused,
                    "an access list names paths, so a rule that denies by pattern cannot be held "
                    "inside the task's folders");
            }
        }
        return true;
    }

    /// The nearest rule above a normalised path; null: nothing says anything.
    [[nodiscard]] const PlanRule *above(const std::wstring &path, bool itself) const
    {
        const PlanRule *nearest = nullptr;
        for (const PlanRule &rule : m_rules) {
            if (isBelow(path, rule.path) && (itself || path != rule.path)
                && (nearest == nullptr || rule.path.size() > nearest->path.size())) {
                nearest = &rule;
            }
        }
        return nearest;
    }

    bool checkDirectory()
    {
        const std::optional<std::wstring> path
            = normalisedPath(m_request.directory, m_facts.longName);
        if (!path || !m_facts.exists(m_request.directory)) {
            return refuse(Plan::Verdict::NotFound, "the working directory does not exist");
        }
        const PlanRule *rule = above(*path, true);
        if (rule == nullptr || rule->access == Access::Deny) {
            return refuse(
                Plan::Verdict::Refused, "the working directory is not visible under the profile");
        }
        return true;
    }

    void change(const std::wstring &path, AclChange::Right right)
    {
        m_plan.changes.push_back({ path, m_sid, right });
    }

    /// Keeps what is not there from being made: an empty directory takes its place.
    void hold(const std::wstring &path, AclChange::Right right)
    {
        if (!m_facts.exists(path)) {
            m_plan.guards.push_back(path);
        }
        change(path, right);
    }

    bool grant()
    {
        m_sid = m_facts.containerSid(m_request.containerName);
        if (m_sid.empty()) {
            return refuse(Plan::Verdict::Unavailable, "no AppContainer could be made");
        }
        for (const PlanRule &rule : m_rules) {
            const PlanRule *outer = above(rule.path, false);
            const Access around = outer != nullptr ? outer->access : Access::Deny;
            if (rule.access == Access::Deny) {
                // Denial is the default; it has to be said only where something above gives access.
                if (around != Access::Deny) {
                    hold(rule.path, AclChange::Right::DenyAll);
                }
            } else if (rule.access == Access::Read) {
                if (around == Access::Write) {
                    hold(rule.path, AclChange::Right::DenyWrite);
                } else if (m_facts.exists(rule.path)) {
                    change(rule.path, AclChange::Right::AllowRead);
                }
            } else if (m_facts.exists(rule.path)) {
                change(rule.path, AclChange::Right::AllowWrite);
                protectNames(rule.path);
            }
        }
        return true;
    }

    void protectNames(const std::wstring &root)
    {
        if (!m_request.scratch.empty()
            && root == normalisedPath(m_request.scratch, m_facts.longName)) {
            return;
        }
        for (const std::wstring &name : m_request.protectedNames) {
            const std::optional<std::wstring> path
                = normalisedPath(root + L'\\' + name, m_facts.longName);
            // A rule for this very path, or below it, says what is to be.
            const bool ruled = !path
                || std::any_of(m_rules.begin(), m_rules.end(),
                    [&](const PlanRule &rule) { return isBelow(rule.path, *path); });
            if (!ruled) {
                hold(*path, AclChange::Right::DenyWrite);
            }
        }
    }

    const PlanRequest &m_request;
    const PlanFacts &m_facts;
    std::vector<PlanRule> m_rules; ///< normalised, one for each path
    std::vector<std::wstring> m_patterns; ///< what lies before the first wildcard
    std::wstring m_sid;
    Plan m_plan;
};

} // namespace

Plan makePlan(const PlanRequest &request, const PlanFacts &facts)
{
    return Planner(request, facts).make();
}

} // namespace deskhand::sandbox::windows
