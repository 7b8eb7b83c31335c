// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/taskevent.h"

#include <QJsonObject>
#include <QString>

namespace deskhand::device {

// Forms of tool blocks (device protocol, section 6.3). All pure, any thread. Texts are bounded so
// that a block stays far below the packet limit.

/// Texts of a block in UTF-16 units; longer ones keep head and tail.
constexpr qsizetype kMaxBlockText = 48 * 1024;

[[nodiscard]] QString toolName(const engines::Item &item);
[[nodiscard]] QJsonObject toolInput(const engines::Item &item);
[[nodiscard]] QJsonObject changesInput(const QList<engines::FileChange> &changes);
/// The `updates` of a block whose item is over.
[[nodiscard]] QJsonObject endedUpdates(const engines::Item &item);

/// A block as it is created.
[[nodiscard]] QJsonObject toolBlock(
    const QString &id, const QString &name, const QJsonObject &input, qint64 nowMs);

[[nodiscard]] QString requestBlockId(const QString &requestId);
/// A permission request as a block, with the kinds and labels a Wegent web page knows.
[[nodiscard]] QJsonObject requestBlock(const engines::PermissionRequest &request, qint64 nowMs);
[[nodiscard]] QJsonObject requestClosedUpdates(const engines::RequestClosed &closed);

[[nodiscard]] QJsonObject planInput(const engines::PlanUpdated &plan);
/// The plan as a list with check marks.
[[nodiscard]] QString planText(const engines::PlanUpdated &plan);

} // namespace deskhand::device
