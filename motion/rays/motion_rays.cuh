#pragma once

// Traversal of many rays through moving triangles, with a thread per ray. Each thread traverses the tree at the time
// of its ray. trace/batch/cuda/thread_per_ray.cuh has the source.
//
// Persistent warps, as in trace/batch/cuda/persistent_rays.cuh, were slower for all rays: by 40 % for diffuse rays,
// by 50 % for primary rays (H200, testball and apartment). The state of a lane is larger here, and most of it changes
// with the ray.
//
// Any hits have two orders: first the child that the ray leaves last, or first the nearest child. In an apartment the
// former is up to 5.6 times as fast, because the walls are found at once. On a testball the latter is faster by a
// third for primary rays. Earlier batches decide which order is used (trace/batch/learned_kernels.h). The order by
// slots alone is not offered: it was never the best by more than 5 % (H200).

#include "motion/rays/motion_batch.h"
#include "trace/batch/cuda/learned_kernels.cuh"
#include "trace/batch/cuda/ray_batch.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::KeyTime;
using copse::detail::MotionOrder;
using copse::detail::MovingTree;

/// Blocks per multiprocessor, with 80 registers per thread. 8 blocks were slower by 8 %.
inline constexpr u32 moving_blocks = 6;

/// Traces any ray robustly. It is out of line, so that it costs fast traversals no registers.
template <class Query>
__noinline__ __device__ void retrace_moving_ray(const Query& query, u32 i) {
  query.results[i] = query.trace_robust(i);
}

/// Traces a ray and stores its result. All lanes of the warp call it together. False if the ray gave up.
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

/// A warp ends at once if all its rays surely miss the tree.
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
  const KeyTime time = query.batch.key_time_of(own);
  PreparedRay prepared = prepare_moving_ray(ray, reach());
  if (i >= n || !time.is_number) prepared.enters = prepared.gives_up = false;
  const bool is_traced = trace_moving_ray(query, ray, own, time, prepared, first, count);
  if (!is_traced) retrace_moving_ray(query, i);
}

template <class Query>
void launch_moving_rays(const Executor& ex, const char* label, const Query& query, u64 n) {
  launch(
      ex, label, moving_rays_kernel<Query>,
      {.blocks = divide_rounding_up(n, u64{ray_threads}), .threads = ray_threads, .overlaps_earlier_launch = true},
      u32(n), query);
}

/// Traces any hits in the order that was faster for earlier batches of this kind. The first batches, small ones and
/// captured ones use latest_exit_first.
template <bool sees_all>
void launch_any_hits(const Executor& ex, const char* label,
                     const copse::detail::MotionQuery<u8, sees_all, MotionOrder::latest_exit_first>& query,
                     u64 n) {
  using Nearest = copse::detail::MotionQuery<u8, sees_all, MotionOrder::nearest_first>;
  constexpr u64 threads_of_multiprocessor = 2048;
  if (n <= ex.multiprocessor_count * threads_of_multiprocessor || is_capturing(ex)) {
    return launch_moving_rays(ex, label, query, n);
  }
  const auto& batch = query.batch;
  const void* const rays = batch.layout == copse::detail::RayLayout::in_parts
                               ? static_cast<const void*>(batch.parts.origins.data)
                               : static_cast<const void*>(batch.rays);
  const copse::detail::LearnedKernels::Key key{batch.accel.nodes.data(), rays, &query_tag<Nearest>,
                                               u32(std::bit_width(n))};
  auto& learned = ex.memos.template get<copse::detail::LearnedKernels>();
  learned.trace(ex.device, key, n, 2, [&](u32 way) {
    if (way == 1) return launch_moving_rays(ex, label, Nearest{batch, query.results}, n);
    launch_moving_rays(ex, label, query, n);
  });
}

}  // namespace detail

/// Contract: motion/rays/motion_rays.inl.
template <class Query>
void trace_moving_rays(const Executor& ex, const char* label, const Query& query, u64 n) {
  if (n == 0) return;
  if constexpr (Query::finds_closest) {
    detail::launch_moving_rays(ex, label, query, n);
  } else {
    detail::launch_any_hits(ex, label, query, n);
  }
}

}  // namespace copse::cuda
