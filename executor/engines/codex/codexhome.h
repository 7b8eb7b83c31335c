// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/engines/modelconfig.h"

#include <QJsonObject>
#include <QLockFile>
#include <QString>

#include <memory>

namespace deskhand::engines::codex {

/// One engine home, `$H/agents/<name>/`: the folders codex needs, a lock against a second user, and
/// the few files we put there. codex/ is its CODEX_HOME and tmp/ its TMPDIR, side by side because
/// the sandbox refuses a home below the temporary folder. config.toml and auth.json are never
/// written. Owned by the engine; executor thread; short blocking file calls only.
class CodexHome final
{
public:
    /// Creates what is missing (mode 0700) and takes the lock. Conflict when somebody holds it.
    [[nodiscard]] static Result<std::unique_ptr<CodexHome>> open(const QString &folder);

    [[nodiscard]] QString folder() const { return m_folder; }
    [[nodiscard]] QString codexHome() const { return m_folder + QStringLiteral("/codex"); }
    [[nodiscard]] QString temporaryFolder() const { return m_folder + QStringLiteral("/tmp"); }

    /// A catalog file with one entry, so that codex offers its full set of tools to a model it does
    /// not know. Returns its path. Written only when its content changes.
    [[nodiscard]] Result<QString> writeCatalog(const ModelConfig &model, const QString &slug) const;

private:
    explicit CodexHome(QString folder);

    QString m_folder;
    QLockFile m_lock;
};

/// Thread configuration that keeps codex from trusting a work folder (its own configuration files,
/// hooks and rules stay unread), for the folder and for the repository around it. Pure but for
/// looking where the repository begins.
[[nodiscard]] QJsonObject untrustedProjects(const QString &cwd);

} // namespace deskhand::engines::codex
