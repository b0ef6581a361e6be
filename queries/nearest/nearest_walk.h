#pragma once

// Nearest-first traversal of a binary tree of any depth, on the host and in kernels. Each query by distance passes a
// measure of boxes and a test of primitives. Trees of other layouts have an overload of walk_nearest_first for their
// views.
//
// The nearer of two children is visited first, and the other is pushed on a stack. The order depends on the two boxes
// alone. So if the stack has dropped an entry, the climb by parent links finds the same order again, as in the
// traversal of rays (trace/traverse.h).

#include "builders/bvh/node.h"
#include "queries/nearest/walk_stack.h"

namespace copse {

namespace detail {

/// A sibling to visit later, and the distance of its box.
struct PutOff {
  u32 node;
  float distance;
};

template <class Measure>
COPSE_HD inline float distance_of(const BvhView& bvh, const Measure& measure, u32 node_id) {
  const BvhNode node = bvh.nodes.data()[node_id];
  return measure(node.lo, node.hi);
}

/// Returns the child to visit first of those at `first` and `first + 1`, and pushes the other. Returns nowhere if
/// both are beyond the limit.
template <u32 size, class Measure>
COPSE_HD inline WalkPlace nearer_child(const BvhView& bvh, const Measure& measure, float limit, u32 first,
                                       WalkStack<PutOff, size>& stack) {
  const BvhNode nodes[2] = {bvh.nodes.data()[first], bvh.nodes.data()[first + 1]};
  const float left = measure(nodes[0].lo, nodes[0].hi), right = measure(nodes[1].lo, nodes[1].hi);
  const bool left_is_near = left <= limit, right_is_near = right <= limit;
  if (!left_is_near && !right_is_near) return WalkPlace::nowhere();

  const bool left_first = left <= right;
  if (left_is_near && right_is_near) stack.push(left_first ? PutOff{first + 1, right} : PutOff{first, left});
  const bool takes_left = left_is_near && (left_first || !right_is_near);
  return takes_left ? WalkPlace::of(nodes[0], first) : WalkPlace::of(nodes[1], first + 1);
}

/// The latest node on the stack that is still within the limit; invalid_id if there is none.
template <u32 size>
COPSE_HD inline u32 latest_near(WalkStack<PutOff, size>& stack, float limit) {
  while (!stack.empty()) {
    const PutOff latest = stack.pop();
    if (latest.distance <= limit) return latest.node;
  }
  return invalid_id;
}

/// The node to visit after the subtree of `node`, found by climbing parent links; invalid_id at the end of the
/// traversal.
template <class Measure>
COPSE_HD inline u32 climb_to_near(const BvhView& bvh, const Measure& measure, float limit, u32 node) {
  while (node != 0) {
    const u32 other = sibling(node);
    const float here = distance_of(bvh, measure, node), there = distance_of(bvh, measure, other);
    const bool came_first = node < other ? here <= there : here < there;
    if (came_first && there <= limit) return other;
    node = bvh.parents.data()[sibling_pair(node)];
  }
  return invalid_id;
}

}  // namespace detail

/// Calls `test(primitive, limit)` for the primitives of every leaf whose box is within `limit`, near leaves first.
///   measure: float operator()(const vec3& lo, const vec3& hi) const returns the distance of a box. For any box inside
///            another one, it must not be smaller than for the outer box, not even by rounding, so that no primitive is
///            missed. NaN excludes the box.
///   test:    bool operator()(u32 primitive, float& limit) may lower the limit to the distance of a primitive, and
///            ends the traversal by returning true. Boxes at the limit itself are still visited. With a member
///            `static constexpr bool takes_places = true` it gets the place of the primitive in the tree's
///            primitive_ids instead of its id.
template <u32 stack_size = detail::walk_stack_size, class Measure, class Test>
COPSE_HD inline void walk_nearest_first(const BvhView& bvh, const Measure& measure, float limit, Test& test) {
  const BvhNode* nodes = bvh.nodes.data();
  if (is_empty(nodes[0].box()) || !(detail::distance_of(bvh, measure, 0) <= limit)) return;

  detail::WalkStack<detail::PutOff, stack_size> stack;
  detail::WalkPlace at = detail::WalkPlace::at(bvh, 0);
  while (!at.is_nowhere()) {
    const u32 finished = at.node;
    if (at.count > 0) {
      for (u32 i = at.first; i < at.first + at.count; ++i) {
        if (test(detail::number_for<Test>(bvh.primitive_ids.data(), i), limit)) return;
      }
    } else if (at = detail::nearer_child(bvh, measure, limit, at.first, stack); !at.is_nowhere()) {
      continue;
    }
    u32 next = detail::latest_near(stack, limit);
    if (next == invalid_id && stack.has_dropped()) next = detail::climb_to_near(bvh, measure, limit, finished);
    at = detail::WalkPlace::at(bvh, next);
  }
}

}  // namespace copse
