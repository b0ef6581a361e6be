#pragma once

// The clustering of H-PLOC on CUDA. Contract: builders/bvh/hploc.inl.
//
// One launch. A warp clusters a tile of leaves in shared memory (cluster_tile.cuh). The ranges that reach beyond
// the tile then climb on in global memory, a lane each: of two siblings the one that arrives second goes on with
// the parent, and its whole warp merges the clusters of both.

#include "builders/bvh/cuda/cluster_tile.cuh"
#include "builders/bvh/lbvh_leaves.h"
#include "primitives/core/atomic.h"
#include "primitives/cuda/for_each.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::BvhArrays;
using copse::detail::GroupedLeaves;
using copse::detail::most_kept_clusters;
using copse::detail::PlaceCluster;
using copse::detail::SingleLeaves;

/// Either kind of leaves: one kernel for both.
struct AnyLeaves {
  const u32* firsts;  // null: every primitive is a leaf
  __device__ u32 first(u32 leaf) const { return firsts == nullptr ? leaf : firsts[leaf]; }
};
inline AnyLeaves any_leaves(const SingleLeaves&) {
  return {nullptr};
}
inline AnyLeaves any_leaves(const GroupedLeaves& leaves) {
  return {leaves.firsts};
}

template <class Boxes>
struct HplocInput {
  Boxes boxes;
  AnyLeaves leaves;
  const u8* gaps;
  u32 radius;
  Cluster* clusters;  // [leaf]: a range's stand from its first leaf on, up to one without a slot
  u32* arrivals;      // [split]: the far end of the child that came first
  BvhArrays bvh;
};

using Hierarchy = LeafHierarchy<AnyLeaves>;
using Place = PlaceCluster<AnyLeaves>;

/// Makes the clusters of a tile's leaves.
template <class Boxes, class Tile>
__device__ void load_leaves(const HplocInput<Boxes>& in, u32 begin, u32 leaf_count, Tile& tile) {
  constexpr u32 group = smaller(4u, Tile::leaves_a_lane);  // loads in flight
#pragma unroll
  for (u32 k = 0; k < Tile::leaves_a_lane; k += group) {
    Aabb boxes[group];
#pragma unroll
    for (u32 g = 0; g < group; ++g) {
      const u32 i = lane_id() + warp_size * (k + g);
      if (i >= leaf_count) continue;
      const u32 slot = in.leaves.first(begin + i), end = in.leaves.first(begin + i + 1);
      boxes[g] = in.boxes(in.bvh.primitive_ids[slot]);
      for (u32 other = slot + 1; other < end; ++other) {
        boxes[g] = merge(boxes[g], in.boxes(in.bvh.primitive_ids[other]));
      }
    }
#pragma unroll
    for (u32 g = 0; g < group; ++g) {
      const u32 i = lane_id() + warp_size * (k + g);
      if (i < leaf_count) tile.store(i, Cluster::leaf(boxes[g], begin + i));
    }
  }
  __syncwarp();
}

/// Puts the clusters of a tile's range where whoever merges it with its sibling finds them.
template <class Tile>
__device__ void hand_over(const Tile& tile, u32 begin, const LeafRange& range, Cluster* clusters) {
  const u32 count = tile.cluster_count(range.first, range.last);
  Cluster* const out = clusters + begin + range.first;
  if (lane_id() < count) out[lane_id()] = tile.load(range.first + lane_id());
  if (lane_id() == count && count < smaller(range.size(), most_kept_clusters)) out[count].slot = invalid_id;
}

