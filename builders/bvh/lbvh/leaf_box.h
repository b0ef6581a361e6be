#pragma once

#include "builders/bvh/node.h"

namespace copse::detail {

/// The box around `count` primitives, at least one, from primitive_ids[first] on.
template <class Boxes>
COPSE_HD Aabb box_of_slots(const Boxes& boxes, const u32* primitive_ids, u32 first, u32 count) {
  Aabb box = boxes(primitive_ids[first]);
  for (u32 k = 1; k < count; ++k) box = merge(box, boxes(primitive_ids[first + k]));
  return box;
}

/// Leaf number `leaf` as a node.
template <class Boxes, class Leaves>
COPSE_HD BvhNode make_leaf(const Boxes& boxes, const Leaves& leaves, const u32* primitive_ids, u32 leaf) {
  const u32 first = leaves.first(leaf), count = leaves.first(leaf + 1) - first;
  return BvhNode::leaf(box_of_slots(boxes, primitive_ids, first, count), first, count);
}

}  // namespace copse::detail
