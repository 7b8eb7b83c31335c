// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

namespace deskhand::tasks {

/// The place a path really names: links followed and ".." applied component by component, also
/// where the end does not exist yet. A relative path is taken from `cwd`. Looks at the disk; any
/// thread.
[[nodiscard]] QString realPath(const QString &path, const QString &cwd = {});

/// True when `path` is `root` or below it; both as realPath() gives them.
[[nodiscard]] bool liesIn(const QString &path, const QString &root);

} // namespace deskhand::tasks
