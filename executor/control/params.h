// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QJsonObject>

namespace deskhand::control {

// What sessions read from the parameters of a call. Pure; any thread.

inline constexpr qsizetype kMaxIdLength = 128;

[[nodiscard]] Error usage(const Error &cause);
[[nodiscard]] Error usage(const QString &message);
/// A text of 1 to kMaxIdLength characters.
[[nodiscard]] Result<QString> requireId(const QJsonObject &params, QStringView key);
/// Absent and null are "".
[[nodiscard]] Result<QString> textOf(
    const QJsonObject &params, QStringView key, qsizetype maxLength);

} // namespace deskhand::control
