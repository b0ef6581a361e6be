// Fits the boxes of a tree to moved primitives, from the leaves up. See refit.h for the source.
//
// The cooperative stage, refit_cpu.h and refit.cuh:
//
//   fit_boxes(ex, boxes, n, bvh, may_have_deltas)
//     Gives every leaf of a binary tree over at most `n` primitives, of any topology, the box around its
//     primitives by `boxes`, and every inner node the box around its children. `may_have_deltas`: *bvh.has_deltas
//     is defined (see LbvhDeltas) and probably 1.
//   fit_boxes_scratch_bytes<Boxes>(ex, n)
//
//   fit_wide_boxes(ex, leaf, node_capacity, tree)
//     Gives every child of every node of a wide tree with room for `node_capacity` nodes the box around the leaves
//     below it, encoded from exact boxes. `leaf`: FitLeafBox or PackLeaf, called at least once for each primitive.
//   fit_wide_boxes_scratch_bytes<Node>(ex, node_capacity)

#include "builders/bvh/refit/fit_nodes.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/triangle_table.h"

namespace copse::detail {

template <class Executor>
void refit_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, const BvhArrays& bvh,
                          bool may_have_deltas) {
  ScratchArena::Frame frame(ex.scratch);
  fit_boxes(ex, TriangleBoxes{make_triangle_table(ex, frame, views)}, n, bvh, may_have_deltas);
}

template <class Executor>
void refit_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const BvhArrays& bvh, bool may_have_deltas) {
  fit_boxes(ex, CustomBoxes{boxes}, n, bvh, may_have_deltas);
}

template <class Executor>
u64 refit_scratch_bytes(const Executor& ex, u64 n, u64 view_count) {
  if (view_count == 0) return fit_boxes_scratch_bytes<CustomBoxes>(ex, n);
  return fit_boxes_scratch_bytes<TriangleBoxes>(ex, n) + triangle_table_scratch_bytes(view_count);
}

template void refit_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, const BvhArrays&,
                                   bool);
template void refit_over_boxes(const BodyExecutor&, const Aabb*, u64, const BvhArrays&, bool);
template u64 refit_scratch_bytes(const BodyExecutor&, u64, u64);

template <class Executor, class Node>
void refit_wide_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 node_capacity,
                               const WideArrays<Node>& tree) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleBoxes boxes{make_triangle_table(ex, frame, views)};
  fit_wide_boxes(ex, FitLeafBox<TriangleBoxes>{boxes, tree.primitive_ids}, node_capacity, tree);
}

template <class Executor, class Node>
void refit_wide_over_boxes(const Executor& ex, const Aabb* boxes, u64 node_capacity,
                           const WideArrays<Node>& tree) {
  fit_wide_boxes(ex, FitLeafBox<CustomBoxes>{CustomBoxes{boxes}, tree.primitive_ids}, node_capacity, tree);
}

template <class Executor>
void refit_and_pack(const Executor& ex, std::span<const TriangleView> views, u64 node_capacity,
                    const WideArrays<CompressedBvh4Node>& tree, PackedTriangle* packed, u32* masks) {
  ScratchArena::Frame frame(ex.scratch);
  const TrianglePacker packer{make_triangle_table(ex, frame, views), packed, masks};
  fit_wide_boxes(ex, PackLeaf{packer, tree.primitive_ids}, node_capacity, tree);
}

template void refit_and_pack(const BodyExecutor&, std::span<const TriangleView>, u64,
                             const WideArrays<CompressedBvh4Node>&, PackedTriangle*, u32*);

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
