#pragma once

// Finds where lines through the centres of voxels, along an axis, meet a triangle on the lattice. It is exact, in
// integers.
//
// A column is the voxels along the axis `depth`. The columns form rows along the first of the other two axes. The
// three edges of the triangle bound which columns of a row meet it; each edge function is linear in the column.

#include "builders/grid/cells/lattice_triangle.h"

namespace copse::detail {

/// The axes of columns in cyclic order: x, y, z or y, z, x or z, x, y.
struct ColumnAxes {
  u32 row, beside, depth;

  COPSE_HD static ColumnAxes along(u32 depth) { return {(depth + 1) % 3, (depth + 2) % 3, depth}; }
  template <class Vector>
  COPSE_HD Vector order(const Vector& v) const {
    return Vector(coordinate(v, row), coordinate(v, beside), coordinate(v, depth));
  }
};

/// Says whether an edge belongs to the triangles on both of its sides, or to exactly one of them.
enum class EdgeRule : u32 { closed, one_side };

class LatticeColumns {
 public:
  ///   a, b, c: the vertices, with coordinates in the order of the axes of a column
  COPSE_HD LatticeColumns(const ivec3& a, const ivec3& b, const ivec3& c, u32 bits, EdgeRule rule)
      : a_(a), b_(b), c_(c), bits_(bits), rule_(rule) {
    const ivec3 ab = b - a, bc = c - b;
    normal_x_ = i64(ab.y) * bc.z - i64(ab.z) * bc.y;
    normal_y_ = i64(ab.z) * bc.x - i64(ab.x) * bc.z;
    normal_z_ = i64(ab.x) * bc.y - i64(ab.y) * bc.x;
  }

  /// Return the first and the last cell whose centre is between two coordinates; there is none if first > last.
  COPSE_HD i32 first_centre(i32 lo) const { return (lo - half() + (1 << bits_) - 1) >> bits_; }
  COPSE_HD i32 last_centre(i32 hi) const { return (hi - half()) >> bits_; }

  /// Returns the columns of a row that meet the triangle, among `count` columns from `first` on. There are none if
  /// the triangle is seen edge-on.
  COPSE_HD RowRun met(i32 first, i32 count, i32 row) const {
    RowRun run{0, normal_z_ == 0 ? 0 : count};
    const i32 x = centre(first), y = centre(row);
    ivec3 start = a_, end = b_, after = c_;
#pragma unroll 1
    for (u32 edge = 0; edge < 3 && !run.is_empty(); ++edge) {
      cut_by_edge(run, start, end - start, x, y);
      const ivec3 first_vertex = start;
      start = end;
      end = after;
      after = first_vertex;
    }
    return run;
  }

  /// The place where the line through the centre of a column meets the plane: dividend / divisor in units, with
  /// divisor > 0.
  struct Depth {
    i64 dividend, divisor;
  };
  COPSE_HD Depth depth(i32 column, i32 row) const {
    const i64 along = normal_x_ * (centre(column) - a_.x) + normal_y_ * (centre(row) - a_.y);
    const i64 dividend = normal_z_ * a_.z - along;
    return normal_z_ > 0 ? Depth{dividend, normal_z_} : Depth{-dividend, -normal_z_};
  }

  COPSE_HD i32 half() const {
    return 1 << (bits_ - 1);
  }

 private:
  COPSE_HD i32 centre(i32 cell) const {
    return (cell << bits_) + half();
  }

  /// Two triangles that share an edge have it in opposite directions, so the rule one_side gives it to one of
  /// them.
  COPSE_HD void cut_by_edge(RowRun& run, const ivec3& start, const ivec3& edge, i32 x, i32 y) const {
    const i32 edge_x = normal_z_ < 0 ? -edge.x : edge.x, edge_y = normal_z_ < 0 ? -edge.y : edge.y;
    const bool takes_edge = rule_ == EdgeRule::closed || edge_y > 0 || (edge_y == 0 && edge_x < 0);
    const i64 value = i64(edge_x) * (y - start.y) - i64(edge_y) * (x - start.x);
    run.keep(value - (takes_edge ? 0 : 1), -i64(edge_y) * (1 << bits_));
  }

  ivec3 a_, b_, c_;
  u32 bits_;
  EdgeRule rule_;
  i64 normal_x_, normal_y_, normal_z_;
};

/// Returns the quotient, rounded down.
COPSE_HD inline i64 floor_divide(i64 dividend, i64 divisor) {
  const i64 quotient = dividend / divisor;
  return quotient * divisor > dividend ? quotient - 1 : quotient;
}

/// Returns the first cell of a column, in units of 2^bits per cell, whose centre is not below a place of the column.
COPSE_HD inline i64 first_centre_from(const LatticeColumns::Depth& at, u32 bits) {
  const i64 half = at.divisor << (bits - 1);
  return -floor_divide(half - at.dividend, at.divisor << bits);
}

}  // namespace copse::detail
