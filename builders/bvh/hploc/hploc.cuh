#pragma once

// The clustering of H-PLOC on CUDA. Contract: builders/bvh/hploc/hploc.inl.
//
// One launch. A warp merges the ranges inside a tile of leaves in shared memory, and a block the ranges that reach
// beyond its tiles (cluster_block.cuh). The ranges that reach beyond the block climb in global memory, a warp per
// range (hploc_climb.cuh). The climb is the expensive step: it waits for memory, and its writes must be visible to
// the whole GPU. Blocks are large, so that few ranges are left to climb.

#include "builders/bvh/hploc/cluster_block.cuh"
#include "builders/bvh/hploc/hploc_climb.cuh"
#include "builders/geometry/box_sources.h"
#include "primitives/cuda/for_each.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::BvhArrays;
using copse::detail::GatheredBoxes;
using copse::detail::GroupedLeaves;
using copse::detail::PlaceCluster;
using copse::detail::PrecomputedBounds;
using copse::detail::SingleLeaves;

/// Leaves of either kind, so that one kernel serves both.
struct AnyLeaves {
  const u32* firsts;  // null: every primitive is a leaf
  u32 max_size;       // maximum primitives per leaf
  __device__ u32 first(u32 leaf) const { return firsts == nullptr ? leaf : firsts[leaf]; }
};
inline AnyLeaves any_leaves(const SingleLeaves&) {
  return {nullptr, 1};
}
inline AnyLeaves any_leaves(const GroupedLeaves& leaves) {
  return {leaves.firsts, leaves.max_size};
}

template <class Boxes, class Leaves = AnyLeaves>
struct HplocInput {
  Boxes boxes;
  PrecomputedBounds precomputed;
  Leaves leaves;
  const u8* deltas;
  u32 radius;
  Cluster* clusters;  // see MeetingPlace
  u32* arrivals;
  BvhArrays bvh;
};

///   window: within so many leaves, tiles are cut at the lowest delta, so that fewer ranges reach beyond a tile
template <u32 tile_leaves_per_lane, u32 window = warp_size* tile_leaves_per_lane / 4>
struct ClusterTileShape {
  static constexpr u32 leaves_per_lane = tile_leaves_per_lane;
  static constexpr u32 capacity = warp_size * leaves_per_lane;
  static_assert(capacity <= copse::detail::narrow_range, "ranges inside a tile search near");
  static constexpr u32 cut_window = window;
  static constexpr u32 stride = capacity - cut_window;

  /// Returns the first leaf of a tile, or the leaf count past the last tile.
  template <class Hierarchy>
  __device__ static u32 cut(const Hierarchy& hierarchy, u64 tile) {
    if (tile * stride >= hierarchy.leaf_count) return hierarchy.leaf_count;
    u32 best = ~0u;
    for (u32 k = lane_id(); k < cut_window; k += warp_size) {
      const u32 leaf = u32(tile) * stride + k;
      if (leaf < hierarchy.leaf_count) best = smaller(best, hierarchy.delta_left(leaf) * cut_window + k);
    }
    return u32(tile) * stride + warp_min(all_lanes, best) % cut_window;
  }
};

/// The leaves of a warp. `begin` counts from the first leaf of the block.
struct TileLeaves {
  u32 block_begin;
  u32 begin;
  u32 count;
};

/// Lists the splits of a tile: the split before each leaf, and the split behind the last one.
template <class Hierarchy>
__device__ void list_splits(const Hierarchy& hierarchy, const TileLeaves& tile, Split* splits) {
  for (u32 i = lane_id(); i <= tile.count; i += warp_size) {
    const u32 leaf = tile.block_begin + tile.begin + i;
    splits[i] = Split::make(leaf < hierarchy.leaf_count ? hierarchy.delta_left(leaf) : 0, tile.begin + i);
  }
}

template <class Boxes, class Leaves>
__device__ Aabb leaf_box(const Boxes& boxes, const Leaves& leaves, const u32* primitive_ids, u32 leaf) {
  const u32 first = leaves.first(leaf);
  return copse::detail::box_of_slots(boxes, primitive_ids, first, leaves.first(leaf + 1) - first);
}

