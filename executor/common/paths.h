// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace deskhand {

/// Where everything of one executor lies ($H of the documentation). Value type, any thread.
struct ExecutorHome
{
    QString root; ///< absolute

    /// `WEGENT_EXECUTOR_HOME` when set and not blank, else `~/.wegent-executor`.
    [[nodiscard]] static ExecutorHome fromEnvironment();

    [[nodiscard]] QString deviceConfigFile() const; ///< device-config.json
    [[nodiscard]] QString settingsFile() const; ///< settings.json
    [[nodiscard]] QString lockFile() const; ///< .writer.lock
    [[nodiscard]] QString controlSocket() const; ///< control.sock
    [[nodiscard]] QString journalFile() const; ///< data/deskhand.sqlite
    [[nodiscard]] QString secretsFile() const; ///< secrets.json, only where the owner chose a file
    [[nodiscard]] QString logFile() const; ///< logs/executor.log
    [[nodiscard]] QString workspaceRoot() const; ///< LOCAL_WORKSPACE_ROOT or workspace/
    [[nodiscard]] QString agentsFolder() const; ///< agents: one folder per engine home
};

} // namespace deskhand
