// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/sandboxedrun.h"

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

QString endedByName(EndedBy endedBy)
{
    switch (endedBy) {
    case EndedBy::Command:
        return u"command"_s;
    case EndedBy::Timeout:
        return u"timeout"_s;
    case EndedBy::Cancel:
        return u"cancel"_s;
    case EndedBy::Limit:
        return u"limit"_s;
    case EndedBy::Refused:
        return u"refused"_s;
    case EndedBy::Unavailable:
        return u"unavailable"_s;
    }
    return {};
}

int SandboxResult::exitStatus() const
{
    switch (endedBy) {
    case EndedBy::Refused:
        return 125;
    case EndedBy::Unavailable:
        return 126;
    case EndedBy::Command:
    case EndedBy::Timeout:
    case EndedBy::Cancel:
    case EndedBy::Limit:
        break;
    }
    return outcome.shellStatus();
}

} // namespace deskhand::sandbox
