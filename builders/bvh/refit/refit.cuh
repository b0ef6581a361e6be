#pragma once

// The boxes of a tree on CUDA. Contract: builders/bvh/refit/refit.inl.
//
// All nodes of an LBVH with one primitive per leaf follow from the deltas between its leaves. So a refit joins it
// again by tiles of leaves and upper levels, as the build did (lbvh.cuh); the parents stay. It reads a byte per
// primitive in place of 68 bytes of nodes and parents. It reads nodes only in the upper levels.
//
// All other trees are fitted by their links (refit_links.cuh). Only the GPU knows which builder made the tree
// last, since a captured build may have run after this refit was captured. If it was another builder, the launches
// for deltas fit the tree from every leaf up, slowly.

#include "builders/bvh/lbvh/lbvh.cuh"
#include "builders/bvh/morton/leaf_hierarchy.h"
#include "builders/bvh/refit/refit_links.cuh"
#include "builders/bvh/refit/wide_refit.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::PrecomputedBox;
using copse::detail::SingleLeaves;

/// Returns the arrays without parents, since these stay.
COPSE_HD inline BvhArrays without_parents(BvhArrays bvh) {
  bvh.parents = nullptr;
  return bvh;
}

/// Fits the leaves among a block's share of the nodes and clears the arrivals at them.
template <u32 share, class Boxes>
__device__ void fit_leaves_by_links(const Boxes& boxes, const BvhArrays& bvh, u32* arrivals) {
  const FitLeaf<Boxes> fit_leaf{boxes, bvh};
  const u64 first = u64{blockIdx.x} * share, end = smaller(first + share, u64{bvh.counts->node_count});
  for (u64 i = first + threadIdx.x; i < end; i += blockDim.x) {
    const u32 node = u32(i), first_slot = bvh.nodes[node].first, count = bvh.nodes[node].count;
    if (count > 0) fit_leaf(node, first_slot, count);
    if (node % 2 != 0) arrivals[sibling_pair(node)] = 0;
  }
}

/// Walks up from all leaves; all threads of a launch.
__device__ inline void climb_from_leaves(const BvhArrays& bvh, u32* arrivals) {
  const u64 node_count = bvh.counts->node_count, threads = u64{gridDim.x} * blockDim.x;
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < node_count; i += threads) {
    if (bvh.nodes[i].is_leaf()) climb_with_box(bvh, u32(i), arrivals);
  }
}

inline constexpr u32 box_threads = 256;
inline constexpr u32 box_blocks = 8;  // on a multiprocessor

/// Stores the boxes of all triangles; all threads of a launch.
template <class Boxes>
__device__ void store_boxes(const Boxes& boxes, u64 n, PrecomputedBox* stored) {
  const u64 threads = u64{gridDim.x} * box_threads;
  for (u64 i = u64{blockIdx.x} * box_threads + threadIdx.x; i < n; i += threads) {
    const Aabb box = boxes(u32(i));
    stored[i] = {box.lo, 0, box.hi, 0};
  }
}

/// Precomputes bounds for the tiles in the input order of the triangles, if neighbours in Morton order are far
/// apart in that order.
__global__ static void __launch_bounds__(box_threads)
    precompute_bounds_kernel(const TriangleBoxes boxes, const BvhArrays bvh, const PrecomputedBounds precomputed,
                             u64 n) {
  using BoxesInOrder = GatheredBoxes<copse::detail::TripleLoad::singly>;
  overlap_launches();
  if (*bvh.has_deltas == 0 || !precomputed.are_made()) return;
  if (BoxesInOrder::takes(boxes)) return store_boxes(BoxesInOrder::of(boxes), n, precomputed.boxes);
  store_boxes(boxes, n, precomputed.boxes);
}