/// Makes the clusters of the leaves of a tile.
template <class Shape, class Boxes, class Leaves, class Memory>
__device__ void load_leaves(const Boxes& boxes_of, const Leaves& leaves, const u32* primitive_ids,
                            const TileLeaves& tile, Memory& memory) {
  constexpr u32 group = smaller(4u, Shape::leaves_per_lane);  // loads in flight
#pragma unroll
  for (u32 k = 0; k < Shape::leaves_per_lane; k += group) {
    Aabb boxes[group];
#pragma unroll
    for (u32 g = 0; g < group; ++g) {
      const u32 i = lane_id() + warp_size * (k + g);
      if (i < tile.count) boxes[g] = leaf_box(boxes_of, leaves, primitive_ids, tile.block_begin + tile.begin + i);
    }
#pragma unroll
    for (u32 g = 0; g < group; ++g) {
      const u32 i = lane_id() + warp_size * (k + g);
      const u32 leaf = tile.begin + i;
      if (i < tile.count) memory.store(leaf, Cluster::leaf(boxes[g], tile.block_begin + leaf));
    }
  }
}

/// The same for leaves of one or two primitives. A leaf of one primitive loads it twice, so there is no branch,
/// and the loads of several leaves overlap.
template <class Shape, class Boxes, class Memory>
__device__ void load_pairs(const Boxes& boxes_of, const u32* firsts, const u32* primitive_ids,
                           const TileLeaves& tile, Memory& memory) {
  constexpr u32 group = smaller(2u, Shape::leaves_per_lane);
  if (tile.count == 0) return;
#pragma unroll
  for (u32 k = 0; k < Shape::leaves_per_lane; k += group) {
    u32 ids[group][2];
#pragma unroll
    for (u32 g = 0; g < group; ++g) {
      const u32 i = smaller(lane_id() + warp_size * (k + g), tile.count - 1),
                leaf = tile.block_begin + tile.begin + i;
      ids[g][0] = primitive_ids[firsts[leaf]];
      ids[g][1] = primitive_ids[firsts[leaf + 1] - 1];
    }
    Aabb boxes[group][2];
#pragma unroll
    for (u32 g = 0; g < group; ++g) {
#pragma unroll
      for (u32 side = 0; side < 2; ++side) boxes[g][side] = boxes_of(ids[g][side]);
    }
#pragma unroll
    for (u32 g = 0; g < group; ++g) {
      const u32 i = lane_id() + warp_size * (k + g), leaf = tile.begin + i;
      if (i >= tile.count) continue;
      memory.store(leaf, Cluster::leaf(merge(boxes[g][0], boxes[g][1]), tile.block_begin + leaf));
    }
  }
}

/// The same from the fastest source of boxes. The common cases have no branch per leaf: all leaves have one
/// primitive, or all have one or two.
template <class Shape, class Boxes, class Leaves, class Memory>
__device__ void load_leaves(const HplocInput<Boxes, Leaves>& in, const TileLeaves& tile, Memory& memory) {
  const u32* const ids = in.bvh.primitive_ids;
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    const bool are_single = in.leaves.firsts == nullptr, are_pairs = !are_single && in.leaves.max_size == 2;
    if (are_pairs && in.precomputed.are_made()) {
      return load_pairs<Shape>(in.precomputed.made(), in.leaves.firsts, ids, tile, memory);
    }
    if (are_pairs && GatheredBoxes<>::takes(in.boxes)) {
      return load_pairs<Shape>(GatheredBoxes<>::of(in.boxes), in.leaves.firsts, ids, tile, memory);
    }
    if (in.precomputed.are_made()) {
      return are_single ? load_leaves<Shape>(in.precomputed.made(), SingleLeaves{}, ids, tile, memory)
                        : load_leaves<Shape>(in.precomputed.made(), in.leaves, ids, tile, memory);
    }
    if (are_single && GatheredBoxes<>::takes(in.boxes)) {
      return load_leaves<Shape>(GatheredBoxes<>::of(in.boxes), SingleLeaves{}, ids, tile, memory);
    }
  }
  load_leaves<Shape>(in.boxes, in.leaves, ids, tile, memory);
}

