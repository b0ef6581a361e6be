#pragma once

// Primitives sorted by the fronts of their keys: those whose front is theirs alone or shared by few are brought to
// their slots, with the gaps between them; long runs are listed.

#include "builders/bvh/curve_keys.h"
#include "primitives/core/atomic.h"
#include "primitives/cuda/grid_barrier.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/no_value.h"
#include "primitives/sort_plan.h"

namespace copse::cuda::detail {

using copse::detail::CurveOrder;
using copse::detail::KeyWords;
using copse::detail::MergeShape;
using copse::detail::SortedFronts;

inline constexpr u32 most_short_run = 32;

/// Of the longer runs, those that warps put in order, each a part of it, and those that a block does.
inline constexpr u32 most_warp_run = 512;
inline constexpr u32 most_block_run = MergeShape<u64, NoValue>::tile;

/// What blocks tell each other; zero between launches.
struct RunState {
  GridCounters grid;
  u32 part_count;
  u32 block_run_count;
  u32 needs_resort;
};

/// Where the long runs begin, and memory for the sort over all.
struct RunList {
  u32* begins;  // those of the parts for warps from the front, those of the runs for blocks from the back
  u64 capacity;
  u32* digit_counts;  // [digit][block]
  u32* digit_totals;  // [digit]
  u32* ids;           // primitives half-way

  __device__ void add_part(u32 begin, RunState* state) const {
    begins[fetch_add_relaxed(&state->part_count, 1u)] = begin;
  }
  __device__ void add_block_run(u32 begin, RunState* state) const {
    begins[capacity - 1 - fetch_add_relaxed(&state->block_run_count, 1u)] = begin;
  }
  __device__ u32 part(u64 i) const { return begins[i]; }
  __device__ u32 block_run(u64 i) const { return begins[capacity - 1 - i]; }
};

/// A tile of slots, with those of a short run on both sides and one more.
struct TieTile {
  static constexpr u32 threads = 256;
  static constexpr u32 rows = 4;  // slots a thread
  static constexpr u32 slots = rows * threads;
  static constexpr u32 before = most_short_run + 1;
  static constexpr u32 size = slots + 2 * before;
  static_assert(2 * before <= threads, "one row more holds both sides");

  u64 word[size];                                      // as sorted
  u32 low[size];                                       // of those that share their front
  u32 begins_run[(size + warp_size - 1) / warp_size];  // a bit a slot
};

/// A look at a tile in shared memory.
struct TieWindow {
  static constexpr u32 threads = TieTile::threads, rows = TieTile::rows, size = TieTile::size;
  static constexpr u64 no_key = ~u64{0};

  TieTile& tile;
  u64 front_mask;

  __device__ u64 front(u32 w) const { return tile.word[w] & front_mask; }
  __device__ u32 id(u32 w) const { return u32(tile.word[w] & ~front_mask); }
  __device__ u32 low(u32 w) const { return tile.low[w]; }
  __device__ bool is_key(u32 w) const { return tile.word[w] < invalid_morton_key; }
  __device__ bool is_tied(u32 w) const {
    return is_key(w) && (front(w) == front(w - 1) || front(w) == front(w + 1));
  }

  /// By all threads of the block. The loads of a thread's rows are under way at once.
  __device__ void load(const KeyWords& keys, const SortedFronts& sorted, i64 first) const {
    u64 loaded[rows + 1];
#pragma unroll
    for (u32 r = 0; r <= rows; ++r) {
      const u32 w = r * threads + threadIdx.x;
      const i64 slot = first + w;
      loaded[r] = w < size && slot >= 0 && slot < i64(sorted.n) ? sorted.words[slot] : no_key;
    }
#pragma unroll
    for (u32 r = 0; r <= rows; ++r) {
      const u32 w = r * threads + threadIdx.x;
      if (w < size) tile.word[w] = loaded[r];
    }
    __syncthreads();
#pragma unroll
    for (u32 r = 0; r <= rows; ++r) {
      const u32 w = r * threads + threadIdx.x;
      if (w - lane_id() >= size) break;
      const bool begins = w < size && (w == 0 || front(w) != front(w - 1));
      const u32 begins_here = __ballot_sync(all_lanes, begins);
      if (lane_id() == 0) tile.begins_run[w / warp_size] = begins_here;
      if (w > 0 && w + 1 < size && is_tied(w)) tile.low[w] = keys.low[id(w)];
    }
    __syncthreads();
  }

  /// The bits of the 32 slots from `w` on, the first one's lowest.
  __device__ u32 begins_from(u32 w) const {
    const u32 word = w / warp_size;
    return __funnelshift_r(tile.begins_run[word], tile.begins_run[word + 1], w % warp_size);
  }
};

/// A primitive's place in its run: how many come before and after it, by fronts alone; at most `most_short_run`.
struct PlaceInRun {
  static_assert(most_short_run == warp_size);

