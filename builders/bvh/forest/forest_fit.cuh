#pragma once

// New boxes of a forest on CUDA. A block fits a tree of at most 1024 wide nodes in shared memory, by walks up from
// the lowest nodes. Larger trees are fitted by walks in global memory.

#include "builders/bvh/forest/forest_refit.h"
#include "builders/bvh/wide_bvh.h"
#include "primitives/bottom_up.h"
#include "primitives/core/words.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::load_whole;
using copse::detail::store_whole;

inline constexpr u32 max_fit_nodes = 1024;

///   first:    block k fits tree first + k
///   capacity: nodes that the shared memory has room for; blocks of larger trees do nothing
__global__ static void __launch_bounds__(128)
    fit_trees_kernel(const copse::detail::FitForestNode fit, u32 first, const u32* moved, u32 capacity) {
  extern __shared__ uint4 fit_memory[];
  Aabb* const exact = reinterpret_cast<Aabb*>(fit_memory);        // [node]
  u32* const missing = reinterpret_cast<u32*>(exact + capacity);  // [node]: inner children that are not fitted yet
  overlap_launches();
  const u32 tree = first + blockIdx.x, begin = fit.shape.begins[tree], count = fit.trees.counts[tree].node_count;
  if (count > capacity || (moved != nullptr && moved[tree] == 0)) return;
  u32 lowest = 0;  // bit k: node threadIdx.x + k blockDim.x has no inner children
  for (u32 i = threadIdx.x, k = 0; i < count; i += blockDim.x, ++k) {
    const u32 inner_count = copse::detail::inner_child_count(load_whole(fit.trees.nodes + begin + i));
    missing[i] = inner_count;
    lowest |= u32(inner_count == 0) << k;
  }
  __syncthreads();
  for (; lowest != 0; lowest &= lowest - 1) {
    for (u32 node = threadIdx.x + (u32(__ffs(int(lowest))) - 1) * blockDim.x;;) {
      CompressedBvh4Node* const place = fit.trees.nodes + begin + node;
      CompressedBvh4Node fitted = load_whole(place);
      exact[node] = fit.fit(fitted, begin, exact);
      store_whole(fitted, place);
      const u32 parent = fit.trees.parents[begin + node];
      if (parent == invalid_id) break;
      // The last child to arrive sees the boxes of the others.
      __threadfence_block();
      if (atomicSub(&missing[parent], 1u) > 1) break;
      __threadfence_block();
      node = parent;
    }
  }
}

}  // namespace detail

/// Contract: builders/bvh/forest/forest.inl.
inline void fit_forest_nodes(const Executor& ex, const copse::detail::FitForestNode& fit, const u32* moved) {
  fit.shape.for_each_class([&](u32 first, u32 end, u32 max_tree_size) {
    const u32 capacity = u32(smaller(wide_node_capacity(max_tree_size), u64{detail::max_fit_nodes}));
    launch(ex, "forest: refit", detail::fit_trees_kernel,
           {.blocks = end - first,
            .threads = capacity <= 64    ? 32u
                       : capacity <= 256 ? 64u
                                         : 128u,
            .shared_bytes = capacity * u32(sizeof(Aabb) + sizeof(u32)),
            .overlaps_earlier_launch = true},
           fit, first, moved, capacity);
  });
  if (wide_node_capacity(fit.shape.max_tree_size) <= detail::max_fit_nodes) return;
  const copse::detail::ForestShape large = fit.shape.large();
  bottom_up(ex, "forest: refit large trees", large.primitive_count, large.primitive_count,
            copse::detail::ForestFamilies{large, fit.trees},
            copse::detail::FitLowestForestNode{fit, moved, detail::max_fit_nodes}, fit);
}

}  // namespace copse::cuda
