#pragma once

// A thread marches for its ray, quickly; the few that this is not enough for march again, out of line. So no call
// from within the loop costs all of them registers (trace/walk/robustness.h).

#include "primitives/cuda/launch.cuh"
#include "trace/grids/grid_batch.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 march_threads = 128;
inline constexpr u32 march_blocks = 8;  // on a multiprocessor at once: 64 registers a thread

template <class Result>
__noinline__ __device__ void march_robust(const copse::detail::GridBatch<Result>& batch, u64 i) {
  batch.trace_robust(i);
}

template <class Result>
__global__ void __launch_bounds__(march_threads, march_blocks)
    march_kernel(u64 n, const __grid_constant__ copse::detail::GridBatch<Result> batch) {
  overlap_launches();
  const u64 i = u64{blockIdx.x} * march_threads + threadIdx.x;
  if (i >= n) return;
  if (!batch.trace_fast(i)) march_robust(batch, i);
}

}  // namespace detail

/// Stores the results of n rays.
template <class Result>
void march_batch(const Executor& ex, u64 n, const copse::detail::GridBatch<Result>& batch) {
  launch(ex, "grid march: rays", detail::march_kernel<Result>,
         {.blocks = divide_rounding_up(n, detail::march_threads),
          .threads = detail::march_threads,
          .overlaps_earlier_launch = true},
         n, batch);
}

}  // namespace copse::cuda
