// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace deskhand::wall {

// The parts of the wall that the kernel applies to the calling process and all it starts. Used by
// deskhand-sandbox-init only; no allocation, errno tells why a call returned false.

/// Version of the Landlock interface, 0 when the kernel has none.
int landlockAbi();

/// No signals to, and no abstract sockets of, processes outside (Landlock ABI 6). An older kernel
/// is accepted: the scopes are the third wall, behind namespaces and the filter.
bool restrictScopes();

/// Fallback wall for files: nothing can be written, made, renamed or removed, devices like
/// /dev/null excepted. Needs ABI 3 (truncation); modes and times stay changeable.
bool restrictFilesToReading();

/// Loads the precompiled program of that name ("off", "local", "proxy", "full", "full_unix").
bool loadFilter(const char *name);

} // namespace deskhand::wall
