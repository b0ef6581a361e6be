#pragma once

// The boxes of inner nodes on the CPU, by walks. Contract: builders/bvh/reinsert/reinsert.inl.

#include "builders/bvh/refit/fit_nodes.h"
#include "primitives/cpu/tree_walk.h"

namespace copse::cpu {

/// Contract: builders/bvh/reinsert/reinsert.inl.
inline void fit_inner_nodes(const Executor& ex, u64 node_count, const copse::detail::BvhArrays& bvh,
                            const u32* is_wanted) {
  copse::detail::fit_inner_nodes_if(ex, node_count, bvh, is_wanted);
}

inline u64 fit_inner_nodes_scratch_bytes(const Executor& ex, u64 node_count) {
  return bottom_up_scratch_bytes(ex, node_count / 2);
}

}  // namespace copse::cpu
