#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/triangle.h"
#include "builders/grid/layout.h"
#include "builders/points/kd_layout.h"
#include "primitives/core/buffer.h"

namespace copse {

/// A left-balanced kd-tree of points: 16 bytes per point, no links. Owns its memory. Queries take its view():
/// queries/kd_points.h, queries/point_neighbours.h.
struct KdTree {
  Buffer<KdPoint> nodes;
  Buffer<KdCounts> counts;
  u64 source_count = never_built;  // points given to the last build, in the tree or left out

  KdTreeView view() const { return {nodes.span(), counts.span()}; }

  bool is_built() const { return !counts.empty() && source_count != never_built; }

  /// How many points the memory has room for.
  u64 point_capacity() const { return nodes.size(); }
  u64 size_bytes() const { return nodes.size_bytes() + counts.size_bytes(); }
};

/// The largest number of points of one kd-tree: 2^30.
inline constexpr u64 max_kd_points = u64{1} << 30;

/// Returns a kd-tree of points. It holds copies of the points, so the memory of `points` may be freed. The tree
/// follows from the points alone: it is equal on all backends and in all runs, bit for bit. Points with a
/// coordinate that is infinite or NaN are left out and counted (KdCounts::invalid_count).
///   points: any number up to 2^30, may be empty; the stride is at least 12 bytes and a multiple of 4
/// Throws: Error invalid_argument for a stride that does not fit, Error capacity past 2^30 points, Error
/// out_of_memory, Error cancelled.
/// Waits: for nothing.
/// Memory: see kd_tree_sizes.
COPSE_API KdTree build_kd_tree(Context& context, const PositionSpan& points);

/// Builds a fresh tree in the memory of `tree`. A Graph can capture it.
/// Throws: as build_kd_tree; Error invalid_argument for more points than tree.point_capacity().
/// Waits: for nothing.
/// Memory: see kd_tree_sizes; once warm, nothing is allocated.
COPSE_API void rebuild_kd_tree(Context& context, KdTree& tree, const PositionSpan& points);

/// Returns a tree with room for so many points. Nothing is built in it yet.
/// Throws: Error capacity past 2^30 points, Error out_of_memory.
COPSE_API KdTree make_kd_tree(Context& context, u64 point_capacity);

/// Returns the bytes that build_kd_tree takes for so many points on this context: 16 per point, and scratch of
/// about 80 more per point on CUDA, 16 on the CPU.
/// Throws: Error capacity past 2^30 points.
COPSE_API BuildSizes kd_tree_sizes(Context& context, u64 point_count);

}  // namespace copse
