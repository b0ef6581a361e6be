#pragma once

// Finds the cells that a triangle touches in a window of 8 x 8 columns: 64 bits for each slab across z. The tests
// are those of lattice_triangle.h, with the same integers, for triangles that are small compared with the window.
//
// Every test is linear in the place of the cell. The three edges projected along z decide for whole columns,
// equally in all slabs. The edges projected along y and along x decide for rows of 8 bits of a slab. Only the
// plane decides for each cell. So the bits of a slab are
//
//     the columns that pass along z
//   & the row over x that passes along y, repeated in all eight rows
//   & the row over y that passes along x, with each bit spread to a byte
//   & the cells that the plane passes
//
// Steps from cell to cell are multiples of 2^bits. A value divided by 2^bits and rounded down keeps its sign at
// every cell, and such values are small: value < 0 exactly if floor(value / 2^bits) < 0.

#include "builders/grid/cells/lattice_triangle.h"

namespace copse::detail {

/// The edge of a window along x and y, in cells.
inline constexpr i32 window_edge = 8;

/// The largest extent of a triangle, on each axis in units, for a window with i32 numbers.
inline constexpr i32 max_window_extent = 1 << 12;

/// The largest number of slabs of such a window.
inline constexpr i32 max_window_slabs = 40;

/// Three edge functions along a row of cells, one for each edge of the triangle.
struct EdgeRow {
  ivec3 value, step;

  /// Returns eight bits: bit i is 1 if no function is negative at cell i.
  COPSE_HD u32 passing() const {
    ivec3 at = value + step * (window_edge - 1);
    u32 negative = 0;
#pragma unroll
    for (i32 k = 0; k < window_edge; ++k) {
      negative = negative << 1 | u32(at.x | at.y | at.z) >> 31;
      at -= step;
    }
    return ~negative & 0xff;
  }
};

/// Three edge functions over a plane of cells.
struct EdgePlane {
  ivec3 value;  // at the first cell of the window
  ivec3 step_a, step_b;

  COPSE_HD EdgeRow row_along_a(i32 b) const { return {value + step_b * b, step_a}; }
  COPSE_HD EdgeRow row_along_b(i32 a) const { return {value + step_a * a, step_b}; }
};

/// Returns a byte repeated in all eight rows.
COPSE_HD inline u64 repeat_row(u32 byte) {
  const u32 rows = byte * 0x01010101u;
  return u64{rows} << 32 | rows;
}

/// Returns each bit k spread to all bits of byte k.
///
///   0000dcba * (1 + 2^7 + 2^14 + 2^21), of each byte the lowest bit:  0000000d 0000000c 0000000b 0000000a
COPSE_HD inline u64 spread_to_rows(u32 byte) {
  const u32 low = ((byte & 0xf) * 0x00204081u & 0x01010101u) * 0xff;
  const u32 high = ((byte >> 4) * 0x00204081u & 0x01010101u) * 0xff;
  return u64{high} << 32 | low;
}

/// Returns eight bits of which those from `first` to `last`, both included, are 1.
COPSE_HD inline u32 bits_between(i32 first, i32 last) {
  return (2u << last) - (1u << first);
}

/// A window of cells and the tests of one triangle in it.
///   Number: i32 for a triangle of at most max_window_extent in a window of at most max_window_slabs, if both are
///   on the same lattice and their boxes touch; i64 for any triangle
template <class Number>
class LatticeWindow {
 public:
  ///   range: the cells to test: those of the triangle's box or fewer, all in the 8 x 8 columns from `first` on
  ///   first: the first cell of the window; slabs are counted from first.z
  COPSE_HD LatticeWindow(const LatticeVertices& v, const CellUnits& units, const ivec3& first,
                         const CellRange& range) {
    const ivec3 corner(units.begin(first.x), units.begin(first.y), units.begin(first.z));
    const ivec3 edges[3] = {v.b - v.a, v.c - v.b, v.a - v.c};
    const ivec3 at[3] = {corner - v.a, corner - v.b, corner - v.c};
    set_plane(edges[0], edges[1], at[0], units);
    const EdgePlane xy = edge_plane<0, 1>(edges, at, normal_z_ < 0, units);
    yz_ = edge_plane<1, 2>(edges, at, normal_x_ < 0, units);
    zx_ = edge_plane<2, 0>(edges, at, normal_y_ < 0, units);

    const u32 columns = bits_between(range.first.x - first.x, range.last.x - first.x);
#pragma unroll 1
    for (i32 y = range.first.y - first.y; y <= range.last.y - first.y; ++y) {
      columns_ |= u64{xy.row_along_a(y).passing() & columns} << (window_edge * y);
    }
  }

