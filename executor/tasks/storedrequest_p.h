// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/tasks/taskmanager.h"

#include <QJsonObject>

namespace deskhand::tasks {

/// What the journal keeps of a request: everything but keys, tokens, header values and the data of
/// images. Any thread.
[[nodiscard]] QJsonObject storedForm(const TurnRequest &request);

/// The object with the values of keys that name secrets ("auth_token", "api_key", …) replaced by
/// "***", at any depth. Any thread.
[[nodiscard]] QJsonObject withoutSecrets(const QJsonObject &object);

} // namespace deskhand::tasks
