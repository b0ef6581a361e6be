#pragma once

// Ranges of leaves climb in global memory, a warp per range. Of two siblings, the one that arrives second goes on
// with their parent, until a range covers all leaves.

#include "builders/bvh/hploc/cluster_memory.cuh"
#include "primitives/core/atomic.h"

namespace copse::cuda::detail {

/// A range that climbs.
struct Climber {
  LeafRange range;
  u32 delta_left, delta_right;  // of its ends

  __device__ bool is_right_child() const { return delta_left > delta_right; }
  /// Where its parent splits.
  __device__ u32 split() const { return is_right_child() ? range.first - 1 : range.last; }
  /// The end of the range away from its sibling.
  __device__ u32 far_end() const { return is_right_child() ? range.last : range.first; }
  /// The range of its sibling, whose far end is `other_end`.
  __device__ LeafRange sibling(u32 other_end) const {
    return is_right_child() ? LeafRange{other_end, range.first - 1} : LeafRange{range.last + 1, other_end};
  }
  /// Moves up to the parent of the range.
  template <class Hierarchy>
  __device__ void climb(u32 other_end, const Hierarchy& hierarchy) {
    if (is_right_child()) {
      range.first = other_end;
      delta_left = hierarchy.delta_left(other_end);
    } else {
      range.last = other_end;
      delta_right = hierarchy.delta_right(other_end);
    }
  }
};

/// The clusters of a range in the lanes of a warp, from the lowest on.
struct LaneClusters {
  Cluster mine;
  u32 count;

  /// Begins to load the clusters of a range.
  __device__ void fetch(const LeafRange& range, const Cluster* clusters) {
    mine = clusters[range.first + (lane_id() < smaller(range.size(), max_kept_clusters) ? lane_id() : 0)];
  }
  /// Counts the clusters once they are loaded: the first one without a slot ends them.
  __device__ void count_fetched(const LeafRange& range) {
    const bool in_range = lane_id() < smaller(range.size(), max_kept_clusters);
    count = u32(__ffs(int(~__ballot_sync(all_lanes, in_range && mine.slot != invalid_id)))) - 1;
  }
  /// Stores the clusters for fetch(). It reads all places of the range, so the clusters stored behind the last one
  /// get the slot invalid_id.
  __device__ void store(const LeafRange& range, Cluster* clusters) const {
    if (lane_id() >= smaller(range.size(), max_kept_clusters)) return;
    Cluster stored = mine;
    if (lane_id() >= count) stored.slot = invalid_id;
    clusters[range.first + lane_id()] = stored;
  }
  /// Appends the clusters of the next range to the right.
  __device__ void append(const LaneClusters& other) {
    const Cluster moved = shuffle_from(other.mine, (lane_id() - count) % warp_size);
    if (lane_id() >= count) mine = moved;
    count += other.count;
  }
};

/// Where ranges meet.
struct MeetingPlace {
  Cluster* clusters;  // [leaf]: those of a range start at its first leaf and end before one without a slot
  u32* arrivals;      // [split]: the far end of the child that came first

  /// Returns the far end of the sibling, whose clusters may then be read, or invalid_id if it has not arrived.
  __device__ u32 look(const Climber& climber) const {
    const u32 other_end = load_acquire(&arrivals[climber.split()]);
    return __any_sync(all_lanes, other_end == invalid_id) ? invalid_id : other_end;
  }

  /// Leaves the clusters of a climber to its sibling. If the sibling has arrived meanwhile, returns as look()
  /// does.
  __device__ u32 arrive(const Climber& climber, const LaneClusters& own) const {
    own.store(climber.range, clusters);
    __syncwarp();
    u32 other_end = 0;
    if (lane_id() == 0) other_end = exchange_acq_rel(&arrivals[climber.split()], climber.far_end());
    __syncwarp();
    return shuffle_from(other_end, 0);
  }
};

/// Climbs with a range whose clusters stay in the lanes. It first checks whether the sibling has arrived, and
/// stores its own clusters only if not. So a path whose ranges always arrive second writes no clusters and waits
/// for no writes; the longest path is of this kind. The climb checks one level ahead, so that the clusters of the
/// next sibling load while it merges. Returns true with the clusters of the range of all leaves. Of a range of a
/// slice, it stores them.
///   merge: see ClusterMemory
template <class Hierarchy, class Merge>
__device__ bool climb(Climber climber, LaneClusters& clusters, const MeetingPlace& place,
                      const Hierarchy& hierarchy, const Merge& merge, u8* sources) {
  u32 other_end = invalid_id;
  LaneClusters siblings;
  while (!hierarchy.is_whole(climber.range)) {
    if (other_end == invalid_id) {
      other_end = place.look(climber);
      if (other_end == invalid_id) other_end = place.arrive(climber, clusters);
      if (other_end == invalid_id) return false;
      siblings.fetch(climber.sibling(other_end), place.clusters);
    }

    // Join the clusters of both children in one row.
    siblings.count_fetched(climber.sibling(other_end));
    const bool is_right_child = climber.is_right_child();
    climber.climb(other_end, hierarchy);
    if (is_right_child) {
      siblings.append(clusters);
      clusters = siblings;
    } else {
      clusters.append(siblings);
    }

    // Look ahead, and merge.
    other_end = hierarchy.is_whole(climber.range) ? invalid_id : place.look(climber);
    if (other_end != invalid_id) siblings.fetch(climber.sibling(other_end), place.clusters);
    if (!hierarchy.must_merge(climber.range)) continue;
    const u32 left = merge(clusters.mine, clusters.count, climber.range, sources);
    if ((left & (left + 1)) != 0) close_ranks(clusters.mine, left, sources);
    clusters.count = u32(__popc(left));
  }
  if constexpr (!Hierarchy::has_roots) clusters.store(climber.range, place.clusters);
  return Hierarchy::has_roots;
}

}  // namespace copse::cuda::detail