  /// Returns the cells of a slab that the triangle touches: bit x + 8 y is cell (x, y).
  COPSE_HD u64 touched(i32 slab) const {
    if (columns_ == 0) return 0;
    const u64 left =
        columns_ & repeat_row(zx_.row_along_b(slab).passing()) & spread_to_rows(yz_.row_along_a(slab).passing());
    return left == 0 ? 0 : left & on_plane(slab, left);
  }

 private:
  /// Values are clamped to this: a larger one does not change its sign in a window, nor is it within the reach of
  /// the plane.
  static constexpr i64 max_value = i64{1} << 30;

  template <class Value>
  COPSE_HD static i32 clamped(Value value) {
    return i32(smaller(larger(value, Value(-max_value)), Value(max_value)));
  }

  /// If the projection of the triangle is a line, it has edges in both directions, so their orientation does not
  /// matter.
  template <u32 axis_a, u32 axis_b>
  COPSE_HD static EdgePlane edge_plane(const ivec3 (&edges)[3], const ivec3 (&at)[3], bool turns,
                                       const CellUnits& units) {
    i32 values[3], a[3], b[3];
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
      const ivec3 edge = turns ? -edges[k] : edges[k];
      a[k] = coordinate(edge, axis_a);
      b[k] = coordinate(edge, axis_b);
      const Number value = ProjectedEdge{a[k], b[k]}.reach<Number>(coordinate(at[k], axis_a),
                                                                   coordinate(at[k], axis_b), units.width());
      values[k] = clamped(value >> units.bits);
    }
    return {ivec3(values[0], values[1], values[2]), -ivec3(b[0], b[1], b[2]), ivec3(a[0], a[1], a[2])};
  }

  /// The plane passes between two opposite corners of a cell if its value at the upper corner is not negative and
  /// its value at the lower corner is not positive.
  COPSE_HD void set_plane(const ivec3& ab, const ivec3& bc, const ivec3& at, const CellUnits& units) {
    normal_x_ = Number(ab.y) * bc.z - Number(ab.z) * bc.y;
    normal_y_ = Number(ab.z) * bc.x - Number(ab.x) * bc.z;
    normal_z_ = Number(ab.x) * bc.y - Number(ab.y) * bc.x;
    const Number none = 0;
    const i64 up = i64(larger(normal_x_, none)) + larger(normal_y_, none) + larger(normal_z_, none);
    const i64 down = i64(smaller(normal_x_, none)) + smaller(normal_y_, none) + smaller(normal_z_, none);
    if constexpr (sizeof(Number) == sizeof(i32)) {
      const i64 value = i64(normal_x_) * at.x + i64(normal_y_) * at.y + i64(normal_z_) * at.z;
      const i64 upper = (value + up * units.width()) >> units.bits;
      const i64 lower = -(value + down * units.width()) >> units.bits;
      reach_ = Number(upper + lower);
      upper_ = clamped(upper);
    } else {
      upper_ = plane_in_cells(normal_x_, normal_y_, normal_z_, at, up * units.width(), units.bits);
      const i64 lower = plane_in_cells(-normal_x_, -normal_y_, -normal_z_, at, -down * units.width(), units.bits);
      reach_ = upper_ + lower;
    }
  }

  /// Returns the cells that the plane passes, in the rows of a slab that still have cells.
  COPSE_HD u64 on_plane(i32 slab, u64 left) const {
    const i32 first = (63 - i32(leading_zeros(left & (~left + 1)))) / window_edge;
    const i32 last = (63 - i32(leading_zeros(left))) / window_edge;
    u64 passing = 0;
#pragma unroll 1
    for (i32 y = first; y <= last; ++y) {
      Number upper = upper_ + normal_z_ * slab + normal_y_ * y + normal_x_ * (window_edge - 1);
      u32 negative = 0;
#pragma unroll
      for (i32 x = 0; x < window_edge; ++x) {
        negative = negative << 1 | u32((upper | (reach_ - upper)) < 0);
        upper -= normal_x_;
      }
      passing |= u64{~negative & 0xff} << (window_edge * y);
    }
    return passing;
  }

  Number normal_x_, normal_y_, normal_z_;
  // The value of the plane at the upper corner of the first cell, and its sum with the negated value at the lower
  // one.
  Number upper_, reach_;
  EdgePlane yz_, zx_;
  u64 columns_ = 0;
};

}  // namespace copse::detail
