#pragma once

// Long runs of primitives that share the front of their keys: each is put in order by a few warps or a block, in
// shared memory. One launch, which ends at once where there is no such run.

#include "builders/bvh/cuda/curve_resort.cuh"
#include "primitives/cuda/merge_tile.cuh"
#include "primitives/cuda/persistent.cuh"

namespace copse::cuda::detail {

inline constexpr u32 run_threads = MergeShape<u64, NoValue>::threads;
static_assert(run_threads == resort_threads, "one launch does both");

/// What is known of one place of a run: who belongs there, with which low word, and that of the next place.
struct PlaceOfRun {
  u32 k;
  u32 primitive;
  u32 low, next_low;
};

struct LongRun {
  const KeyWords& keys;
  const SortedFronts& sorted;
  u64 begin;

  __device__ bool reaches(u32 k) const {
    return begin + k < sorted.n && sorted.front(begin + k) == sorted.front(begin);
  }
  __device__ u32 id(u32 k) const { return sorted.id(begin + k); }
  __device__ u32 low(u32 k) const { return keys.low[id(k)]; }

  /// A word that sorts as it is.
  ///
  ///   63 .. 32 | 31 .. 0
  ///   low word | place in the run so far
  __device__ u64 word(u32 k) const { return u64{low(k)} << 32 | k; }

  /// Stores a place of the run, which has `size`.
  __device__ void store(const PlaceOfRun& place, u32 size, const CurveOrder& order) const {
    const u64 slot = begin + place.k, end = begin + size;
    order.store_id(slot, place.primitive);
    if (place.k + 1 < size) {
      order.gaps[slot] = u8(common_prefix(u64{place.low}, u64{place.next_low}, u32(slot)));
    } else if (end < sorted.n && sorted.is_key(end)) {
      order.gaps[slot] = gap_between_fronts(sorted.front(begin), sorted.front(end));
    }
  }
};

/// How many of the slots next to `slot` share its front: those before it, or behind it, 32 at a time. All lanes of
/// a warp. It may stop at `most` and more.
template <bool before>
__device__ u32 count_equal_neighbours(const SortedFronts& sorted, u64 slot, u32 most) {
  const u64 front = sorted.front(slot);
  for (u32 count = 0;; count += warp_size) {
    const u64 distance = count + 1 + lane_id();
    const bool is_there = before ? distance <= slot : slot + distance < sorted.n;
    const u64 other = before ? slot - distance : slot + distance;
    const u32 equal = __ballot_sync(all_lanes, is_there && sorted.front(other) == front);
    if (~equal != 0) return count + u32(__ffs(int(~equal))) - 1;
    if (count + warp_size >= most) return count + warp_size;
  }
}

/// A word's place in its run by low words, so far: how many come before it, and how far the next one is from its
/// own.
struct RunPlace {
  u32 own;
  u32 before = 0;
  u32 distance = ~0u;

