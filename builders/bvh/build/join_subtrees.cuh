#pragma once

// Helpers of builds and refits that join subtrees by warps and blocks: boxes in the lanes of a warp, and lists of
// pending subtrees.
//
// There is a list for each span of a tree. The entries of a span start at its first place in memory, and each span
// has a count. A block takes the entries of up to 64 neighbouring spans and numbers them consecutively.

#include "builders/geometry/aabb.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// Returns the box around the `size` lanes that end with lane `last`. Each lane may ask for a size of its own; 0
/// gives the empty box.
///   size_limit: a power of two above the size of every lane; a smaller limit is cheaper
template <u32 size_limit = 2 * warp_size>
__device__ inline Aabb box_of_lanes(Aabb own, u32 last, u32 size) {
  const u32 most = warp_max(all_lanes, size);
  Aabb box = Aabb::empty();
#pragma unroll
  for (u32 k = 0; 1u << k < size_limit; ++k) {
    // `own` is the box of 2^k lanes up to this one.
    if (k > 0) {
      if (most >> k == 0) break;
      own = merge(own, shuffle_up(own, 1u << (k - 1)));
    }
    const Aabb part = shuffle_from(own, last);
    if ((size >> k & 1) != 0) {
      box = merge(box, part);
      last -= 1u << k;
    }
  }
  return box;
}

/// Returns the box around the boxes of all lanes, in lane 0 only.
__device__ inline Aabb box_of_all_lanes(Aabb own) {
#pragma unroll
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2) own = merge(own, shuffle_down(own, distance));
  return own;
}

/// The numbering of the entries of a block, in shared memory.
struct PendingLists {
  static constexpr u32 max_lists = 2 * warp_size;  // spans per block

  u32 ends[max_lists];  // [list]: one past the number of its last entry

  /// Numbers the entries of `list_count` spans. All threads of the block call it.
  __device__ void number(const u32* counts, u32 list_count) {
    if (threadIdx.x < warp_size) number_by_one_warp(counts, list_count);
    __syncthreads();
  }
  /// The same by one warp; the other warps must wait for it.
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

  /// Returns the span of the entry with a number.
  __device__ u32 list_of(u32 number) const {
    u32 list = 0;
#pragma unroll
    for (u32 half = max_lists / 2; half > 0; half /= 2) {
      if (ends[list + half - 1] <= number) list += half;
    }
    return list;
  }

  /// Returns the place of the entry with a number, counted from the first place of the first span.
  ///   span: places per span
  __device__ u64 place(u32 number, u64 span) const {
    const u32 list = list_of(number);
    return list * span + (number - begin(list));
  }

  /// Returns the end of as many whole lists from entry `begin` on as have at most `max_entries` in all.
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
