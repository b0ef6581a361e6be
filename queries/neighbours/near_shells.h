#pragma once

// Finds the nearest points of a hash grid shell by shell: the cell of the query point, the 26 cells around it, the 98
// cells around those, and so on, until no point outside can be nearer than the points found.

#include "queries/near_cells.h"

namespace copse::detail {

/// Cells by their distance, in cells, from the cell of a point. The point may be outside the grid.
class CellShells {
 public:
  COPSE_HD CellShells(const HashGridShape& shape, const vec3& point) : resolution_(shape.resolution) {
    const dvec3 at = shape.to_cells(point);
    at_ = dvec3(larger(at.x, farthest), larger(at.y, farthest), larger(at.z, farthest));
    middle_[0] = floor_of(at_.x), middle_[1] = floor_of(at_.y), middle_[2] = floor_of(at_.z);
  }

  /// The first shell that contains a cell of the grid.
  COPSE_HD i64 first() const {
    return larger(larger(away(middle_[0], resolution_.x), away(middle_[1], resolution_.y)),
                  away(middle_[2], resolution_.z));
  }

  /// The cells of the grid in a shell and in the shells inside it, along an axis.
  COPSE_HD NearInterval x(i64 shell) const { return block(middle_[0], shell, resolution_.x); }
  COPSE_HD NearInterval y(i64 shell) const { return block(middle_[1], shell, resolution_.y); }
  COPSE_HD NearInterval z(i64 shell) const { return block(middle_[2], shell, resolution_.z); }

  /// True if all cells of row (y, z) within the shell belong to this shell, and none to an inner shell.
  COPSE_HD bool is_face(i64 shell, u32 y, u32 z) const {
    return distance(y, middle_[1]) == shell || distance(z, middle_[2]) == shell;
  }
  /// For a row that is not on a face: true if the shell has a cell of it to the left, or to the right, of the point.
  COPSE_HD bool has_left(i64 shell, const CellRow& row) const {
    return middle_[0] - shell >= i64(row.first) && middle_[0] - shell <= i64(row.last);
  }
  COPSE_HD bool has_right(i64 shell, const CellRow& row) const {
    return middle_[0] + shell >= i64(row.first) && middle_[0] + shell <= i64(row.last);
  }

  /// The smallest distance, in cells, of a point outside a shell's block; infinite if the block holds the whole
  /// grid.
  COPSE_HD double beyond(i64 shell) const {
    return smaller(
        smaller(beyond(at_.x, middle_[0], shell, resolution_.x), beyond(at_.y, middle_[1], shell, resolution_.y)),
        beyond(at_.z, middle_[2], shell, resolution_.z));
  }

  COPSE_HD const dvec3& at() const { return at_; }

 private:
  /// Points farther below the grid are treated as this far. So their distances to points of the grid are never
  /// overestimated.
  static constexpr double farthest = -0x1p31;

  COPSE_HD static i64 floor_of(double value) {
    const i64 whole = i64(value);
    return value < double(whole) ? whole - 1 : whole;
  }
  COPSE_HD static i64 distance(u32 cell, i64 middle) {
    return i64(cell) < middle ? middle - i64(cell) : i64(cell) - middle;
  }
  COPSE_HD static i64 away(i64 middle, u32 resolution) {
    if (middle < 0) return -middle;
    return middle >= i64(resolution) ? middle - i64(resolution) + 1 : 0;
  }
  COPSE_HD static NearInterval block(i64 middle, i64 shell, u32 resolution) {
    const i64 first = larger(middle - shell, i64{0}), last = smaller(middle + shell, i64(resolution) - 1);
    return {u32(first), u32(last)};
  }
  COPSE_HD static double beyond(double at, i64 middle, i64 shell, u32 resolution) {
    const double below = middle - shell > 0 ? at - double(middle - shell) : double(infinity);
    const double above = middle + shell + 1 < i64(resolution) ? double(middle + shell + 1) - at : double(infinity);
    return smaller(below, above);
  }

