#pragma once

// The clusters of a block of leaves in shared memory.

#include "builders/bvh/hploc/cluster_lanes.cuh"

namespace copse::cuda::detail {

using copse::detail::ClusterHierarchy;
using copse::detail::LeafRange;
using copse::detail::max_kept_clusters;

/// Half of a cluster: a corner of its box, and a word. Lanes that read neighbouring halves read different banks.
struct alignas(16) HalfCluster {
  vec3 corner;
  u32 word;
};

/// The split before a leaf. Leaves are numbered from the first one of the block.
///   31 .. 16 | 15 .. 0
///   delta    | leaf
struct Split {
  u32 bits;

  __device__ static Split make(u32 delta, u32 leaf) { return {delta << 16 | leaf}; }
  __device__ u32 delta() const { return bits >> 16; }
  __device__ u32 leaf() const { return bits & 0xffffu; }
};

template <u32 leaf_capacity, u32 warp_count>
struct ClusterMemory {
  static constexpr u32 capacity = leaf_capacity;
  static constexpr u32 warps = warp_count;
  static_assert(capacity < 1u << 16);

  HalfCluster lo[capacity], hi[capacity];  // the clusters of a range start at its first leaf
  u8 counts[capacity];                     // [first leaf of a range]: its clusters, if it has merged
  Split splits[2][capacity + warp_count];  // a list per tile, and the list of the block
  u32 tile_begins[warp_count + 1];
  u32 split_counts[warp_count];
  u8 sources[warp_count][warp_size];

  __device__ Cluster load(u32 i) const { return {lo[i].corner, lo[i].word, hi[i].corner, hi[i].word}; }
  __device__ void store(u32 i, const Cluster& cluster) {
    lo[i] = {cluster.lo, cluster.children};
    hi[i] = {cluster.hi, cluster.slot};
  }

  /// Returns the number of clusters of a range whose children have merged.
  __device__ u32 cluster_count(const LeafRange& range) const {
    return range.size() <= max_kept_clusters ? range.size() : counts[range.first];
  }

  /// Merges the clusters of the two children of `range`, with split `split` between them. All lanes of a warp call
  /// it.
  ///   merge: u32(clusters in the lanes, their count, the range, 32 bytes of the warp): merges clusters, and
  ///     returns the lanes that hold those that remain
  template <class Merge>
  __device__ void merge_children(const LeafRange& range, u32 split, const Merge& merge) {
    const u32 left_count = cluster_count({range.first, split - 1});
    const u32 count = left_count + cluster_count({split, range.last});
    const u32 source = lane_id() < left_count ? range.first + lane_id() : split + lane_id() - left_count;
    Cluster mine = load(lane_id() < count ? source : range.first);
    __syncwarp();
    const u32 left = merge(mine, count, range, sources[threadIdx.x / warp_size]);
    if ((left >> lane_id() & 1) != 0) store(range.first + u32(__popc(left & lower_lanes())), mine);
    if (lane_id() == 0) counts[range.first] = u8(__popc(left));
    __syncwarp();
  }
};

}  // namespace copse::cuda::detail
