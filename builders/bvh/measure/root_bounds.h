#pragma once

// The box of a tree from its root alone, binary or wide.

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"
#include "builders/geometry/aabb.h"

namespace copse::detail {

/// Cuts planes beyond the largest float there, so that areas are numbers.
COPSE_HD inline Aabb cut_to_floats(const Aabb& box) {
  constexpr float largest = 3.402823466e38f;
  return {upper_corner(box.lo, vec3(-largest)), lower_corner(box.hi, vec3(largest))};
}

COPSE_HD inline Aabb bounds_of(const BvhNode& root) {
  return root.box();
}

template <class Node>
COPSE_HD Aabb bounds_of(const Node& root) {
  Aabb box = Aabb::empty();
  for (u32 slot = 0; slot < Node::width; ++slot) {
    if (!root.child(slot).is_nothing() && !is_empty(root.child_box(slot))) box = merge(box, root.child_box(slot));
  }
  return is_empty(box) ? box : cut_to_floats(box);
}

}  // namespace copse::detail
