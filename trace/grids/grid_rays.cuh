#pragma once

// Each thread marches for its own ray by march_fast. The few rays that give up march again, robustly and out of line.
// So no call in the loop costs all rays registers (trace/walk/robustness.h).

#include "primitives/cuda/launch.cuh"
#include "trace/grids/grid_batch.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 march_threads = 128;
inline constexpr u32 march_blocks = 8;  // on a multiprocessor at once: 64 registers per thread

template <class Query>
__noinline__ __device__ void march_again(const Query& query, u64 i) {
  copse::detail::march_robust(query, i);
}

template <class Query>
__global__ void __launch_bounds__(march_threads, march_blocks)
    march_kernel(u64 n, const __grid_constant__ Query query) {
  overlap_launches();
  const u64 i = u64{blockIdx.x} * march_threads + threadIdx.x;
  if (i >= n) return;
  if (!copse::detail::march_fast(query, i)) march_again(query, i);
}

}  // namespace detail

/// Stores the results of n rays.
template <class Query>
void march_batch(const Executor& ex, const char* label, const Query& query, u64 n) {
  launch(ex, label, detail::march_kernel<Query>,
         {.blocks = divide_rounding_up(n, detail::march_threads),
          .threads = detail::march_threads,
          .overlaps_earlier_launch = true},
         n, query);
}

}  // namespace copse::cuda
