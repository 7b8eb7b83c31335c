// SPDX-License-Identifier: Apache-2.0
#include "executor/heapsettings.h"

#include <cstdlib> // defines __GLIBC__ where it applies
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace deskhand {

void returnLargeBlocks()
{
#ifdef __GLIBC__
    // glibc raises this threshold with each large block that is freed, up to 32 MiB; the texts of a
    // long turn would then stay in the heap of every thread they passed (mallopt(3)).
    constexpr int kLargeBlockBytes = 256 * 1024;
    mallopt(M_MMAP_THRESHOLD, kLargeBlockBytes);
#endif
}

} // namespace deskhand