  u32 left, right;

  __device__ PlaceInRun(const TieWindow& window, u32 w) {
    left = leading_zeros(window.begins_from(w - (warp_size - 1)));
    right = smaller(u32(__ffs(int(window.begins_from(w + 1)))) - 1, most_short_run);
  }
  __device__ u32 run_size() const { return left + 1 + right; }
};

/// The place of a primitive among its run by low words, and the low word of the one after it.
struct RankInRun {
  u32 rank = 0;
  u32 next_low = ~0u;

  __device__ RankInRun(const TieWindow& window, u32 w, const PlaceInRun& place) {
    const u32 own = window.low(w);
    for (u32 other = w - place.left; other < w; ++other) {
      const u32 low = window.low(other);
      if (low <= own) {
        ++rank;
      } else {
        next_low = smaller(next_low, low);
      }
    }
    for (u32 other = w + 1; other <= w + place.right; ++other) {
      const u32 low = window.low(other);
      if (low < own) {
        ++rank;
      } else {
        next_low = smaller(next_low, low);
      }
    }
  }
};

/// The gap between keys with different fronts.
__device__ inline u8 gap_between_fronts(u64 front, u64 next_front) {
  return u8(leading_zeros(front ^ next_front));
}

/// Lists the long run that a slot is in by what is to put it in order: for warps its parts, which begin where it
/// does and at every 32nd slot of all; for a block the whole run.
__device__ inline void list_run(const SortedFronts& sorted, u64 slot, bool begins_run, const RunList& runs,
                                RunState* state) {
  if (!begins_run && slot % warp_size != 0) return;
  runs.add_part(u32(slot), state);
  if (!begins_run) return;
  const auto reaches = [&](u64 size) {
    return slot + size < sorted.n && sorted.front(slot + size) == sorted.front(slot);
  };
  if (reaches(most_block_run)) {
    store_relaxed(&state->needs_resort, 1u);
  } else if (reaches(most_warp_run)) {
    runs.add_block_run(u32(slot), state);
  }
}

/// Stores what is known of the primitive at `w` of the window, where its run is short; else lists the run.
__device__ inline void order_in_short_run(const TieWindow& window, u32 w, u64 slot, const SortedFronts& sorted,
                                          const RunList& runs, RunState* state, const CurveOrder& order) {
  if (!window.is_key(w)) {
    if (slot == 0) order.store_valid_count(0);
    order.store_id(slot, window.id(w));
    return;
  }
  if (!window.is_key(w + 1)) order.store_valid_count(u32(slot) + 1);
  const PlaceInRun place(window, w);
  if (place.run_size() > most_short_run) {
    return list_run(sorted, slot, place.left == 0, runs, state);
  }
  const RankInRun rank(window, w, place);
  const u32 target = u32(slot) - place.left + rank.rank;
  order.store_id(target, window.id(w));
  const u32 after_run = w + place.right + 1;
  if (rank.rank + 1 < place.run_size()) {
    order.gaps[target] = u8(common_prefix(u64{window.low(w)}, u64{rank.next_low}, target));
  } else if (window.is_key(after_run)) {
    order.gaps[target] = gap_between_fronts(window.front(w), window.front(after_run));
  }
}

__global__ static void __launch_bounds__(TieTile::threads)
    order_short_runs_kernel(const KeyWords keys, const SortedFronts sorted, const RunList runs, RunState* state,
                            const CurveOrder order) {
  __shared__ TieTile tile;
  overlap_launches();
  const TieWindow window{tile, sorted.front_mask};
  const i64 first = i64(u64(blockIdx.x) * TieTile::slots) - TieTile::before;
  window.load(keys, sorted, first);
#pragma unroll
  for (u32 r = 0; r < TieTile::rows; ++r) {
    const u32 w = TieTile::before + r * TieTile::threads + threadIdx.x;
    const u64 slot = u64(first + w);
    if (slot < sorted.n) order_in_short_run(window, w, slot, sorted, runs, state, order);
  }
}

inline void order_short_runs(const Executor& ex, const KeyWords& keys, const SortedFronts& sorted,
                             const RunList& runs, RunState* state, const CurveOrder& order) {
  launch(ex, "Morton order: short runs", order_short_runs_kernel,
         {.blocks = divide_rounding_up(keys.n, TieTile::slots),
          .threads = TieTile::threads,
          .overlaps_earlier_launch = true},
         keys, sorted, runs, state, order);
}

}  // namespace copse::cuda::detail
