#pragma once

// H-PLOC over a slice of the leaves of a larger tree, and the join of slices.
//
// The clusters of a range of leaves follow from the range alone, so a slice can merge all ranges that lie within it.
// A range reaches over the ends of its slice only if it splits at a delta that is lower than all deltas before it in
// the slice, or lower than all after it. Cut at these deltas, a slice falls into ranges of the whole tree:
//
//   deltas of a slice   5 7 3 8 6 2 9 4 7
//   lower than before   5   3     2
//   lower than after              2   4 7
//   ranges            . | . . | . . . | . . | . | .
//
// Each value of delta cuts at most twice, so there are at most 194 such ranges in a slice. Each keeps at most 16
// clusters. RangeJoin takes the ranges of all slices from left to right, and merges what is above them.

#include <span>
#include <utility>
#include <vector>

#include "builders/bvh/hploc/hploc_cluster.h"
#include "builders/bvh/morton/order_slice.h"

namespace copse::detail {

/// The values that a delta can have: 0 to 96, which is 95 (see common_prefix) plus 1 (see LeafHierarchy).
inline constexpr u32 delta_value_count = 97;

/// A range of leaves whose clusters wait for those of its sibling.
struct alignas(16) WaitingRange {
  LeafRange leaves;
  u32 delta_right;  // as in LeafHierarchy; 0 behind the last range of a slice
  u32 cluster_count;
  Cluster clusters[max_kept_clusters];

  /// Counts leaves, slots and children through a tree in which the slice begins at `first_slot`.
  void move_by(u32 first_slot);
};

constexpr u64 max_waiting_ranges(u64 leaf_count) {
  return smaller(leaf_count, u64{2} * delta_value_count);
}

/// The ranges of a slice, in the memory of an executor.
struct WaitingRanges {
  u32* count;
  WaitingRange* ranges;  // [max_waiting_ranges], from left to right
};

// The body: hploc.inl, for either executor.

/// Orders a slice as order_slice does, and merges its clusters as far as they do not depend on other slices. Stores
/// the nodes below these clusters, and their parents. The places that later merges will use hold any values.
///   boxes: at least one, all valid
template <class Executor>
void cluster_slice(const Executor& ex, const Aabb* boxes, u64 n, const MortonSlice& slice, u32 radius,
                   const BvhArrays& bvh, const WaitingRanges& waiting);
template <class Executor>
u64 cluster_slice_scratch_bytes(const Executor& ex, u64 n, u32 morton_bits);

/// A cluster that is a node of the tree.
struct PlacedCluster {
  Cluster cluster;
  u32 node;
};

/// Merges clusters to one, on the host, whatever their ranges are. Returns those that have become nodes, children before
/// their parents; the last one is the root.
///   clusters: at least one, in the order of their slots
std::vector<PlacedCluster> merge_to_one(std::span<const Cluster> clusters);

/// Merges the ranges of slices up to the root, on the host.
class RangeJoin {
 public:
  RangeJoin(u32 leaf_count, u32 radius) : hierarchy_{{{}, nullptr, leaf_count}}, radius_(radius) {}

  /// Takes the next range to the right. Its leaves, slots and children count through the whole tree.
  ///   range: delta_right must be that of the whole tree, 0 for its last range
  void push(const WaitingRange& range);

  /// Makes the root, after all ranges.
  void finish();

  /// Returns the clusters that have become nodes since the last call. Children come before their parents.
  std::vector<PlacedCluster> take_placed() { return std::exchange(placed_, {}); }

 private:
  void join_last_two();

  ClusterHierarchy<SingleLeaves> hierarchy_;
  u32 radius_;
  std::vector<WaitingRange> pending_;
  std::vector<PlacedCluster> placed_;
};

}  // namespace copse::detail
