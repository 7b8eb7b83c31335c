// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/resolvedpolicy.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace deskhand::sandbox {

/// How sure we are that the wall, and not something ordinary, stopped a command.
enum class DenialGrade {
    Certain, ///< the helper, the proxy or the watch on protected names said so
    Likely, ///< the text says so, and the policy does deny the path or host it names
    Possible ///< only the text says so
};
[[nodiscard]] QString denialGradeName(DenialGrade grade);

struct Denial
{
    enum class Kind { Write, Read, Network, SystemCall };
    DenialGrade grade = DenialGrade::Possible;
    Kind kind = Kind::Write;
    QString target; ///< path or host; empty when the text names none
    QString reason; ///< "write denied: .git is protected in /x"

    /// Only what names one path or host can be allowed and tried again.
    [[nodiscard]] bool offersRetry() const
    {
        return grade != DenialGrade::Possible && !target.isEmpty() && kind != Kind::SystemCall;
    }
    friend bool operator==(const Denial &, const Denial &) = default;
};
[[nodiscard]] QString denialKindName(Denial::Kind kind);

struct DenialInput
{
    int shellStatus = 0; ///< as RunOutcome::shellStatus
    QByteArray output; ///< both streams, as retained
    const ResolvedPolicy *policy = nullptr;
    QString directory; ///< relative paths of the text start here
    bool networkRestricted = true;
};

/// Looks for denials in what a command wrote. Nothing for success and for exits that are no denial
/// (2, 126, 127 without the words). At most 20, each target once.
[[nodiscard]] QList<Denial> findDenials(const DenialInput &input);

} // namespace deskhand::sandbox
