#pragma once

// Walks of many rays through a binary tree, a thread for each, by the octant of a warp's rays.
//
// Source: Aila, Laine, "Understanding the Efficiency of Ray Traversal on GPUs", HPG 2009: inner steps and leaves
// in turns.

#include <type_traits>

#include "trace/cuda/ray_kernels.cuh"
#include "trace/cuda/ray_octants.cuh"

namespace copse::cuda {

namespace detail {

template <class Query>
concept WalksBinaryTree = std::is_same_v<typename Query::Tree, copse::detail::BinaryTree>;

/// Blocks that a multiprocessor shall hold: 56 registers a thread.
inline constexpr u32 binary_ray_blocks = 9;

/// A ray made ready, and whether it has any business in the tree.
struct ReadyRay {
  RaySlabs slabs;
  float box_limit;
  bool enters;

  [[gnu::always_inline]] __device__ ReadyRay(const copse::detail::BinaryTree& tree, const Ray& ray,
                                             bool is_there) {
    const BvhNode root = tree.nodes[0];
    slabs = make_slabs(ray, root.box());
    box_limit = copse::box_limit(slabs, ray.t_max);
    // The box of a tree without primitives is entered nowhere.
    enters = is_there && slabs.is_bounded && is_within(intersect_box(slabs, root.lo, root.hi), box_limit) &&
             is_traceable(ray);
  }
};

/// One lane's walk, for run_in_octant.
template <class Query>
struct BinaryRayWalk {
  const Query& query;
  const ReadyRay& ready;
  StackEntry* entries;
  typename Query::template Test<Effort::quick>& test;
  float limit;
  bool gives_up = false;

  template <u32 octant>
  [[gnu::always_inline]] __device__ void run() {
    copse::detail::QuickBinaryWalk<default_stack_size, octant> walk(query.tree, entries);
    walk.begin(ready.slabs, limit, ready.box_limit, ready.enters);
    NoCounter counter;
    while (!walk.is_done()) {
      if (walk.is_at_leaf()) {
        walk.test_leaf(test, counter);
      } else {
        walk.step(counter);
      }
    }
    gives_up = walk.gives_up() || test.gives_up;
    limit = walk.limit();
  }
};

/// Traces a ray whose quick walk gave up. Out of line, so that its calls cost the quick ones no registers.
template <class Query>
__noinline__ __device__ void trace_wholly(const Query& query, u32 ray_id) {
  StackEntry entries[default_stack_size];
  walk_wholly(query, ray_id, entries);
}

/// True where the walk gave up, and the result means nothing.
template <class Query>
[[gnu::always_inline]] __device__ inline bool trace_binary_ray(const Query& query, const Ray& ray,
                                                               const ReadyRay& ready,
                                                               typename Query::Result& result) {
  StackEntry entries[default_stack_size];
  auto test = query.template test<Effort::quick>(ray);
  BinaryRayWalk<Query> walk{query, ready, entries, test, ray.t_max};
  run_in_octant(octant_of_warp(ready.slabs), walk);
  if (!walk.gives_up) result = query.template result<Effort::quick>(test, walk.limit);
  return walk.gives_up;
}

/// `choice`: null, or a word on the device that says whether this kernel is to trace.
template <class Query>
__global__ void __launch_bounds__(ray_threads, binary_ray_blocks)
    binary_rays_kernel(u32 n, const __grid_constant__ Query query, const u32* choice) {
  overlap_launches();
  if (choice != nullptr && *choice != u32(TraceKernel::one_ray_a_thread)) return;
  const u32 i = blockIdx.x * ray_threads + threadIdx.x;
  const u32 first = i - lane_id();
  if (first >= n) return;
  bool gives_up = false;
  {
    const Ray ray = load_ray(query.rays, smaller(i, n - 1));
    const ReadyRay ready(query.tree, ray, i < n);
    typename Query::Result result;
    if (__any_sync(all_lanes, ready.enters)) {
      gives_up = trace_binary_ray(query, ray, ready, result);
    } else {
      result = Query::miss(ray);
    }
    __syncwarp();
    store_results_of_warp(query.results, first, smaller(n - first, warp_size), result);
  }
  if (gives_up) trace_wholly(query, i);
}

}  // namespace detail

/// `choice`: null, or a word on the device that says whether this kernel is to trace.
template <detail::WalksBinaryTree Query>
void trace_one_ray_a_thread(const Executor& ex, const char* label, const Query& query, u32 n, const u32* choice) {
  launch(ex, label, detail::binary_rays_kernel<Query>,
         {.blocks = divide_rounding_up(n, detail::ray_threads),
          .threads = detail::ray_threads,
          .overlaps_earlier_launch = true},
         n, query, choice);
}

}  // namespace copse::cuda
