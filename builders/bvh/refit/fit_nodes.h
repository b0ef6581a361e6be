#pragma once

// Functors for walks from the leaves up: each fits the boxes of a node to its children, in binary and wide trees.
// For bodies and stages: the executor's primitives must be included.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/wide/wide_encode.h"
#include "builders/bvh/wide/wide_tree.h"
#include "builders/geometry/triangle_packer.h"
#include "primitives/bottom_up.h"

namespace copse::detail {

/// Gives an inner node the box around its children. It writes only the box: another thread may be reading the
/// count.
struct FitInnerNode {
  BvhNode* nodes;
  COPSE_HD void operator()(u32 node, u32 pair) const {
    const u32 first_child = SiblingPairs::first_of(pair);
    const Aabb box = merge(nodes[first_child].box(), nodes[first_child + 1].box());
    nodes[node].lo = box.lo;
    nodes[node].hi = box.hi;
  }
};

/// Returns the box around the primitives of a leaf, or of a part of it.
template <class Boxes>
struct FitLeafBox {
  Boxes boxes;
  const u32* primitive_ids;

  COPSE_HD Aabb operator()(u32 first, u32 count) const { return box_of_slots(boxes, primitive_ids, first, count); }
  /// Returns a functor for the same box, for calls after the first.
  COPSE_HD const FitLeafBox& again() const { return *this; }
};

/// The same, read from packed triangles.
struct PackedLeafBox {
  const PackedTriangle* packed;

  COPSE_HD Aabb operator()(u32 first, u32 count) const {
    Aabb box = bounds(packed[first].triangle());
    for (u32 k = 1; k < count; ++k) box = merge(box, bounds(packed[first + k].triangle()));
    return box;
  }
};

/// The same, and packs the triangles, so that they are gathered once.
struct PackLeaf {
  TrianglePacker packer;
  const u32* primitive_ids;

  COPSE_HD Aabb operator()(u32 first, u32 count) const {
    Aabb box = Aabb::empty();
    for (u32 place = first; place < first + count; ++place) {
      const TrianglePacker::Loaded loaded = packer.load(primitive_ids[place]);
      packer.store(loaded, place);
      box = merge(box, bounds(loaded.triangle));
    }
    return box;
  }
  COPSE_HD PackedLeafBox again() const { return {packer.packed}; }
};

/// Fits a wide node. The boxes in a compressed node are rounded, so the exact boxes are kept beside the nodes, and
/// each box is rounded once, as in a collapse. It writes only boxes: another thread may be reading the links of
/// the children.
///   Leaf: FitLeafBox or PackLeaf
template <class Node, class Leaf>
struct FitWideNode {
  Leaf leaf;
  WideArrays<Node> tree;
  Aabb* exact;  // [node]

  COPSE_HD void operator()(u32 node, u32) const {
    Aabb child_boxes[Node::width];
#pragma unroll
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = tree.nodes[node].child(slot);
      child_boxes[slot] = Aabb::empty();
      if (child.is_leaf()) child_boxes[slot] = leaf(child.first, child.count);
      if (child.is_inner()) child_boxes[slot] = exact[child.first];
    }
    encode_boxes(tree.nodes[node], child_boxes);
    exact[node] = merge_all(child_boxes);
  }
};

}  // namespace copse::detail
