#pragma once

// How a kd-tree of points lies in memory, as its builder writes it and queries read it.
//
// Each node is a point. It divides the points of its subtree by one coordinate: x at the root, then y, z, x and so
// on, level by level. The tree is left-balanced: all levels are full but the last one, which is filled from the
// left. So the nodes stand level by level without gaps, and need no links:
//
//   node       0          1        2           3     4     5     6        7 ..
//   level      0 (by x)   1 (by y)             2 (by z)                   3 (by x)
//   children of node i: 2i + 1 and 2i + 2, if they are below the number of nodes
//
// Source: Bentley, "Multidimensional Binary Search Trees Used for Associative Searching", Communications of the
// ACM 18, 1975; left-balanced: Jensen, "Realistic Image Synthesis Using Photon Mapping", 2001.

#include "builders/geometry/numbered_point.h"
#include "primitives/core/span.h"

namespace copse {

/// A node of a kd-tree.
using KdPoint = NumberedPoint;

/// Counts of the points of the last build. They live on the device.
struct KdCounts {
  u64 point_count;    // points in the tree, each of them a node
  u64 invalid_count;  // points left out, since they are NaN or infinite
};

/// A kd-tree in the context's memory.
///
/// The left subtree of a node has the points that come before it in the order of (coordinate of its axis, x, id),
/// the right subtree those that come after it. So points with an equal coordinate may be on both sides.
struct KdTreeView {
  BufferSpan<const KdPoint> nodes;    // the first point_count are the tree
  BufferSpan<const KdCounts> counts;  // one element
};

/// The axis by which the nodes of a level divide their points: 0 for x, 1 for y, 2 for z.
COPSE_HD inline u32 kd_axis(u32 level) {
  return level % 3;
}

/// Returns the level of a node.
COPSE_HD inline u32 kd_level(u32 node) {
  return 31 - leading_zeros(node + 1);
}

}  // namespace copse
