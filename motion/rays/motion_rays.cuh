#pragma once

// Traversal of many rays through moving triangles, with a thread per ray. Each has a tree of its own: that of its ray's
// time. trace/batch/cuda/thread_per_ray.cuh has the source.
//
// Warps that stay resident and take new rays, as in trace/batch/cuda/persistent_rays.cuh, were slower for all rays:
// by 40 % for diffuse rays, by 50 % for primary rays (H200, testball and apartment). The state of a lane is larger
// here, and most of it changes with the ray.
//
// Any hits are searched nearest child first. Against the order by slots (trace/walk/unordered_walk.h) that takes .73 to
// 1.0 of the time on the testball, and .9 to 1.3 in the apartment.

#include "motion/rays/motion_batch.h"
#include "trace/batch/cuda/ray_batch.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::KeyTime;
using copse::detail::MovingTree;

/// Blocks that a multiprocessor shall hold: 80 registers per thread. 8 blocks were slower by 8 %.
inline constexpr u32 moving_blocks = 6;

/// Of any ray, out of line so that it costs fast traversals no registers.
template <class Query>
__noinline__ __device__ void retrace_moving_ray(const Query& query, u32 i) {
  query.results[i] = query.trace_robust(i);
}

/// Traces a ray and stores its result, as all lanes of the warp do. False if the ray gave up.
template <class Query>
[[gnu::always_inline]] __device__ inline bool trace_moving_ray(const Query& query, const Ray& ray, u32 i,
                                                               const KeyTime& time, const PreparedRay& prepared,
                                                               u32 first, u32 count) {
  StackEntry entries[Query::stack_size];
  typename Query::FastWalk walk(query.batch.accel.tree_at(time), entries);
  typename Query::template Test<Robustness::fast> test(query.triangles(ray, time, i), ray);
  walk.begin(prepared);
  NoCounter counter;
  while (!walk.is_done()) {
    walk.template take_steps<3>(counter);
    if (walk.is_at_leaf()) walk.test_leaf(test, counter);
  }
  __syncwarp();
  store_results_of_warp(query.results, first, count, query.result(test, walk.limit()));
  return !walk.gives_up() && !test.gives_up;
}

/// Warps end at once if all their rays pass by.
template <class Query>
__global__ void __launch_bounds__(ray_threads, moving_blocks)
    moving_rays_kernel(u32 n, const __grid_constant__ Query query) {
  overlap_launches();
  const u32 i = group_of_block() * ray_threads + threadIdx.x;
  const u32 own = smaller(i, n - 1);
  const Ray ray = query.batch.ray(own);
  const SharedReach<MovingTree> reach(query.batch.accel.tree_at({0, 0, 0, true}));
  const u32 first = i - lane_id();
  if (first >= n) return;
  const u32 count = smaller(n - first, warp_size);
  if (warp_misses(ray, reach())) {
    store_results_of_warp(query.results, first, count, Query::miss(ray));
    return;
  }
  const KeyTime time = query.batch.time_of(own);
  PreparedRay prepared = prepare_moving_ray(ray, reach());
  if (i >= n || !time.is_number) prepared.enters = prepared.gives_up = false;
  const bool is_traced = trace_moving_ray(query, ray, own, time, prepared, first, count);
  if (!is_traced) retrace_moving_ray(query, i);
}

}  // namespace detail

/// Contract: motion/rays/motion_rays.inl.
template <class Query>
void trace_moving_rays(const Executor& ex, const char* label, const Query& query, u64 n) {
  if (n == 0) return;
  launch(ex, label, detail::moving_rays_kernel<Query>,
         {.blocks = divide_rounding_up(n, u64{detail::ray_threads}),
          .threads = detail::ray_threads,
          .overlaps_earlier_launch = true},
         u32(n), query);
}

}  // namespace copse::cuda
