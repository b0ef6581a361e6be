#pragma once

// A row of clusters in the lanes of a warp, one cluster per lane. cluster_row_cpu.h does the same with arrays. All
// lanes of the warp call each function.

#include "builders/bvh/hploc/hploc_cluster.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

using copse::detail::Cluster;
using copse::detail::NeighbourKey;

static_assert(copse::detail::max_clusters == warp_size);

/// Returns the mask of the lowest `count` lanes, at most 32.
__device__ inline u32 first_lanes(u32 count) {
  return count < warp_size ? (1u << count) - 1 : all_lanes;
}

/// Stands for no largest radius. The loop is not unrolled then, for kernels whose code fills the instruction cache.
inline constexpr u32 any_radius = 0;

/// Returns the lowest key of the lane's cluster and another one at most `radius` places away. There are `count`
/// clusters. The lower of two lanes makes their key and sends it to the other one.
///   max_radius: the largest radius that this code is compiled for, or any_radius
template <u32 max_radius>
__device__ NeighbourKey nearest_neighbour(const Aabb& box, u32 count, u32 radius) {
  NeighbourKey nearest = copse::detail::no_neighbour;
  const auto look = [&](u32 offset, bool is_within) {
    NeighbourKey key = copse::detail::neighbour_key(box, shuffle_down(box, offset), lane_id(), offset);
    if (!is_within || lane_id() + offset >= count) key = copse::detail::no_neighbour;
    nearest = smaller(nearest, key);
    // The lowest `offset` lanes receive their own key, which leaves the minimum as it is.
    nearest = smaller(nearest, shuffle_up(key, offset));
  };
  if constexpr (max_radius == any_radius) {
    const u32 reach = smaller(radius, count - 1);
#pragma unroll 1
    for (u32 offset = 1; offset <= reach; ++offset) look(offset, true);
  } else {
#pragma unroll
    for (u32 offset = 1; offset <= max_radius; ++offset) look(offset, offset <= radius);
  }
  return nearest;
}

/// Merges all neighbours that choose each other, once. Returns the lanes whose clusters remain.
///   place: called with each merged cluster and its node
template <u32 max_radius, class Place>
__device__ u32 merge_closest(Cluster& mine, u32 count, u32 radius, const Place& place) {
  const NeighbourKey nearest = nearest_neighbour<max_radius>(mine.box(), count, radius);
  const u32 neighbour = copse::detail::neighbour_of(nearest, lane_id());
  const bool merges = shuffle_from(nearest, neighbour) == nearest && neighbour != lane_id();
  const bool is_left = lane_id() < neighbour;
  const Aabb other_box = shuffle_from(mine.box(), neighbour);
  const u32 other_slot = shuffle_from(mine.slot, neighbour);
  if (merges) {
    place(mine, is_left ? 2 * other_slot - 1 : 2 * mine.slot);
    if (is_left) mine = merge(mine, Cluster::leaf(other_box, other_slot));
  }
  return __ballot_sync(all_lanes, lane_id() < count && (!merges || is_left));
}

/// Compacts the clusters: moves those of the lanes in `left` to the lowest lanes, in order.
///   sources: 32 bytes of shared memory of the warp
__device__ inline void close_ranks(Cluster& mine, u32 left, u8* sources) {
  if ((left >> lane_id() & 1) != 0) sources[__popc(left & lower_lanes())] = u8(lane_id());
  __syncwarp();
  const u32 source = lane_id() < u32(__popc(left)) ? sources[lane_id()] : lane_id();
  __syncwarp();
  mine = shuffle_from(mine, source);
}

/// Merges neighbours in rounds until at most `max_left` clusters remain. Returns the lanes that hold them.
template <u32 max_radius, class Place>
__device__ u32 merge_until(Cluster& mine, u32 count, u32 max_left, u32 radius, const Place& place, u8* sources) {
  u32 left = first_lanes(count);
  while (count > max_left) {
    if ((left & (left + 1)) != 0) close_ranks(mine, left, sources);
    left = merge_closest<max_radius>(mine, count, radius, place);
    count = u32(__popc(left));
  }
  return left;
}

}  // namespace copse::cuda::detail
