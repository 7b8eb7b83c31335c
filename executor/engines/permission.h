// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QHash>
#include <QJsonObject>
#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

namespace deskhand::engines {

/// How far a turn may go without asking. Ordered: a lower one allows less.
enum class PermissionProfile { ReadOnly, Workspace, FullAccess };

/// ":read-only", ":workspace", ":danger-full-access".
[[nodiscard]] QString profileName(PermissionProfile profile);
/// The reverse; any other word is a Usage error that names it.
[[nodiscard]] Result<PermissionProfile> profileFromName(const QString &name);

enum class RequestKind { Command, FileChange, Permissions, Network, Question, ToolServer };
/// "command", "file_change", "permissions", "network", "question", "tool_server".
[[nodiscard]] QString requestKindName(RequestKind kind);

/// What a person may decide. Only choices the engine can carry out are offered.
enum class Choice { Deny, DenyAndStop, AllowOnce, AllowForTask };
/// "deny", "deny_and_stop", "once", "task".
[[nodiscard]] QString choiceName(Choice choice);
[[nodiscard]] Result<Choice> choiceFromName(const QString &name);

enum class RequestOutcome { Allowed, AllowedForTask, Denied, Expired, Withdrawn };
/// "allowed", "allowed_for_task", "denied", "expired", "withdrawn".
[[nodiscard]] QString requestOutcomeName(RequestOutcome outcome);
[[nodiscard]] Result<RequestOutcome> requestOutcomeFromName(const QString &name);

struct RequestedFile
{
    QString path; ///< absolute
    QString action; ///< "add", "delete", "update"
    QString diff;
};

struct Question
{
    struct Option
    {
        QString label;
        QString description;
    };
    QString id;
    QString header;
    QString text;
    QList<Option> options;
    bool allowsOther = false; ///< free text is allowed
    bool multiple = false;
    bool secret = false; ///< mask the entry, never log or store the answer
};

/// A question of an engine that only the owner may answer. Plain value, any thread.
struct PermissionRequest
{
    QString id; ///< unique on this device, [A-Za-z0-9_-]; the same in every front
    QString taskId;
    QString turnId;
    QString itemId; ///< the item it belongs to, may be empty
    RequestKind kind = RequestKind::Command;
    QString summary; ///< one English sentence: "Run a command outside the sandbox"
    QString command; ///< Command: the whole line
    QString cwd;
    QList<RequestedFile> files;
    QString grantRoot; ///< FileChange: folder that would become writable
    QString host; ///< Network
    QString protocol;
    QList<Question> questions;
    QStringList grants; ///< Permissions: each grant in words
    QJsonObject grantsAsked; ///< Permissions: as the engine asked; nothing else may be granted
    QString server; ///< ToolServer
    QString tool;
    QJsonObject arguments;
    QString reason; ///< the model's words, may be empty
    QStringList risks; ///< "deletes files", "downloads and runs code", …
    QList<Choice> choices;
    qint64 createdAtMs = 0;
    qint64 expiresAtMs = 0; ///< 0 = waits for ever
};

struct Decision
{
    Choice choice = Choice::Deny;
    QString by; ///< "owner", "command line", "rule", "time limit", "backend"
    QString note; ///< reason given, passed on to the model where the engine can
    QHash<QString, QStringList> answers; ///< Question: per question id
};

/// The form of `requests list --json`: snake_case keys, empty fields of other kinds left out, times
/// as ISO 8601 UTC with milliseconds, null for "never".
[[nodiscard]] QJsonObject toJson(const PermissionRequest &request);
[[nodiscard]] Result<PermissionRequest> permissionRequestFromJson(const QJsonObject &object);

} // namespace deskhand::engines

Q_DECLARE_METATYPE(deskhand::engines::PermissionRequest)
Q_DECLARE_METATYPE(deskhand::engines::Decision)
