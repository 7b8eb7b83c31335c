// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace deskhand {

/// Makes the heap return large blocks to the system as soon as they are freed. Called before the
/// threads start; process-wide, calling again changes nothing.
void returnLargeBlocks();

} // namespace deskhand
