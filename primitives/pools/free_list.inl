// The body of free_list.cpp: puts all nodes into the ring, and clears the bits of nodes that are held.

#include "primitives/core/bits.h"
#include "primitives/free_list.h"

namespace copse::detail {

struct PutNode {
  u32* ring;
  u32 capacity;
  FreeListCounters* counters;

  COPSE_HD void operator()(u64 i) const {
    ring[i] = i < capacity ? u32(i) : invalid_id;
    if (i == 0) *counters = {0, 0, capacity, 0, 0};
  }
};

template <class Executor>
void free_all_nodes(const Executor& ex, u32* ring, u64 ring_size, u32 capacity, u32* held,
                    FreeListCounters* counters) {
  fill_bytes(ex, "free list: nothing held", held, divide_rounding_up(capacity, 32), 0);
  for_each(ex, "free list: all free", ring_size, PutNode{ring, capacity, counters});
}

template void free_all_nodes(const BodyExecutor&, u32*, u64, u32, u32*, FreeListCounters*);

}  // namespace copse::detail
