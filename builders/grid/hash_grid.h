#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/triangle.h"
#include "builders/grid/hash_layout.h"
#include "primitives/core/buffer.h"

namespace copse {

struct HashGridOptions {
  /// The edge of a cell, in units of space: 0 or above, and finite. For neighbours within a radius, take about
  /// that radius. The default 0 means that `points_per_cell` decides. Smaller cells mean fewer points and more
  /// cells to look at. The results of queries do not depend on it.
  float cell_size = 0;

  /// If no cell size is given: points per cell, as if they were spread evenly over their box. Above 0, up to 2^20,
  /// default 2. For the k nearest points, take about a fourth of k. Points on a surface or in clusters fill fewer
  /// cells and have more points in each.
  float points_per_cell = 2;
};

/// Points sorted by the cells that they lie in; a hash of a cell finds its points. Owns its memory. Queries take
/// its view(): queries/near_points.h, queries/point_neighbours.h.
struct HashGrid {
  Buffer<HashGridShape> shape;
  Buffer<u32> bucket_begins;
  Buffer<GridPoint> points;
  Buffer<HashGridCounts> counts;
  u64 source_count = never_built;  // points given to the last build, in the grid or left out

  HashGridView view() const { return {shape.span(), bucket_begins.span(), points.span(), counts.span()}; }

  bool is_built() const { return !shape.empty() && source_count != never_built; }

  /// How many points the memory has room for.
  u64 point_capacity() const { return points.size(); }
  u64 bucket_count() const { return bucket_begins.empty() ? 0 : bucket_begins.size() - 1; }
  u64 size_bytes() const {
    return shape.size_bytes() + bucket_begins.size_bytes() + points.size_bytes() + counts.size_bytes();
  }
};

/// The largest number of points of one hash grid: 2^31.
inline constexpr u64 max_grid_points = u64{1} << 31;

/// Returns the number of buckets of a grid with room for so many points: the largest power of two that is not
/// above the number of points, at least 1.
constexpr u64 hash_bucket_count(u64 point_capacity) {
  u64 count = 1;
  while (2 * count <= point_capacity) count *= 2;
  return count;
}

/// Returns a hash grid over points. It holds copies of the points, so the memory of `points` may be freed. The
/// grid is equal on all backends and in all runs, bit for bit. Points with a coordinate that is infinite or NaN
/// are left out and counted (HashGridCounts::invalid_count). All others are taken, however far apart: cells are
/// counted from a corner of their box, 2^30 along each axis, and points beyond belong to the last cell, which only
/// costs time.
///   points: any number up to 2^31, may be empty; the stride is at least 12 bytes and a multiple of 4
/// Throws: Error invalid_argument for options out of range and a stride that does not fit, Error capacity past
/// 2^31 points, Error out_of_memory, Error cancelled.
/// Waits: for nothing.
/// Memory: see hash_grid_sizes.
COPSE_API HashGrid build_hash_grid(Context& context, const PositionSpan& points,
                                   const HashGridOptions& options = {});

/// Builds a fresh grid in the memory of `grid`. A Graph can capture it.
/// Throws: as build_hash_grid; Error invalid_argument for more points than grid.point_capacity().
/// Waits: for nothing.
/// Memory: see hash_grid_sizes; once warm, nothing is allocated.
COPSE_API void rebuild_hash_grid(Context& context, HashGrid& grid, const PositionSpan& points,
                                 const HashGridOptions& options = {});

/// Returns a grid with room for so many points. Nothing is built in it yet.
/// Throws: Error capacity past 2^31 points, Error out_of_memory.
COPSE_API HashGrid make_hash_grid(Context& context, u64 point_capacity);

/// Returns the bytes that build_hash_grid takes for so many points on this context: 18 to 20 per point, and
/// scratch of about 20 more per point.
/// Throws: Error capacity past 2^31 points.
COPSE_API BuildSizes hash_grid_sizes(Context& context, u64 point_count);

}  // namespace copse
