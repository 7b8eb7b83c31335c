// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/bench/executor/figures.h"

/// A stream through the real codex, noted where it leaves codex and where it arrives: what the
/// executor adds. Blocks for about half a minute.
void measureDelays(Figures &figures);

/// One turn of 20,000 deltas through the real codex: order, and memory of the executor.
void measureManyDeltas(Figures &figures);
