#pragma once

// Topology and boxes of an LBVH on CUDA. Contract: builders/bvh/lbvh/lbvh.inl.
//
// A tile of leaves a warp, joined in registers (leaf_tile.cuh, subtree_row.cuh); then blocks that join what is
// left of 64 spans each, in shared memory (upper_levels.cuh), of which one in 64 goes on. No thread waits for
// another one, and few write what others read, where the walk by single threads needs a fence a node. Measured by
// copse bench --builder lbvh --stages.

#include "builders/bvh/lbvh/lbvh_leaves.h"
#include "builders/bvh/lbvh/leaf_tile.cuh"
#include "builders/bvh/lbvh/upper_levels.cuh"
#include "builders/bvh/morton/morton_sort.cuh"

namespace copse::cuda {

namespace detail {

template <class Boxes, class Leaves>
void join_leaf_tiles(const Executor& ex, const LeafTileInput<Boxes, Leaves>& in,
                     const PrecomputedBounds& precomputed, u64 n) {
  launch(ex, "lbvh: leaves", leaf_tile_kernel<LbvhTile::rows, LbvhTile::warps, LbvhTile::blocks, Boxes, Leaves>,
         leaf_tile_shape(n), in, precomputed);
}

__global__ static void __launch_bounds__(LastLevel::threads, LastLevel::blocks)
    last_level_kernel(const LastLevel last, u32 lists_per_block, const BvhArrays bvh) {
  overlap_launches();
  join_last_level(last, lists_per_block, bvh);
}

/// Joins what tiles of leaves left until it is one tree.
inline void join_upper_levels(const Executor& ex, const PendingSubtrees& lists, u64 n, const BvhArrays& bvh) {
  constexpr const char* label = "lbvh: upper levels";
  const LastLevel last = join_levels(ex, label, lists, n, bvh, false);
  const u32 lists_per_block = last.lists_per_block(ex.multiprocessor_count);
  launch(ex, label, last_level_kernel, last_level_shape(last, lists_per_block), last, lists_per_block, bvh);
}

}  // namespace detail

/// Contract: builders/bvh/lbvh/lbvh.inl.
template <class Boxes, class Leaves>
void join_leaves(const Executor& ex, const Boxes& boxes, const copse::detail::PrecomputedBounds& precomputed,
                 const Leaves& leaves, const u8* deltas, u64 n, const copse::detail::BvhArrays& bvh) {
  if (n == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const detail::PendingSubtrees lists = detail::allocate_pending(frame, n);
  detail::join_leaf_tiles(
      ex, detail::LeafTileInput<Boxes, Leaves>{boxes, leaves, deltas, detail::pending_of_tiles(lists, n), bvh},
      precomputed, n);
  detail::join_upper_levels(ex, lists, n, bvh);
}

inline u64 join_leaves_scratch_bytes(const Executor&, u64 n) {
  return n == 0 ? 0 : detail::pending_scratch_bytes(n);
}

}  // namespace copse::cuda
