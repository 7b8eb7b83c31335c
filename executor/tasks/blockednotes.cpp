// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/policyresolver.h"
#include "executor/tasks/blockednotes_p.h"

#include <QDir>

namespace deskhand::tasks {

using namespace Qt::StringLiterals;

engines::StatusNote blockedNote(const sandbox::Denial &denial)
{
    return { engines::StatusNote::Level::Warning, u"sandbox_blocked"_s,
        u"Blocked by the sandbox: %1"_s.arg(denial.reason) };
}

bool mayHaveBeenBlocked(const engines::Item &item, engines::PermissionProfile profile)
{
    return item.kind == engines::ItemKind::Command && item.exitCode.value_or(0) != 0
        && !item.output.isEmpty() && profile != engines::PermissionProfile::FullAccess;
}

QList<engines::StatusNote> blockedNotes(
    const engines::Item &item, engines::PermissionProfile profile)
{
    constexpr qsizetype kMostNotes = 3;
    if (!mayHaveBeenBlocked(item, profile)) {
        return {};
    }
    // As the engine's sandbox has it: the whole disk may be read, the host's scratch written.
    sandbox::PermissionProfile rules = profile == engines::PermissionProfile::Workspace
        ? sandbox::PermissionProfile::workspace()
        : sandbox::PermissionProfile::readOnly();
    rules.files.secretPaths.clear();
    rules.files.scratch = sandbox::Scratch::Host;
    if (profile == engines::PermissionProfile::Workspace) {
        for (const auto kind :
            { sandbox::RuleTarget::Kind::SlashTmp, sandbox::RuleTarget::Kind::TemporaryFolder }) {
            rules.files.rules.append(
                { { kind, {} }, sandbox::Access::Write, sandbox::OnMissing::Default });
        }
    }
    sandbox::PolicyContext context;
    context.workspaceRoots = { item.cwd };
    context.home = QDir::homePath();
    const Result<sandbox::ResolvedPolicy> policy = sandbox::ResolvedPolicy::resolve(rules, context);
    if (!policy) {
        return {};
    }
    sandbox::DenialInput input;
    input.shellStatus = *item.exitCode;
    input.output = item.output.toUtf8();
    input.policy = &*policy;
    input.directory = item.cwd;
    QList<engines::StatusNote> notes;
    for (const sandbox::Denial &denial : sandbox::findDenials(input)) {
        if (denial.grade != sandbox::DenialGrade::Possible && notes.size() < kMostNotes) {
            notes.append(blockedNote(denial));
        }
    }
    return notes;
}

BlockSearch::BlockSearch(QObject &context, Found found)
    : m_context(context)
    , m_found(std::move(found))
{ }

void BlockSearch::look(
    const engines::TurnRef &ref, const engines::Item &item, const QString &profileName)
{
    const Result<engines::PermissionProfile> profile = engines::profileFromName(profileName);
    if (!profile || !mayHaveBeenBlocked(item, *profile)) {
        return;
    }
    m_pool.start([this, item, profile = *profile, ref] {
        const QList<engines::StatusNote> notes = blockedNotes(item, profile);
        if (!notes.isEmpty()) {
            QMetaObject::invokeMethod(&m_context, [this, ref, notes] {
                for (const engines::StatusNote &note : notes) {
                    m_found(ref, note);
                }
            });
        }
    });
}

} // namespace deskhand::tasks
