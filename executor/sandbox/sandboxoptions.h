// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/ownerpolicy.h"
#include "executor/sandbox/sandboxedrun.h"

#include <QStringList>

namespace deskhand::sandbox {

/// The command line of `deskhand-executor sandbox`, read and checked. Value type.
struct SandboxOptions
{
    enum class Action { Run, Explain, Probe, Help };
    Action action = Action::Run;
    SandboxRequest request;
    QString explainedPath;
    bool terminal = false;
    bool display = false;
    bool json = false;

    /// The profile, the owner's settings over it, the options over both; an option that would open
    /// what the owner keeps secret or denies is refused (Policy). Usage error naming the option.
    /// Looks at the current directory only.
    [[nodiscard]] static Result<SandboxOptions> parse(
        const QStringList &args, const OwnerPolicy &owner);
    [[nodiscard]] static QString helpText();
};

} // namespace deskhand::sandbox
