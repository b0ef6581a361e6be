#pragma once

// Ranks the selected elements of a tile: finds how many selected elements are before each.

#include <type_traits>

#include "primitives/cuda/block.cuh"

namespace copse::cuda::detail {

/// The tile of a block. Lane t of a warp has packs r * 32 + t of the warp, so that warps read whole rows.
template <u32 block_threads, u32 row_count, u32 pack_elements>
struct TileShape {
  static constexpr u32 threads = block_threads, rows = row_count, pack = pack_elements;
  static constexpr u32 size = threads * rows * pack;
  static_assert(rows <= 4 && pack <= 16);

  /// Returns the number in the tile of element 0 of row r of this thread.
  __device__ static u32 local_id(u32 r) {
    return ((threadIdx.x / warp_size * rows + r) * warp_size + lane_id()) * pack;
  }
};

template <class Shape>
struct SelectedRanks {
  u32 before[Shape::rows];  // selected elements of the tile before row r of this thread
  u32 total;
};

/// Ranks the elements whose bits are set in `selected`, which has one mask of `pack` bits per row. The counts of
/// the rows are fields of one word, and go through one scan of the warp. The function ends after a barrier, but
/// before the last use of the storage: put a barrier before its next use.
template <class Shape>
__device__ SelectedRanks<Shape> rank_selected(const u32 (&selected)[Shape::rows],
                                              BlockStorage<u32, Shape::threads>& warp_totals) {
  constexpr u32 width = warp_size * Shape::pack < 256 ? 8 : 16;
  using Fields = std::conditional_t<width == 8, u32, u64>;
  constexpr Fields field = (Fields{1} << width) - 1;

  Fields mine = 0;
#pragma unroll
  for (u32 r = 0; r < Shape::rows; ++r) mine |= Fields(__popc(selected[r])) << (r * width);
  const Fields through = warp_inclusive_scan(mine, Plus{});
  const Fields of_warp = shuffle_from(through, warp_size - 1);
  u32 warp_total = 0;
#pragma unroll
  for (u32 r = 0; r < Shape::rows; ++r) warp_total += u32(of_warp >> (r * width) & field);
  const u32 warp = threadIdx.x / warp_size;
  if (lane_id() == 0) warp_totals[warp] = warp_total;
  __syncthreads();

  // Every warp scans the totals itself.
  constexpr u32 warp_count = Shape::threads / warp_size;
  const u32 other_total = lane_id() < warp_count ? warp_totals[lane_id()] : 0;
  const u32 warps_through = warp_inclusive_scan(other_total, Plus{});
  SelectedRanks<Shape> ranks;
  ranks.total = shuffle_from(warps_through, warp_size - 1);
  u32 before = shuffle_from(warps_through, warp) - warp_total;
#pragma unroll
  for (u32 r = 0; r < Shape::rows; ++r) {
    ranks.before[r] = before + u32((through - mine) >> (r * width) & field);
    before += u32(of_warp >> (r * width) & field);
  }
  return ranks;
}

}  // namespace copse::cuda::detail
