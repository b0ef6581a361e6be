#pragma once

// Decides in integers which cells a triangle touches. Its vertices are rounded to units of 1/256 cell, and all
// that follows is exact. So all backends agree, and any slow oracle agrees with them.
//
// Source: Akenine-Moller, "Fast 3D Triangle-Box Overlap Testing", JGT 2001, for the separating axes: the three
// axes of the box, the normal of the triangle, and nine cross products of edges. Schwarz, Seidel, "Fast Parallel
// Surface and Solid Voxelization on GPUs", TOG 2010, section 4.1, for their form as edge functions in the three
// projections. Where we differ: we test rows of cells. Along a row every test is linear in the index of the cell,
// so each test cuts the row at one end. One run of cells remains, and the cells outside it are never tested one by
// one.
//
// Rows run along one of the three axes, lie side by side along another, and form slabs across the third. A
// triangle touches every slab in its box, so there are never more slabs than touched cells.

#include "builders/geometry/triangle.h"
#include "builders/grid/layout.h"

namespace copse::detail {

/// The cells from `first` to `last`, both included, on each axis.
struct CellRange {
  ivec3 first, last;
};

/// The size of closed cells in units: cell k reaches from k * 2^bits - padding to (k + 1) * 2^bits + padding.
struct CellUnits {
  u32 bits;
  i32 padding;

  COPSE_HD i32 begin(i32 cell) const { return (cell << bits) - padding; }
  COPSE_HD i32 width() const { return (1 << bits) + 2 * padding; }

  /// Return the first and the last cell that touch the coordinates from lo to hi. A shift to the right rounds
  /// down.
  COPSE_HD i32 first_touching(i32 lo) const { return ((lo - padding + (1 << bits) - 1) >> bits) - 1; }
  COPSE_HD i32 last_touching(i32 hi) const { return (hi + padding) >> bits; }
};

/// Returns the units of grids.
COPSE_HD inline constexpr CellUnits grid_units() {
  return {units_per_cell_bits, cell_padding};
}

COPSE_HD inline i32 clamp_cell(i32 cell, u32 resolution) {
  return smaller(larger(cell, 0), i32(resolution) - 1);
}

/// Returns the cells of the grid that touch the box from lo to hi, in units. Places beyond the grid belong to its
/// outermost cells.
COPSE_HD inline CellRange touching_cells(const CellUnits& units, const ivec3& lo, const ivec3& hi,
                                         const uvec3& resolution) {
  return {ivec3(clamp_cell(units.first_touching(lo.x), resolution.x),
                clamp_cell(units.first_touching(lo.y), resolution.y),
                clamp_cell(units.first_touching(lo.z), resolution.z)),
          ivec3(clamp_cell(units.last_touching(hi.x), resolution.x),
                clamp_cell(units.last_touching(hi.y), resolution.y),
                clamp_cell(units.last_touching(hi.z), resolution.z))};
}

/// Returns a coordinate, given in cells, as a coordinate in units inside the grid.
COPSE_HD inline i32 to_units(double cells, u32 resolution, u32 bits) {
  const double units = add_rn(mul_rn(cells, double(1u << bits)), 0.5);
  const i32 most = i32(resolution << bits);
  return units > 0 ? (units < double(most) ? i32(units) : most) : 0;
}

COPSE_HD inline ivec3 to_units(const GridShape& shape, const vec3& p, u32 bits) {
  const dvec3 cells = shape.to_cells(p);
  return ivec3(to_units(cells.x, shape.resolution.x, bits), to_units(cells.y, shape.resolution.y, bits),
               to_units(cells.z, shape.resolution.z, bits));
}

/// The vertices of a triangle on the lattice of a grid.
struct LatticeVertices {
  ivec3 a, b, c;

  COPSE_HD static LatticeVertices of(const GridShape& shape, const Triangle& t, u32 bits) {
    return {to_units(shape, t.a, bits), to_units(shape, t.b, bits), to_units(shape, t.c, bits)};
  }
  COPSE_HD ivec3 lo() const { return lower(a, lower(b, c)); }
  COPSE_HD ivec3 hi() const { return upper(a, upper(b, c)); }

 private:
  COPSE_HD static ivec3 lower(const ivec3& p, const ivec3& q) {
    return ivec3(smaller(p.x, q.x), smaller(p.y, q.y), smaller(p.z, q.z));
  }
  COPSE_HD static ivec3 upper(const ivec3& p, const ivec3& q) {
    return ivec3(larger(p.x, q.x), larger(p.y, q.y), larger(p.z, q.z));
  }
};

/// The axis that rows run along, the axis along which they lie side by side, and the axis across which they form
/// slabs.
struct RowAxes {
  u32 along, beside, across;

