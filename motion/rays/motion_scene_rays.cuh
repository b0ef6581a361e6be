#pragma once

// Traversal of many rays through moving instances, with a thread per ray.

#include "motion/rays/motion_scene_batch.h"
#include "primitives/core/compiler.h"
#include "trace/batch/cuda/ray_batch.cuh"

namespace copse::cuda {

namespace detail {

/// Blocks per multiprocessor, with 80 registers per thread.
inline constexpr u32 moving_scene_blocks = 6;

__device__ inline copse::detail::MotionRayState& motion_state_of_thread() {
  __shared__ copse::detail::MotionRayState states[ray_threads];
  return states[threadIdx.x];
}

/// The state of the thread's ray in shared memory.
struct MotionStateInShared {
  COPSE_HD copse::detail::MotionRayState& operator()() const {
    if constexpr (COPSE_DEVICE_CODE == 1) {
      return motion_state_of_thread();
    } else {
      unreachable();
    }
  }
};

/// Traces any ray robustly. It is out of line, so that it costs fast traversals no registers.
template <class Query>
__noinline__ __device__ void retrace_moving_scene(const Query& query, u32 i) {
  query.results[i] = query.trace_robust(i);
}

template <class Query>
__global__ void __launch_bounds__(ray_threads, moving_scene_blocks)
    moving_scene_kernel(u32 n, const __grid_constant__ Query query) {
  overlap_launches();
  const u32 i = group_of_block() * ray_threads + threadIdx.x, first = i - lane_id();
  if (first >= n) return;
  std::remove_reference_t<decltype(*query.results)> result;
  const bool is_traced = query.template trace_fast<MotionStateInShared>(smaller(i, n - 1), result);
  __syncwarp();
  store_results_of_warp(query.results, first, smaller(n - first, warp_size), result);
  if (!is_traced && i < n) retrace_moving_scene(query, i);
}

}  // namespace detail

/// Contract: motion/rays/motion_scene_rays.inl.
template <class Query>
void trace_moving_scene(const Executor& ex, const char* label, const Query& query, u64 n) {
  if (n == 0) return;
  launch(ex, label, detail::moving_scene_kernel<Query>,
         {.blocks = divide_rounding_up(n, u64{detail::ray_threads}),
          .threads = detail::ray_threads,
          .overlaps_earlier_launch = true},
         u32(n), query);
}

}  // namespace copse::cuda
