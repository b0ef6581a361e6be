#pragma once

// The walk to all that is touched, through a binary tree of any depth, for the host and for kernels. All queries
// for overlaps are a test of boxes and a test of primitives handed to it; a tree of another layout joins them by
// an overload of walk_touched for its view.
//
// Leaves come in the order of the tree: first children before second ones. Since the first one stands at an odd
// place, the way back by parent links needs no box but those that it goes to.

#include "builders/bvh/node.h"
#include "queries/nearest/walk_stack.h"

namespace copse {

namespace detail {

template <class Touches>
COPSE_HD inline bool is_touched(const BvhView& bvh, const Touches& touches, u32 node_id) {
  const BvhNode node = bvh.nodes.data()[node_id];
  return touches(node.lo, node.hi);
}

/// The first child that is touched of those at `first` and `first + 1`, after the other was put off if it is
/// touched too; nowhere where none is.
template <u32 size, class Touches>
COPSE_HD inline WalkPlace touched_child(const BvhView& bvh, const Touches& touches, u32 first,
                                        WalkStack<u32, size>& stack) {
  const BvhNode nodes[2] = {bvh.nodes.data()[first], bvh.nodes.data()[first + 1]};
  const bool left = touches(nodes[0].lo, nodes[0].hi), right = touches(nodes[1].lo, nodes[1].hi);
  if (!left && !right) return WalkPlace::nowhere();
  if (left && right) stack.push(first + 1);
  return left ? WalkPlace::of(nodes[0], first) : WalkPlace::of(nodes[1], first + 1);
}

/// The node to visit after the subtree of `node`, found by parent links; invalid_id where all are done.
template <class Touches>
COPSE_HD inline u32 climb_to_touched(const BvhView& bvh, const Touches& touches, u32 node) {
  while (node != 0) {
    if (node < sibling(node) && is_touched(bvh, touches, node + 1)) return node + 1;
    node = bvh.parents.data()[sibling_pair(node)];
  }
  return invalid_id;
}

/// The walk from `begin` on. `climbs`: what follows its subtree belongs to it.
template <u32 stack_size, class Touches, class Test>
COPSE_HD inline void walk_touched_from(const BvhView& bvh, u32 begin, bool climbs, const Touches& touches,
                                       Test& test) {
  WalkStack<u32, stack_size> stack;
  WalkPlace at = WalkPlace::at(bvh, begin);
  while (!at.is_nowhere()) {
    const u32 finished = at.node;
    if (at.count > 0) {
      for (u32 i = at.first; i < at.first + at.count; ++i) {
        if (test(bvh.primitive_ids.data()[i])) return;
      }
    } else if (at = touched_child(bvh, touches, at.first, stack); !at.is_nowhere()) {
      continue;
    }
    u32 next = invalid_id;
    if (!stack.empty()) {
      next = stack.pop();
    } else if (climbs || stack.has_dropped()) {
      next = climb_to_touched(bvh, touches, finished);
    }
    at = WalkPlace::at(bvh, next);
  }
}

}  // namespace detail

/// The box of everything in the tree; empty where there is nothing.
COPSE_HD inline Aabb root_box(const BvhView& bvh) {
  return bvh.nodes.data()[0].box();
}

/// Calls `test(primitive)` for the primitives of every leaf whose box and whose ancestors' boxes are touched, in
/// the order of the tree.
///   touches: bool operator()(const vec3& lo, const vec3& hi) const; true for every box around one that is touched
///   test:    bool operator()(u32 primitive); ends the walk by returning true
template <u32 stack_size = detail::walk_stack_size, class Touches, class Test>
COPSE_HD inline void walk_touched(const BvhView& bvh, const Touches& touches, Test& test) {
  if (is_empty(bvh.nodes.data()[0].box()) || !detail::is_touched(bvh, touches, 0)) return;
  detail::walk_touched_from<stack_size>(bvh, 0, false, touches, test);
}

/// The same for the leaves that follow `leaf`, a node of the tree.
template <u32 stack_size = detail::walk_stack_size, class Touches, class Test>
COPSE_HD inline void walk_touched_after(const BvhView& bvh, u32 leaf, const Touches& touches, Test& test) {
  const u32 first = detail::climb_to_touched(bvh, touches, leaf);
  detail::walk_touched_from<stack_size>(bvh, first, true, touches, test);
}

}  // namespace copse
