// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace deskhand::bridge {

/// Starts the process that listens on 127.0.0.1:`port` of this network namespace and copies bytes
/// to and from the UNIX socket `path`, the engine's proxy. Returns after it listens; false (errno)
/// when the socket does not answer, so that nothing starts without a live route.
bool start(const char *path, unsigned short port);

} // namespace deskhand::bridge
