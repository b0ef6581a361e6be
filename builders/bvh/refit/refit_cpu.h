#pragma once

// The boxes of a tree on the CPU. Contract: builders/bvh/refit/refit.inl.
//
// Bottom-up by arrival counters: the second child to arrive at a parent goes on with it.

#include "builders/bvh/refit/fit_nodes.h"
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

/// Begins at nodes without inner children.
template <class Node, class Leaf>
struct FitLowestNode {
  copse::detail::FitWideNode<Node, Leaf> fit;

  bool operator()(u32 node) const {
    if (node >= fit.tree.counts->node_count) return false;
    if (copse::detail::inner_child_count(fit.tree.nodes[node]) > 0) return false;
    fit(node, node);
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

/// Contract: builders/bvh/refit/refit.inl.
template <class Node, class Leaf>
void fit_wide_boxes(const Executor& ex, const Leaf& leaf, u64 node_capacity,
                    const copse::detail::WideArrays<Node>& tree) {
  ScratchArena::Frame frame(ex.scratch);
  const copse::detail::FitWideNode<Node, Leaf> fit{leaf, tree, frame.allocate<Aabb>(node_capacity)};
  bottom_up(ex, "refit: wide boxes", node_capacity, node_capacity,
            copse::detail::WideFamilies<Node>{tree.nodes, tree.parents}, detail::FitLowestNode<Node, Leaf>{fit},
            fit);
}

template <class Node>
u64 fit_wide_boxes_scratch_bytes(const Executor& ex, u64 node_capacity) {
  return ScratchArena::bytes_for<Aabb>(node_capacity) + bottom_up_scratch_bytes(ex, node_capacity);
}

}  // namespace copse::cpu
