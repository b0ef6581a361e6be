#pragma once

// The traversals of nearest_walk.h and overlap_traversal.h through wide trees of any layout of
// builders/bvh/wide_node.h. With this header, nearest_point, k_nearest, is_inside and the overlap queries take views
// of wide trees too. Boxes of compressed nodes are rounded outwards, so more primitives are tested, but the same ones
// are found.

#include "builders/bvh/wide_node.h"
#include "queries/nearest/nearest_walk.h"
#include "queries/overlaps/overlap_traversal.h"

namespace copse {

namespace detail {

/// A child of a wide node, and the distance of its box.
struct WideQueryPlace {
  WideChild at;
  u32 node;  // its parent
  float distance;

  COPSE_HD bool is_nowhere() const { return at.is_nothing(); }
  COPSE_HD static WideQueryPlace nowhere() { return {WideChild::nothing(), invalid_id, 0}; }
};

/// Siblings are visited by (distance, slot).
COPSE_HD inline bool comes_before(float distance, u32 slot, float other_distance, u32 other_slot) {
  return distance < other_distance || (distance == other_distance && slot < other_slot);
}

template <class Node>
COPSE_HD inline u32 slot_of(const Node& node, const WideChild& child) {
  u32 slot = 0;
  while (slot + 1 < Node::width &&
         !(node.child(slot).first == child.first && node.child(slot).count == child.count)) {
    ++slot;
  }
  return slot;
}

template <class Node, class Measure>
COPSE_HD inline float distance_of(const Node& node, const Measure& measure, u32 slot) {
  const Aabb box = node.child_box(slot);
  return measure(box.lo, box.hi);
}

/// The children of a node within the limit, the nearest first.
template <class Node>
struct NearChildren {
  float distances[Node::width];
  u32 slots[Node::width];
  u32 count = 0;

