#pragma once

// The steps of H-PLOC over a slice around the clustering: where the slice is cut into ranges, and which clusters these
// keep. See hploc_slice.h.

#include "builders/bvh/hploc/hploc_slice.h"
#include "primitives/core/atomic.h"

namespace copse::detail {

/// Where each value of delta comes first in a slice, counted from its start and from its end; invalid_id if nowhere.
struct DeltaPlaces {
  u32 from_start[delta_value_count];
  u32 from_end[delta_value_count];
};

/// Finds the places of deltas.
///   places: all words invalid_id
struct FindDeltaPlaces {
  const u8* deltas;
  u64 count;
  DeltaPlaces* places;

  COPSE_HD void operator()(u64 i) const {
    lower(&places->from_start[deltas[i]], u32(i));
    lower(&places->from_end[deltas[count - 1 - i]], u32(i));
  }

 private:
  COPSE_HD static void lower(u32* place, u32 value) {
    u32 seen = load_relaxed(place);
    while (value < seen) {
      const u32 before = compare_exchange_relaxed(place, seen, value);
      if (before == seen) return;
      seen = before;
    }
  }
};

/// Cuts a slice into ranges, which are then trees of a forest (SliceLeaves). One thread does it.
struct CutIntoRanges {
  DeltaPlaces* places;
  u8* deltas;
  u32 leaf_count;
  WaitingRanges out;

  COPSE_HD void operator()(u64) const {
    u32 begin = 0, count = 0;
    const auto cut = [&](u32 last) {
      out.ranges[count].leaves = {begin, last};
      begin = last + 1;
      out.ranges[count].delta_right = begin == leaf_count ? 0 : 1 + deltas[last];
      if (begin < leaf_count) deltas[last] = SliceLeaves::behind_tree;
      ++count;
    };

    // A delta is the lowest so far if no lower value comes before it.
    make_running_minima(places->from_start);
    make_running_minima(places->from_end);
    for (u32 delta = delta_value_count; delta-- > 0;) {
      const u32 place = places->from_start[delta];
      if (place != invalid_id && place >= begin) cut(place);
    }
    for (u32 delta = 0; delta < delta_value_count; ++delta) {
      const u32 place = places->from_end[delta];
      if (place != invalid_id && leaf_count - 2 - place >= begin) cut(leaf_count - 2 - place);
    }
    cut(leaf_count - 1);
    *out.count = count;
  }

 private:
  COPSE_HD static void make_running_minima(u32 (&places)[delta_value_count]) {
    for (u32 delta = 1; delta < delta_value_count; ++delta) {
      places[delta] = smaller(places[delta], places[delta - 1]);
    }
  }
};

/// Stores the clusters of a range, and the delta behind it again. The pair of nodes that a cluster gives its slot to is
/// not known yet. It gets the cluster, so that no memory of the tree is undefined.
struct StoreWaitingClusters {
  const Cluster* clusters;  // [leaf]: those of a range start at its first leaf and end before one without a slot
  WaitingRanges out;
  BvhArrays bvh;

  COPSE_HD void operator()(u64 i) const {
    if (i >= *out.count) return;
    WaitingRange& range = out.ranges[i];
    const u32 most = smaller(range.leaves.size(), max_kept_clusters);
    u32 count = 0;
    for (; count < most; ++count) {
      const Cluster cluster = clusters[range.leaves.first + count];
      if (cluster.slot == invalid_id) break;
      range.clusters[count] = cluster;
      const BvhNode node = BvhNode::inner(cluster.box(), 0);
      bvh.nodes[2 * cluster.slot] = node;
      if (cluster.slot == 0) continue;
      bvh.nodes[2 * cluster.slot - 1] = node;
      bvh.parents[cluster.slot - 1] = 0;
    }
    range.cluster_count = count;
    if (range.delta_right > 0) bvh.deltas[range.leaves.last] = u8(range.delta_right - 1);
  }
};

}  // namespace copse::detail
