#pragma once

// A tile of leaves that one warp clusters in its own piece of shared memory, without atomics or barriers of the
// block. Which ranges of the hierarchy lie inside the tile is found beforehand, for all gaps between leaves at
// once; their merges then run from the smallest range to the largest, children before parents.

#include "builders/bvh/cuda/cluster_lanes.cuh"
#include "builders/bvh/hploc_ranges.h"

namespace copse::cuda::detail {

using copse::detail::LeafHierarchy;
using copse::detail::LeafRange;

/// Half a cluster, so that lanes which read neighbours read different banks.
struct alignas(16) HalfCluster {
  vec3 corner;
  u32 word;
};

template <u32 leaf_capacity>
class ClusterTile {
 public:
  static constexpr u32 capacity = leaf_capacity;
  static constexpr u32 leaves_a_lane = capacity / warp_size;
  static_assert(capacity % warp_size == 0 && capacity <= copse::detail::narrow_range);

  /// Tiles are cut where neighbours are farthest apart, within a window of this many leaves: fewer ranges reach
  /// beyond a tile.
  static constexpr u32 cut_window = capacity / 4;
  static constexpr u32 stride = capacity - cut_window;

  /// The first leaf of a tile; the leaf count past the last tile.
  template <class Hierarchy>
  __device__ static u32 cut(const Hierarchy& hierarchy, u64 tile) {
    if (tile * stride >= hierarchy.leaf_count) return hierarchy.leaf_count;
    u32 best = ~0u;
    for (u32 k = lane_id(); k < cut_window; k += warp_size) {
      const u32 leaf = u32(tile) * stride + k;
      if (leaf < hierarchy.leaf_count) best = smaller(best, hierarchy.closeness_before(leaf) * cut_window + k);
    }
    return u32(tile) * stride + __reduce_min_sync(all_lanes, best) % cut_window;
  }

  __device__ Cluster load(u32 i) const { return {lo_[i].corner, lo_[i].word, hi_[i].corner, hi_[i].word}; }
  __device__ void store(u32 i, const Cluster& cluster) {
    lo_[i] = {cluster.lo, cluster.children};
    hi_[i] = {cluster.hi, cluster.slot};
  }

  /// Clusters of the range of tile leaves `first` to `last`, once its children have merged; they stand from
  /// `first` on.
  __device__ u32 cluster_count(u32 first, u32 last) const {
    const u32 size = last - first + 1;
    return size <= copse::detail::most_kept_clusters ? size : counts_[first];
  }

  /// Which ranges lie inside a tile: those that must merge, by their gaps, and the gaps that reach beyond it. Gap
  /// i is the one before tile leaf i, the lane's gaps are lane_id() + 32 k.
  struct Topology {
    u32 merges[leaves_a_lane];  // range size << 8 | gap; no_merge elsewhere
    u32 beyond;                 // bit k
  };
  static constexpr u32 no_merge = ~0u;

  /// Uses the memory where the clusters come to stand.
  template <class Hierarchy>
  __device__ Topology find_ranges(const Hierarchy& hierarchy, u32 begin, u32 leaf_count) {
    fill_minima(hierarchy, begin, leaf_count);
    Topology topology{};
#pragma unroll
    for (u32 k = 0; k < leaves_a_lane; ++k) {
      const u32 gap = lane_id() + warp_size * k;
      topology.merges[k] = no_merge;
      if (gap == 0 || gap >= leaf_count) continue;
      const u32 first_at_least = reach_down(gap), past_at_least = reach_up(gap, leaf_count);
      if (first_at_least == 0 || past_at_least > leaf_count) {
        topology.beyond |= 1u << k;
        continue;
      }
      const LeafRange range{first_at_least - 1, past_at_least - 1};
      firsts_[gap] = u8(range.first), lasts_[gap] = u8(range.last);
      if (hierarchy.must_merge(range)) topology.merges[k] = range.size() << 8 | gap;
    }
    __syncwarp();
    return topology;
  }

  /// Merges the clusters of all ranges inside the tile.
  template <u32 most_radius, class Hierarchy, class Place>
  __device__ void merge_ranges(Topology& topology, const Hierarchy& hierarchy, u32 radius, const Place& place) {
    for (;;) {
      u32 next = no_merge;
#pragma unroll
      for (u32 k = 0; k < leaves_a_lane; ++k) next = smaller(next, topology.merges[k]);
      next = __reduce_min_sync(all_lanes, next);
      if (next == no_merge) return;
#pragma unroll
      for (u32 k = 0; k < leaves_a_lane; ++k) {
        if (topology.merges[k] == next) topology.merges[k] = no_merge;
      }
      const u32 gap = next & 0xff;
      const LeafRange range{firsts_[gap], lasts_[gap]};
      merge_children<most_radius>(range, gap, hierarchy.kept_clusters(range), radius, place);
    }
  }

