#pragma once

// Rotations, from the leaves up: every inner node swaps a child with a grandchild, or two grandchildren, whichever
// lowers the area of its children most. For bodies: the executor's primitives must be included.
//
// Source: Kensler, "Tree Rotations for Improving Bounding Volume Hierarchies", IRT 2008. Where we differ: a pass
// runs in parallel, by the walk of primitives/bottom_up.h. A rotation depends only on the nodes below, which are
// finished before, so the tree is the same on every backend.

#include "builders/bvh/build/bvh_arrays.h"
#include "primitives/bottom_up.h"

namespace copse::detail {

/// Two nodes that change places, and the area that inner nodes lose by it.
struct Rotation {
  double gain = 0;
  u32 a = invalid_id;
  u32 b = invalid_id;

  COPSE_HD void consider(double other_gain, u32 other_a, u32 other_b) {
    if (other_gain > gain) *this = {other_gain, other_a, other_b};
  }
};

struct RotateNode {
  BvhNode* nodes;
  u32* parents;

  COPSE_HD void operator()(u32, u32 pair) const {
    const u32 left = SiblingPairs::first_of(pair), right = left + 1;
    const BvhNode left_node = nodes[left], right_node = nodes[right];
    Rotation best;
    consider_uncle(left, left_node, right_node, best);
    consider_uncle(right, right_node, left_node, best);
    consider_cousins(left_node, right_node, best);
    if (best.gain > 0) rotate(best, left, right);
  }

 private:
  COPSE_HD static double area_of_both(const BvhNode& a, const BvhNode& b) {
    return half_area(merge(a.box(), b.box()));
  }

  /// Considers to swap a node with a child of its sibling.
  COPSE_HD void consider_uncle(u32 uncle, const BvhNode& uncle_node, const BvhNode& sibling_node,
                               Rotation& best) const {
    if (sibling_node.is_leaf()) return;
    const u32 first = sibling_node.first;
    const double area = half_area(sibling_node.box());
    best.consider(area - area_of_both(uncle_node, nodes[first + 1]), uncle, first);
    best.consider(area - area_of_both(uncle_node, nodes[first]), uncle, first + 1);
  }

  /// Considers to swap the first left grandchild with either right one: the other two swaps have the same outcome.
  COPSE_HD void consider_cousins(const BvhNode& left, const BvhNode& right, Rotation& best) const {
    if (left.is_leaf() || right.is_leaf()) return;
    const BvhNode *l = nodes + left.first, *r = nodes + right.first;
    const double area = half_area(left.box()) + half_area(right.box());
    best.consider(area - (area_of_both(r[0], l[1]) + area_of_both(l[0], r[1])), left.first, right.first);
    best.consider(area - (area_of_both(r[1], l[1]) + area_of_both(r[0], l[0])), left.first, right.first + 1);
  }

  COPSE_HD void rotate(const Rotation& rotation, u32 left, u32 right) const {
    const BvhNode a = nodes[rotation.a], b = nodes[rotation.b];
    place(b, rotation.a);
    place(a, rotation.b);
    fit(left);
    fit(right);
  }
  COPSE_HD void place(const BvhNode& node, u32 slot) const {
    nodes[slot] = node;
    if (!node.is_leaf()) parents[sibling_pair(node.first)] = slot;
  }
  COPSE_HD void fit(u32 node) const {
    if (nodes[node].is_leaf()) return;
    const u32 first = nodes[node].first;
    nodes[node] = BvhNode::inner(merge(nodes[first].box(), nodes[first + 1].box()), first);
  }
};

/// Marks where the leaves stand before a pass; they move while it runs.
struct MarkLeaf {
  BvhArrays bvh;
  u8* is_leaf;
  COPSE_HD void operator()(u64 i) const { is_leaf[i] = i < bvh.counts->node_count && bvh.nodes[i].is_leaf(); }
};
struct BeginAtMark {
  const u8* is_leaf;
  COPSE_HD bool operator()(u32 node) const { return is_leaf[node] != 0; }
};

/// Makes one pass over a tree of at most `n` leaves. Boxes must be exact, and stay so.
template <class Executor>
void rotate_tree(const Executor& ex, u64 n, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  u8* is_leaf = frame.allocate<u8>(node_capacity(n));
  for_each(ex, "rotate: leaves", node_capacity(n), MarkLeaf{bvh, is_leaf});
  bottom_up(ex, "rotate: swap", node_capacity(n), pair_capacity(n), SiblingPairs{bvh.parents},
            BeginAtMark{is_leaf}, RotateNode{bvh.nodes, bvh.parents});
}

template <class Executor>
u64 rotate_tree_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u8>(node_capacity(n)) + bottom_up_scratch_bytes(ex, pair_capacity(n));
}

}  // namespace copse::detail