  /// Returns the axes with the fewest rows: slabs across the longest axis of a range, rows along the second
  /// longest.
  COPSE_HD static RowAxes min_rows(const ivec3& size) {
    const u32 across = size.x >= size.y ? (size.x >= size.z ? 0u : 2u) : (size.y >= size.z ? 1u : 2u);
    const u32 next = across == 2 ? 0 : across + 1, after = 3 - across - next;
    const bool next_is_longer = coordinate(size, next) >= coordinate(size, after);
    return {next_is_longer ? next : after, next_is_longer ? after : next, across};
  }

  /// Returns rows along x, with slabs across the longer of y and z.
  COPSE_HD static RowAxes along_x(const ivec3& size) {
    return size.y > size.z ? RowAxes{0, 2, 1} : RowAxes{0, 1, 2};
  }

  template <class Vector>
  COPSE_HD Vector order(const Vector& v) const {
    return Vector(coordinate(v, along), coordinate(v, beside), coordinate(v, across));
  }
};

/// The cells of a row that have passed all tests so far: from `begin` up to `end`, counted from the first of the
/// row.
struct RowRun {
  i32 begin, end;

  COPSE_HD bool is_empty() const { return begin >= end; }
  COPSE_HD void clear() { end = begin; }

  /// Keeps the cells i with value + i * slope >= 0.
  template <class Number>
  COPSE_HD void keep(Number value, Number slope) {
    if (is_empty()) return;
    const bool has_first = value + begin * slope >= 0, has_last = value + (end - 1) * slope >= 0;
    if (has_first && has_last) return;
    if (!has_first && !has_last) {
      clear();
    } else if (has_last) {
      begin = ceiling(-value, slope);
    } else {
      end = ceiling(value + 1, -slope);
    }
  }

 private:
  /// Returns the smallest i >= 0 with i * step >= value. It is below 2^13, so the rounding of floats moves the
  /// quotient by less than one.
  template <class Number>
  COPSE_HD static i32 ceiling(Number value, Number step) {
    i32 i = i32(div_rn(float(value), float(step)));
    while (i * step < value) ++i;
    while (i > 0 && (i - 1) * step >= value) --i;
    return i;
  }
};

/// Two coordinates of an edge of a triangle, oriented so that the triangle lies to the left.
struct ProjectedEdge {
  i32 a, b;

  /// Returns the maximum of the edge function over a square that begins at (at_a, at_b) from the start of the
  /// edge. It is negative if all of the square lies to the right.
  template <class Number>
  COPSE_HD Number reach(i32 at_a, i32 at_b, i32 width) const {
    return Number(a) * (at_b + (a > 0 ? width : 0)) - Number(b) * (at_a + (b < 0 ? width : 0));
  }
};

/// Returns (normal * at + more) / 2^bits, rounded down. From cell to cell the dividend changes by a multiple of
/// 2^bits. So the quotient has the sign of the dividend at every cell: both are negative, or neither is.
///
/// Over 65,536 cells of 2^7 units, the dividend needs 72 bits. Whole cells and the rest of `at` are multiplied
/// apart, and so no sum needs more than 64:
///
///   at = cells * 2^bits + rest:   normal * cells + (normal * rest + more) / 2^bits
COPSE_HD inline i64 plane_in_cells(i64 normal_x, i64 normal_y, i64 normal_z, const ivec3& at, i64 more, u32 bits) {
  const i32 mask = (1 << bits) - 1;
  const i64 cells = normal_x * (at.x >> bits) + normal_y * (at.y >> bits) + normal_z * (at.z >> bits);
  const i64 rest = normal_x * (at.x & mask) + normal_y * (at.y & mask) + normal_z * (at.z & mask);
  return cells + ((rest + more) >> bits);
}

/// The largest extent of a range for i32: so many units on each axis, with at most 2^8 units per cell. Then the
/// sum of two products of coordinates, and of a step to each of the cells, is below 2^31.
inline constexpr i32 max_small_extent = 1 << 14;

/// A triangle with its vertices on the lattice and its axes in the order of rows.
///   Number: the type of edge functions: i64; or i32, in a third of the time, for a triangle whose cells are
///   within max_small_extent
template <class Number>
class LatticeTriangle {
 public:
  COPSE_HD LatticeTriangle(const ivec3& a, const ivec3& b, const ivec3& c, const CellUnits& units)
      : a_(a), b_(b), c_(c), units_(units) {
    const ivec3 ab = b - a, bc = c - b;
    normal_x_ = i64(ab.y) * bc.z - i64(ab.z) * bc.y;
    normal_y_ = i64(ab.z) * bc.x - i64(ab.x) * bc.z;
    normal_z_ = i64(ab.x) * bc.y - i64(ab.y) * bc.x;
  }

