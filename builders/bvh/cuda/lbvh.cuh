#pragma once

// Topology and boxes of an LBVH on CUDA. Contract: builders/bvh/lbvh.inl.
//
// A tile of leaves a warp, joined in registers (leaf_tile.cuh, subtree_row.cuh); then blocks that join what is
// left of 64 spans each, in shared memory (upper_levels.cuh), of which one in 64 goes on. No thread waits for
// another one, and few write what others read, where the walk by single threads needs a fence a node. Measured by
// copse bench --builder lbvh --stages.

#include "builders/bvh/cuda/curve_sort.cuh"
#include "builders/bvh/cuda/leaf_tile.cuh"
#include "builders/bvh/cuda/upper_levels.cuh"
#include "builders/bvh/lbvh_leaves.h"

namespace copse::cuda {

namespace detail {

struct LbvhTile {
  static constexpr u32 rows = 2;
  static constexpr u32 capacity = rows * warp_size;
  static constexpr u32 warps = 4;
  static constexpr u32 blocks = 9;  // on a multiprocessor
};

/// Lists of all levels over `n` leaves.
inline u64 subtree_list_count(u64 n) {
  return span_list_count(divide_rounding_up(n, u64{LbvhTile::capacity}));
}

template <class Boxes, class Leaves>
void join_leaf_tiles(const Executor& ex, const LeafTileInput<Boxes, Leaves>& in, const BoxesAhead& ahead, u64 n) {
  launch(ex, "lbvh: leaves", leaf_tile_kernel<LbvhTile::rows, LbvhTile::warps, LbvhTile::blocks, Boxes, Leaves>,
         {.blocks = divide_rounding_up(n, u64{LbvhTile::capacity} * LbvhTile::warps),
          .threads = LbvhTile::warps * warp_size,
          .overlaps_earlier_launch = true},
         in, ahead);
}

template <class Leaves>
void join_level(const Executor& ex, const Leaves& leaves, const u8* gaps, ListedSubtree* subtrees,
                const UpperLevel& level, const BvhArrays& bvh) {
  launch(ex, "lbvh: upper levels", upper_levels_kernel<Leaves>,
         {.blocks = level.room_for_blocks(), .threads = UpperMemory::threads, .overlaps_earlier_launch = true},
         leaves, gaps, subtrees, level, bvh);
}

/// Joins what the lists of tiles of leaves hold until it is one tree.
template <class Leaves>
void join_upper_levels(const Executor& ex, const Leaves& leaves, const u8* gaps, const SubtreeLists& lists, u64 n,
                       const BvhArrays& bvh) {
  constexpr u64 most_lists = most_primitives / LbvhTile::capacity;
  static_assert(span_list_count(most_lists / SpanLists::most / SpanLists::most) * sizeof(u32) <=
                ZeroedMemory::bytes);
  UpperLevel level{0, divide_rounding_up(n, u64{LbvhTile::capacity}), LbvhTile::capacity, lists.counts, nullptr};
  if (level.room_for_blocks() > u64{upper_blocks} * ex.multiprocessor_count) {
    join_level(ex, leaves, gaps, lists.subtrees, level, bvh);
    level = level.next();
  }
  ZeroedMemory::Lease lease(ex.zeroed);
  level.arrivals = static_cast<u32*>(lease.data());
  join_level(ex, leaves, gaps, lists.subtrees, level, bvh);
  lease.leaves_zero();
}

}  // namespace detail

/// Contract: builders/bvh/lbvh.inl.
template <class Boxes, class Leaves>
void join_leaves(const Executor& ex, const Boxes& boxes, const copse::detail::BoxesAhead& ahead,
                 const Leaves& leaves, const u8* gaps, u64 n, const copse::detail::BvhArrays& bvh) {
  if (n == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const detail::SubtreeLists lists{frame.allocate<detail::ListedSubtree>(n),
                                   frame.allocate<u32>(detail::subtree_list_count(n))};
  detail::join_leaf_tiles(ex, detail::LeafTileInput<Boxes, Leaves>{boxes, leaves, gaps, lists, bvh}, ahead, n);
  detail::join_upper_levels(ex, leaves, gaps, lists, n, bvh);
}

inline u64 join_leaves_scratch_bytes(const Executor&, u64 n) {
  if (n == 0) return 0;
  return ScratchArena::bytes_for<detail::ListedSubtree>(n) +
         ScratchArena::bytes_for<u32>(detail::subtree_list_count(n));
}

}  // namespace copse::cuda
