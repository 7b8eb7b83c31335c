// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/paths.h"
#include "executor/engines/permission.h"

#include <QHash>
#include <QStringList>

namespace deskhand::tasks {

struct ShellCommand;
struct ShellWord;

/// The blocks that no answer lifts, and the risks a person is told. Both read a request as it is
/// written; what cannot be understood is never called safe. Plain object, any thread; looks at the
/// disk to follow links.
class SafetyRules
{
public:
    explicit SafetyRules(const ExecutorHome &home);
    /// As in sandbox::OwnerPolicy: no task reads, writes or is granted any of them.
    void setOwnerSecrets(const QStringList &paths);

    struct Findings
    {
        QString blocked; ///< why it is never allowed, empty = may be asked
        QStringList risks;
    };
    [[nodiscard]] Findings inspect(const engines::PermissionRequest &request) const;

private:
    struct Scope; // where the line stands while it is read
    void inspectLine(const QString &line, Scope &scope, Findings &findings) const;
    void inspectCommand(const ShellCommand &command, Scope &scope, Findings &findings) const;
    void inspectDeletion(
        const QList<ShellWord> &targets, const Scope &scope, Findings &findings) const;
    [[nodiscard]] bool isDeletionOfAll(const ShellWord &target, const Scope &scope) const;
    void inspectWrite(const QString &path, Findings &findings) const;
    void inspectRead(const ShellWord &word, const QString &path, Findings &findings) const;

    [[nodiscard]] bool isOurs(const QString &realPath) const;
    [[nodiscard]] bool isSecret(const QString &realPath) const;
    [[nodiscard]] bool holdsOurs(const QString &realPath) const;
    [[nodiscard]] bool isOwnerSecret(const QString &realPath) const;
    /// `pattern`: a path with wildcards of a shell.
    [[nodiscard]] bool mayMatchOwnerSecret(const QString &pattern) const;
    [[nodiscard]] bool holdsOwnerSecret(const QString &realPath) const;

    QString m_userHome;
    QString m_root; ///< $H
    QStringList m_ours; ///< program, settings, rules: never written by a task
    QStringList m_open; ///< folders of $H tasks may write to
    QStringList m_secrets; ///< never read by a task either
    /// Of the owner: the folder it lies in and its name, which may be a pattern.
    QList<std::pair<QString, QString>> m_ownerSecrets;
};

} // namespace deskhand::tasks
