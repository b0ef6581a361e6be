// Linear BVH: the tree of the common prefixes of Morton keys, over the primitives in Morton order.
//
// Source: Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012, for
// the tree; Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC 2014, for topology and boxes in
// one pass from the leaves. Where we differ: the place of a node follows from its split, so that nothing is
// allocated and every build gives the same bytes; and subtrees that become one leaf are found before the
// tree is built, so that no node is made only to be dropped. lbvh/reference.h is the short version.
//
// The cooperative stages, lbvh_cpu.h and lbvh.cuh:
//
//   join_leaves(ex, boxes, precomputed, leaves, deltas, n, bvh)
//     Builds nodes and parents of `bvh` over its leaves: two neighbouring subtrees join if the delta between them
//     is higher than the deltas at their other ends (SubtreePlace). Marks the tree as the LBVH of its deltas if
//     every primitive is a leaf. Without leaves it changes nothing.
//       n:           maximum number of leaves; their count is in bvh.counts, in the memory of the executor
//       precomputed: PrecomputedBounds of the same boxes, which may be read in their place
//   join_leaves_scratch_bytes(ex, n)

#include "builders/bvh/build/tree_body.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/lbvh/reference.h"
#include "builders/bvh/morton/morton_order.h"
#include "builders/bvh/morton/order_slice.h"
#include "primitives/loops/zeroed_words.h"

namespace copse::detail {

template <class Executor, class Boxes>
void build_over(const Executor& ex, const Boxes& boxes, u64 n, const LbvhOptions& options, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  const MortonOrder order =
      order_primitives(ex, frame, boxes, n, options.morton_bits, options.from_last_order, bvh);
  with_leaves(ex, order, n, options.max_leaf_size, bvh, [&](const auto& leaves) {
    join_leaves(ex, boxes, order.precomputed, leaves, order.deltas, n, bvh);
  });
}

template <class Executor>
u64 build_over_scratch_bytes(const Executor& ex, u64 n, PrimitiveKind kind, const LbvhOptions& options) {
  const MortonOrderScratch order = order_primitives_scratch(ex, n, kind == PrimitiveKind::triangles,
                                                            options.morton_bits, options.from_last_order);
  const u64 tree_bytes =
      join_leaves_scratch_bytes(ex, n) + (options.max_leaf_size > 1 ? leaf_groups_scratch_bytes(ex, n) : 0);
  return order.kept_bytes + larger(order.bytes, tree_bytes);
}

/// Builds the tree over a slice of the primitives of a larger tree, with a leaf for each primitive.
///   boxes: at least one, all valid
template <class Executor>
void build_slice(const Executor& ex, const Aabb* boxes, u64 n, const MortonSlice& slice, const BvhArrays& bvh) {
  order_slice(ex, CustomBoxes{boxes}, n, slice, bvh);
  join_leaves(ex, CustomBoxes{boxes}, PrecomputedBounds{}, SingleLeaves{}, bvh.deltas, n, bvh);
}

template <class Executor>
u64 build_slice_scratch_bytes(const Executor& ex, u64 n, u32 morton_bits) {
  return larger(order_slice_scratch_bytes(ex, n, morton_bits), u64(join_leaves_scratch_bytes(ex, n)));
}

/// Builds the tree of build_over by walks, for tests.
template <class Executor>
void build_by_walks(const Executor& ex, std::span<const TriangleView> views, u64 n, const LbvhOptions& options,
                    const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleBoxes boxes{make_triangle_table(ex, frame, views)};
  const MortonOrder order = order_primitives(ex, frame, boxes, n, options.morton_bits, false, bvh);
  with_leaves(ex, order, n, options.max_leaf_size, bvh,
              [&](const auto& leaves) { join_by_walks(ex, boxes, leaves, order.deltas, n, bvh); });
}

template <class Executor>
u64 build_by_walks_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const LbvhOptions& options) {
  return build_scratch_bytes(ex, n, view_count, options) + join_by_walks_scratch_bytes(ex, n);
}

template void build_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, const LbvhOptions&,
                                   const BvhArrays&);
template void build_over_boxes(const BodyExecutor&, const Aabb*, u64, const LbvhOptions&, const BvhArrays&);
template u64 build_scratch_bytes(const BodyExecutor&, u64, u64, const LbvhOptions&);
template void build_slice(const BodyExecutor&, const Aabb*, u64, const MortonSlice&, const BvhArrays&);
template u64 build_slice_scratch_bytes(const BodyExecutor&, u64, u32);
template void build_by_walks(const BodyExecutor&, std::span<const TriangleView>, u64, const LbvhOptions&,
                             const BvhArrays&);
template u64 build_by_walks_scratch_bytes(const BodyExecutor&, u64, u64, const LbvhOptions&);

}  // namespace copse::detail
