#pragma once

// The bins of a node, filled by blocks and warps, and the choice of a split by a warp, with one lane per bin.

#include "builders/bvh/sah/sah_split.h"
#include "primitives/core/atomic.h"
#include "primitives/cuda/block.cuh"
#include "primitives/radix_key.h"

namespace copse::cuda {

namespace detail {

using copse::detail::max_sah_bins;
using copse::detail::SahGrid;
using copse::detail::SahInput;
using copse::detail::SahItem;
using copse::detail::SahRange;
using copse::detail::SahSplit;
using copse::detail::side_cost;
using copse::detail::side_weight;

static_assert(max_sah_bins == warp_size, "a lane holds a bin");

/// A box as six unsigned numbers: lo in the order of floats, hi in the reverse order. So the union of two boxes is
/// the minimum of each number, which an atomic can compute.
struct SahBounds {
  static constexpr u32 side_count = 6;
  static constexpr u32 empty_side = 0xffffffffu;

  u32 side[side_count];

  __device__ static SahBounds empty() {
    return {{empty_side, empty_side, empty_side, empty_side, empty_side, empty_side}};
  }
  __device__ static SahBounds of(const Aabb& box) {
    return {
        {lower(box.lo.x), lower(box.lo.y), lower(box.lo.z), ~lower(box.hi.x), ~lower(box.hi.y), ~lower(box.hi.z)}};
  }
  __device__ static SahBounds of_point(const vec3& p) { return of({p, p}); }

  __device__ Aabb box() const {
    if (side[0] == empty_side) return Aabb::empty();
    return {vec3(number(side[0]), number(side[1]), number(side[2])),
            vec3(number(~side[3]), number(~side[4]), number(~side[5]))};
  }
  __device__ void merge(const SahBounds& other) {
#pragma unroll
    for (u32 s = 0; s < side_count; ++s) side[s] = smaller(side[s], other.side[s]);
  }

 private:
  __device__ static u32 lower(float x) {
    return KeyEncoding<u32>{all_bits, sign_bit}.encode(bits_of(x));
  }
  __device__ static float number(u32 x) {
    return float_from_bits(KeyEncoding<u32>{all_bits, sign_bit}.decode(x));
  }
  static constexpr u32 all_bits = 0xffffffffu, sign_bit = 0x80000000u;
};

/// Atomic minimum of a word that many threads lower. It reads the word first: for most threads it is low enough
/// already.
__device__ inline void lower_to(u32* word, u32 value) {
  if (value < load_relaxed(word)) atomicMin(word, value);
}
__device__ inline void lower_shared(u32* word, u32 value) {
  if (value < *static_cast<volatile u32*>(word)) atomicMin(word, value);
}

/// The bounds and the number of the items in each bin, along each axis. The bins of a side lie in neighbouring
/// banks, so the lanes of a warp read any bins without conflicts.
struct SahBinTable {
  static constexpr u32 side_words = 3 * SahBounds::side_count * max_sah_bins;

  u32 sides[3][SahBounds::side_count][max_sah_bins];
  u32 counts[3][max_sah_bins];

  /// Clears the table by `thread_count` threads; the caller is number `thread`.
  __device__ void clear(u32 thread, u32 thread_count) {
    for (u32 k = thread; k < side_words; k += thread_count) (&sides[0][0][0])[k] = SahBounds::empty_side;
    for (u32 k = thread; k < 3 * max_sah_bins; k += thread_count) (&counts[0][0])[k] = 0;
  }

  /// Adds an item to a table in shared memory.
  __device__ void add(const SahGrid& grid, const SahItem& item) {
    const SahBounds bounds = SahBounds::of(item.box());
    const vec3 centre = item.centre();
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
      const u32 bin = grid.bin(centre, axis);
#pragma unroll
      for (u32 s = 0; s < SahBounds::side_count; ++s) lower_shared(&sides[axis][s][bin], bounds.side[s]);
      atomicAdd(&counts[axis][bin], 1u);
    }
  }
};

/// The best split along one axis. The cost is infinite if there is none.
struct SahAxisSplit {
  double cost;
  u32 last_left;
  u32 left_count;
};

/// Returns the lane with the lowest cost; of equal costs, the lowest lane. Costs must not be negative.
__device__ inline u32 cheapest_lane(double cost) {
  const u64 bits = u64(__double_as_longlong(cost));
  const u32 min_high = warp_min(all_lanes, u32(bits >> 32));
  const bool is_high = u32(bits >> 32) == min_high;
  const u32 min_low = warp_min(all_lanes, is_high ? u32(bits) : 0xffffffffu);
  return u32(__ffs(int(__ballot_sync(all_lanes, is_high && u32(bits) == min_low)))) - 1;
}

/// Returns the best split along an axis, to all lanes of a warp. `left` = the bounds of the items in the bins up
/// to the lane's.
__device__ inline SahAxisSplit best_split_along(const SahBinTable& table, u32 axis, u32 item_count,
                                                SahBounds& left) {
  SahBounds right;
#pragma unroll
  for (u32 s = 0; s < SahBounds::side_count; ++s) left.side[s] = right.side[s] = table.sides[axis][s][lane_id()];
  const u32 left_count = warp_inclusive_scan(table.counts[axis][lane_id()], Plus{});
#pragma unroll
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const SahBounds before = shuffle_up(left, distance), behind = shuffle_down(right, distance);
    if (lane_id() >= distance) left.merge(before);
    if (lane_id() + distance < warp_size) right.merge(behind);
  }
  const u32 right_count = item_count - left_count;
  const double right_cost = side_cost(shuffle_down(right, 1).box(), side_weight(right_count));
  const bool is_split = left_count > 0 && right_count > 0;
  const double cost = is_split ? side_cost(left.box(), side_weight(left_count)) + right_cost : double(infinity);
  const u32 best = cheapest_lane(cost);
  return {shuffle_from(cost, best), best, shuffle_from(left_count, best)};
}

}  // namespace detail

}  // namespace copse::cuda
