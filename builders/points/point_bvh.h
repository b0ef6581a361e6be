#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/triangle.h"
#include "builders/grid/layout.h"
#include "builders/points/point_bvh_layout.h"
#include "primitives/core/buffer.h"

namespace copse {

/// A hierarchy of boxes over points in Hilbert order, with eight points per leaf. Its searches need no radius to
/// be known beforehand, and clusters cost them little. Owns its memory. Queries take its view():
/// queries/bvh_points.h, queries/point_neighbours.h.
struct PointBvh {
  Buffer<PointNode> nodes;
  Buffer<NumberedPoint> points;
  Buffer<PointBvhCounts> counts;
  u64 source_count = never_built;  // points given to the last build, in the tree or left out

  PointBvhView view() const { return {nodes.span(), points.span(), counts.span()}; }

  bool is_built() const { return !counts.empty() && source_count != never_built; }

  /// How many points the memory has room for.
  u64 point_capacity() const { return points.size(); }
  u64 size_bytes() const { return nodes.size_bytes() + points.size_bytes() + counts.size_bytes(); }
};

/// The largest number of points of one hierarchy: 2^30.
inline constexpr u64 max_bvh_points = u64{1} << 30;

/// Returns a hierarchy of boxes over points. It holds copies of the points, so the memory of `points` may be
/// freed. It is equal on all backends and in all runs, bit for bit. Points with a coordinate that is infinite or
/// NaN are left out and counted (PointBvhCounts::invalid_count).
///   points: any number up to 2^30, may be empty; the stride is at least 12 bytes and a multiple of 4
/// Throws: Error invalid_argument for a stride that does not fit, Error capacity past 2^30 points, Error
/// out_of_memory, Error cancelled.
/// Waits: for nothing.
/// Memory: see point_bvh_sizes.
COPSE_API PointBvh build_point_bvh(Context& context, const PositionSpan& points);

/// Builds a fresh hierarchy in the memory of `bvh`. A Graph can capture it.
/// Throws: as build_point_bvh; Error invalid_argument for more points than bvh.point_capacity().
/// Waits: for nothing.
/// Memory: see point_bvh_sizes; once warm, nothing is allocated.
COPSE_API void rebuild_point_bvh(Context& context, PointBvh& bvh, const PositionSpan& points);

/// Returns a hierarchy with room for so many points. Nothing is built in it yet.
/// Throws: Error capacity past 2^30 points, Error out_of_memory.
COPSE_API PointBvh make_point_bvh(Context& context, u64 point_capacity);

/// Returns the bytes that build_point_bvh takes for so many points on this context: 21 to 26 per point, and
/// scratch of about 36 more per point.
/// Throws: Error capacity past 2^30 points.
COPSE_API BuildSizes point_bvh_sizes(Context& context, u64 point_count);

}  // namespace copse
