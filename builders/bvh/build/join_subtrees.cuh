#pragma once

// What builds and refits share that join subtrees by warps and blocks: boxes in the lanes of a warp, and lists of what
// is pending.
//
// The lists of neighbouring spans of a tree stand side by side: the entries of a span stand in memory from its first
// place on, and there is a count for each span. A block takes the entries of up to 64 spans and numbers them through.

#include "builders/geometry/aabb.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// The box around the `size` lanes up to `last`; as many as a lane likes, none for 0.
///   size_limit: a power of two that no lane's size reaches; the smaller, the cheaper
template <u32 size_limit = 2 * warp_size>
__device__ inline Aabb box_of_lanes(Aabb own, u32 last, u32 size) {
  const u32 most = __reduce_max_sync(all_lanes, size);
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

/// The box around those of all lanes, known to lane 0.
__device__ inline Aabb box_of_all_lanes(Aabb own) {
#pragma unroll
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2) own = merge(own, shuffle_down(own, distance));
  return own;
}

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
