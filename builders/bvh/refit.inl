// Fits the boxes of a tree to moved primitives, from the leaves up. See refit.h for the source.

#include "builders/bvh/refit_body.h"
#include "builders/bvh/walk_up.h"
#include "builders/geometry/primitive_boxes.h"

namespace copse::detail {

/// Gives an inner node the box around its children. Only the box: another thread may be reading the count.
struct FitInnerNode {
  BvhNode* nodes;
  COPSE_HD void operator()(u32 node, u32 first_child) const {
    const Aabb box = merge(nodes[first_child].box(), nodes[first_child + 1].box());
    nodes[node].lo = box.lo;
    nodes[node].hi = box.hi;
  }
};

template <class Boxes>
struct RefitUpwards {
  Boxes boxes;
  u32* arrivals;
  BvhArrays bvh;

  COPSE_HD void operator()(u64 i) const {
    if (i >= bvh.counts->node_count) return;
    if (!bvh.nodes[i].is_leaf()) return;
    const BvhNode leaf = bvh.nodes[i];
    Aabb box = boxes(bvh.primitive_ids[leaf.first]);
    for (u32 k = 1; k < leaf.count; ++k) box = merge(box, boxes(bvh.primitive_ids[leaf.first + k]));
    bvh.nodes[i] = BvhNode::leaf(box, leaf.first, leaf.count);
    walk_up(u32(i), bvh.parents, arrivals, FitInnerNode{bvh.nodes});
  }
};

template <class Executor, class Boxes>
void refit_over(const Executor& ex, const Boxes& boxes, u64 n, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  u32* arrivals = frame.allocate<u32>(pair_capacity(n));
  fill_bytes(ex, "refit: clear arrivals", arrivals, pair_capacity(n), 0);
  for_each(ex, "refit: boxes", node_capacity(n), RefitUpwards<Boxes>{boxes, arrivals, bvh});
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
u64 refit_scratch_bytes(const Executor&, u64 n, u64 view_count) {
  return ScratchArena::bytes_for<u32>(pair_capacity(n)) + triangle_table_scratch_bytes(view_count);
}

template void refit_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, const BvhArrays&);
template void refit_over_boxes(const BodyExecutor&, const Aabb*, u64, const BvhArrays&);
template u64 refit_scratch_bytes(const BodyExecutor&, u64, u64);

}  // namespace copse::detail
