#pragma once

// The order of small trees of a forest on CUDA: a block finds the bounds of a tree, makes its keys and sorts them
// in shared memory. So boxes are read by one launch, and no sort of all primitives is needed.
//
// The sort is bitonic (Batcher, "Sorting Networks and Their Applications", AFIPS 1968). A word is the key, then
// the number of the primitive in its tree. So all words differ, and any sort gives the order of a stable one.

#include "builders/bvh/build/join_subtrees.cuh"
#include "builders/bvh/forest/forest_order.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 max_small_tree = 1024, max_small_threads = 256;

/// Returns the box around the boxes of a tree, in all threads of the block.
__device__ inline Aabb bound_by_block(const Aabb* boxes, u32 n) {
  __shared__ Aabb of_warps[max_small_threads / warp_size];
  Aabb box = Aabb::empty();
  for (u32 i = threadIdx.x; i < n; i += blockDim.x) box = merge(box, boxes[i]);
  box = box_of_all_lanes(box);
  if (lane_id() == 0) of_warps[threadIdx.x / warp_size] = box;
  __syncthreads();
  box = of_warps[0];
  for (u32 warp = 1; warp < blockDim.x / warp_size; ++warp) box = merge(box, of_warps[warp]);
  return box;
}

/// Sorts words in shared memory; all threads of the block.
///   count: a power of two
__device__ inline void sort_by_block(u64* words, u32 count) {
  for (u32 run = 2; run <= count; run *= 2) {
    for (u32 distance = run / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (u32 k = threadIdx.x; k < count / 2; k += blockDim.x) {
        const u32 low = 2 * k - (k & (distance - 1)), high = low + distance;
        const u64 a = words[low], b = words[high];
        if ((a > b) != ((low & run) == 0)) continue;
        words[low] = b;
        words[high] = a;
      }
    }
  }
  __syncthreads();
}

__global__ static void __launch_bounds__(max_small_threads)
    order_small_trees_kernel(const copse::detail::ForestBuild build) {
  extern __shared__ u64 small_words[];
  overlap_launches();
  const u32 tree = blockIdx.x, begin = build.shape.begins[tree], n = build.shape.size(tree);
  if (tree == 0 && threadIdx.x == 0) build.begin_order();
  if (threadIdx.x == 0) build.valid_counts[tree] = 0;
  if (n == 0) return;
  const MortonGrid grid = MortonGrid::of(bound_by_block(build.boxes + begin, n));
  u32 count = 1;
  while (count < n) count *= 2;
  for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
    small_words[i] = i < n ? u64{build.key(grid, build.boxes[begin + i])} << 32 | i : ~u64{0};
  }
  sort_by_block(small_words, count);
  for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
    const u32 next_key = i + 1 < n ? u32(small_words[i + 1] >> 32) : ~0u;
    build.store_slot(tree, begin, begin + i, begin + u32(small_words[i]), u32(small_words[i] >> 32), next_key);
  }
}

}  // namespace detail

/// Contract: builders/bvh/forest/forest.inl.
inline bool order_small_trees(const Executor& ex, const copse::detail::ForestBuild& build) {
  if (build.shape.max_tree_size > detail::max_small_tree) return false;
  u32 capacity = warp_size;
  while (capacity < build.shape.max_tree_size) capacity *= 2;
  launch(ex, "forest: order small trees", detail::order_small_trees_kernel,
         {.blocks = build.shape.tree_count,
          .threads = larger(u32{warp_size}, smaller(capacity / 4, detail::max_small_threads)),
          .shared_bytes = capacity * u32(sizeof(u64)),
          .overlaps_earlier_launch = true},
         build);
  return true;
}

}  // namespace copse::cuda
