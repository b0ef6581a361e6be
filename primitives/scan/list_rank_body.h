#pragma once

#include "primitives/core/bits.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// The nodes of a sublist, on average. Longer ones leave fewer to rank, and take longer to walk alone.
inline constexpr u32 sublist_nodes = 64;

/// Lists of up to so many nodes are walked from end to end.
inline constexpr u32 short_list_nodes = 128;

/// One sublist for each block of `sublist_nodes` node ids, and that of the head.
COPSE_HD inline constexpr u64 sublist_count(u64 n) {
  return divide_rounding_up(n, sublist_nodes) + 1;
}

template <class Executor>
void rank_nodes(const Executor& ex, const u32* next, u32 n, u32 head, u32* ranks);

}  // namespace copse::detail
