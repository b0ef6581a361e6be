#pragma once

// The boxes of a wide tree on the CPU. Contract: builders/bvh/wide/wide_refit.inl.
//
// Bottom-up by arrival counters: the last child to arrive at a parent goes on with it.

#include "builders/bvh/wide/wide_fit_node.h"
#include "builders/bvh/wide/wide_tree.h"
#include "primitives/cpu/tree_walk.h"

namespace copse::cpu {

namespace detail {

/// Begins at nodes without inner children.
template <class Node, class Boxes>
struct FitLowestNode {
  copse::detail::FitWideNode<Node, Boxes> fit;

  bool operator()(u32 node) const {
    if (node >= fit.tree.counts->node_count) return false;
    if (copse::detail::inner_child_count(fit.tree.nodes[node]) > 0) return false;
    fit(node, node);
    return true;
  }
};

}  // namespace detail

/// Contract: builders/bvh/wide/wide_refit.inl.
template <class Node, class Boxes>
void fit_wide_boxes(const Executor& ex, const Boxes& boxes, u64 node_capacity,
                    const copse::detail::WideArrays<Node>& tree) {
  ScratchArena::Frame frame(ex.scratch);
  const copse::detail::FitWideNode<Node, Boxes> fit{boxes, tree, frame.allocate<Aabb>(node_capacity)};
  bottom_up(ex, "refit: wide boxes", node_capacity, node_capacity,
            copse::detail::WideTree<Node>{tree.nodes, tree.parents}, detail::FitLowestNode<Node, Boxes>{fit}, fit);
}

template <class Node>
u64 fit_wide_boxes_scratch_bytes(const Executor& ex, u64 node_capacity) {
  return ScratchArena::bytes_for<Aabb>(node_capacity) + bottom_up_scratch_bytes(ex, node_capacity);
}

}  // namespace copse::cpu
