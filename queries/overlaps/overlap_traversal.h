#pragma once

// Overlap traversal: visits every leaf whose box overlaps a region, in a binary tree of any depth, on the host and in
// kernels. Each overlap query passes a test of boxes and a test of primitives. Trees of other layouts have an
// overload of walk_overlaps for their views.
//
// Leaves come in the order of the tree: first children before second ones. A first child has an odd id, so the climb
// by parent links knows which sibling was visited first. It tests only boxes of nodes that it may visit next.

#include "builders/bvh/node.h"
#include "queries/nearest/walk_stack.h"

namespace copse {

namespace detail {

template <class Overlaps>
COPSE_HD inline bool overlaps_node(const BvhView& bvh, const Overlaps& overlaps, u32 node_id) {
  const BvhNode node = bvh.nodes.data()[node_id];
  return overlaps(node.lo, node.hi);
}

/// Returns the first overlapping child of those at `first` and `first + 1`. If both overlap, the second one is
/// pushed. Returns nowhere if none overlaps.
template <u32 size, class Overlaps>
COPSE_HD inline WalkPlace overlapping_child(const BvhView& bvh, const Overlaps& overlaps, u32 first,
                                            WalkStack<u32, size>& stack) {
  const BvhNode nodes[2] = {bvh.nodes.data()[first], bvh.nodes.data()[first + 1]};
  const bool left = overlaps(nodes[0].lo, nodes[0].hi), right = overlaps(nodes[1].lo, nodes[1].hi);
  if (!left && !right) return WalkPlace::nowhere();
  if (left && right) stack.push(first + 1);
  return left ? WalkPlace::of(nodes[0], first) : WalkPlace::of(nodes[1], first + 1);
}

/// The node to visit after the subtree of `node`, found by climbing parent links; invalid_id at the end of the
/// traversal.
template <class Overlaps>
COPSE_HD inline u32 climb_to_overlapping(const BvhView& bvh, const Overlaps& overlaps, u32 node) {
  while (node != 0) {
    if (node < sibling(node) && overlaps_node(bvh, overlaps, node + 1)) return node + 1;
    node = bvh.parents.data()[sibling_pair(node)];
  }
  return invalid_id;
}

/// Returns true if an overlap traversal from the root reaches a place of a tree with repeats.
template <class Overlaps>
COPSE_HD inline bool reaches_place(const BvhView& bvh, const Overlaps& overlaps, u32 place) {
  u32 node = bvh.repeats[place].leaf;
  while (overlaps_node(bvh, overlaps, node)) {
    if (node == 0) return true;
    node = bvh.parents.data()[sibling_pair(node)];
  }
  return false;
}

/// Returns true if a place is the first one of its primitive that an overlap traversal reaches. Always true if each
/// primitive is in one leaf.
///   begin: primitives with a place before this one are excluded
template <class Tree, class Overlaps>
COPSE_HD inline bool comes_first(const Tree& tree, const Overlaps& overlaps, u32 place, u32 begin) {
  if (tree.repeats == nullptr) return true;
  u32 first = place;
  for (u32 at = tree.repeats[place].previous; at != invalid_id; at = tree.repeats[at].previous) {
    if (reaches_place(tree, overlaps, at)) return false;
    first = at;
  }
  return first >= begin;
}

/// The traversal from node `node_id` on. `climbs`: continue after its subtree, up to the end of the tree.
///   begin: see comes_first
template <u32 stack_size, class Overlaps, class Test>
COPSE_HD inline void walk_overlaps_from(const BvhView& bvh, u32 node_id, bool climbs, u32 begin,
                                        const Overlaps& overlaps, Test& test) {
  WalkStack<u32, stack_size> stack;
  WalkPlace at = WalkPlace::at(bvh, node_id);
  while (!at.is_nowhere()) {
    const u32 finished = at.node;
    if (at.count > 0) {
      for (u32 i = at.first; i < at.first + at.count; ++i) {
        if (!comes_first(bvh, overlaps, i, begin)) continue;
        if (test(number_for<Test>(bvh.primitive_ids.data(), i))) return;
      }
    } else if (at = overlapping_child(bvh, overlaps, at.first, stack); !at.is_nowhere()) {
      continue;
    }
    u32 next = invalid_id;
    if (!stack.empty()) {
      next = stack.pop();
    } else if (climbs || stack.has_dropped()) {
      next = climb_to_overlapping(bvh, overlaps, finished);
    }
    at = WalkPlace::at(bvh, next);
  }
}

}  // namespace detail

/// Returns the box of the whole tree; empty if the tree is empty.
COPSE_HD inline Aabb root_box(const BvhView& bvh) {
  return bvh.nodes.data()[0].box();
}

/// Calls `test(primitive)` for the primitives of every leaf if its box and all boxes above it overlap. Leaves come in
/// the order of the tree. A primitive that is in several leaves is tested once.
///   overlaps: bool operator()(const vec3& lo, const vec3& hi) const. If it is true for a box, it must be true for
///             every box around that one.
///   test:     bool operator()(u32 primitive); ends the traversal by returning true. With a member
///             `static constexpr bool takes_places = true` it gets the place of the primitive in the tree's
///             primitive_ids instead of its id
///   begin:    if primitives may be in several leaves, those with a place before this one are excluded
template <u32 stack_size = detail::walk_stack_size, class Overlaps, class Test>
COPSE_HD inline void walk_overlaps(const BvhView& bvh, const Overlaps& overlaps, Test& test, u32 begin = 0) {
  if (is_empty(bvh.nodes.data()[0].box()) || !detail::overlaps_node(bvh, overlaps, 0)) return;
  detail::walk_overlaps_from<stack_size>(bvh, 0, false, begin, overlaps, test);
}

/// The same for the leaves that follow `leaf`, a node of the tree. Each primitive must be in one leaf.
template <u32 stack_size = detail::walk_stack_size, class Overlaps, class Test>
COPSE_HD inline void walk_overlaps_after(const BvhView& bvh, u32 leaf, const Overlaps& overlaps, Test& test) {
  const u32 first = detail::climb_to_overlapping(bvh, overlaps, leaf);
  detail::walk_overlaps_from<stack_size>(bvh, first, true, 0, overlaps, test);
}

// Deprecated names, until 0.2.

template <u32 stack_size = detail::walk_stack_size, class Tree, class Overlaps, class Test>
[[deprecated("use walk_overlaps")]] COPSE_HD inline void walk_touched(const Tree& tree, const Overlaps& overlaps,
                                                                      Test& test) {
  walk_overlaps<stack_size>(tree, overlaps, test);
}

template <u32 stack_size = detail::walk_stack_size, class Overlaps, class Test>
[[deprecated("use walk_overlaps_after")]] COPSE_HD inline void walk_touched_after(const BvhView& bvh, u32 leaf,
                                                                                  const Overlaps& overlaps,
                                                                                  Test& test) {
  walk_overlaps_after<stack_size>(bvh, leaf, overlaps, test);
}

}  // namespace copse
