// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QUrl>

namespace deskhand::socketio {

/// The WebSocket address of a Socket.IO server. Blanks around `url` are dropped; http and https
/// become ws and wss. The path is `path` when that is not empty, else the URL's own when it names
/// more than "/", else "/socket.io/". Usage error without host or with another scheme.
[[nodiscard]] Result<QUrl> engineUrl(const QString &url, const QString &path = {});

} // namespace deskhand::socketio
