// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcessEnvironment>

namespace deskhand::process {

/// True for a variable that a child program must not inherit: this program's own settings
/// (WEGENT_*, DEVICE_*, …), another engine's home, and names that look like a secret. Pure.
[[nodiscard]] bool isWithheldVariable(const QString &name);

/// What a child may see of `environment`: without withheld variables, proxies kept, and NO_PROXY in
/// both spellings completed with the loopback names, so that a local proxy is never asked for
/// 127.0.0.1. Pure.
[[nodiscard]] QProcessEnvironment childEnvironment(const QProcessEnvironment &environment);

} // namespace deskhand::process
