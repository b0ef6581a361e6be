#pragma once

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::cpu {

/// Returns how many of so many threads run at once. With oneTBB it is at most one per core, unless the program has
/// asked for another number by tbb::global_control. An arena that is larger gets no more, but makes oneTBB write a
/// warning to standard error. Without threads (COPSE_THREADS=OFF) it is 1.
COPSE_API u32 usable_workers(u32 wanted);

/// Returns the number of the worker that calls, from 0 on; 0 for a thread that is no worker.
COPSE_API u32 this_worker();

}  // namespace copse::cpu
