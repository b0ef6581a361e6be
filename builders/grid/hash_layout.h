#pragma once

// How a hash grid over points lies in memory and its cells in space, as builders write it and queries read it.
//
// Space is cut into cubes of one size, without end in any direction. The cells of a row along x are in
// neighbouring buckets; a hash of the row gives the first of them. After the last bucket comes the first one
// again:
//
//   row (y, z):    x = 0    1    2    3 ..
//   bucket:       h(y, z)  +1   +2   +3 ..  modulo bucket_count
//
// So the points around a point are in a few runs of memory, one per row, and empty space costs nothing. The hash
// is linear, with the slopes of a sequence that fills the square evenly: the distance between the buckets of two
// rows depends only on how the rows lie to each other, and for rows close by it is never small. Rows far from each
// other may share buckets.
//
// Sources: Teschner, Heidelberger, Müller, Pomeranets, Gross, "Optimized Spatial Hashing for Collision Detection
// of Deformable Objects", VMV 2003; the lists of cells sorted by their key: Green, "Particle Simulation using
// CUDA", NVIDIA 2010; Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia
// courses, 2023, "Hashing". The slopes: Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018.
// Where we differ: they hash every cell separately, so a look at 27 cells needs 27 searches. And buckets here are
// found by place, without keys, so nothing depends on the order of threads.

#include "builders/geometry/numbered_point.h"
#include "builders/grid/layout.h"

namespace copse {

/// The largest number of cells along an axis. Points beyond them belong to the last cell.
inline constexpr u32 max_hash_resolution = u32{1} << 30;

/// A point in the memory of a hash grid.
using GridPoint = NumberedPoint;

/// The cells of a hash grid.
struct HashGridShape {
  dvec3 lo;               // the corner of cell (0, 0, 0), which is the corner of the box of all points
  double cells_per_unit;  // one over the edge of a cell
  uvec3 resolution;       // cells that the box reaches into; 0 if there are no points
  u32 bucket_count;       // a power of two

  /// Returns a point in units of cells, counted from `lo` and at most max_hash_resolution. It rises with each
  /// coordinate.
  COPSE_HD dvec3 to_cells(const vec3& p) const {
    return dvec3(along(p.x, lo.x), along(p.y, lo.y), along(p.z, lo.z));
  }

  /// Returns the cell of a point of the grid.
  COPSE_HD uvec3 cell_of(const vec3& p) const {
    const dvec3 at = to_cells(p);
    return uvec3(cell_along(at.x), cell_along(at.y), cell_along(at.z));
  }

  COPSE_HD u32 bucket_of(const uvec3& cell) const {
    const u32 row = cell.y * slope_y + cell.z * slope_z;  // as a fraction of all buckets, in units of 2^-32
    return (u32(u64{row} * bucket_count >> 32) + cell.x) & (bucket_count - 1);
  }

  /// Returns true if no two cells of a block of so many cells along each axis share a bucket.
  COPSE_HD bool has_buckets_apart(u32 x_count, u32 y_count, u32 z_count) const {
    return y_count <= max_rows_apart && z_count <= max_rows_apart &&
           x_count < u32(u64{min_gap} * bucket_count >> 32);
  }

  /// Returns the index of a cell along an axis, from a coordinate of to_cells; beyond the cells, the first or last
  /// one.
  COPSE_HD static u32 cell_along(double at) {
    if (!(at > 0)) return 0;
    return at < double(max_hash_resolution) ? u32(at) : max_hash_resolution - 1;
  }

 private:
  static constexpr u32 slope_y = 0xc13fa9a9u, slope_z = 0x91e10da5u;

  /// The smallest distance of y * slope_y + z * slope_z from a multiple of 2^32, for y and z from -8 to 8, not
  /// both 0.
  static constexpr u32 min_gap = 0x01396d0bu, max_rows_apart = 9;

  COPSE_HD double along(float p, double from) const {
    return smaller(mul_rn(sub_rn(double(p), from), cells_per_unit), double(max_hash_resolution));
  }
};

/// Counts of the points of the last build. They live on the device.
struct HashGridCounts {
  u64 point_count;    // points in the grid
  u64 invalid_count;  // points left out, since they are NaN or infinite
};

/// A hash grid in the context's memory.
///
/// Bucket b holds points[bucket_begins[b]] up to points[bucket_begins[b + 1]], their ids ascending.
struct HashGridView {
  BufferSpan<const HashGridShape> shape;    // one element
  BufferSpan<const u32> bucket_begins;      // bucket_count + 1
  BufferSpan<const GridPoint> points;       // the points of the buckets, one bucket after the other
  BufferSpan<const HashGridCounts> counts;  // one element
};

}  // namespace copse