  uvec3 resolution_;
  dvec3 at_;
  i64 middle_[3];
};

/// Tests the points of a row of cells, or of all cells, and keeps the nearest.
template <class Keep>
struct KeepNear {
  const HashGridShape& shape;
  vec3 from;
  Keep& keep;
  CellRow row;
  bool checks_cells;  // true if points of other cells may be tested too

  COPSE_HD bool operator()(const GridPoint& point) {
    const float square = near_square(point.position, from);
    if (square <= keep.limit() && (!checks_cells || row.contains(shape.cell_of(point.position)))) {
      keep.add(square, point.id);
    }
    return false;
  }
};

/// Tests the points of one shell, in the cells that are still within the limit.
template <class Keep>
COPSE_HD inline void keep_of_shell(const HashGridView& grid, const CellShells& shells, i64 shell,
                                   KeepNear<Keep>& test) {
  const NearInterval x = shells.x(shell), y = shells.y(shell), z = shells.z(shell);
  const BallOfCells ball(shells.at(), reach_in_cells(test.shape, test.keep.limit()), x, y, z);
  for (u32 row_z = z.first; row_z <= z.last; ++row_z) {
    for (u32 row_y = y.first; row_y <= y.last; ++row_y) {
      const CellRow row = ball.row(row_y, row_z);
      if (row.is_empty()) continue;
      if (shells.is_face(shell, row_y, row_z)) {
        test.row = row;
        test_buckets(grid, test.shape, test.row, test);
        continue;
      }
      if (shells.has_left(shell, row)) {
        test.row = {x.first, x.first, row_y, row_z};
        test_buckets(grid, test.shape, test.row, test);
      }
      if (shells.has_right(shell, row)) {
        test.row = {x.last, x.last, row_y, row_z};
        test_buckets(grid, test.shape, test.row, test);
      }
    }
  }
}

/// The result of a search through the shells.
enum class ShellSearch { done, meets_other_cells, has_too_many_cells };

/// Tests shell after shell until no point outside can be near enough. Ends early if the shells have more cells than
/// there are buckets, or if buckets contain points of other cells and these are not checked for.
template <class Keep>
COPSE_HD inline ShellSearch keep_of_shells(const HashGridView& grid, const CellShells& shells,
                                           KeepNear<Keep>& test) {
  for (i64 shell = shells.first();; ++shell) {
    const NearInterval x = shells.x(shell), y = shells.y(shell), z = shells.z(shell);
    if (cell_count(x, y, z) > test.shape.bucket_count) return ShellSearch::has_too_many_cells;
    if (!test.checks_cells && !test.shape.has_buckets_apart(x.count(), y.count(), z.count())) {
      return ShellSearch::meets_other_cells;
    }
    keep_of_shell(grid, shells, shell, test);
    const double beyond = shells.beyond(shell);
    if (beyond == double(infinity) || beyond > reach_in_cells(test.shape, test.keep.limit())) {
      return ShellSearch::done;
    }
  }
}

/// Adds the points around `point` to `keep` until no other point can be near enough.
///   keep: float limit() const: the square of the distance up to which points are added; it may fall;
///         void add(float square, u32 id);
///         void clear(): removes all points; they are added again afterwards
template <class Keep>
COPSE_HD inline void keep_nearest(const HashGridView& grid, const vec3& point, Keep& keep) {
  const HashGridShape shape = grid.shape.data()[0];
  if (!is_finite(point) || !(keep.limit() >= 0) || shape.resolution.x == 0) return;
  const CellShells shells(shape, point);
  KeepNear<Keep> test{shape, point, keep, {1, 0, 0, 0}, false};
  ShellSearch search = keep_of_shells(grid, shells, test);
  if (search == ShellSearch::meets_other_cells) {
    keep.clear();
    test.checks_cells = true;
    search = keep_of_shells(grid, shells, test);
  }
  if (search == ShellSearch::has_too_many_cells) {
    keep.clear();
    test.checks_cells = false;
    test_places(grid, 0, grid.bucket_begins.data()[shape.bucket_count], test);
  }
}

}  // namespace copse::detail