  /// Counts a word that stands before the own one.
  __device__ void count_earlier(u32 low) {
    before += low <= own ? 1 : 0;
    distance = low <= own ? distance : smaller(distance, low - own);
  }
  /// And one that stands behind it.
  __device__ void count_later(u32 low) {
    before += low < own ? 1 : 0;
    distance = smaller(distance, low - own);  // large where it wraps around
  }
};

/// Puts the places of a run from `slot` to the next 32nd slot where they belong, if the run is one for warps: each
/// lane counts which of the whole run come before its own. What takes long is to count, so parts are warps' work.
///   lows: room for a run in shared memory, the warp's own
__device__ inline void order_part_of_run(const KeyWords& keys, const SortedFronts& sorted, u64 slot, u32* lows,
                                         const CurveOrder& order) {
  const u32 left = count_equal_neighbours<true>(sorted, slot, most_warp_run);
  const u32 size = left + 1 + count_equal_neighbours<false>(sorted, slot, most_warp_run);
  if (size > most_warp_run) return;
  const LongRun run{keys, sorted, slot - left};
  for (u32 k = lane_id(); k < size; k += warp_size) lows[k] = run.low(k);
  __syncwarp();

  const u32 part_end = smaller(left + warp_size - u32(slot % warp_size), size), k = left + lane_id();
  RunPlace place{lows[smaller(k, size - 1)]};
#pragma unroll 8
  for (u32 other = 0; other < left; ++other) place.count_earlier(lows[other]);
  for (u32 other = left; other < part_end; ++other) {
    if (other < k) place.count_earlier(lows[other]);
    if (other > k) place.count_later(lows[other]);
  }
#pragma unroll 8
  for (u32 other = part_end; other < size; ++other) place.count_later(lows[other]);
  if (k < part_end) run.store({place.before, run.id(k), place.own, place.own + place.distance}, size, order);
  __syncwarp();
}

struct SmallerWord {
  __device__ bool operator()(u64 a, u64 b) const { return a < b; }
};

/// By a whole block, whose tile has room for the run.
__device__ inline void order_run_by_block(const LongRun& run, const SharedTile<u64, NoValue>& tile,
                                          const CurveOrder& order) {
  u32 size = 0;
  for (u32 first = 0; first < most_block_run; first += run_threads) {
    const u32 k = first + threadIdx.x;
    const bool is_there = run.reaches(k);
    if (is_there) tile.keys[k] = run.word(k);
    const u32 count = u32(__syncthreads_count(is_there));
    size += count;
    if (count < run_threads) break;
  }
  sort_shared_tile(tile, size, SmallerWord{});
  for (u32 k = threadIdx.x; k < size; k += run_threads) {
    const u64 word = tile.keys[k], next_word = tile.keys[smaller(k + 1, size - 1)];
    run.store({k, run.id(u32(word)), u32(word >> 32), u32(next_word >> 32)}, size, order);
  }
  __syncthreads();
}

/// The low words of a warp's run.
struct WarpRunStorage {
  alignas(16) u32 lows[most_warp_run];
};

inline constexpr u32 run_shared_bytes =
    larger(SharedTile<u64, NoValue>::bytes,
           larger(u32(sizeof(WarpRunStorage)) * (run_threads / warp_size), u32(sizeof(ResortStorage))));

/// All long runs but the longest: the first blocks begin with the runs for blocks, which take longest, and all
/// take the parts for warps as they come.
__device__ inline void order_runs(const KeyWords& keys, const SortedFronts& sorted, const RunList& runs,
                                  RunState* state, unsigned char* run_memory, const CurveOrder& order) {
  const auto tile = SharedTile<u64, NoValue>::at(run_memory);
  for (u32 i = blockIdx.x; i < state->block_run_count; i += gridDim.x) {
    order_run_by_block({keys, sorted, runs.block_run(i)}, tile, order);
  }
  const u32 part_count = state->part_count;
  auto& storage = reinterpret_cast<WarpRunStorage*>(run_memory)[threadIdx.x / warp_size];
  for (;;) {
    const u64 i = take_ticket_by_warp(&state->grid.ticket);
    if (i >= part_count) break;
    order_part_of_run(keys, sorted, runs.part(i), storage.lows, order);
  }
}

__global__ static void __launch_bounds__(run_threads, MergeShape<u64, NoValue>::blocks)
    order_long_runs_kernel(const KeyWords keys, const SortedFronts sorted, const RunList runs, RunState* state,
                           const CurveOrder order) {
  extern __shared__ __align__(16) unsigned char run_memory[];
  let_next_launch_start();
  const bool needs_resort = state->needs_resort != 0;
  if (state->part_count + state->block_run_count == 0 && !needs_resort) return;

  if (needs_resort) {
    GridBarrier barrier(&state->grid);
    if (barrier.takes_part()) {
      resort(keys, runs, order, *reinterpret_cast<ResortStorage*>(run_memory), barrier);
    }
  } else {
    order_runs(keys, sorted, runs, state, run_memory, order);
  }
  if (leave_grid(&state->grid)) state->part_count = state->block_run_count = state->needs_resort = 0;
}

/// How many blocks order long runs: as many as the GPU holds.
inline u64 run_blocks(const Executor& ex) {
  return resident_blocks(ex, "Morton order: long runs", order_long_runs_kernel, run_threads, run_shared_bytes);
}

inline void order_long_runs(const Executor& ex, u64 blocks, const KeyWords& keys, const SortedFronts& sorted,
                            const RunList& runs, RunState* state, const CurveOrder& order) {
  launch(ex, "Morton order: long runs", order_long_runs_kernel, {blocks, run_threads, run_shared_bytes}, keys,
         sorted, runs, state, order);
}

/// A part begins at every 32nd slot and where a run of at least 33 does; few runs are for blocks.
inline u64 run_list_capacity(u64 n) {
  return 2 * (n / warp_size) + 2;
}

inline RunList allocate_run_list(ScratchArena::Frame& frame, u64 n, u64 blocks) {
  const u64 capacity = run_list_capacity(n);
  return {frame.allocate<u32>(capacity), capacity, frame.allocate<u32>(resort_digits * blocks),
          frame.allocate<u32>(resort_digits), frame.allocate<u32>(n)};
}

inline u64 run_list_scratch_bytes(u64 n, u64 blocks) {
  return ScratchArena::bytes_for<u32>(run_list_capacity(n)) +
         ScratchArena::bytes_for<u32>(resort_digits * blocks) + ScratchArena::bytes_for<u32>(resort_digits) +
         ScratchArena::bytes_for<u32>(n);
}

}  // namespace copse::cuda::detail
