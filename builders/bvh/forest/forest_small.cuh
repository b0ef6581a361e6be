#pragma once

// The order of small trees of a forest on CUDA: a block finds the bounds of a tree, makes its keys and sorts them.
// So boxes are read by one launch, and no sort of all primitives is needed.
//
// The sort is bitonic (Batcher, "Sorting Networks and Their Applications", AFIPS 1968). A word is the key, then
// the number of the primitive in its tree. So all words differ, and any sort gives the order of a stable one.

#include "builders/bvh/build/join_subtrees.cuh"
#include "builders/bvh/forest/forest_order.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 max_small_tree = copse::detail::forest_class_sizes[0], max_small_threads = 256;

/// Returns the box around those of all threads of the block, in each of them. Its storage may be used again after the
/// next __syncthreads.
__device__ inline Aabb box_of_block(Aabb box) {
  __shared__ Aabb of_warps[max_small_threads / warp_size];
  box = box_of_all_lanes(box);
  if (lane_id() == 0) of_warps[threadIdx.x / warp_size] = box;
  __syncthreads();
  box = of_warps[0];
  for (u32 warp = 1; warp < blockDim.x / warp_size; ++warp) box = merge(box, of_warps[warp]);
  return box;
}

/// Returns the lesser one of two words, or the greater one.
__device__ inline u64 lesser_or_greater(u64 own, u64 other, bool keeps_lesser) {
  return (other < own) == keeps_lesser ? other : own;
}

/// Sorts the words of a block into shared memory: `per_thread` in each thread, a power of two in all. Word k of thread t
/// is at place per_thread * t + k. Words of one thread are compared in registers, those of a warp by shuffles.
///   count: of all words
template <u32 per_thread>
__device__ void sort_by_block(u64 (&own)[per_thread], u32 count, u64* shared) {
  const u32 first = per_thread * threadIdx.x;
  const auto keeps_lesser = [](u32 place, u32 distance, u32 run) {
    return ((place & distance) == 0) == ((place & run) == 0);
  };
  for (u32 run = 2; run <= count; run *= 2) {
    u32 distance = run / 2;
    for (; distance >= warp_size * per_thread; distance /= 2) {
#pragma unroll
      for (u32 k = 0; k < per_thread; ++k) shared[k * blockDim.x + threadIdx.x] = own[k];
      __syncthreads();
      const u32 other = threadIdx.x ^ distance / per_thread;
#pragma unroll
      for (u32 k = 0; k < per_thread; ++k) {
        own[k] = lesser_or_greater(own[k], shared[k * blockDim.x + other], keeps_lesser(first + k, distance, run));
      }
      __syncthreads();
    }
    for (; distance >= per_thread; distance /= 2) {
#pragma unroll
      for (u32 k = 0; k < per_thread; ++k) {
        const u64 other = __shfl_xor_sync(all_lanes, own[k], int(distance / per_thread));
        own[k] = lesser_or_greater(own[k], other, keeps_lesser(first + k, distance, run));
      }
    }
#pragma unroll
    for (u32 within = per_thread / 2; within > 0; within /= 2) {
      if (within >= run) continue;
#pragma unroll
      for (u32 k = 0; k < per_thread; ++k) {
        if ((k & within) != 0) continue;
        const u64 a = own[k], b = own[k + within];
        const bool swaps = (b < a) == (((first + k) & run) == 0);
        own[k] = swaps ? b : a;
        own[k + within] = swaps ? a : b;
      }
    }
  }
#pragma unroll
  for (u32 k = 0; k < per_thread; ++k) shared[first + k] = own[k];
  __syncthreads();
}

inline constexpr u32 small_words_per_thread = max_small_tree / max_small_threads;

__global__ static void __launch_bounds__(max_small_threads)
    order_small_trees_kernel(const copse::detail::ForestBuild build) {
  extern __shared__ u64 small_words[];
  overlap_launches();
  const u32 tree = blockIdx.x, begin = build.shape.begins[tree], n = build.shape.size(tree);
  if (tree == 0 && threadIdx.x == 0) build.begin_order();
  if (threadIdx.x == 0) build.valid_counts[tree] = 0;
  if (n == 0) return;
  Aabb box = Aabb::empty();
  for (u32 i = threadIdx.x; i < n; i += blockDim.x) box = merge(box, build.boxes[begin + i]);
  const MortonGrid grid = MortonGrid::of(box_of_block(box));
  u64 own[small_words_per_thread];
#pragma unroll
  for (u32 k = 0; k < small_words_per_thread; ++k) {
    const u32 i = k * blockDim.x + threadIdx.x;
    own[k] = i < n ? u64{build.key(grid, build.boxes[begin + i])} << 32 | i : ~u64{0};
  }
  sort_by_block(own, small_words_per_thread * blockDim.x, small_words);
  for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
    const u32 next_key = i + 1 < n ? u32(small_words[i + 1] >> 32) : ~0u;
    build.store_slot(tree, begin, begin + i, begin + u32(small_words[i]), u32(small_words[i] >> 32), next_key);
  }
}

}  // namespace detail

/// Contract: builders/bvh/forest/forest.inl.
inline bool order_small_trees(const Executor& ex, const copse::detail::ForestBuild& build) {
  if (build.shape.max_tree_size > detail::max_small_tree) return false;
  u32 threads = warp_size;
  while (detail::small_words_per_thread * threads < build.shape.max_tree_size) threads *= 2;
  launch(ex, "forest: order small trees", detail::order_small_trees_kernel,
         {.blocks = build.shape.tree_count,
          .threads = threads,
          .shared_bytes = detail::small_words_per_thread * threads * u32(sizeof(u64)),
          .overlaps_earlier_launch = true},
         build);
  return true;
}

}  // namespace copse::cuda
