#pragma once

// The cut of a tree on CUDA, by one block: a round takes less time than a launch. Contract: builders/bvh/top/top.inl.
//
// A round reads its list twice, first to count the clusters that it replaces, then to write the next list. The
// writes also give the largest area of the next round. So a round has two barriers of the block. A warp has the
// clusters of consecutive rows of 32, so that votes give their places in the next list.

#include "builders/bvh/top/top_cut.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 cut_threads = 1024, cut_warps = cut_threads / warp_size;

using copse::detail::TopCluster;

struct CutStorage {
  u32 going[cut_warps];  // clusters of each warp to be replaced
  u32 largest[3];        // the bits of the largest area, of this round, of the next one, and of none
};
static_assert(cut_warps == warp_size, "a lane per warp adds up what the warps count");

/// Stores one cluster of the next round, and returns the bits of its area. Areas are not negative, so the bits have their
/// order.
__device__ inline u32 put_cluster(TopCluster* to, const TopCluster& cluster) {
  *to = cluster;
  return bits_of(cluster.area);
}

/// The part of a list that a warp has: clusters `begin` to `end`, in rows of 32.
struct CutRows {
  u32 begin, end;

  __device__ CutRows(u32 count) {
    const u32 each = u32(divide_rounding_up(count, cut_threads)) * warp_size;
    begin = smaller(threadIdx.x / warp_size * each, count);
    end = smaller(begin + each, count);
  }
};

/// Returns how many clusters of the warp are replaced; all lanes of the warp.
__device__ inline u32 count_giving_way(const TopCluster* clusters, const CutRows& rows, float largest) {
  u32 going = 0;
#pragma unroll 4
  for (u32 first = rows.begin; first < rows.end; first += warp_size) {
    const u32 i = first + lane_id();
    going += i < rows.end && clusters[i].gives_way(largest) ? 1 : 0;
  }
  return warp_add(all_lanes, going);
}

/// Makes the warp's part of the next list, in order. Returns the bits of its largest area; all lanes of the warp.
///   gone:  replaced clusters before those of the warp
///   pairs: room for those of this round
__device__ inline u32 replace_clusters(const BvhNode* nodes, const TopCluster* clusters, TopCluster* next,
                                       u32* pairs, const CutRows& rows, u32 gone, float largest) {
  u32 mine = 0;
#pragma unroll 2
  for (u32 first = rows.begin; first < rows.end; first += warp_size) {
    const u32 i = first + lane_id();
    const TopCluster own = i < rows.end ? clusters[i] : TopCluster{0, 0, 0};
    const bool goes = own.gives_way(largest);
    const u32 votes = __ballot_sync(all_lanes, goes), before = gone + u32(__popc(votes & lower_lanes()));
    if (goes) {
      const TopCluster left = TopCluster::of(nodes, own.children), right = TopCluster::of(nodes, own.children + 1);
      pairs[before] = own.children;
      mine = larger(mine, put_cluster(next + i + before, left));
      mine = larger(mine, put_cluster(next + i + before + 1, right));
    } else if (i < rows.end) {
      mine = larger(mine, put_cluster(next + i + before, own));
    }
    gone += u32(__popc(votes));
  }
  return warp_max(all_lanes, mine);
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
    storage.largest[0] = storage.largest[1] = storage.largest[2] = 0;
    if (count > 0) storage.largest[0] = put_cluster(now, TopCluster::of(bvh.nodes, 0));
  }
  __syncthreads();
  const u32 enough = smaller(copse::detail::TopShape::enough_clusters, cut.capacity),
            warp = threadIdx.x / warp_size;
  for (u32 round = 0; count > 0 && count < enough; ++round) {
    const float largest = float_from_bits(storage.largest[round % 3]);
    const CutRows rows(count);
    const u32 mine = count_giving_way(now, rows, largest);
    if (lane_id() == 0) storage.going[warp] = mine;
    __syncthreads();
    const u32 of_warp = storage.going[lane_id()];
    const u32 gone_before = warp_add(all_lanes, lane_id() < warp ? of_warp : 0);
    const u32 gone = warp_add(all_lanes, of_warp);
    if (gone == 0 || count + gone > cut.capacity) break;
    const u32 next_largest =
        replace_clusters(bvh.nodes, now, next, cut.pairs + pair_count, rows, gone_before, largest);
    if (lane_id() == 0) atomicMax(&storage.largest[(round + 1) % 3], next_largest);
    if (threadIdx.x == 0) storage.largest[(round + 2) % 3] = 0;
    __syncthreads();
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
