#pragma once

// Long runs of primitives that share the front of their keys: each is put in order by a warp or a block, in shared
// memory. One launch, which ends at once where there is no such run.

#include "builders/bvh/cuda/curve_resort.cuh"
#include "primitives/cuda/merge_tile.cuh"
#include "primitives/cuda/persistent.cuh"

namespace copse::cuda::detail {

inline constexpr u32 run_threads = MergeShape<u64, NoValue>::threads;
static_assert(run_threads == resort_threads, "one launch does both");

/// A long run: words that sort as they are stand for its primitives.
///
///   63 .. 32 | 31 .. 0
///   low word | place in the run
struct LongRun {
  const KeyWords& keys;
  const SortedFronts& sorted;
  u64 begin;

  __device__ bool reaches(u32 k) const {
    return begin + k < sorted.n && sorted.front(begin + k) == sorted.front(begin);
  }
  __device__ u64 word(u32 k) const { return u64{keys.low[sorted.id(begin + k)]} << 32 | k; }

  /// Stores what is known of the place `k` of a run of `size`: the word that belongs there and the next one.
  __device__ void store(u32 k, u32 size, u64 word, u64 next_word, const CurveOrder& order) const {
    const u64 slot = begin + k, end = begin + size;
    order.primitive_ids[slot] = sorted.id(begin + u32(word));
    if (k + 1 < size) {
      order.gaps[slot] = u8(common_prefix(word >> 32, next_word >> 32, u32(slot)));
    } else if (end < sorted.n && sorted.is_key(end)) {
      order.gaps[slot] = gap_between_fronts(sorted.front(begin), sorted.front(end));
    }
  }
};

/// Each word of a warp's run finds its place by counting those before it.
__device__ inline void order_run_by_warp(const LongRun& run, u64* words, u64* ordered, const CurveOrder& order) {
  u32 size = 0;
  for (u32 k = lane_id(); k - lane_id() < most_warp_run; k += warp_size) {
    const bool is_there = run.reaches(k);
    if (is_there) words[k] = run.word(k);
    const u32 count = u32(__popc(__ballot_sync(all_lanes, is_there)));
    size += count;
    if (count < warp_size) break;
  }
  __syncwarp();
  for (u32 k = lane_id(); k < size; k += warp_size) {
    const u64 own = words[k];
    u32 before = 0;
    for (u32 other = 0; other < size; ++other) before += words[other] < own ? 1 : 0;
    ordered[before] = own;
  }
  __syncwarp();
  for (u32 k = lane_id(); k < size; k += warp_size) {
    run.store(k, size, ordered[k], k + 1 < size ? ordered[k + 1] : 0, order);
  }
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
    run.store(k, size, tile.keys[k], k + 1 < size ? tile.keys[k + 1] : 0, order);
  }
  __syncthreads();
}

/// The words of a warp's run, before and after.
struct WarpRunStorage {
  u64 words[most_warp_run];
  u64 ordered[most_warp_run];
};

inline constexpr u32 run_shared_bytes =
    larger(SharedTile<u64, NoValue>::bytes,
           larger(u32(sizeof(WarpRunStorage)) * (run_threads / warp_size), u32(sizeof(ResortStorage))));

__global__ static void __launch_bounds__(run_threads, MergeShape<u64, NoValue>::blocks)
    order_long_runs_kernel(const KeyWords keys, const SortedFronts sorted, const RunList runs, RunState* state,
                           const CurveOrder order) {
  extern __shared__ __align__(16) unsigned char run_memory[];
  let_next_launch_start();
  const u32 warp_runs = state->warp_run_count, block_runs = state->block_run_count;
  const bool needs_resort = state->needs_resort != 0;
  if (warp_runs + block_runs == 0 && !needs_resort) return;

  if (needs_resort) {
    GridBarrier barrier(&state->grid);
    if (barrier.takes_part()) {
      resort(keys, runs, order, *reinterpret_cast<ResortStorage*>(run_memory), barrier);
    }
  } else {
    const auto tile = SharedTile<u64, NoValue>::at(run_memory);
    for (u32 i = blockIdx.x; i < block_runs; i += gridDim.x) {
      order_run_by_block({keys, sorted, runs.block_run(i)}, tile, order);
    }
    auto& storage = reinterpret_cast<WarpRunStorage*>(run_memory)[threadIdx.x / warp_size];
    for (;;) {
      const u64 i = take_ticket_by_warp(&state->grid.ticket);
      if (i >= warp_runs) break;
      order_run_by_warp({keys, sorted, runs.warp_run(i)}, storage.words, storage.ordered, order);
    }
  }
  if (leave_grid(&state->grid)) state->warp_run_count = state->block_run_count = state->needs_resort = 0;
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

inline u64 run_list_capacity(u64 n) {
  return n / (most_short_run + 1) + 1;
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
