#pragma once

// The cut of a tree into its top and the clusters below it.
//
// The cut begins with the root as its only cluster. In a round, each cluster of more than half the area of the
// largest one is replaced in the list by its two children. The rounds end once there are enough clusters, or if
// the next round could leave no room. So the clusters are a function of the tree alone, in the order of a walk
// from left to right. Leaves stay clusters, whatever their area.
//
//   round 0    [root]
//   round 1    [a, b]
//   round 2    [c, d, e, f]          the areas of a and b were alike
//   round 3    [c, g, h, e, f]       only d has more than half the area of d

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/geometry/aabb.h"

namespace copse::detail {

struct TopShape {
  static constexpr u32 enough_clusters = 8192;
  static constexpr u32 max_clusters = 2 * enough_clusters;

  /// Returns the maximum number of clusters of a tree over `primitive_count` primitives.
  static constexpr u64 capacity(u64 primitive_count) {
    return primitive_count < max_clusters ? primitive_count : max_clusters;
  }
};

/// A cluster, with its children and its area.
struct TopCluster {
  u32 node;
  u32 children;  // the first of them; 0 for a leaf
  float area;    // 0 for a leaf, which is never replaced

  COPSE_HD static TopCluster of(const BvhNode* nodes, u32 node) {
    const BvhNode own = nodes[node];
    if (own.is_leaf()) return {node, 0, 0};
    return {node, own.first, float(half_area(own.box()))};
  }

  /// Returns whether a round replaces the cluster by its children.
  ///   largest: the largest area of a cluster
  COPSE_HD bool gives_way(float largest) const { return area > 0.5f * largest; }
};

/// The clusters of a cut, in the memory of the executor.
struct TopCut {
  TopCluster* clusters;
  TopCluster* next_clusters;  // of the next round
  u32* pairs;                 // [number]: the first child of a node of the top
  u32* cluster_count;         // pairs are one less
  u32 capacity;               // of clusters
};

}  // namespace copse::detail
