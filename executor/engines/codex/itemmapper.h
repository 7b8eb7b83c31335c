// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/taskevent.h"

#include <QJsonObject>

namespace deskhand::engines::codex {

/// What an item of `codex app-server` is to us.
enum class ItemRole {
    Ignored, ///< the user's own message and the like
    Message, ///< text of the agent
    Reasoning,
    Plan, ///< a proposed plan as markdown
    Work ///< everything with a beginning, an end and a status
};
[[nodiscard]] ItemRole itemRole(const QJsonObject &item);

/// Translates an item of role Work; unknown kinds become a generic one. `ended` tells which of
/// item/started and item/completed it came from. The id is left as the engine gave it. Pure.
[[nodiscard]] Item mapItem(const QJsonObject &item, const QString &cwd, bool ended);

/// The `changes` of a fileChange item; relative paths are completed with `cwd`. Pure.
[[nodiscard]] QList<FileChange> mapChanges(const QJsonValue &changes, const QString &cwd);

/// "/bin/bash -lc 'ls -l'" -> "ls -l": what a person means by the command. Pure.
[[nodiscard]] QString commandForPeople(const QJsonObject &item);

} // namespace deskhand::engines::codex
