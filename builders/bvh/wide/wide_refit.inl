// Fits the boxes of a wide tree to moved primitives, from the lowest nodes up. See refit.h for the source.
//
// The cooperative stage, wide_refit_cpu.h and wide_refit.cuh:
//
//   fit_wide_boxes(ex, boxes, node_capacity, tree)
//     Gives every child of every node of a wide tree with room for `node_capacity` nodes the box around the
//     primitives below it as `boxes` tells them, encoded from exact boxes.
//   fit_wide_boxes_scratch_bytes<Node>(ex, node_capacity)

#include "builders/bvh/wide/wide_refit_body.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/primitive_boxes.h"

namespace copse::detail {

template <class Executor, class Node>
void refit_wide_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 node_capacity,
                               const WideArrays<Node>& tree) {
  ScratchArena::Frame frame(ex.scratch);
  fit_wide_boxes(ex, TriangleBoxes{make_triangle_table(ex, frame, views)}, node_capacity, tree);
}

template <class Executor, class Node>
void refit_wide_over_boxes(const Executor& ex, const Aabb* boxes, u64 node_capacity,
                           const WideArrays<Node>& tree) {
  fit_wide_boxes(ex, CustomBoxes{boxes}, node_capacity, tree);
}

template <class Node, class Executor>
u64 refit_wide_scratch_bytes(const Executor& ex, u64 node_capacity, u64 view_count) {
  return fit_wide_boxes_scratch_bytes<Node>(ex, node_capacity) + triangle_table_scratch_bytes(view_count);
}

#define COPSE_REFIT(Node)                                                                              \
  template void refit_wide_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64,     \
                                          const WideArrays<Node>&);                                    \
  template void refit_wide_over_boxes(const BodyExecutor&, const Aabb*, u64, const WideArrays<Node>&); \
  template u64 refit_wide_scratch_bytes<Node>(const BodyExecutor&, u64, u64);
COPSE_REFIT(Bvh4Node)
COPSE_REFIT(CompressedBvh4Node)
COPSE_REFIT(CompressedBvh8Node)
#undef COPSE_REFIT

}  // namespace copse::detail
