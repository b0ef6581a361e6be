#pragma once

// Walks of many rays on a GPU: a thread for each, or warps that stay and refill.
//
// Source: Aila, Laine, "Understanding the Efficiency of Ray Traversal on GPUs", HPG 2009: persistent threads,
// inner steps and leaves in turns. Refilling idle lanes in the middle: Aila, Laine, Karras, "Understanding the
// Efficiency of Ray Traversal on GPUs - Kepler and Fermi Addendum", NVIDIA 2012. Here the results of a warp's
// finished rays are worked out together, when their lanes are refilled.

#include "primitives/cuda/persistent.cuh"
#include "trace/ray_queries.h"
#include "trace/trace_options.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 ray_threads = 128;

/// Blocks of them that a multiprocessor shall hold: more hide more of the memory's latency, but spill registers.
inline constexpr u32 ray_blocks = 8;

/// Rays are read once: they shall not drive nodes out of the caches. The caller's memory may begin at any float.
__device__ inline Ray load_ray(const Ray* rays, u64 i) {
  if (reinterpret_cast<u64>(rays) % sizeof(float4) == 0) {
    const auto* quads = reinterpret_cast<const float4*>(rays + i);
    const float4 a = __ldcs(quads), b = __ldcs(quads + 1);
    return {vec3(a.x, a.y, a.z), a.w, vec3(b.x, b.y, b.z), b.w};
  }
  const auto* words = reinterpret_cast<const float*>(rays + i);
  return {vec3(__ldcs(words), __ldcs(words + 1), __ldcs(words + 2)), __ldcs(words + 3),
          vec3(__ldcs(words + 4), __ldcs(words + 5), __ldcs(words + 6)), __ldcs(words + 7)};
}

__device__ inline void store_result(Hit* hits, u64 i, const Hit& hit) {
  auto* words = reinterpret_cast<float*>(hits + i);
  __stcs(words, hit.t);
  __stcs(words + 1, __uint_as_float(hit.primitive));
  __stcs(words + 2, __uint_as_float(hit.geometry));
  __stcs(words + 3, hit.u);
  __stcs(words + 4, hit.v);
}
__device__ inline void store_result(u8* results, u64 i, u8 result) {
  results[i] = result;
}

template <class Query>
using WalkOf = copse::detail::Walk<typename Query::Tree, default_stack_size>;

template <class Query>
__global__ void __launch_bounds__(ray_threads, ray_blocks) one_ray_a_thread_kernel(u64 n, const Query query) {
  overlap_launches();
  const u64 i = u64(blockIdx.x) * ray_threads + threadIdx.x;
  if (i >= n) return;
  copse::detail::StackEntry entries[default_stack_size];
  const Ray ray = load_ray(query.rays, i);
  WalkOf<Query> walk(query.tree, entries);
  walk.begin(ray);
  typename Query::Test test = query.test(ray);
  NoCounter counter;
  while (!walk.is_done()) {
    if (walk.is_at_leaf()) {
      walk.test_leaf(test, counter);
    } else {
      walk.step(counter);
    }
  }
  store_result(query.results, i, query.result(test, walk.limit()));
}

/// Lanes that may be idle before the warp takes new rays, and inner steps between looks at that.
inline constexpr u32 most_idle_lanes = 8;
inline constexpr u32 steps_between_votes = 4;

template <class Query>
__global__ void __launch_bounds__(ray_threads, ray_blocks)
    persistent_rays_kernel(u64 n, const Query query, const u32* choice, GridCounters* counters) {
  constexpr u64 no_ray = ~u64{0};
  if (choice == nullptr || *choice == u32(TraceKernel::persistent)) {
    copse::detail::StackEntry entries[default_stack_size];
    WalkOf<Query> walk(query.tree, entries);
    typename Query::Test test = query.test(Ray{});
    NoCounter counter;
    u64 ray_id = no_ray;
    bool more = true;
    for (;;) {
      const u32 idle = __ballot_sync(all_lanes, walk.is_done());
      const u32 idle_count = population_count(idle);
      if (idle_count == warp_size || (more && idle_count > most_idle_lanes)) {
        // Hand in what is finished, then let the idle lanes take the next rays.
        if (walk.is_done() && ray_id != no_ray) {
          store_result(query.results, ray_id, query.result(test, walk.limit()));
          ray_id = no_ray;
        }
        if (!more) break;
        const u64 first = take_tickets_by_warp(&counters->ticket, idle_count);
        more = first + idle_count < n;
        const u64 next = first + population_count(idle & lower_lanes());
        if (walk.is_done() && next < n) {
          ray_id = next;
          const Ray ray = load_ray(query.rays, next);
          test = query.test(ray);
          walk.begin(ray);
        }
      }
      for (u32 k = 0; k < steps_between_votes && walk.is_at_inner(); ++k) walk.step(counter);
      if (walk.is_at_leaf()) walk.test_leaf(test, counter);
    }
  }
  leave_grid(counters);
}

}  // namespace detail

template <class Query>
void trace_one_ray_a_thread(const Executor& ex, const char* label, const Query& query, u64 n) {
  launch(ex, label, detail::one_ray_a_thread_kernel<Query>,
         {.blocks = divide_rounding_up(n, detail::ray_threads),
          .threads = detail::ray_threads,
          .overlaps_earlier_launch = true},
         n, query);
}

/// `choice`: null, or a word on the device that says whether this kernel is to trace.
template <class Query>
void trace_persistent(const Executor& ex, const char* label, const Query& query, u64 n, const u32* choice) {
  const auto kernel = detail::persistent_rays_kernel<Query>;
  const u64 blocks =
      smaller(resident_blocks(ex, label, kernel, detail::ray_threads), divide_rounding_up(n, detail::ray_threads));
  with_grid_counters(ex, [&](GridCounters* counters) {
    launch(ex, label, kernel, {blocks, detail::ray_threads}, n, query, choice, counters);
  });
}

}  // namespace copse::cuda