/// The hierarchy for ranges that are numbered from the first leaf of a block.
template <class Leaves>
struct BlockHierarchy {
  const ClusterHierarchy<Leaves>& all;
  u32 begin;

  __device__ LeafRange in_all(const LeafRange& range) const { return {begin + range.first, begin + range.last}; }
  __device__ bool must_merge(const LeafRange& range) const { return all.must_merge(in_all(range)); }
  __device__ u32 kept_clusters(const LeafRange& range) const { return all.kept_clusters(in_all(range)); }
  __device__ u32 search_radius(const LeafRange& range, u32 radius) const {
    return all.search_radius(range, radius);
  }
};

/// Merges the clusters in the lanes as far as their range requires. Returns the lanes that hold the remaining
/// clusters.
///   is_near: all ranges have at most narrow_range leaves
template <u32 max_radius, bool is_near, class Hierarchy, class Leaves>
struct MergeClusters {
  const Hierarchy& hierarchy;
  const PlaceCluster<Leaves>& place;
  u32 radius;

  __device__ u32 operator()(Cluster& mine, u32 count, const LeafRange& range, u8* sources) const {
    const u32 max_left = hierarchy.kept_clusters(range);
    if constexpr (is_near) {
      return merge_until<max_radius>(mine, count, max_left, radius, place, sources);
    } else {
      const u32 searched = hierarchy.search_radius(range, radius);
      if (max_radius == any_radius || searched <= max_radius) {
        return merge_until<max_radius>(mine, count, max_left, searched, place, sources);
      }
      return merge_until<copse::detail::max_radius>(mine, count, max_left, copse::detail::max_radius, place,
                                                    sources);
    }
  }
};

template <class Shape, u32 warps>
using BlockMemory = ClusterMemory<warps * Shape::stride + Shape::cut_window, warps>;

template <u32 max_radius, class Shape, u32 warps, u32 blocks, class Boxes, class Leaves>
__global__ void __launch_bounds__(warps* warp_size, blocks) hploc_kernel(const HplocInput<Boxes, Leaves> in) {
  static_assert(sizeof(BlockMemory<Shape, warps>) <= shared_bytes_everywhere);
  extern __shared__ uint4 hploc_memory[];
  auto& memory = *reinterpret_cast<BlockMemory<Shape, warps>*>(hploc_memory);
  const u32 warp = threadIdx.x / warp_size;
  const ClusterHierarchy<Leaves> hierarchy{in.leaves, in.deltas, in.bvh.counts->leaf_count};
  const PlaceCluster<Leaves> place{in.leaves, in.bvh};

  // Cut the leaves into tiles.
  const u64 tile_id = u64(blockIdx.x) * warps + warp;
  const u32 tile_begin = Shape::cut(hierarchy, tile_id), tile_end = Shape::cut(hierarchy, tile_id + 1);
  if (lane_id() == 0) memory.tile_begins[warp] = tile_begin;
  if (warp == warps - 1 && lane_id() == 0) memory.tile_begins[warps] = tile_end;
  __syncthreads();
  const u32 begin = memory.tile_begins[0], end = memory.tile_begins[warps];
  if (begin == end) return;
  const TileLeaves tile{begin, tile_begin - begin, tile_end - tile_begin};

  // Cluster the tile, then the block.
  Split* const splits = memory.splits[0] + tile.begin + warp;
  list_splits(hierarchy, tile, splits);
  load_leaves<Shape>(in, tile, memory);
  __syncwarp();
  using InBlock = BlockHierarchy<Leaves>;
  const InBlock in_block{hierarchy, begin};
  const MergeClusters<max_radius, true, InBlock, Leaves> merge_near{in_block, place, in.radius};
  const MergeClusters<max_radius, false, InBlock, Leaves> merge_in_block{in_block, place, in.radius};
  const u32 split_count = merge_tile(memory, splits, tile.count + 1, in_block, merge_near);
  BlockSplits left(memory, splits, warp == warps - 1 ? split_count : split_count - 1);
  left.merge_block(in_block, merge_in_block);

  // Climb on with the ranges that reach beyond the block.
  const MergeClusters<max_radius, false, ClusterHierarchy<Leaves>, Leaves> merge{hierarchy, place, in.radius};
  for (u32 i = warp; i < left.range_count(); i += warps) {
    const LeafRange range = left.range(i);
    const u32 count = memory.cluster_count(range);
    LaneClusters clusters{memory.load(range.first + (lane_id() < count ? lane_id() : 0)), count};
    const Climber climber{{begin + range.first, begin + range.last}, left.delta_left(i), left.delta_right(i)};
    const bool is_root =
        climb(climber, clusters, {in.clusters, in.arrivals}, hierarchy, merge, memory.sources[warp]);
    if (is_root && lane_id() == 0) place(clusters.mine, copse::detail::root_over(clusters.mine));
  }
}

