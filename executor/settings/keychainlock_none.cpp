// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/keychainlock.h"

namespace deskhand::settings {

// The key stores of these systems say themselves that they are locked.
void askWhetherLocked(const QString & /*service*/, const QString & /*name*/, QObject * /*context*/,
    const std::function<void(bool locked)> &answer)
{
    answer(false);
}

} // namespace deskhand::settings
