// SPDX-License-Identifier: Apache-2.0
#include "executor/common/jsonreader.h"
#include "executor/tasks/pathscope_p.h"
#include "executor/tasks/taskgrants_p.h"

#include <algorithm>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

// Cannot stand in a host name, a folder or a tool's name, so joined parts cannot be confused.
constexpr QChar kBetween { 0 };

QStringList realPaths(const engines::PermissionRequest &request)
{
    QStringList paths;
    for (const engines::RequestedFile &file : request.files) {
        paths.append(realPath(file.path, request.cwd));
    }
    return paths;
}

QString identityOf(const engines::PermissionRequest &request)
{
    switch (request.kind) {
    case engines::RequestKind::Command:
        return request.command + kBetween + request.grants.join(kBetween) + kBetween
            + realPath(request.cwd);
    case engines::RequestKind::Network:
        return request.host.toLower() + kBetween + request.protocol.toLower();
    case engines::RequestKind::Permissions:
        return QString::fromUtf8(json::compact(request.grantsAsked)) + kBetween
            + request.grants.join(kBetween) + kBetween + realPath(request.cwd);
    case engines::RequestKind::ToolServer:
        return request.server + kBetween + request.tool + kBetween
            + QString::fromUtf8(json::compact(request.arguments));
    case engines::RequestKind::FileChange:
    case engines::RequestKind::Question:
        break;
    }
    return {};
}

} // namespace

TaskGrants::TaskGrants(int mostTasks)
    : m_mostTasks(mostTasks)
{ }

TaskGrants::Grant TaskGrants::grantFor(const engines::PermissionRequest &request)
{
    Grant grant;
    grant.kind = request.kind;
    grant.what = identityOf(request);
    if (request.kind == engines::RequestKind::FileChange) {
        grant.paths = realPaths(request);
        const QString cwd = realPath(request.cwd);
        if (!request.grantRoot.isEmpty()) {
            grant.root = realPath(request.grantRoot, request.cwd);
        } else if (!grant.paths.isEmpty()
            && std::all_of(grant.paths.begin(), grant.paths.end(),
                [&cwd](const QString &path) { return liesIn(path, cwd); })) {
            grant.root = cwd;
        }
    }
    return grant;
}

bool TaskGrants::covers(const Grant &grant, const engines::PermissionRequest &request)
{
    if (grant.kind != request.kind) {
        return false;
    }
    if (request.kind != engines::RequestKind::FileChange) {
        return grant.what == identityOf(request);
    }
    // Links may have changed since the grant: both sides are looked up again where they matter.
    if (!request.grantRoot.isEmpty()
        && !(grant.root.isEmpty() ? false
                                  : liesIn(realPath(request.grantRoot, request.cwd), grant.root))) {
        return false;
    }
    const QStringList paths = realPaths(request);
    return !paths.isEmpty()
        && std::all_of(paths.begin(), paths.end(), [&grant](const QString &path) {
               return grant.root.isEmpty() ? grant.paths.contains(path) : liesIn(path, grant.root);
           });
}

void TaskGrants::remember(const engines::PermissionRequest &request)
{
    if (request.kind == engines::RequestKind::Question) {
        return; // an answer is not a permission
    }
    m_grants[request.taskId].append(grantFor(request));
    m_order.removeOne(request.taskId);
    m_order.append(request.taskId);
    while (m_order.size() > m_mostTasks) {
        m_grants.remove(m_order.takeFirst());
    }
}

bool TaskGrants::covers(const engines::PermissionRequest &request) const
{
    // What can only be allowed once is not the same thing again.
    if (!request.choices.contains(engines::Choice::AllowForTask)) {
        return false;
    }
    const QList<Grant> grants = m_grants.value(request.taskId);
    return std::any_of(grants.begin(), grants.end(),
        [&request](const Grant &grant) { return covers(grant, request); });
}

void TaskGrants::forget(const QString &taskId)
{
    m_grants.remove(taskId);
    m_order.removeOne(taskId);
}

} // namespace deskhand::tasks
