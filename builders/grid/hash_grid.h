#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/triangle.h"
#include "builders/grid/hash_layout.h"
#include "primitives/core/buffer.h"

namespace copse {

struct HashGridOptions {
  /// The edge of a cell, in units of space: for neighbours within a radius, about that radius. 0: from
  /// `points_per_cell`. Smaller cells mean fewer points to look at and more cells. The results of queries do not
  /// depend on it.
  float cell_size = 0;

  /// Where no cell size is given: points a cell, were they spread evenly over their box; above 0, up to 2^20. For
  /// the k nearest, about a fourth of k. Points that lie on a surface or in clusters fill fewer cells, and more
  /// of them one.
  float points_per_cell = 2;
};

/// Points by the cells that they lie in, found by a hash of the cell. Owns its memory; view() is what queries
/// take: queries/near_points.h, queries/point_neighbours.h.
struct HashGrid {
  Buffer<HashGridShape> shape;
  Buffer<u32> bucket_begins;
  Buffer<GridPoint> points;
  Buffer<HashGridCounts> counts;
  u64 source_count = never_built;  // points of the last build, in the grid or left out

  HashGridView view() const { return {shape.span(), bucket_begins.span(), points.span(), counts.span()}; }

  bool is_built() const { return !shape.empty() && source_count != never_built; }

  /// Points that the memory was made for.
  u64 point_capacity() const { return points.size(); }
  u64 bucket_count() const { return bucket_begins.empty() ? 0 : bucket_begins.size() - 1; }
  u64 size_bytes() const {
    return shape.size_bytes() + bucket_begins.size_bytes() + points.size_bytes() + counts.size_bytes();
  }
};

/// Most points of one hash grid: 2^31.
inline constexpr u64 max_grid_points = u64{1} << 31;

/// The buckets of a grid with room for so many points: a power of two, as many as points or fewer, but not half.
constexpr u64 hash_bucket_count(u64 point_capacity) {
  u64 count = 1;
  while (2 * count <= point_capacity) count *= 2;
  return count;
}

/// A hash grid over points. It holds copies of them, so that they may go. Equal on all backends bit for bit, and
/// from run to run. Points with a coordinate that is infinite or NaN are left out and counted
/// (HashGridCounts::invalid_count). Any others may come, however far apart: cells are counted from a corner of
/// their box, 2^30 along each axis, and what lies beyond counts to the last of them, which costs time alone.
///   points: any number up to 2^31, may be empty; at any stride
/// Throws: Error invalid_argument for options out of range and a stride that does not fit, Error capacity past
/// 2^31 points, Error out_of_memory, Error cancelled.
/// Memory: see hash_grid_sizes. Waits for nothing.
HashGrid build_hash_grid(Context& context, const PositionSpan& points, const HashGridOptions& options = {});

/// Builds a fresh grid in the memory of `grid`. Waits for nothing and, once warm, allocates nothing, so that it
/// can be captured in a Graph. Throws: as build_hash_grid; Error invalid_argument for more points than
/// grid.point_capacity().
void rebuild_hash_grid(Context& context, HashGrid& grid, const PositionSpan& points,
                       const HashGridOptions& options = {});

/// A grid with room for so many points, nothing built yet.
/// Throws: Error capacity past 2^31 points, Error out_of_memory.
HashGrid make_hash_grid(Context& context, u64 point_capacity);

/// The bytes that build_hash_grid takes for so many points on this context: 18 to 20 a point, and scratch of about
/// 20 more.
/// Throws: Error capacity past 2^31 points.
BuildSizes hash_grid_sizes(Context& context, u64 point_count);

}  // namespace copse