  /// Lists the first leaves of the largest ranges inside the tile, in order; `leaf_count` follows behind them.
  /// Returns how many they are.
  __device__ u32 list_ranges(const Topology& topology, u32 leaf_count) {
    if (lane_id() == 0) firsts_[0] = 0;
    u32 count = 1;
#pragma unroll
    for (u32 k = 0; k < leaves_a_lane; ++k) {
      const bool begins = (topology.beyond >> k & 1) != 0;
      const u32 votes = __ballot_sync(all_lanes, begins);
      if (begins) firsts_[count + u32(__popc(votes & lower_lanes()))] = u8(lane_id() + warp_size * k);
      count += u32(__popc(votes));
    }
    range_count_ = count;
    leaf_count_ = leaf_count;
    __syncwarp();
    return count;
  }
  __device__ LeafRange listed_range(u32 i) const {
    return {firsts_[i], (i + 1 < range_count_ ? firsts_[i + 1] : leaf_count_) - 1};
  }

  __device__ u8* sources() {
    return sources_;
  }

 private:
  static constexpr u32 level_count = capacity == 256 ? 8 : capacity == 128 ? 7 : 6;
  static constexpr u32 row_size = capacity + 1;
  static_assert(1u << level_count == capacity);
  static_assert(level_count * row_size <= capacity * sizeof(HalfCluster));

  /// minima(level)[i] = how close the farthest neighbours are at the 2^level gaps from i on.
  __device__ u8* minima(u32 level) {
    return reinterpret_cast<u8*>(lo_) + level * row_size;
  }

  template <class Hierarchy>
  __device__ void fill_minima(const Hierarchy& hierarchy, u32 begin, u32 leaf_count) {
    for (u32 i = lane_id(); i <= leaf_count; i += warp_size) {
      minima(0)[i] = begin + i < hierarchy.leaf_count ? u8(hierarchy.closeness_before(begin + i)) : u8(0);
    }
    for (u32 level = 1; level < level_count; ++level) {
      __syncwarp();
      const u32 half = 1u << (level - 1);
      for (u32 i = lane_id(); i + 2 * half <= leaf_count + 1; i += warp_size) {
        minima(level)[i] = smaller(minima(level - 1)[i], minima(level - 1)[i + half]);
      }
    }
    __syncwarp();
  }

  /// The lowest gap from which on all up to `gap` are at least as close.
  __device__ u32 reach_down(u32 gap) {
    const u8 own = minima(0)[gap];
    u32 at = gap;
#pragma unroll
    for (u32 level = level_count; level-- > 0;) {
      const u32 step = 1u << level;
      if (at >= step && minima(level)[at - step] >= own) at -= step;
    }
    return at;
  }

  /// The first gap after `gap` that is less close; leaf_count + 1 where there is none.
  __device__ u32 reach_up(u32 gap, u32 leaf_count) {
    const u8 own = minima(0)[gap];
    u32 at = gap + 1;
#pragma unroll
    for (u32 level = level_count; level-- > 0;) {
      const u32 step = 1u << level;
      if (at + step <= leaf_count + 1 && minima(level)[at] >= own) at += step;
    }
    return at;
  }

  template <u32 most_radius, class Place>
  __device__ void merge_children(const LeafRange& range, u32 split, u32 most_left, u32 radius,
                                 const Place& place) {
    const u32 left_count = cluster_count(range.first, split - 1);
    const u32 count = left_count + cluster_count(split, range.last);
    const u32 source = lane_id() < left_count ? range.first + lane_id() : split + lane_id() - left_count;
    Cluster mine = load(lane_id() < count ? source : range.first);
    __syncwarp();
    const u32 left = merge_until<most_radius>(mine, count, most_left, radius, place, sources_);
    if ((left >> lane_id() & 1) != 0) store(range.first + u32(__popc(left & lower_lanes())), mine);
    if (lane_id() == 0) counts_[range.first] = u8(__popc(left));
    __syncwarp();
  }

  HalfCluster lo_[capacity], hi_[capacity];
  u8 counts_[capacity];  // [first leaf of a range]: its clusters, where it has merged
  u8 firsts_[capacity];  // [gap]: the range that splits there; at the end, the ranges that are left
  u8 lasts_[capacity];
  u8 sources_[warp_size];
  u32 range_count_, leaf_count_;
};

}  // namespace copse::cuda::detail
