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
// So what is around a point stands in a few runs of memory, one a row, and empty space costs nothing. Rows may
// share buckets; who reads one compares the cells of its points.
//
// Sources: Teschner, Heidelberger, Müller, Pomeranets, Gross, "Optimized Spatial Hashing for Collision Detection
// of Deformable Objects", VMV 2003; the lists of cells sorted by their key: Green, "Particle Simulation using
// CUDA", NVIDIA 2010; Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia
// courses, 2023, "Hashing". Where we differ: they hash every cell for itself, so that a look at 27 cells is as
// many searches; and buckets here are found by place, without keys, so that nothing depends on the order of
// threads.

#include "builders/grid/layout.h"

namespace copse {

/// Most cells along an axis: points beyond are counted to the last one.
inline constexpr u32 most_hash_resolution = u32{1} << 30;

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
    return (hash_of_row(cell.y, cell.z) + cell.x) & (bucket_count - 1);
  }

  /// The number of a cell along an axis, by what to_cells gives; that of the first or last one beyond them.
  COPSE_HD static u32 cell_along(double at) {
    if (!(at > 0)) return 0;
    return at < double(most_hash_resolution) ? u32(at) : most_hash_resolution - 1;
  }

  /// Source of the mixing steps: Appleby, MurmurHash3, 2011, "fmix32".
  COPSE_HD static u32 hash_of_row(u32 y, u32 z) {
    u32 hash = y * 0x9e3779b1u ^ (z * 0x85ebca77u + 0x27d4eb2fu);
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
  }

 private:
  COPSE_HD double along(float p, double from) const {
    return smaller(mul_rn(sub_rn(double(p), from), cells_per_unit), double(most_hash_resolution));
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
