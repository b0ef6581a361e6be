#pragma once

#include "primitives/core/executor.h"
#include "primitives/free_list.h"

namespace copse::detail {

/// Puts all nodes in order at the front of the ring.
template <class Executor>
void free_all_nodes(const Executor& ex, u32* ring, u64 ring_size, u32 capacity, u32* held,
                    FreeListCounters* counters);

}  // namespace copse::detail
