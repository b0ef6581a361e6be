#pragma once

// How a hierarchy of boxes over points lies in memory, as its builder writes it and queries read it.
//
// The points stand in the order of the Hilbert curve. Eight neighbours in this order are a leaf, and eight
// neighbouring nodes have a common parent. So the tree follows from the number of points, and nodes need no links:
//
//   node   0   1 .. 8   9 .. 72   73 .. 584   ..    children of node i: 8i + 1 to 8i + 8
//   depth  0     1        2          3
//
// The leaves are at one depth, the first at which there is room for them, and stand from left to right. Nodes
// without a leaf below are not there.
//
// Sources: Hilbert order: Kamel, Faloutsos, "On Packing R-trees", CIKM 1993; boxes over equal runs along a curve,
// on GPUs: Kerbl, Kopanas, Leimkühler, Drettakis, "3D Gaussian Splatting for Real-Time Radiance Field Rendering",
// SIGGRAPH 2023, whose "simple-knn" has one level of runs of 1024.

#include "builders/geometry/hilbert.h"
#include "builders/geometry/numbered_point.h"
#include "primitives/core/span.h"

namespace copse {

/// The number of points of a leaf. The last leaf may have fewer.
inline constexpr u32 point_leaf_size = 8;

/// A node: the box of the points below it, and the Hilbert key of the first of them.
struct alignas(32) PointNode {
  vec3 lo;
  u32 key_low;
  vec3 hi;
  u32 key_high;

  COPSE_HD u64 first_key() const { return u64{key_high} << 32 | key_low; }
};

static_assert(sizeof(PointNode) == 32);

/// Measures of the points of the last build. They live on the device.
struct PointBvhCounts {
  u64 point_count;    // points in the tree
  u64 invalid_count;  // points left out, since they are NaN or infinite
  Aabb bounds;        // of the points in the tree
};

/// A hierarchy of boxes over points in the context's memory.
struct PointBvhView {
  BufferSpan<const PointNode> nodes;
  BufferSpan<const NumberedPoint> points;   // leaf i has points 8i to 8i + 7
  BufferSpan<const PointBvhCounts> counts;  // one element
};

namespace detail {

/// The memory of a hierarchy, as its builder writes it.
struct PointBvhArrays {
  PointNode* nodes;
  NumberedPoint* points;
  PointBvhCounts* counts;
};

}  // namespace detail

/// The shape of a hierarchy over a number of points, at most max_bvh_points.
class PointBvhShape {
 public:
  COPSE_HD explicit PointBvhShape(u64 point_count)
      : leaf_count_(u32(divide_rounding_up(point_count, point_leaf_size))), depth_(0) {
    while (leaf_count_ > 1u << 3 * depth_) ++depth_;
  }

  COPSE_HD u32 leaf_count() const { return leaf_count_; }
  COPSE_HD u32 depth() const { return depth_; }  // of the leaves
  COPSE_HD u32 first_leaf() const { return first_at(depth_); }
  COPSE_HD u32 node_capacity() const { return first_leaf() + leaf_count_; }

  /// Returns the first node at a depth.
  COPSE_HD static u32 first_at(u32 depth) { return ((1u << 3 * depth) - 1) / 7; }

  /// Returns how many nodes there are at a depth.
  COPSE_HD u32 count_at(u32 depth) const {
    return u32(divide_rounding_up(leaf_count_, u64{1} << 3 * (depth_ - depth)));
  }

  /// Returns the depth of a node: the first node at depth d is (8^d - 1) / 7.
  COPSE_HD static u32 depth_of(u32 node) { return (31 - leading_zeros(7 * node + 1)) / 3; }

  /// Returns how many children a node has that is not a leaf.
  COPSE_HD u32 child_count(u32 node) const {
    const u32 below = depth_of(node) + 1;
    return smaller(8u, count_at(below) - (8 * node + 1 - first_at(below)));
  }

 private:
  u32 leaf_count_, depth_;
};

}  // namespace copse
