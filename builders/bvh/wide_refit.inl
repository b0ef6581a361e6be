// Fits the boxes of a wide tree to moved primitives, from the lowest nodes up. See refit.h for the source.
//
// A compressed node has its children's boxes rounded; so exact ones go up beside them, and every node is rounded
// once, as by a conversion.

#include "builders/bvh/wide_encode.h"
#include "builders/bvh/wide_refit_body.h"
#include "builders/bvh/wide_tree.h"
#include "builders/geometry/primitive_boxes.h"
#include "primitives/bottom_up.h"

namespace copse::detail {

/// Fits a node below which all is fitted. Only its boxes: another thread may be reading what its children are.
template <class Node, class Boxes>
struct FitWideNode {
  Boxes boxes;
  WideArrays<Node> tree;
  Aabb* exact;  // [node]

  COPSE_HD Aabb leaf_box(const WideChild& leaf) const {
    Aabb box = boxes(tree.primitive_ids[leaf.first]);
    for (u32 k = 1; k < leaf.count; ++k) box = merge(box, boxes(tree.primitive_ids[leaf.first + k]));
    return box;
  }
  COPSE_HD void operator()(u32 node, u32) const {
    Aabb child_boxes[Node::width];
#pragma unroll
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = tree.nodes[node].child(slot);
      child_boxes[slot] = Aabb::empty();
      if (child.is_leaf()) child_boxes[slot] = leaf_box(child);
      if (child.is_inner()) child_boxes[slot] = exact[child.first];
    }
    encode_boxes(tree.nodes[node], child_boxes);
    exact[node] = merge_all(child_boxes);
  }
};

/// Begins at nodes without inner children.
template <class Node, class Boxes>
struct FitLowestNode {
  FitWideNode<Node, Boxes> fit;

  COPSE_HD bool operator()(u32 node) const {
    if (node >= fit.tree.counts->node_count || inner_child_count(fit.tree.nodes[node]) > 0) return false;
    fit(node, node);
    return true;
  }
};

template <class Executor, class Node, class Boxes>
void refit_wide_over(const Executor& ex, const Boxes& boxes, u64 node_capacity, const WideArrays<Node>& tree) {
  ScratchArena::Frame frame(ex.scratch);
  const FitWideNode<Node, Boxes> fit{boxes, tree, frame.allocate<Aabb>(node_capacity)};
  bottom_up(ex, "refit: wide boxes", node_capacity, node_capacity, WideTree<Node>{tree.nodes, tree.parents},
            FitLowestNode<Node, Boxes>{fit}, fit);
}

template <class Executor, class Node>
void refit_wide_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 node_capacity,
                               const WideArrays<Node>& tree) {
  ScratchArena::Frame frame(ex.scratch);
  refit_wide_over(ex, TriangleBoxes{make_triangle_table(ex, frame, views)}, node_capacity, tree);
}

template <class Executor, class Node>
void refit_wide_over_boxes(const Executor& ex, const Aabb* boxes, u64 node_capacity,
                           const WideArrays<Node>& tree) {
  refit_wide_over(ex, CustomBoxes{boxes}, node_capacity, tree);
}

template <class Executor>
u64 refit_wide_scratch_bytes(const Executor& ex, u64 node_capacity, u64 view_count) {
  return ScratchArena::bytes_for<Aabb>(node_capacity) + bottom_up_scratch_bytes(ex, node_capacity) +
         triangle_table_scratch_bytes(view_count);
}

#define COPSE_REFIT(Node)                                                                          \
  template void refit_wide_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, \
                                          const WideArrays<Node>&);                                \
  template void refit_wide_over_boxes(const BodyExecutor&, const Aabb*, u64, const WideArrays<Node>&);
COPSE_REFIT(Bvh4Node)
COPSE_REFIT(CompressedBvh4Node)
COPSE_REFIT(CompressedBvh8Node)
#undef COPSE_REFIT

template u64 refit_wide_scratch_bytes(const BodyExecutor&, u64, u64);

}  // namespace copse::detail
