// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/taskevent.h"

#include <QHashFunctions>

namespace deskhand::engines {

size_t qHash(const TurnRef &ref, size_t seed)
{
    return qHashMulti(seed, ref.taskId, ref.turnId);
}

} // namespace deskhand::engines
