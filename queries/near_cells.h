#pragma once

// The cells of a hash grid that may contain points near a given point, row by row. No such cell is missed. A few
// cells hold no point that is near enough: the caller tests the distance of each point.

#include "builders/geometry/quad.h"
#include "builders/grid/hash_layout.h"

namespace copse::detail {

/// Part of a row of cells along x; empty if first is above last.
struct CellRow {
  u32 first, last;
  u32 y, z;

  COPSE_HD bool is_empty() const { return first > last; }
  COPSE_HD u32 count() const { return last - first + 1; }
  COPSE_HD bool contains(const uvec3& cell) const {
    return first <= cell.x && cell.x <= last && cell.y == y && cell.z == z;
  }
};

/// Interval of cell indices along an axis; empty if first is above last.
struct NearInterval {
  u32 first, last;
  COPSE_HD bool is_empty() const { return first > last; }
  COPSE_HD u32 count() const { return last - first + 1; }
};

/// The number of cells of a block that is not empty.
COPSE_HD inline double cell_count(const NearInterval& x, const NearInterval& y, const NearInterval& z) {
  return double(x.count()) * double(y.count()) * double(z.count());
}

/// The cells of an axis from `lo` to `hi`, in units of cells, clipped to `resolution`.
COPSE_HD inline NearInterval near_interval(double lo, double hi, u32 resolution) {
  if (!(hi >= 0) || !(lo < double(resolution))) return {1, 0};
  return {HashGridShape::cell_along(lo), smaller(HashGridShape::cell_along(hi), resolution - 1)};
}

/// The largest distance of two points, in cells, for which near_square of them is at most `limit`. It contains bounds
/// of three errors: the square is rounded by less than 2^-21 of it, underflow loses less than 2^-73, and two
/// positions in cells are rounded by less than 2^-22 cells.
COPSE_HD inline double reach_in_cells(const HashGridShape& shape, float limit) {
  constexpr double rounding = 1 + 0x1p-20, least = 0x1p-70, min_in_cells = 0x1p-20;
  return (double(sqrt_rn(limit)) * rounding + least) * shape.cells_per_unit + min_in_cells;
}

/// The square of the distance of two points. Distances above 2^64 count as equal, and so do distances below 2^-75.
COPSE_HD inline float near_square(const vec3& a, const vec3& b) {
  const float x = sub_rn(a.x, b.x), y = sub_rn(a.y, b.y), z = sub_rn(a.z, b.z);
  return add_rn(add_rn(mul_rn(x, x), mul_rn(y, y)), mul_rn(z, z));
}

/// The cells within reach of a point: those of a block of cells that a ball touches. Distances within the block are
/// computed in single precision from its first cell, with room for rounding. If they are too large for single
/// precision, comparisons with NaN accept all cells.
class BallOfCells {
 public:
  COPSE_HD BallOfCells(const dvec3& at, double reach, const NearInterval& x, const NearInterval& y,
                       const NearInterval& z)
      : x_(x),
        y_first_(y.first),
        z_first_(z.first),
        from_(float(at.x - x.first), float(at.y - y.first), float(at.z - z.first)) {
    slack_ = (float(reach) + magnitude(from_.x) + magnitude(from_.y) + magnitude(from_.z) + 1) * 0x1p-20f;
    const float radius = float(reach) + slack_;
    square_ = radius * radius;
  }

  /// The cells of row (y, z) of the block.
  COPSE_HD CellRow row(u32 y, u32 z) const {
    const float off_y = gap(float(y - y_first_) - from_.y), off_z = gap(float(z - z_first_) - from_.z);
    const float left = square_ - off_y * off_y - off_z * off_z;
    if (left < 0) return {1, 0, y, z};
    const float half = sqrt_rn(left) * (1 + 0x1p-20f) + slack_;
    const float lo = from_.x - half, hi = from_.x + half, width = float(x_.last - x_.first);
    if (hi < 0 || lo > width + 2) return {1, 0, y, z};
    const u32 first = lo > 1 ? u32(lo) : 0, last = hi < width ? u32(hi) : x_.last - x_.first;
    return {smaller(x_.first + first, x_.last), smaller(x_.first + last, x_.last), y, z};
  }

 private:
  /// The distance from a point at 0 to the cell from `begin` to `begin` + 1.
  COPSE_HD float gap(float begin) const {
    const float behind = -begin - 1;
    const float off = (begin > behind ? begin : behind) - slack_;
    return off < 0 ? 0 : off;
  }

  NearInterval x_;
  u32 y_first_, z_first_;
  vec3 from_;
  float slack_, square_;
};

/// A point of the grid, read by one load of 16 bytes.
COPSE_HD inline GridPoint stored_point(const HashGridView& grid, u32 place) {
  const Quad quad = reinterpret_cast<const Quad*>(grid.points.data())[place];
  return {quad.point(), quad.words[3]};
}

/// Calls `test(point)` for the points from `begin` up to `end` until it returns true; returns true if it did. Two
/// points are loaded at a time, so that a thread waits for memory half as often. This saves a fifth of the time of
/// count_32 of copse-bench-points on an H200.
template <class Test>
COPSE_HD inline bool test_places(const HashGridView& grid, u32 begin, u32 end, Test& test) {
  u32 place = begin;
  for (; place + 1 < end; place += 2) {
    const GridPoint first = stored_point(grid, place), second = stored_point(grid, place + 1);
    if (test(first) || test(second)) return true;
  }
  return place < end && test(stored_point(grid, place));
}

/// The same for the points of a row of cells, in the order of the buckets. Points of other cells that share the
/// buckets are tested too. The row must have at most as many cells as there are buckets.
template <class Test>
COPSE_HD inline bool test_buckets(const HashGridView& grid, const HashGridShape& shape, const CellRow& row,
                                  Test& test) {
  const u32 bucket = shape.bucket_of(uvec3(row.first, row.y, row.z)), left = shape.bucket_count - bucket;
  const u32* const begins = grid.bucket_begins.data();
  const u32 end = bucket + smaller(row.count(), left);
  if (test_places(grid, begins[bucket], begins[end], test)) return true;
  return row.count() > left && test_places(grid, 0, begins[row.count() - left], test);
}

}  // namespace copse::detail