  /// Returns the cells of a row that the triangle touches, among `count` cells from `first` on. They must be
  /// within the range of the triangle's box.
  COPSE_HD RowRun touched(i32 first, i32 count, i32 beside, i32 across) const {
    RowRun run{0, count};
    const ivec3 corner(units_.begin(first), units_.begin(beside), units_.begin(across));
    // One edge at a time, since three copies of the code would need too many registers.
    ivec3 start = a_, end = b_, after = c_;
#pragma unroll 1
    for (u32 edge = 0; edge < 3 && !run.is_empty(); ++edge) {
      cut_by_edge(run, start, end - start, corner);
      const ivec3 first_vertex = start;
      start = end;
      end = after;
      after = first_vertex;
    }
    if (!run.is_empty()) cut_by_plane(run, corner);
    return run;
  }

  /// Returns the rows of a slab that the triangle touches when it is projected along the rows, among `count` rows
  /// from `first` on. No other row has cells that it touches.
  COPSE_HD RowRun touched_rows(i32 first, i32 count, i32 across) const {
    RowRun run{0, count};
    const i32 at_y = units_.begin(first), at_z = units_.begin(across);
    ivec3 start = a_, end = b_, after = c_;
#pragma unroll 1
    for (u32 edge = 0; edge < 3 && !run.is_empty(); ++edge) {
      const ProjectedEdge yz = edge_along_rows(end - start);
      run.keep(yz.reach<Number>(at_y - start.y, at_z - start.z, units_.width()),
               -Number(yz.b) * (1 << units_.bits));
      const ivec3 first_vertex = start;
      start = end;
      end = after;
      after = first_vertex;
    }
    return run;
  }

  /// Returns how many cells of a row the triangle touches at most, without the padding: as many as its plane
  /// crosses, which is infinity if rows run along the plane; for a line, three, because of RowAxes::min_rows.
  COPSE_HD float longest_run() const {
    const float along = magnitude(float(normal_x_));
    const float aside = magnitude(float(normal_y_)) + magnitude(float(normal_z_));
    if (along == 0) return aside == 0 ? 3.0f : infinity;
    return 2 + aside / along;
  }

 private:
  COPSE_HD ProjectedEdge edge_along_rows(const ivec3& edge) const {
    return normal_x_ < 0 ? ProjectedEdge{-edge.y, -edge.z} : ProjectedEdge{edge.y, edge.z};
  }

  /// If the projection of the triangle is a line, it has edges in both directions, so their orientation does not
  /// matter.
  COPSE_HD void cut_by_edge(RowRun& run, const ivec3& start, const ivec3& edge, const ivec3& corner) const {
    const bool turn_y = normal_y_ < 0, turn_z = normal_z_ < 0;
    const ivec3 at = corner - start;
    const i32 width = units_.width(), step = 1 << units_.bits;
    const ProjectedEdge yz = edge_along_rows(edge);
    if (yz.reach<Number>(at.y, at.z, width) < 0) return run.clear();
    const ProjectedEdge xy{turn_z ? -edge.x : edge.x, turn_z ? -edge.y : edge.y};
    run.keep(xy.reach<Number>(at.x, at.y, width), -Number(xy.b) * step);
    const ProjectedEdge zx{turn_y ? -edge.z : edge.z, turn_y ? -edge.x : edge.x};
    run.keep(zx.reach<Number>(at.z, at.x, width), Number(zx.a) * step);
  }

  /// Keeps the cells of which two opposite corners are on different sides of the plane, or on it.
  COPSE_HD void cut_by_plane(RowRun& run, const ivec3& corner) const {
    const ivec3 at = corner - a_;
    const i64 width = units_.width();
    const i64 up = larger(normal_x_, i64{0}) + larger(normal_y_, i64{0}) + larger(normal_z_, i64{0});
    const i64 down = smaller(normal_x_, i64{0}) + smaller(normal_y_, i64{0}) + smaller(normal_z_, i64{0});
    run.keep(plane_in_cells(normal_x_, normal_y_, normal_z_, at, up * width, units_.bits), normal_x_);
    run.keep(plane_in_cells(-normal_x_, -normal_y_, -normal_z_, at, -down * width, units_.bits), -normal_x_);
  }

  ivec3 a_, b_, c_;
  CellUnits units_;
  i64 normal_x_, normal_y_, normal_z_;
};

}  // namespace copse::detail