/// Returns room for precomputed bounds, which are made if they pay; no room if they cannot pay.
template <class Boxes>
PrecomputedBounds precompute_bounds(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                                    const BvhArrays& bvh) {
  PrecomputedBounds precomputed;
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    if (!copse::detail::may_precompute_bounds<Boxes>(n)) return precomputed;
    precomputed = {frame.allocate<PrecomputedBox>(n), bvh.far_count};
    launch(ex, "refit: boxes precomputed", precompute_bounds_kernel,
           {.blocks = u64{box_blocks} * ex.multiprocessor_count,
            .threads = box_threads,
            .overlaps_earlier_launch = true},
           boxes, bvh, precomputed, n);
  }
  return precomputed;
}

template <class Boxes>
__global__ void __launch_bounds__(LbvhTile::warps* warp_size, LbvhTile::blocks)
    fit_tiles_kernel(const LeafTileInput<Boxes, SingleLeaves> in, const PrecomputedBounds precomputed,
                     u32* arrivals) {
  __shared__ SubtreeMemory<LbvhTile::capacity> memories[LbvhTile::warps];
  overlap_launches();
  if (*in.bvh.has_deltas == 0) {
    return fit_leaves_by_links<2 * LbvhTile::capacity * LbvhTile::warps>(in.boxes, in.bvh, arrivals);
  }
  join_leaf_tiles_of_block<LbvhTile::rows, LbvhTile::warps>(in, precomputed, memories);
}

__global__ static void __launch_bounds__(LastLevel::threads, LastLevel::blocks)
    fit_last_level_kernel(const LastLevel last, u32 lists_per_block, const BvhArrays bvh, u32* arrivals) {
  overlap_launches();
  if (*bvh.has_deltas == 0) return climb_from_leaves(bvh, arrivals);
  join_last_level(last, lists_per_block, without_parents(bvh));
}

/// Fits a tree which the last uncaptured build made from deltas.
template <class Boxes>
void refit_by_deltas(const Executor& ex, const Boxes& boxes, u64 n, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  const PendingSubtrees lists = allocate_pending(frame, n);
  u32* const arrivals = reinterpret_cast<u32*>(lists.subtrees);  // of a tree without deltas, in place of its lists
  const PrecomputedBounds precomputed = precompute_bounds(ex, frame, boxes, n, bvh);
  launch(
      ex, "refit: boxes", fit_tiles_kernel<Boxes>, leaf_tile_shape(n),
      LeafTileInput<Boxes, SingleLeaves>{boxes, {}, bvh.deltas, pending_of_tiles(lists, n), without_parents(bvh)},
      precomputed, arrivals);
  constexpr const char* label = "refit: upper boxes";
  const LastLevel last = join_levels(ex, label, lists, n, without_parents(bvh), true);
  const u32 lists_per_block = last.lists_per_block(ex.multiprocessor_count);
  launch(ex, label, fit_last_level_kernel, last_level_shape(last, lists_per_block), last, lists_per_block, bvh,
         arrivals);
}

template <class Boxes>
u64 refit_by_deltas_scratch_bytes(u64 n) {
  return pending_scratch_bytes(n) +
         (copse::detail::may_precompute_bounds<Boxes>(n) ? ScratchArena::bytes_for<PrecomputedBox>(n) : 0);
}

}  // namespace detail

/// Contract: builders/bvh/refit/refit.inl.
template <class Boxes>
void fit_boxes(const Executor& ex, const Boxes& boxes, u64 n, const copse::detail::BvhArrays& bvh,
               bool may_have_deltas) {
  if (n == 0) return;
  if (may_have_deltas) return detail::refit_by_deltas(ex, boxes, n, bvh);
  detail::fit_by_links(ex, detail::FitLeaf<Boxes>{boxes, bvh}, n, bvh);
}

template <class Boxes>
u64 fit_boxes_scratch_bytes(const Executor&, u64 n) {
  return n == 0 ? 0
                : larger(detail::refit_by_deltas_scratch_bytes<Boxes>(n), detail::fit_by_links_scratch_bytes(n));
}

}  // namespace copse::cuda
