// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>

namespace deskhand {

/// `bytes` random bytes from the system's generator, as lower-case hex. Any thread.
[[nodiscard]] QString randomHex(int bytes);

/// Compares without telling by its timing where two secrets differ. Any thread.
[[nodiscard]] bool equalConstantTime(const QByteArray &a, const QByteArray &b);

} // namespace deskhand
