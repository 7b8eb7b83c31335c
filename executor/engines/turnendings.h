// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/taskevent.h"

namespace deskhand::engines {

[[nodiscard]] inline TurnEnded failedTurn(const QString &code, const QString &message)
{
    TurnEnded ending;
    ending.outcome = TurnOutcome::Failed;
    ending.errorCode = code;
    ending.errorMessage = message;
    return ending;
}

[[nodiscard]] inline TurnEnded cancelledTurn(const QString &message)
{
    TurnEnded ending;
    ending.outcome = TurnOutcome::Cancelled;
    ending.errorMessage = message;
    return ending;
}

} // namespace deskhand::engines
