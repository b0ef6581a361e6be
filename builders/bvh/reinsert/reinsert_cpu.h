#pragma once

// The boxes of inner nodes on the CPU, by walks. Contract: builders/bvh/reinsert/reinsert.inl.

#include "builders/bvh/refit/fit_nodes.h"
#include "primitives/cpu/tree_walk.h"

namespace copse::cpu {

namespace detail {

struct BeginAtLeafIf {
  copse::detail::BvhArrays bvh;
  const u32* is_wanted;  // null: always
  bool operator()(u32 node) const {
    if (is_wanted != nullptr && *is_wanted == 0) return false;
    return node < bvh.counts->node_count && bvh.nodes[node].is_leaf();
  }
};

}  // namespace detail

/// Contract: builders/bvh/reinsert/reinsert.inl.
inline void fit_inner_nodes(const Executor& ex, u64 node_count, const copse::detail::BvhArrays& bvh,
                            const u32* is_wanted) {
  bottom_up(ex, "reinsert: boxes by walks", node_count, node_count / 2, SiblingPairs{bvh.parents},
            detail::BeginAtLeafIf{bvh, is_wanted}, copse::detail::FitInnerNode{bvh.nodes});
}

inline u64 fit_inner_nodes_scratch_bytes(const Executor& ex, u64 node_count) {
  return bottom_up_scratch_bytes(ex, node_count / 2);
}

}  // namespace copse::cpu
