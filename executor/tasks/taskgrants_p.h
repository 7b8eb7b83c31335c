// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/permission.h"

#include <QHash>
#include <QList>
#include <QStringList>

namespace deskhand::tasks {

/// What the owner allowed "for this task", in memory only. A grant covers the same thing again and
/// nothing wider: the identical command line in the same folder with the same extra permissions;
/// file changes in the same writable
/// root, else the same files; the same host, port and protocol; the same set of permissions; the
/// same tool with the same arguments. Lives with the broker on its thread.
class TaskGrants
{
public:
    explicit TaskGrants(int mostTasks);

    void remember(const engines::PermissionRequest &request);
    [[nodiscard]] bool covers(const engines::PermissionRequest &request) const;
    void forget(const QString &taskId);

private:
    struct Grant
    {
        engines::RequestKind kind = engines::RequestKind::Command;
        QString what; ///< everything that must be the same
        QString root; ///< FileChange: real path of the writable root, may be empty
        QStringList paths; ///< FileChange without a root: real paths of the files
    };
    [[nodiscard]] static Grant grantFor(const engines::PermissionRequest &request);
    [[nodiscard]] static bool covers(const Grant &grant, const engines::PermissionRequest &request);

    int m_mostTasks;
    QHash<QString, QList<Grant>> m_grants; ///< per task
    QStringList m_order; ///< tasks with grants, oldest first
};

} // namespace deskhand::tasks
