// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/preflight.h"

#include "executor/sandbox/tools.h"

#include <QFile>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

int sysctl(const QString &file)
{
    QFile source(u"/proc/sys/"_s + file);
    return source.open(QIODevice::ReadOnly) ? source.readAll().trimmed().toInt() : -1;
}

} // namespace

Error explainWallFailure(const Error &raw)
{
    const QString text = raw.message;
    const auto says = [&text](QLatin1StringView part) {
        return text.contains(part, Qt::CaseInsensitive);
    };
    Error error = raw;
    error.kind = ErrorKind::Unavailable;
    if (alreadySandboxed()) {
        error.message
            = u"this program already runs inside a sandbox, and another one cannot be built there: %1"_s
                  .arg(text);
        error.hint = u"use the outer sandbox (profile enforcement \"external\")"_s;
    } else if (says("setting up uid map: Permission denied"_L1) || says("Failed RTM_NEWADDR"_L1)
        || says("Failed RTM_NEWLINK"_L1)) {
        error.message = u"user namespaces are made without power here: %1"_s.arg(text);
        error.hint = sysctl(u"kernel/apparmor_restrict_unprivileged_userns"_s) == 1
            ? u"load the AppArmor profile that comes with Deskhand (deskhand-sandbox)"_s
            : u"allow this program to make user namespaces in the security module of this system"_s;
    } else if (says("No permissions to create a new namespace"_L1)
        || says("Creating new namespace failed"_L1)
        || says("No permissions to creating new namespace"_L1)) {
        error.message = u"this system does not allow user namespaces: %1"_s.arg(text);
        error.hint = sysctl(u"kernel/unprivileged_userns_clone"_s) == 0
            ? u"ask the administrator to set kernel.unprivileged_userns_clone to 1"_s
            : (sysctl(u"user/max_user_namespaces"_s) == 0
                    ? u"ask the administrator to raise user.max_user_namespaces"_s
                    : u"in a container, allow user namespaces in its security profile"_s);
    } else if (says("Can't mount proc"_L1)) {
        error.message = u"a process view of its own is refused here: %1"_s.arg(text);
        error.hint = u"in a container, unmask /proc, or let the container be the sandbox"_s;
    } else if (error.hint.isEmpty()) {
        error.hint = u"run \"deskhand-executor sandbox probe\" for details"_s;
    }
    return error;
}

} // namespace deskhand::sandbox
