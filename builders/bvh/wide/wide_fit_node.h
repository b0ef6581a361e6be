#pragma once

// Fits a wide node by one thread, once all below it is fitted: what walks from the lowest nodes up do.

#include "builders/bvh/lbvh/leaf_box.h"
#include "builders/bvh/wide/wide_arrays.h"
#include "builders/bvh/wide/wide_encode.h"

namespace copse::detail {

/// A compressed node has its children's boxes rounded; so exact ones go up beside them, and every node is rounded
/// once, as by a conversion. Only its boxes are written: another thread may be reading what its children are.
template <class Node, class Boxes>
struct FitWideNode {
  Boxes boxes;
  WideArrays<Node> tree;
  Aabb* exact;  // [node]

  COPSE_HD void operator()(u32 node, u32) const {
    Aabb child_boxes[Node::width];
#pragma unroll
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = tree.nodes[node].child(slot);
      child_boxes[slot] = Aabb::empty();
      if (child.is_leaf()) child_boxes[slot] = box_of_slots(boxes, tree.primitive_ids, child.first, child.count);
      if (child.is_inner()) child_boxes[slot] = exact[child.first];
    }
    encode_boxes(tree.nodes[node], child_boxes);
    exact[node] = merge_all(child_boxes);
  }
};

}  // namespace copse::detail
