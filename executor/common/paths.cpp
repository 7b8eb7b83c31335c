// SPDX-License-Identifier: Apache-2.0
#include "executor/common/paths.h"

#include <QDir>

namespace deskhand {

ExecutorHome ExecutorHome::fromEnvironment()
{
    const QString set = qEnvironmentVariable("WEGENT_EXECUTOR_HOME").trimmed();
    const QString root
        = set.isEmpty() ? QDir::homePath() + QStringLiteral("/.wegent-executor") : set;
    return ExecutorHome { QDir::cleanPath(QDir(root).absolutePath()) };
}

QString ExecutorHome::deviceConfigFile() const
{
    return root + QStringLiteral("/device-config.json");
}

QString ExecutorHome::settingsFile() const
{
    return root + QStringLiteral("/settings.json");
}

QString ExecutorHome::lockFile() const
{
    return root + QStringLiteral("/.writer.lock");
}

QString ExecutorHome::controlSocket() const
{
    return root + QStringLiteral("/control.sock");
}

QString ExecutorHome::journalFile() const
{
    return root + QStringLiteral("/data/deskhand.sqlite");
}

QString ExecutorHome::secretsFile() const
{
    return root + QStringLiteral("/secrets.json");
}

QString ExecutorHome::logFile() const
{
    return root + QStringLiteral("/logs/executor.log");
}

QString ExecutorHome::workspaceRoot() const
{
    const QString set = qEnvironmentVariable("LOCAL_WORKSPACE_ROOT").trimmed();
    return set.isEmpty() ? root + QStringLiteral("/workspace")
                         : QDir::cleanPath(QDir(set).absolutePath());
}

QString ExecutorHome::agentsFolder() const
{
    return root + QStringLiteral("/agents");
}

} // namespace deskhand
