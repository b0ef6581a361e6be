// Fits the boxes of a tree to moved primitives, from the leaves up. See refit.h for the source.

#include "builders/bvh/refit_body.h"
#include "builders/geometry/primitive_boxes.h"
#include "primitives/bottom_up.h"

namespace copse::detail {

/// Gives an inner node the box around its children. Only the box: another thread may be reading the count.
struct FitInnerNode {
  BvhNode* nodes;
  COPSE_HD void operator()(u32 node, u32 pair) const {
    const u32 first_child = SiblingPairs::first_of(pair);
    const Aabb box = merge(nodes[first_child].box(), nodes[first_child + 1].box());
    nodes[node].lo = box.lo;
    nodes[node].hi = box.hi;
  }
};

template <class Boxes>
struct FitLeaf {
  Boxes boxes;
  BvhArrays bvh;

  COPSE_HD bool operator()(u32 node) const {
    if (node >= bvh.counts->node_count) return false;
    if (!bvh.nodes[node].is_leaf()) return false;
    const BvhNode leaf = bvh.nodes[node];
    Aabb box = boxes(bvh.primitive_ids[leaf.first]);
    for (u32 k = 1; k < leaf.count; ++k) box = merge(box, boxes(bvh.primitive_ids[leaf.first + k]));
    bvh.nodes[node] = BvhNode::leaf(box, leaf.first, leaf.count);
    return true;
  }
};

template <class Executor, class Boxes>
void refit_over(const Executor& ex, const Boxes& boxes, u64 n, const BvhArrays& bvh) {
  bottom_up(ex, "refit: boxes", node_capacity(n), pair_capacity(n), SiblingPairs{bvh.parents},
            FitLeaf<Boxes>{boxes, bvh}, FitInnerNode{bvh.nodes});
}

template <class Executor>
void refit_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  refit_over(ex, TriangleBoxes{make_triangle_table(ex, frame, views)}, n, bvh);
}

template <class Executor>
void refit_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const BvhArrays& bvh) {
  refit_over(ex, CustomBoxes{boxes}, n, bvh);
}

template <class Executor>
u64 refit_scratch_bytes(const Executor& ex, u64 n, u64 view_count) {
  return bottom_up_scratch_bytes(ex, pair_capacity(n)) + triangle_table_scratch_bytes(view_count);
}

template void refit_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, const BvhArrays&);
template void refit_over_boxes(const BodyExecutor&, const Aabb*, u64, const BvhArrays&);
template u64 refit_scratch_bytes(const BodyExecutor&, u64, u64);

}  // namespace copse::detail
