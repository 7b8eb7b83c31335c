// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QByteArray>
#include <QString>

namespace deskhand {

/// Replaces a file in one step: write beside it, flush, rename. Either the old or the new content
/// is there afterwards, never half. With `ownerOnly` the file gets mode 0600 before any byte is
/// in it. Missing parent folders are created. Blocking; any thread.
[[nodiscard]] Result<> writeFileAtomically(
    const QString &path, const QByteArray &content, bool ownerOnly = true);

/// Whole content of a regular file of at most `maxBytes`. NotFound, Io or Protocol (too large).
[[nodiscard]] Result<QByteArray> readFileLimited(const QString &path, qint64 maxBytes);

} // namespace deskhand
