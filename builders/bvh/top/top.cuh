#pragma once

// The cut of a tree on CUDA, by one block: a round takes less time than a launch. Contract: builders/bvh/top/top.inl.

#include "builders/bvh/top/top_cut.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 cut_threads = 1024;

using copse::detail::TopCluster;

struct CutStorage {
  BlockStorage<u32, cut_threads> sums;
  u32 largest[2];  // the bits of the largest area, of this round and of the next one
};

/// Returns the largest area of a cluster. All threads of the block call it.
__device__ inline float largest_area(const TopCluster* clusters, u32 count, u32 round, CutStorage& storage) {
  u32 mine = 0;  // areas are not negative, so their bits are in the same order
  for (u32 i = threadIdx.x; i < count; i += cut_threads) mine = larger(mine, bits_of(clusters[i].area));
  mine = __reduce_max_sync(all_lanes, mine);
  if (lane_id() == 0) atomicMax(&storage.largest[round % 2], mine);
  __syncthreads();
  if (threadIdx.x == 0) storage.largest[1 - round % 2] = 0;
  return float_from_bits(storage.largest[round % 2]);
}

/// Counts the clusters that give way. All threads of the block call it, and all get the result.
__device__ inline u32 count_giving_way(const TopCluster* clusters, u32 count, float largest, CutStorage& storage) {
  u32 mine = 0;
  for (u32 i = threadIdx.x; i < count; i += cut_threads) mine += clusters[i].gives_way(largest) ? 1 : 0;
  const u32 total = block_exclusive_sum<cut_threads>(mine, storage.sums).total;
  __syncthreads();
  return total;
}

/// Makes the list of the next round, in order. All threads of the block call it.
///   pair_count: of the rounds before
__device__ inline void replace_clusters(const BvhNode* nodes, const TopCluster* clusters, TopCluster* next,
                                        u32* pairs, u32 count, u32 pair_count, float largest,
                                        CutStorage& storage) {
  u32 gone_before = 0;
  for (u32 first = 0; first < count; first += cut_threads) {
    const u32 i = first + threadIdx.x;
    const TopCluster own = i < count ? clusters[i] : TopCluster{0, 0, 0};
    const bool goes = i < count && own.gives_way(largest);
    const VoteCount vote = copse::cuda::block_count<cut_threads>(goes, storage.sums);
    const u32 gone = gone_before + vote.before;
    if (goes) {
      pairs[pair_count + gone] = own.children;
      next[i + gone] = TopCluster::of(nodes, own.children);
      next[i + gone + 1] = TopCluster::of(nodes, own.children + 1);
    } else if (i < count) {
      next[i + gone] = own;
    }
    gone_before += vote.total;
    __syncthreads();
  }
}

template <class Cut>
__global__ static void __launch_bounds__(cut_threads)
    cut_top_kernel(const copse::detail::BvhArrays bvh, const Cut cut) {
  __shared__ CutStorage storage;
  overlap_launches();
  TopCluster* now = cut.clusters;
  TopCluster* next = cut.next_clusters;
  u32 count = bvh.counts->node_count == 0 ? 0 : 1, pair_count = 0;
  if (threadIdx.x == 0) {
    if (count > 0) now[0] = TopCluster::of(bvh.nodes, 0);
    storage.largest[0] = storage.largest[1] = 0;
  }
  __syncthreads();
  const u32 enough = smaller(copse::detail::TopShape::enough_clusters, cut.capacity);
  for (u32 round = 0; count > 0 && count < enough; ++round) {
    const float largest = largest_area(now, count, round, storage);
    const u32 gone = count_giving_way(now, count, largest, storage);
    if (gone == 0 || count + gone > cut.capacity) break;
    replace_clusters(bvh.nodes, now, next, cut.pairs, count, pair_count, largest, storage);
    TopCluster* const last = now;
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