/// Merges the clusters of the two children of `range` in global memory.
template <u32 most_radius, class Boxes>
__device__ void merge_children(const HplocInput<Boxes>& in, const Hierarchy& hierarchy, const LeafRange& range,
                               u32 split, u8* sources) {
  // The left child's clusters come to the lower half of the warp, the right child's to the upper half.
  const u32 half = lane_id() / most_kept_clusters, place_in_half = lane_id() % most_kept_clusters;
  const u32 leaf = (half == 0 ? range.first : split + 1) + place_in_half;
  const bool in_child = leaf <= (half == 0 ? split : range.last);
  Cluster mine = in.clusters[in_child ? leaf : range.first];
  const u32 missing = ~__ballot_sync(all_lanes, in_child && mine.slot != invalid_id);
  const u32 left_count = u32(__ffs(int(missing & 0xffffu | 0x10000u))) - 1;
  const u32 right_count = u32(__ffs(int(missing >> 16 | 0x10000u))) - 1;
  const u32 source = lane_id() < left_count ? lane_id() : lane_id() - left_count + most_kept_clusters;
  mine = shuffle_from(mine, source % warp_size);

  const Place place{in.leaves, in.bvh};
  const u32 count = left_count + right_count, most_left = hierarchy.kept_clusters(range);
  const u32 radius = hierarchy.search_radius(range, in.radius);
  const u32 left = radius <= most_radius
                       ? merge_until<most_radius>(mine, count, most_left, radius, place, sources)
                       : merge_until<copse::detail::most_radius>(mine, count, most_left, radius, place, sources);
  const u32 kept_count = u32(__popc(left));
  if ((left >> lane_id() & 1) != 0) in.clusters[range.first + u32(__popc(left & lower_lanes()))] = mine;
  if (lane_id() == 0 && kept_count < most_kept_clusters) in.clusters[range.first + kept_count].slot = invalid_id;
}

/// A range on its way up, held by a lane.
struct Climber {
  LeafRange range;
  u32 closeness_before, closeness_after;  // of its ends
  bool is_climbing;

  /// Goes on to the parent and returns the split there, if the sibling was there before; else stops.
  __device__ u32 climb(const Hierarchy& hierarchy, u32* arrivals) {
    const bool is_right_child = closeness_before > closeness_after;
    const u32 split = is_right_child ? range.first - 1 : range.last;
    const u32 other_end = exchange_acq_rel(&arrivals[split], is_right_child ? range.last : range.first);
    if (other_end == invalid_id) {
      is_climbing = false;
    } else if (is_right_child) {
      range.first = other_end;
      closeness_before = hierarchy.closeness_before(other_end);
    } else {
      range.last = other_end;
      closeness_after = hierarchy.closeness_after(other_end);
    }
    return split;
  }
};

/// Climbs with a range a lane until all of them stop.
template <u32 most_radius, class Boxes>
__device__ void climb(const HplocInput<Boxes>& in, const Hierarchy& hierarchy, Climber climber, u8* sources) {
  while (__any_sync(all_lanes, climber.is_climbing)) {
    u32 split = 0;
    if (climber.is_climbing) split = climber.climb(hierarchy, in.arrivals);
    // What a lane has acquired, its warp has.
    __syncwarp();
    u32 waiting = __ballot_sync(all_lanes, climber.is_climbing && hierarchy.must_merge(climber.range));
    for (; waiting != 0; waiting &= waiting - 1) {
      const u32 lane = u32(__ffs(int(waiting))) - 1;
      merge_children<most_radius>(in, hierarchy, shuffle_from(climber.range, lane), shuffle_from(split, lane),
                                  sources);
    }
    // What the warp has written, the lane that arrives next releases.
    __syncwarp();
    if (climber.is_climbing && hierarchy.is_whole(climber.range)) {
      Place{in.leaves, in.bvh}(in.clusters[0], 0);
      climber.is_climbing = false;
    }
  }
}

