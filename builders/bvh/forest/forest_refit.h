#pragma once

// New boxes for the wide trees of a forest: what refit.inl does for one tree.
// Nodes and places are counted through all trees here.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/forest.h"
#include "builders/bvh/wide/wide_encode.h"
#include "builders/bvh/wide/wide_tree.h"
#include "primitives/core/executor.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

/// Fits a node to its children. The exact boxes are kept beside the rounded ones, as in FitWideNode.
struct FitForestNode {
  ForestShape shape;
  ForestArrays trees;
  const Aabb* boxes;  // [primitive]
  Aabb* exact;        // [node]

  COPSE_HD void operator()(u32 node, u32) const {
    const u32 begin = shape.begins[shape.tree_of[node]];
    exact[node] = fit(trees.nodes[node], begin, exact + begin);
  }

  /// Fits a node of the tree that begins at `begin`. It writes only boxes: another thread may be reading the
  /// links. Returns the box around all children.
  ///   exact_boxes: [node of the tree]
  COPSE_HD Aabb fit(CompressedBvh4Node& node, u32 begin, const Aabb* exact_boxes) const {
    Aabb child_boxes[CompressedBvh4Node::width];
#pragma unroll
    for (u32 slot = 0; slot < CompressedBvh4Node::width; ++slot) {
      child_boxes[slot] = child_box(node.child(slot), begin, exact_boxes);
    }
    encode_boxes(node, child_boxes);
    return merge_all(child_boxes);
  }

  /// Returns the exact box of a child, which is empty in an empty slot.
  COPSE_HD Aabb child_box(const WideChild& child, u32 begin, const Aabb* exact_boxes) const {
    if (child.is_inner()) return exact_boxes[child.first];
    if (!child.is_leaf()) return Aabb::empty();
    return box_of_slots(ForestBoxesFrom{boxes + begin}, trees.primitive_ids + begin, child.first, child.count);
  }

 private:
  struct ForestBoxesFrom {
    const Aabb* boxes;
    COPSE_HD Aabb operator()(u32 primitive) const { return boxes[primitive]; }
  };
};

/// The wide trees for walks up (tree_walk.h). The number of a sibling group is that of its parent.
struct ForestFamilies {
  ForestShape shape;
  ForestArrays trees;

  COPSE_HD bool is_root(u32 node) const { return trees.parents[node] == invalid_id; }
  COPSE_HD u32 family(u32 node) const { return shape.begins[shape.tree_of[node]] + trees.parents[node]; }
  COPSE_HD u32 family_size(u32 family) const { return inner_child_count(trees.nodes[family]); }
  COPSE_HD u32 parent(u32 family) const { return family; }
};

/// Begins at the nodes without inner children of the trees that have moved, and have more than some number of
/// nodes.
struct FitLowestForestNode {
  FitForestNode fit;
  const u32* moved;  // [tree], or null
  u32 above;         // nodes

  COPSE_HD bool operator()(u32 node) const {
    const u32 tree = fit.shape.tree_of[node];
    if (moved != nullptr && moved[tree] == 0) return false;
    const u32 node_count = fit.trees.counts[tree].node_count;
    if (node_count <= above || node - fit.shape.begins[tree] >= node_count) return false;
    if (inner_child_count(fit.trees.nodes[node]) > 0) return false;
    fit(node, node);
    return true;
  }
};

template <class Executor>
void fit_forest(const Executor& ex, const ForestShape& shape, const ForestArrays& trees, const Aabb* boxes,
                const u32* moved) {
  const u64 n = shape.primitive_count;
  ScratchArena::Frame frame(ex.scratch);
  fit_forest_nodes(ex, FitForestNode{shape, trees, boxes, frame.allocate<Aabb>(n)}, moved);
}

template <class Executor>
u64 fit_forest_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<Aabb>(n) + bottom_up_scratch_bytes(ex, n);
}

}  // namespace copse::detail
