#pragma once

// The cut of a tree on CUDA, by one block: a round takes less time than a launch. Contract: builders/bvh/top/top.inl.

#include "builders/bvh/top/top_cut.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 cut_threads = 1024;

/// Counts the clusters that give way. All threads of the block call it, and all get the result.
__device__ inline u32 count_giving_way(const BvhNode* nodes, const u32* clusters, u32 count, double threshold,
                                       BlockStorage<u32, cut_threads>& storage) {
  u32 mine = 0;
  for (u32 i = threadIdx.x; i < count; i += cut_threads) {
    mine += copse::detail::gives_way(nodes[clusters[i]], threshold) ? 1 : 0;
  }
  const u32 total = block_exclusive_sum<cut_threads>(mine, storage).total;
  __syncthreads();
  return total;
}

/// Makes the list of the next round, in order. All threads of the block call it.
///   pair_count: of the rounds before
__device__ inline void replace_clusters(const BvhNode* nodes, const u32* clusters, u32* next, u32* pairs,
                                        u32 count, u32 pair_count, double threshold,
                                        BlockStorage<u32, cut_threads>& storage) {
  u32 gone_before = 0;
  for (u32 first = 0; first < count; first += cut_threads) {
    const u32 i = first + threadIdx.x;
    const u32 cluster = i < count ? clusters[i] : 0;
    const BvhNode node = nodes[cluster];
    const bool goes = i < count && copse::detail::gives_way(node, threshold);
    const VoteCount vote = copse::cuda::block_count<cut_threads>(goes, storage);
    const u32 gone = gone_before + vote.before;
    if (goes) {
      pairs[pair_count + gone] = node.first;
      next[i + gone] = node.first;
      next[i + gone + 1] = node.first + 1;
    } else if (i < count) {
      next[i + gone] = cluster;
    }
    gone_before += vote.total;
    __syncthreads();
  }
}

template <class Cut>
__global__ static void __launch_bounds__(cut_threads)
    cut_top_kernel(const copse::detail::BvhArrays bvh, const Cut cut) {
  using copse::detail::TopShape;
  __shared__ BlockStorage<u32, cut_threads> storage;
  overlap_launches();
  u32* now = cut.clusters;
  u32* next = cut.next_clusters;
  u32 count = bvh.counts->node_count == 0 ? 0 : 1, pair_count = 0, halvings = 0;
  if (threadIdx.x == 0) now[0] = 0;
  __syncthreads();
  double threshold = copse::detail::first_threshold(bvh);
  const u32 enough = smaller(TopShape::enough_clusters, cut.capacity);
  while (count > 0 && count < enough && halvings < TopShape::max_halvings) {
    const u32 gone = count_giving_way(bvh.nodes, now, count, threshold, storage);
    if (count + gone > cut.capacity) break;
    if (gone == 0) {
      threshold /= 2;
      ++halvings;
      continue;
    }
    replace_clusters(bvh.nodes, now, next, cut.pairs, count, pair_count, threshold, storage);
    u32* const last = now;
    now = next;
    next = last;
    count += gone;
    pair_count += gone;
  }
  for (u32 i = threadIdx.x; now != cut.clusters && i < count; i += cut_threads) cut.clusters[i] = now[i];
  if (threadIdx.x == 0) *cut.cluster_count = count;
}

}  // namespace detail

/// Contract: builders/bvh/top/top.inl.
inline void cut_top(const Executor& ex, const copse::detail::BvhArrays& bvh, const copse::detail::TopCut& cut) {
  launch(ex, "top: cut", detail::cut_top_kernel<copse::detail::TopCut>,
         {.blocks = 1, .threads = detail::cut_threads, .overlaps_earlier_launch = true}, bvh, cut);
}

}  // namespace copse::cuda
