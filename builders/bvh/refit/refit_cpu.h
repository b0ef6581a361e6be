#pragma once

// The boxes of a tree on the CPU. Contract: builders/bvh/refit/refit.inl.
//
// Bottom-up by arrival counters: the second child to arrive at a parent goes on with it.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/lbvh/leaf_box.h"
#include "builders/bvh/refit/fit_inner_node.h"
#include "primitives/cpu/tree_walk.h"

namespace copse::cpu {

namespace detail {

template <class Boxes>
struct FitLeaf {
  Boxes boxes;
  copse::detail::BvhArrays bvh;

  bool operator()(u32 node) const {
    if (node >= bvh.counts->node_count) return false;
    const BvhNode leaf = bvh.nodes[node];
    if (!leaf.is_leaf()) return false;
    const Aabb box = copse::detail::box_of_slots(boxes, bvh.primitive_ids, leaf.first, leaf.count);
    bvh.nodes[node] = BvhNode::leaf(box, leaf.first, leaf.count);
    return true;
  }
};

}  // namespace detail

/// Contract: builders/bvh/refit/refit.inl.
template <class Boxes>
void fit_boxes(const Executor& ex, const Boxes& boxes, u64 n, const copse::detail::BvhArrays& bvh, bool) {
  bottom_up(ex, "refit: boxes", node_capacity(n), pair_capacity(n), SiblingPairs{bvh.parents},
            detail::FitLeaf<Boxes>{boxes, bvh}, copse::detail::FitInnerNode{bvh.nodes});
}

template <class Boxes>
u64 fit_boxes_scratch_bytes(const Executor& ex, u64 n) {
  return bottom_up_scratch_bytes(ex, pair_capacity(n));
}

}  // namespace copse::cpu
