// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

QT_BEGIN_NAMESPACE
class QProcess;
QT_END_NAMESPACE

// What differs between systems, one file each.
namespace deskhand::process::platform {

/// Before start: own group, no inherited descriptors, death with the parent where the system has
/// it.
void prepare(QProcess &process);
/// After start: binds the child to this program's life where that is done from outside.
void adopt(qint64 pid);
void terminate(qint64 pid);
/// KILL to the group of the living `pid` and, where the system lists them, to all processes below
/// it, also those that left the group or are stopped.
void killTree(qint64 pid);
/// Ends every member of the group that `pid` leads, also after the leader is gone.
void killGroup(qint64 pid);

} // namespace deskhand::process::platform
