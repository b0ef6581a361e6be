#pragma once

// How a hash grid over points lies in memory, and how its cells lie in space: what builders write and queries
// read.
//
// Space is cut into cubes of one size without end to either side. The cells of a row along x stand in neighbouring
// buckets, from one that a hash of the row tells; behind the last bucket comes the first one again:
//
//   row (y, z):    x = 0    1    2    3 ..
//   bucket:       h(y, z)  +1   +2   +3 ..  modulo bucket_count
//
// So what is around a point stands in a few runs of memory, one a row, and empty space costs nothing. The hash is
// linear, with the slopes of a sequence that fills the square evenly: how far apart the buckets of two rows are
// depends on how the rows lie to each other alone, and for rows close by it is never little. Rows far from each
// other may share buckets.
//
// Sources: Teschner, Heidelberger, Müller, Pomeranets, Gross, "Optimized Spatial Hashing for Collision Detection
// of Deformable Objects", VMV 2003; the lists of cells sorted by their key: Green, "Particle Simulation using
// CUDA", NVIDIA 2010; Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia
// courses, 2023, "Hashing". The slopes: Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018.
// Where we differ: they hash every cell for itself, so that a look at 27 cells is as
// many searches; and buckets here are found by place, without keys, so that nothing depends on the order of
// threads.

#include "builders/grid/layout.h"

namespace copse {

/// Most cells along an axis: points beyond are counted to the last one.
inline constexpr u32 max_hash_resolution = u32{1} << 30;

/// A point in the memory of a hash grid.
struct alignas(16) GridPoint {
  vec3 position;
  u32 id;  // number of the point among those that the grid was built over
};

static_assert(sizeof(GridPoint) == 16);

/// The cells of a hash grid.
struct HashGridShape {
  dvec3 lo;               // the corner of cell (0, 0, 0): that of the box of all points
  double cells_per_unit;  // one over the edge of a cell
  uvec3 resolution;       // the cells that the box reaches into; 0 where there are no points
  u32 bucket_count;       // a power of two

  /// A point in cells from `lo` on, at most those that there can be; rises with each coordinate.
  COPSE_HD dvec3 to_cells(const vec3& p) const {
    return dvec3(along(p.x, lo.x), along(p.y, lo.y), along(p.z, lo.z));
  }

  /// The cell of a point of the grid.
  COPSE_HD uvec3 cell_of(const vec3& p) const {
    const dvec3 at = to_cells(p);
    return uvec3(cell_along(at.x), cell_along(at.y), cell_along(at.z));
  }

  COPSE_HD u32 bucket_of(const uvec3& cell) const {
    const u32 row = cell.y * slope_y + cell.z * slope_z;  // in parts of 2^32 of all buckets
    return (u32(u64{row} * bucket_count >> 32) + cell.x) & (bucket_count - 1);
  }

  /// True where no two cells of a block of so many along each axis have one bucket.
  COPSE_HD bool has_buckets_apart(u32 x_count, u32 y_count, u32 z_count) const {
    return y_count <= max_rows_apart && z_count <= max_rows_apart &&
           x_count < u32(u64{min_gap} * bucket_count >> 32);
  }

  /// The number of a cell along an axis, by what to_cells gives; that of the first or last one beyond them.
  COPSE_HD static u32 cell_along(double at) {
    if (!(at > 0)) return 0;
    return at < double(max_hash_resolution) ? u32(at) : max_hash_resolution - 1;
  }

 private:
  static constexpr u32 slope_y = 0xc13fa9a9u, slope_z = 0x91e10da5u;

  /// The least distance of y * slope_y + z * slope_z from a multiple of 2^32, for y and z from -8 to 8, not both
  /// 0.
  static constexpr u32 min_gap = 0x01396d0bu, max_rows_apart = 9;

  COPSE_HD double along(float p, double from) const {
    return smaller(mul_rn(sub_rn(double(p), from), cells_per_unit), double(max_hash_resolution));
  }
};

/// What a build found out about its points; it lives on the device.
struct HashGridCounts {
  u64 point_count;    // those in the grid
  u64 invalid_count;  // those left out: NaN or infinite
};

/// A hash grid in the context's memory.
///
/// Bucket b holds points[bucket_begins[b]] up to points[bucket_begins[b + 1]], their ids ascending.
struct HashGridView {
  BufferSpan<const HashGridShape> shape;    // one element
  BufferSpan<const u32> bucket_begins;      // bucket_count + 1
  BufferSpan<const GridPoint> points;       // those of the buckets in turn
  BufferSpan<const HashGridCounts> counts;  // one element
};

}  // namespace copse