template <u32 most_radius, class Tile, u32 threads, u32 blocks, class Boxes>
__global__ void __launch_bounds__(threads, blocks) hploc_kernel(const HplocInput<Boxes> in) {
  extern __shared__ uint4 hploc_memory[];
  const u32 warp = threadIdx.x / warp_size;
  Tile& tile = reinterpret_cast<Tile*>(hploc_memory)[warp];
  const u64 tile_id = u64(blockIdx.x) * (threads / warp_size) + warp;

  // Cluster the tile.
  const Hierarchy hierarchy{in.leaves, in.gaps, in.bvh.counts->leaf_count};
  const u32 begin = Tile::cut(hierarchy, tile_id), end = Tile::cut(hierarchy, tile_id + 1);
  if (begin == end) return;
  const u32 leaf_count = end - begin;
  auto topology = tile.find_ranges(hierarchy, begin, leaf_count);
  load_leaves(in, begin, leaf_count, tile);
  tile.template merge_ranges<most_radius>(topology, hierarchy, in.radius, Place{in.leaves, in.bvh});

  // Hand over what reaches beyond it.
  const u32 range_count = tile.list_ranges(topology, leaf_count);
  for (u32 i = 0; i < range_count; ++i) hand_over(tile, begin, tile.listed_range(i), in.clusters);
  __syncwarp();
  if (leaf_count == hierarchy.leaf_count) {
    if (lane_id() == 0) Place{in.leaves, in.bvh}(in.clusters[0], 0);
    return;
  }

  // Climb on with it.
  for (u32 first = 0; first < range_count; first += warp_size) {
    Climber climber{};
    climber.is_climbing = first + lane_id() < range_count;
    if (climber.is_climbing) {
      const LeafRange range = tile.listed_range(first + lane_id());
      climber.range = {begin + range.first, begin + range.last};
      climber.closeness_before = hierarchy.closeness_before(climber.range.first);
      climber.closeness_after = hierarchy.closeness_after(climber.range.last);
    }
    climb<most_radius>(in, hierarchy, climber, tile.sources());
  }
}

template <u32 most_radius, class Tile, u32 threads, u32 blocks, class Boxes>
void launch_hploc(const Executor& ex, u64 n, const HplocInput<Boxes>& in) {
  constexpr u32 warps = threads / warp_size;
  const u64 tile_count = divide_rounding_up(n, Tile::stride);
  launch(ex, "hploc: clusters", hploc_kernel<most_radius, Tile, threads, blocks, Boxes>,
         {divide_rounding_up(tile_count, warps), threads, u32(warps * sizeof(Tile))}, in);
}

/// Small tiles where there are few leaves, so that there is work for all multiprocessors.
template <u32 most_radius, class Boxes>
void launch_hploc(const Executor& ex, u64 n, const HplocInput<Boxes>& in) {
  constexpr u64 leaves_of_large_tiles = 1u << 20;
  if (n < leaves_of_large_tiles) {
    launch_hploc<most_radius, ClusterTile<64>, 64, 16>(ex, n, in);
  } else {
    launch_hploc<most_radius, ClusterTile<256>, 64, 7>(ex, n, in);
  }
}

}  // namespace detail

inline u64 hploc_clusters_scratch_bytes(const Executor&, u64 n) {
  return ScratchArena::bytes_for<copse::detail::Cluster>(n) + ScratchArena::bytes_for<u32>(n);
}

/// Contract: builders/bvh/hploc.inl.
template <class Boxes, class Leaves>
void cluster_leaves(const Executor& ex, const Boxes& boxes, const Leaves& leaves, const u8* gaps, u64 n,
                    u32 radius, const copse::detail::BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  auto* clusters = frame.allocate<copse::detail::Cluster>(n);
  u32* arrivals = frame.allocate<u32>(n);
  fill_bytes(ex, "hploc: clear arrivals", arrivals, n, 0xff);
  const detail::HplocInput<Boxes> in{boxes, detail::any_leaves(leaves), gaps, radius, clusters, arrivals, bvh};
  if (radius <= 2) return detail::launch_hploc<2>(ex, n, in);
  if (radius == 3) return detail::launch_hploc<3>(ex, n, in);
  if (radius == 4) return detail::launch_hploc<4>(ex, n, in);
  detail::launch_hploc<copse::detail::most_radius>(ex, n, in);
}

}  // namespace copse::cuda