template <u32 max_radius, class Shape, u32 warps, u32 blocks, class Boxes, class Leaves>
void launch_hploc(const Executor& ex, u64 n, const HplocInput<Boxes, Leaves>& in) {
  launch(ex, "hploc: clusters", hploc_kernel<max_radius, Shape, warps, blocks, Boxes, Leaves>,
         {divide_rounding_up(n, u64{Shape::stride} * warps), warps * warp_size,
          u32(sizeof(BlockMemory<Shape, warps>))},
         in);
}

/// For few leaves, tiles are small, so that all multiprocessors have work, and blocks are large, so that few
/// ranges are left to climb. For many leaves, blocks are small, so that warps wait less for each other. Measured
/// on one H200 (bench: copse bench --builder hploc --stages). The shape does not change the tree.
template <u32 max_radius, class Boxes, class Leaves>
void launch_hploc(const Executor& ex, u64 n, const HplocInput<Boxes, Leaves>& in) {
  constexpr u64 many_leaves = 400'000;
  if (n < many_leaves) {
    launch_hploc<max_radius, ClusterTileShape<2>, 8, 3>(ex, n, in);
  } else {
    launch_hploc<max_radius, ClusterTileShape<4>, 4, 8>(ex, n, in);
  }
}

}  // namespace detail

/// Contract: builders/bvh/hploc/hploc.inl.
template <class Boxes, class Leaves>
void cluster_leaves(const Executor& ex, const Boxes& boxes, const copse::detail::PrecomputedBounds& precomputed,
                    const Leaves& leaves, const u8* deltas, u64 n, u32 radius, copse::detail::Cluster* clusters,
                    u32* arrivals, const copse::detail::BvhArrays& bvh) {
  const detail::HplocInput<Boxes> in{boxes,    precomputed, detail::any_leaves(leaves), deltas, radius, clusters,
                                     arrivals, bvh};
  if (radius <= 2) return detail::launch_hploc<2>(ex, n, in);
  if (radius == 3) return detail::launch_hploc<3>(ex, n, in);
  if (radius == 4) return detail::launch_hploc<4>(ex, n, in);
  detail::launch_hploc<copse::detail::max_radius>(ex, n, in);
}

/// Contract: builders/bvh/hploc/hploc.inl. One kernel serves all radii, since the copies take most of the time of a
/// slice.
inline void cluster_ranges(const Executor& ex, const CustomBoxes& boxes, const u8* deltas, u64 n, u32 radius,
                           copse::detail::Cluster* clusters, u32* arrivals, const copse::detail::BvhArrays& bvh) {
  using Input = detail::HplocInput<CustomBoxes, copse::detail::SliceLeaves>;
  detail::launch_hploc<copse::detail::max_radius>(ex, n,
                                                  Input{boxes, {}, {}, deltas, radius, clusters, arrivals, bvh});
}

}  // namespace copse::cuda
