#pragma once

// Long runs of primitives that share the front of their keys: each is put in order by a block, in shared
// memory. One launch, which ends at once where there is no such run.

#include "builders/bvh/cuda/curve_resort.cuh"
#include "primitives/cuda/persistent.cuh"

namespace copse::cuda::detail {

/// Runs that a block sorts.
struct RunShape {
  static constexpr u32 threads = 256;
  static constexpr u32 capacity = 4096;
};

/// A long run's low words and places, in shared memory, as words that sort as they are:
///
///   63 .. 32 | 31 .. 0
///   low word | place in the run
struct LongRun {
  u64 word[RunShape::capacity];

  __device__ u32 low(u32 k) const { return u32(word[k] >> 32); }
  __device__ u32 place(u32 k) const { return u32(word[k]); }
};

/// How many slots from `begin` on share its front, in two looks; above the capacity, any number above it.
__device__ inline u32 run_size(const SortedFronts& sorted, u32 begin) {
  constexpr u32 stride = RunShape::capacity / RunShape::threads;
  const u64 front = sorted.front(begin);
  const auto is_in_run = [&](u32 k) { return begin + u64{k} < sorted.n && sorted.front(begin + u64{k}) == front; };
  const u32 strides = u32(__syncthreads_count(is_in_run(threadIdx.x * stride)));
  const u32 sure = (strides - 1) * stride + 1;
  return sure + u32(__syncthreads_count(threadIdx.x < stride && is_in_run(sure + threadIdx.x)));
}

/// Sorts words whose number is a power of two (Batcher, "Sorting Networks and Their Applications", AFIPS 1968).
__device__ inline void sort_bitonically(u64* words, u32 count) {
  for (u32 size = 2; size <= count; size *= 2) {
    for (u32 distance = size / 2; distance > 0; distance /= 2) {
      for (u32 pair = threadIdx.x; pair < count / 2; pair += RunShape::threads) {
        const u32 a = 2 * pair - (pair & (distance - 1)), b = a + distance;
        const u64 x = words[a], y = words[b];
        const bool ascends = (a & size) == 0;
        words[a] = ascends ? smaller(x, y) : larger(x, y);
        words[b] = ascends ? larger(x, y) : smaller(x, y);
      }
      __syncthreads();
    }
  }
}

/// Puts the run that begins at a slot in order; asks for a sort over all where it is too long. By a whole block.
__device__ inline void order_long_run(const KeyWords& keys, const SortedFronts& sorted, u32 begin, LongRun& run,
                                      RunState* state, const CurveOrder& order) {
  const u32 size = run_size(sorted, begin);
  if (size > RunShape::capacity) {
    if (threadIdx.x == 0) store_relaxed(&state->needs_resort, 1u);
    return;
  }
  u32 padded_size = 2;
  while (padded_size < size) padded_size *= 2;
  for (u32 k = threadIdx.x; k < padded_size; k += RunShape::threads) {
    run.word[k] = k < size ? u64{keys.low[sorted.id(begin + k)]} << 32 | k : ~u64{0};
  }
  __syncthreads();
  sort_bitonically(run.word, padded_size);

  const u64 end = u64{begin} + size;
  const u64 next_front = end < sorted.n ? sorted.front(end) : TieWindow::no_key;
  for (u32 k = threadIdx.x; k < size; k += RunShape::threads) {
    const u32 slot = begin + k;
    order.primitive_ids[slot] = sorted.id(begin + run.place(k));
    if (k + 1 < size) {
      order.gaps[slot] = u8(common_prefix(u64{run.low(k)}, u64{run.low(k + 1)}, slot));
    } else if (next_front < invalid_morton_key) {
      order.gaps[slot] = gap_between_fronts(sorted.front(begin), next_front);
    }
  }
  __syncthreads();
}

__global__ static void __launch_bounds__(RunShape::threads)
    order_long_runs_kernel(const KeyWords keys, const SortedFronts sorted, const RunList runs, RunState* state,
                           const CurveOrder order) {
  __shared__ union {
    LongRun run;
    ResortStorage resort;
  } shared;
  let_next_launch_start();
  const u32 run_count = state->long_run_count;
  if (run_count == 0) return;

  GridBarrier barrier(&state->grid);
  if (barrier.takes_part()) {
    for (u32 i = barrier.rank(); i < run_count; i += barrier.size()) {
      order_long_run(keys, sorted, runs.begins[i], shared.run, state, order);
    }
    barrier.arrive_and_wait();
    if (load_relaxed(&state->needs_resort) != 0) resort(keys, runs, order, shared.resort, barrier);

    // Leave the state zero, once all have read it.
    barrier.arrive_and_wait();
    if (barrier.rank() == 0 && threadIdx.x == 0) state->long_run_count = state->needs_resort = 0;
  }
  leave_grid(&state->grid);
}

/// How many blocks order long runs: as many as the GPU holds.
inline u64 run_blocks(const Executor& ex) {
  return resident_blocks(ex, "Morton order: long runs", order_long_runs_kernel, RunShape::threads);
}

inline void order_long_runs(const Executor& ex, u64 blocks, const KeyWords& keys, const SortedFronts& sorted,
                            const RunList& runs, RunState* state, const CurveOrder& order) {
  launch(ex, "Morton order: long runs", order_long_runs_kernel, {blocks, RunShape::threads}, keys, sorted, runs,
         state, order);
}

inline u64 run_list_capacity(u64 n) {
  return n / (most_short_run + 1) + 1;
}

inline RunList allocate_run_list(ScratchArena::Frame& frame, u64 n, u64 blocks) {
  return {frame.allocate<u32>(run_list_capacity(n)), frame.allocate<u32>(resort_digits * blocks),
          frame.allocate<u32>(resort_digits), frame.allocate<u32>(n)};
}

inline u64 run_list_scratch_bytes(u64 n, u64 blocks) {
  return ScratchArena::bytes_for<u32>(run_list_capacity(n)) +
         ScratchArena::bytes_for<u32>(resort_digits * blocks) + ScratchArena::bytes_for<u32>(resort_digits) +
         ScratchArena::bytes_for<u32>(n);
}

}  // namespace copse::cuda::detail
