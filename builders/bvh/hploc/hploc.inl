// H-PLOC: clusters of leaves in Morton order merge with their nearest neighbours, from the leaves up along the
// LBVH that their keys imply.
//
// Source: Benthin, Meister, Barczak, Mehalwal, Tsakok, Kensler, "H-PLOC: Hierarchical Parallel Locally-Ordered
// Clustering for Bounding Volume Hierarchy Construction", HPG 2024; after Meister, Bittner, "Parallel
// Locally-Ordered Clustering for Bounding Volume Hierarchy Construction", TVCG 2018. Where we differ: whether and
// how far the clusters of a range merge depends on the size of the range alone, not on the order in which threads
// arrive. The place of a node follows from the slot that its merge gives up, not from a counter. Among equal
// areas, the lower place wins. So the tree is a function of the sorted leaves, equal on every backend and in every
// run.
//
// The cooperative stage, hploc_cpu.h and hploc.cuh:
//
//   cluster_leaves(ex, boxes, precomputed, leaves, deltas, n, radius, clusters, arrivals, bvh)
//     Builds nodes and parents of `bvh` over its leaves. A range of leaves in the hierarchy of the deltas takes
//     the clusters of its two children, those of the left child first. If it has more than 16 leaves, it merges
//     neighbours in rounds until at most 16 clusters remain; the range of all leaves, until one remains. In a
//     round each cluster compares the clusters at most `radius` places away, or at most 8 in ranges of more than
//     256 leaves. Two clusters merge that choose each other.
//       n:           maximum number of leaves; their count is in bvh.counts, in the memory of the executor
//       clusters:    room for n
//       arrivals:    n words with all bits set
//       precomputed: PrecomputedBounds of the same boxes, which may be read in their place
//
//   cluster_ranges(ex, boxes, deltas, n, radius, clusters, arrivals, bvh)
//     Does so for the ranges of a slice, which end behind deltas of SliceLeaves::behind_tree. Leaves are primitives.
//     Stores the clusters of a range from its first leaf on, and invalid_id as slot behind the last one if there are
//     fewer than 16 and fewer than leaves.

#include "builders/bvh/build/tree_body.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/hploc/hploc_cluster.h"
#include "builders/bvh/hploc/slice_cuts.h"
#include "builders/bvh/morton/morton_order.h"

namespace copse::detail {

/// Builds the tree over the leaves, with memory for their clusters.
template <class Executor, class Boxes, class Leaves>
void build_clusters(const Executor& ex, const Boxes& boxes, const PrecomputedBounds& precomputed,
                    const Leaves& leaves, const u8* deltas, u64 n, u32 radius, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  auto* clusters = frame.allocate<Cluster>(n);
  u32* arrivals = frame.allocate<u32>(n);
  fill_bytes(ex, "hploc: clear arrivals", arrivals, n, 0xff);
  cluster_leaves(ex, boxes, precomputed, leaves, deltas, n, radius, clusters, arrivals, bvh);
}

template <class Executor, class Boxes>
void build_over(const Executor& ex, const Boxes& boxes, u64 n, const HplocOptions& options, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  const MortonOrder order = order_primitives(ex, frame, boxes, n, options.morton_bits, false, bvh);
  with_leaves(ex, order, n, options.max_leaf_size, bvh, [&](const auto& leaves) {
    build_clusters(ex, boxes, order.precomputed, leaves, order.deltas, n, options.radius, bvh);
  });
}

template <class Executor>
u64 build_over_scratch_bytes(const Executor& ex, u64 n, PrimitiveKind kind, const HplocOptions& options) {
  const MortonOrderScratch order =
      order_primitives_scratch(ex, n, kind == PrimitiveKind::triangles, options.morton_bits, false);
  const u64 tree_bytes = ScratchArena::bytes_for<Cluster>(n) + ScratchArena::bytes_for<u32>(n) +
                         (options.max_leaf_size > 1 ? leaf_groups_scratch_bytes(ex, n) : 0);
  return order.kept_bytes + larger(order.bytes, tree_bytes);
}

template <class Executor>
void cluster_slice(const Executor& ex, const Aabb* boxes, u64 n, const MortonSlice& slice, u32 radius,
                   const BvhArrays& bvh, const WaitingRanges& waiting) {
  order_slice(ex, CustomBoxes{boxes}, n, slice, bvh);

  // Cut the slice into ranges of the whole tree.
  ScratchArena::Frame frame(ex.scratch);
  auto* places = frame.allocate<DeltaPlaces>(1);
  fill_bytes(ex, "hploc: clear places", places, 1, 0xff);
  for_each(ex, "hploc: places of deltas", n - 1, FindDeltaPlaces{bvh.deltas, n - 1, places});
  for_each(ex, "hploc: cut into ranges", 1, CutIntoRanges{places, bvh.deltas, u32(n), waiting});

  // Merge the clusters of each range.
  auto* clusters = frame.allocate<Cluster>(n);
  u32* arrivals = frame.allocate<u32>(n);
  fill_bytes(ex, "hploc: clear arrivals", arrivals, n, 0xff);
  cluster_ranges(ex, CustomBoxes{boxes}, bvh.deltas, n, radius, clusters, arrivals, bvh);
  for_each(ex, "hploc: waiting clusters", max_waiting_ranges(n), StoreWaitingClusters{clusters, waiting, bvh});
}

template <class Executor>
u64 cluster_slice_scratch_bytes(const Executor& ex, u64 n, u32 morton_bits) {
  return larger(order_slice_scratch_bytes(ex, n, morton_bits), ScratchArena::bytes_for<DeltaPlaces>(1) +
                                                                   ScratchArena::bytes_for<Cluster>(n) +
                                                                   ScratchArena::bytes_for<u32>(n));
}

template void build_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, const HplocOptions&,
                                   const BvhArrays&);
template void build_over_boxes(const BodyExecutor&, const Aabb*, u64, const HplocOptions&, const BvhArrays&);
template u64 build_scratch_bytes(const BodyExecutor&, u64, u64, const HplocOptions&);
template void cluster_slice(const BodyExecutor&, const Aabb*, u64, const MortonSlice&, u32, const BvhArrays&,
                            const WaitingRanges&);
template u64 cluster_slice_scratch_bytes(const BodyExecutor&, u64, u32);

}  // namespace copse::detail
