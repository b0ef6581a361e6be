#pragma once

// What is left of neighbouring spans of a tree, side by side: a span's entries stand in memory from its first
// place on, and there is a count for each span. A block takes the entries of up to 64 spans and numbers them
// through.

#include "primitives/core/bits.h"
#include "primitives/cuda/block.cuh"

namespace copse::cuda::detail {

/// A block's numbering, in shared memory.
struct PendingLists {
  static constexpr u32 max_lists = 2 * warp_size;  // spans of a block

  u32 ends[max_lists];  // the numbers behind each span's last entry

  /// Numbers the entries of `list_count` spans; all threads of the block.
  __device__ void number(const u32* counts, u32 list_count) {
    if (threadIdx.x < warp_size) number_by_one_warp(counts, list_count);
    __syncthreads();
  }
  /// The same by one warp, which other warps have to wait for.
  __device__ void number_by_one_warp(const u32* counts, u32 list_count) {
    const u32 first = 2 * lane_id();
    const u32 count = first < list_count ? counts[first] : 0;
    const u32 next_count = first + 1 < list_count ? counts[first + 1] : 0;
    const u32 end = warp_inclusive_scan(count + next_count, Plus{});
    ends[first] = end - next_count;
    ends[first + 1] = end;
  }
  __device__ u32 begin(u32 list) const { return list == 0 ? 0 : ends[list - 1]; }
  __device__ u32 size() const { return ends[max_lists - 1]; }

  /// The span whose entry has a number.
  __device__ u32 list_of(u32 number) const {
    u32 list = 0;
#pragma unroll
    for (u32 half = max_lists / 2; half > 0; half /= 2) {
      if (ends[list + half - 1] <= number) list += half;
    }
    return list;
  }

  /// Where the entry of a number stands, counted from the first place of the first span.
  ///   span: places a span
  __device__ u64 place(u32 number, u64 span) const {
    const u32 list = list_of(number);
    return list * span + (number - begin(list));
  }

  /// The end of the whole lists from `begin` on that have at most `max_entries`.
  __device__ u32 end_of_whole_lists(u32 begin, u32 max_entries) const {
    if (size() - begin <= max_entries) return size();
    u32 end = begin;
    for (u32 list = 0; list < max_lists; ++list) {
      if (ends[list] >= begin && ends[list] - begin <= max_entries) end = ends[list];
    }
    return end;
  }
};

}  // namespace copse::cuda::detail
