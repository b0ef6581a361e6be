#pragma once

#include "bench/support/comparison.h"
#include "primitives/list_rank.h"

namespace copse::bench {

/// Ranks a list through all nodes in random order. No library of the toolkit ranks lists. The bound is three
/// random accesses of 64 bytes and two words per node.
inline void rank_random_list(Comparison& c) {
  const BufferSpan<u32> next = c.buffer<u32>(c.n), ranks = c.buffer<u32>(c.n);
  const u32 head = fill_list(c.context, next);
  c.bytes = double(c.n) * (3 * 64 + 2 * 8);
  c.ours = [=, &c] { list_rank(c.context, next, head, ranks); };
  c.expect([=, &c] { return ranks_of_list(c.context, ranks); });
}

}  // namespace copse::bench
