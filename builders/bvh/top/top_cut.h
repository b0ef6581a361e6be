#pragma once

// The cut of a tree into its top and the clusters below it.
//
// The cut begins with the root as its only cluster. In a round, each cluster of more area than a threshold gives
// way to its two children, which take its place in the list. If no cluster has more, the threshold is halved. The
// rounds end once there are enough clusters, or if the next round could leave no room. So the clusters are a function
// of the tree alone, in the order of a walk from left to right.
//
//   round 0    [root]
//   round 1    [a, b]                a and b are above the threshold
//   round 2    [c, d, e, f]          only d is
//   round 3    [c, g, h, e, f]

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/geometry/aabb.h"

namespace copse::detail {

struct TopShape {
  static constexpr u32 enough_clusters = 8192;
  static constexpr u32 max_clusters = 2 * enough_clusters;

  /// Halvings of the threshold after which areas are as good as 0.
  static constexpr u32 max_halvings = 100;

  /// Returns the most clusters of a tree over `primitive_count` primitives.
  static constexpr u64 capacity(u64 primitive_count) {
    return primitive_count < max_clusters ? primitive_count : max_clusters;
  }
};

/// The clusters of a cut, in the memory of the executor.
struct TopCut {
  u32* clusters;       // [cluster]: its node
  u32* next_clusters;  // of the next round
  u32* pairs;          // [number]: the first child of a node of the top
  u32* cluster_count;  // pairs are one less
  u32 capacity;        // of clusters
};

/// Returns whether a node gives way to its children in a round.
COPSE_HD inline bool gives_way(const BvhNode& node, double threshold) {
  return !node.is_leaf() && half_area(node.box()) > threshold;
}

/// Returns the area above which the root gives way first, or nothing below 0 for a tree without primitives.
COPSE_HD inline double first_threshold(const BvhArrays& bvh) {
  return half_area(bvh.nodes[0].box()) / 2;
}

}  // namespace copse::detail
