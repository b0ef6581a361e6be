#pragma once

// The boxes of inner nodes from those of their children, by the walk from all leaves, where they are wanted. For
// bodies and stages: the executor's primitives must be included.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/refit/fit_inner_node.h"
#include "primitives/bottom_up.h"

namespace copse::detail {

struct BeginAtLeafIf {
  BvhArrays bvh;
  const u32* is_wanted;  // none: always
  COPSE_HD bool operator()(u32 node) const {
    if (is_wanted != nullptr && *is_wanted == 0) return false;
    return node < bvh.counts->node_count && bvh.nodes[node].is_leaf();
  }
};

/// Fits the inner nodes of a tree of at most `node_count` nodes, if *is_wanted is not 0.
template <class Executor>
void fit_inner_nodes_if(const Executor& ex, u64 node_count, const BvhArrays& bvh, const u32* is_wanted) {
  bottom_up(ex, "reinsert: boxes by walks", node_count, node_count / 2, SiblingPairs{bvh.parents},
            BeginAtLeafIf{bvh, is_wanted}, FitInnerNode{bvh.nodes});
}

}  // namespace copse::detail
