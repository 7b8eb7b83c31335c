// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/pathscope_p.h"
#include "executor/tasks/turnchecks_p.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

constexpr qsizetype kLongestTurnId = 200;

/// A task that writes into this program's folder could give itself more than it was allowed.
Result<> checkApart(
    const QString &folder, const TaskPolicy &policy, engines::PermissionProfile profile)
{
    if (policy.ownFolder.isEmpty()) {
        return {};
    }
    const QString own = realPath(policy.ownFolder);
    if (liesIn(folder, own) && !liesIn(folder, realPath(policy.workspaceRoot))) {
        return failure(ErrorKind::Policy,
            u"%1 belongs to Deskhand itself; tasks cannot work there."_s.arg(folder),
            u"Choose another folder."_s);
    }
    if (profile == engines::PermissionProfile::Workspace && liesIn(own, folder)) {
        return failure(ErrorKind::Policy,
            u"%1 holds Deskhand's own folder %2, which a task must not change."_s.arg(folder, own),
            u"Choose a folder below it, or run the task with :read-only."_s);
    }
    return {};
}

} // namespace

Result<> checkIds(const engines::TurnRef &ref)
{
    static const QRegularExpression folderName(u"\\A[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}\\z"_s);
    if (!ref.taskId.contains(folderName)) {
        return failure(ErrorKind::Usage,
            ref.taskId.isEmpty() ? u"The task has no id."_s
                                 : u"\"%1\" is not a task id."_s.arg(ref.taskId.left(100)));
    }
    if (ref.turnId.isEmpty() || ref.turnId.size() > kLongestTurnId) {
        return failure(ErrorKind::Usage,
            ref.turnId.isEmpty() ? u"The turn of task %1 has no id."_s.arg(ref.taskId)
                                 : u"The turn id of task %1 is too long."_s.arg(ref.taskId));
    }
    return {};
}

Result<ChosenProfile> chooseProfile(const QString &wish, const TaskPolicy &policy)
{
    ChosenProfile chosen;
    chosen.effective = policy.defaultProfile;
    if (!wish.isEmpty()) {
        const auto wished = engines::profileFromName(wish);
        if (!wished) {
            return tl::unexpected(wished.error());
        }
        chosen.effective = *wished;
        chosen.lowered = *wished > policy.ceiling;
    }
    chosen.effective = std::min(chosen.effective, policy.ceiling);
    return chosen;
}

Result<QString> workFolder(
    const TurnRequest &request, const TaskPolicy &policy, engines::PermissionProfile profile)
{
    if (request.cwd.isEmpty()) {
        const QString own = policy.workspaceRoot + u'/' + request.ref.taskId;
        if (!QDir::isAbsolutePath(own) || !QDir().mkpath(own)) {
            return failure(ErrorKind::Io, u"The folder %1 cannot be created."_s.arg(own),
                u"Check the permissions and the free space there."_s);
        }
        return realPath(own);
    }
    if (!QDir::isAbsolutePath(request.cwd)) {
        return failure(
            ErrorKind::Usage, u"The folder \"%1\" is not an absolute path."_s.arg(request.cwd));
    }
    const QString real = realPath(request.cwd);
    // Before anything about the disk is told: outside its roots a task learns nothing.
    if (!policy.allowedRoots.isEmpty()
        && real != realPath(policy.workspaceRoot + u'/' + request.ref.taskId)
        && std::none_of(policy.allowedRoots.begin(), policy.allowedRoots.end(),
            [&real](const QString &root) { return liesIn(real, realPath(root)); })) {
        return failure(ErrorKind::Policy,
            u"The folder %1 is outside the folders this device allows."_s.arg(request.cwd),
            u"Add it to the allowed folders in the settings."_s);
    }
    if (const auto apart = checkApart(real, policy, profile); !apart) {
        return tl::unexpected(apart.error());
    }
    const QFileInfo info(real);
    if (!info.exists()) {
        return failure(ErrorKind::NotFound, u"The folder %1 does not exist."_s.arg(request.cwd));
    }
    if (!info.isDir()) {
        return failure(ErrorKind::Io, u"%1 is not a folder."_s.arg(request.cwd));
    }
    if (!info.isReadable() || !info.isExecutable()) {
        return failure(ErrorKind::Io, u"The folder %1 cannot be read."_s.arg(request.cwd),
            u"Check its permissions."_s);
    }
    return real;
}

} // namespace deskhand::tasks
