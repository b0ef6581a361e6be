#pragma once

// Traversal of many rays, with a thread per ray.
//
// Source: Aila, Laine, "Understanding the Efficiency of Ray Traversal on GPUs", HPG 2009: inner steps and leaves in
// turns. Here each turn has a few inner steps. With a single step per turn, lanes would reach their leaves a step
// apart and test them one after another. If inner steps went on until all lanes have a leaf, the first lanes would
// wait for the last.

#include "trace/batch/cuda/ray_batch.cuh"
#include "trace/batch/cuda/ray_octants.cuh"

namespace copse::cuda::detail {

/// Inner steps between two checks for leaves. bench/notes/rays-gpu.md has the measurements.
template <class Query>
inline constexpr u32 steps_between_leaves = WalksBinaryTree<Query> || !Query::finds_closest ? 4 : 3;

/// One lane's traversal. For binary trees run_in_octant calls it.
template <class Query>
struct ThreadTraversal {
  const Query& query;
  const PreparedRay& prepared;
  StackEntry* entries;
  typename Query::template Test<Robustness::fast>& test;
  float limit = 0;
  bool gives_up = false;

  template <u32 octant>
  [[gnu::always_inline]] __device__ void run() {
    copse::detail::FastBinaryWalk<default_stack_size, octant> walk(query.tree, entries);
    run(walk);
  }

  template <class Walk>
  [[gnu::always_inline]] __device__ void run(Walk& walk) {
    walk.begin(prepared);
    NoCounter counter;
    while (!walk.is_done()) {
      walk.template take_steps<steps_between_leaves<Query>>(counter);
      if (walk.is_at_leaf()) walk.test_leaf(test, counter);
    }
    gives_up = walk.gives_up() || test.gives_up;
    limit = walk.limit();
  }
};

template <class Query>
struct ThreadPerRay {
  static constexpr TraceKernel kernel = TraceKernel::thread_per_ray;
  static constexpr u32 blocks = WalksBinaryTree<Query> ? 9 : 8;  // 56 and 64 registers per thread

  [[gnu::always_inline]] __device__ static bool trace(const Query& query, const Ray& ray, u32 i,
                                                      const PreparedRay& prepared,
                                                      typename Query::Result& result) {
    StackEntry entries[WalksBinaryTree<Query> ? default_stack_size : fast_stack_size];
    auto test = query.template test<Robustness::fast>(ray, i);
    ThreadTraversal<Query> traversal{query, prepared, entries, test};
    if constexpr (WalksBinaryTree<Query>) {
      run_in_octant(octant_of_warp(prepared.slabs), traversal);
    } else {
      FastWalk<Query> walk(query.tree, entries);
      traversal.run(walk);
    }
    if (!traversal.gives_up) result = query.result(test, traversal.limit, i);
    return !traversal.gives_up;
  }
};

}  // namespace copse::cuda::detail
