#pragma once

// The clustering of H-PLOC on the CPU. Contract: builders/bvh/hploc/hploc.inl.
//
// Tiles of leaves run in parallel. One thread climbs a tile with a stack and no atomics. Ranges that reach beyond
// the tile climb by arrivals: of two siblings, the one that arrives second goes on with the parent.

#include <vector>

#include "builders/bvh/hploc/cluster_row_cpu.h"
#include "builders/geometry/box_sources.h"
#include "primitives/core/atomic.h"
#include "primitives/cpu/for_each.h"

namespace copse::cpu {

namespace detail {

inline constexpr u64 hploc_tile = 4096;

template <class Boxes, class Leaves>
class HplocClimb {
 public:
  using Cluster = copse::detail::Cluster;
  using LeafRange = copse::detail::LeafRange;

  HplocClimb(const Boxes& boxes, const Leaves& leaves, const u8* deltas, u32 radius, Cluster* clusters,
             u32* arrivals, const copse::detail::BvhArrays& bvh)
      : boxes_(boxes),
        hierarchy_{leaves, deltas, bvh.counts->leaf_count},
        place_{leaves, bvh},
        radius_(radius),
        clusters_(clusters),
        arrivals_(arrivals) {}

  /// Climbs from all leaves of a tile as far as possible.
  void climb_from(u64 tile) const {
    const u32 begin = u32(smaller(tile * hploc_tile, u64{hierarchy_.leaf_count}));
    const u32 end = u32(smaller((tile + 1) * hploc_tile, u64{hierarchy_.leaf_count}));
    std::vector<LeafRange> waiting, leaving;
    for (u32 leaf = begin; leaf < end; ++leaf) {
      clusters_[leaf] = make_leaf(leaf);
      climb_in_tile({leaf, leaf}, waiting, leaving);
    }
    for (const LeafRange& range : waiting) climb(range);
    for (const LeafRange& range : leaving) climb(range);
  }

 private:
  Cluster make_leaf(u32 leaf) const {
    const Leaves& leaves = hierarchy_.leaves;
    const u32 first = leaves.first(leaf), count = leaves.first(leaf + 1) - first;
    return Cluster::leaf(copse::detail::box_of_slots(boxes_, place_.bvh.primitive_ids, first, count), leaf);
  }

  /// Merges the range with its left sibling as long as it is a right child and that sibling lies in the tile. A
  /// left child is pushed on the stack, where its right sibling finds it. A right child whose left sibling begins
  /// before the tile goes to `leaving`.
  ///   waiting: the stack, of left children in their order
  void climb_in_tile(LeafRange range, std::vector<LeafRange>& waiting, std::vector<LeafRange>& leaving) const {
    while (hierarchy_.delta_left(range.first) > hierarchy_.delta_right(range.last)) {
      if (waiting.empty()) {
        leaving.push_back(range);
        return;
      }
      const u32 split = range.first - 1;
      range.first = waiting.back().first;
      waiting.pop_back();
      merge_children(range, split);
    }
    waiting.push_back(range);
  }

  /// Climbs as long as the sibling arrived first.
  void climb(LeafRange range) const {
    while (!hierarchy_.is_whole(range)) {
      const bool is_right_child = hierarchy_.delta_left(range.first) > hierarchy_.delta_right(range.last);
      const u32 split = is_right_child ? range.first - 1 : range.last;
      const u32 other_end = exchange_acq_rel(&arrivals_[split], is_right_child ? range.last : range.first);
      if (other_end == invalid_id) return;
      (is_right_child ? range.first : range.last) = other_end;
      merge_children(range, split);
    }
    if constexpr (copse::detail::ClusterHierarchy<Leaves>::has_roots) {
      place_(clusters_[range.first], copse::detail::root_over(clusters_[range.first]));
    }
  }

  /// Merges the clusters of the two children of `range` if they are too many.
  void merge_children(const LeafRange& range, u32 split) const {
    if (!hierarchy_.must_merge(range)) return;
    ClusterRow row;
    take({range.first, split}, row);
    take({split + 1, range.last}, row);
    const u32 max_left = hierarchy_.kept_clusters(range), radius = hierarchy_.search_radius(range, radius_);
    while (row.count() > max_left) row.merge_closest(radius, place_);
    for (u32 i = 0; i < row.count(); ++i) clusters_[range.first + i] = row.at(i);
    if (row.count() < max_kept) clusters_[range.first + row.count()].slot = invalid_id;
  }

  /// Appends the clusters of a range. They start at its first leaf and end before one without a slot.
  void take(const LeafRange& range, ClusterRow& row) const {
    const u32 most = smaller(range.size(), max_kept);
    for (u32 i = 0; i < most && clusters_[range.first + i].slot != invalid_id; ++i) {
      row.push(clusters_[range.first + i]);
    }
  }

  static constexpr u32 max_kept = copse::detail::max_kept_clusters;

  Boxes boxes_;
  copse::detail::ClusterHierarchy<Leaves> hierarchy_;
  copse::detail::PlaceCluster<Leaves> place_;
  u32 radius_;
  Cluster* clusters_;  // [leaf]
  u32* arrivals_;      // [split]: the far end of the child that came first
};

}  // namespace detail

/// Contract: builders/bvh/hploc/hploc.inl.
template <class Boxes, class Leaves>
void cluster_leaves(const Executor& ex, const Boxes& boxes, const copse::detail::PrecomputedBounds&,
                    const Leaves& leaves, const u8* deltas, u64 n, u32 radius, copse::detail::Cluster* clusters,
                    u32* arrivals, const copse::detail::BvhArrays& bvh) {
  const detail::HplocClimb<Boxes, Leaves> climb(boxes, leaves, deltas, radius, clusters, arrivals, bvh);
  parallel_ranges(ex, "hploc: clusters", divide_rounding_up(n, detail::hploc_tile), 1, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) climb.climb_from(tile);
  });
}

/// Contract: builders/bvh/hploc/hploc.inl.
inline void cluster_ranges(const Executor& ex, const CustomBoxes& boxes, const u8* deltas, u64 n, u32 radius,
                           copse::detail::Cluster* clusters, u32* arrivals, const copse::detail::BvhArrays& bvh) {
  cluster_leaves(ex, boxes, {}, copse::detail::SliceLeaves{}, deltas, n, radius, clusters, arrivals, bvh);
}

}  // namespace copse::cpu