  COPSE_HD void insert(float distance, u32 slot) {
    u32 at = count++;
    for (; at > 0 && distance < distances[at - 1]; --at) {
      distances[at] = distances[at - 1];
      slots[at] = slots[at - 1];
    }
    distances[at] = distance;
    slots[at] = slot;
  }
};

/// Returns the child of `node_id` to visit first, and pushes the others. Returns nowhere if all are beyond the limit.
template <class Node, u32 size, class Measure>
COPSE_HD inline WideQueryPlace nearest_child(const WideBvhView<Node>& bvh, const Measure& measure, float limit,
                                             u32 node_id, WalkStack<WideQueryPlace, size>& stack) {
  const Node& node = bvh.nodes.data()[node_id];
  NearChildren<Node> near;
  for (u32 slot = 0; slot < Node::width; ++slot) {
    if (node.child(slot).is_nothing()) continue;
    const float distance = distance_of(node, measure, slot);
    if (distance <= limit) near.insert(distance, slot);
  }
  if (near.count == 0) return WideQueryPlace::nowhere();
  for (u32 i = near.count - 1; i > 0; --i) {
    stack.push({node.child(near.slots[i]), node_id, near.distances[i]});
  }
  return {node.child(near.slots[0]), node_id, near.distances[0]};
}

/// The child of a node to visit next after `slot`, within the limit; nowhere if there is none.
template <class Node, class Measure>
COPSE_HD inline WideQueryPlace next_near(const Node& node, u32 node_id, const Measure& measure, float limit,
                                         u32 slot) {
  const float before = distance_of(node, measure, slot);
  u32 next_slot = Node::width;
  float next = infinity;
  for (u32 other = 0; other < Node::width; ++other) {
    if (node.child(other).is_nothing()) continue;
    const float distance = distance_of(node, measure, other);
    if (!(distance <= limit) || !comes_before(before, slot, distance, other)) continue;
    if (next_slot == Node::width || comes_before(distance, other, next, next_slot)) {
      next = distance;
      next_slot = other;
    }
  }
  if (next_slot == Node::width) return WideQueryPlace::nowhere();
  return {node.child(next_slot), node_id, next};
}

/// The place to visit after `finished`, found by climbing parent links up to the node `top`.
template <class Node, class Measure>
COPSE_HD inline WideQueryPlace climb_to_near(const WideBvhView<Node>& bvh, const Measure& measure, float limit,
                                             WideQueryPlace finished, u32 top) {
  while (finished.node != invalid_id) {
    const Node& node = bvh.nodes.data()[finished.node];
    const WideQueryPlace next = next_near(node, finished.node, measure, limit, slot_of(node, finished.at));
    if (!next.is_nowhere()) return next;
    if (finished.node == top) break;
    finished = {{finished.node, 0}, bvh.parents.data()[finished.node], 0};
  }
  return WideQueryPlace::nowhere();
}

/// The first overlapping child from `slot` on.
template <class Node, class Overlaps>
COPSE_HD inline WideQueryPlace next_overlapping(const Node& node, u32 node_id, const Overlaps& overlaps,
                                                u32 slot) {
  for (; slot < Node::width; ++slot) {
    const Aabb box = node.child_box(slot);
    if (!node.child(slot).is_nothing() && overlaps(box.lo, box.hi)) return {node.child(slot), node_id, 0};
  }
  return WideQueryPlace::nowhere();
}

/// Returns the first overlapping child of `node_id`, and pushes the others. Returns nowhere if none overlaps.
template <class Node, u32 size, class Overlaps>
COPSE_HD inline WideQueryPlace overlapping_child(const WideBvhView<Node>& bvh, const Overlaps& overlaps,
                                                 u32 node_id, WalkStack<WideQueryPlace, size>& stack) {
  const Node& node = bvh.nodes.data()[node_id];
  WideQueryPlace first = WideQueryPlace::nowhere();
  for (u32 slot = Node::width; slot-- > 0;) {
    const Aabb box = node.child_box(slot);
    if (node.child(slot).is_nothing() || !overlaps(box.lo, box.hi)) continue;
    if (!first.is_nowhere()) stack.push(first);
    first = {node.child(slot), node_id, 0};
  }
  return first;
}

/// The place to visit after `finished`, found by climbing parent links up to the node `top`.
template <class Node, class Overlaps>
COPSE_HD inline WideQueryPlace climb_to_overlapping(const WideBvhView<Node>& bvh, const Overlaps& overlaps,
                                                    WideQueryPlace finished, u32 top) {
  while (finished.node != invalid_id) {
    const Node& node = bvh.nodes.data()[finished.node];
    const WideQueryPlace next = next_overlapping(node, finished.node, overlaps, slot_of(node, finished.at) + 1);
    if (!next.is_nowhere()) return next;
    if (finished.node == top) break;
    finished = {{finished.node, 0}, bvh.parents.data()[finished.node], 0};
  }
  return WideQueryPlace::nowhere();
}

/// Returns true if a child of a wide node overlaps. The child is the leaf with the place `first`, or the inner node
/// `first`.
template <class Node, class Overlaps>
COPSE_HD inline bool overlaps_child(const Node& node, const Overlaps& overlaps, u32 first, bool is_leaf) {
  u32 slot = 0;
  for (; slot + 1 < Node::width; ++slot) {
    const WideChild child = node.child(slot);
    if (child.is_leaf() == is_leaf && !child.is_nothing() && first - child.first < larger(child.count, 1u)) break;
  }
  const Aabb box = node.child_box(slot);
  return overlaps(box.lo, box.hi);
}

/// Returns true if an overlap traversal from the root reaches a place of a tree with repeats.
template <class Node, class Overlaps>
COPSE_HD inline bool reaches_place(const WideBvhView<Node>& bvh, const Overlaps& overlaps, u32 place) {
  u32 node = bvh.repeats[place].leaf, child = place;
  bool is_leaf = true;
  while (overlaps_child(bvh.nodes.data()[node], overlaps, child, is_leaf)) {
    if (node == 0) return true;
    child = node;
    is_leaf = false;
    node = bvh.parents.data()[node];
  }
  return false;
}

/// The traversal from the place `at` on. `climbs`: continue after its subtree, up to the end of the tree.
///   begin: see comes_first
///   top:   the node at which climbing ends
template <u32 stack_size, class Node, class Overlaps, class Test>
COPSE_HD inline void walk_overlaps_from(const WideBvhView<Node>& bvh, WideQueryPlace at, bool climbs, u32 begin,
                                        const Overlaps& overlaps, Test& test, u32 top = 0) {
  WalkStack<WideQueryPlace, stack_size> stack;
  while (!at.is_nowhere()) {
    const WideQueryPlace finished = at;
    if (at.at.is_leaf()) {
      for (u32 i = at.at.first; i < at.at.first + at.at.count; ++i) {
        if (!comes_first(bvh, overlaps, i, begin)) continue;
        if (test(number_for<Test>(bvh.primitive_ids.data(), i))) return;
      }
    } else if (at = overlapping_child(bvh, overlaps, at.at.first, stack); !at.is_nowhere()) {
      continue;
    }
    if (!stack.empty()) {
      at = stack.pop();
    } else {
      const bool goes_on = climbs || stack.has_dropped();
      at = goes_on ? climb_to_overlapping(bvh, overlaps, finished, top) : WideQueryPlace::nowhere();
    }
  }
}

}  // namespace detail

/// Returns the box of the whole tree; empty if the tree is empty.
template <class Node>
COPSE_HD inline Aabb root_box(const WideBvhView<Node>& bvh) {
  Aabb box = Aabb::empty();
  const Node& root = bvh.nodes.data()[0];
  for (u32 slot = 0; slot < Node::width; ++slot) {
    if (!root.child(slot).is_nothing()) box = merge(box, root.child_box(slot));
  }
  return box;
}

/// As walk_nearest_first of nearest_walk.h, for a wide tree, or for the subtree of its node `top`.
template <u32 stack_size = detail::walk_stack_size, class Node, class Measure, class Test>
COPSE_HD inline void walk_nearest_first(const WideBvhView<Node>& bvh, const Measure& measure, float limit,
                                        Test& test, u32 top = 0) {
  detail::WalkStack<detail::WideQueryPlace, stack_size> stack;
  detail::WideQueryPlace at{{top, 0}, invalid_id, 0};
  while (!at.is_nowhere()) {
    const detail::WideQueryPlace finished = at;
    if (at.at.is_leaf()) {
      for (u32 i = 0; i < at.at.count; ++i) {
        if (test(detail::number_for<Test>(bvh.primitive_ids.data(), at.at.first + i), limit)) return;
      }
    } else if (at = detail::nearest_child(bvh, measure, limit, at.at.first, stack); !at.is_nowhere()) {
      continue;
    }
    at = detail::WideQueryPlace::nowhere();
    while (at.is_nowhere() && !stack.empty()) {
      const detail::WideQueryPlace latest = stack.pop();
      if (latest.distance <= limit) at = latest;
    }
    if (at.is_nowhere() && stack.has_dropped()) at = detail::climb_to_near(bvh, measure, limit, finished, top);
  }
}

/// As walk_overlaps of overlap_traversal.h, for a wide tree, or for the subtree of its node `top`, in the order of
/// slots.
template <u32 stack_size = detail::walk_stack_size, class Node, class Overlaps, class Test>
COPSE_HD inline void walk_overlaps(const WideBvhView<Node>& bvh, const Overlaps& overlaps, Test& test,
                                   u32 begin = 0, u32 top = 0) {
  detail::walk_overlaps_from<stack_size>(bvh, {{top, 0}, invalid_id, 0}, false, begin, overlaps, test, top);
}

/// The same for the leaves that follow the leaf in `slot` of `node`. Each primitive must be in one leaf.
template <u32 stack_size = detail::walk_stack_size, class Node, class Overlaps, class Test>
COPSE_HD inline void walk_overlaps_after(const WideBvhView<Node>& bvh, u32 node, u32 slot,
                                         const Overlaps& overlaps, Test& test) {
  const detail::WideQueryPlace leaf{bvh.nodes.data()[node].child(slot), node, 0};
  const detail::WideQueryPlace first = detail::climb_to_overlapping(bvh, overlaps, leaf, 0);
  detail::walk_overlaps_from<stack_size>(bvh, first, true, 0, overlaps, test);
}

}  // namespace copse
