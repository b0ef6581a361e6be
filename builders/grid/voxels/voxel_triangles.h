#pragma once

// Functors that set the voxels of triangles in parts, one functor per rule:
//   part_count(primitive)       the number of parts, of about equal work; 0 for a triangle that sets no voxel
//   set_part(primitive, part)   sets the voxels of a part

#include "builders/geometry/triangle_table.h"
#include "builders/grid/cells/cell_parts.h"
#include "builders/grid/cells/lattice_columns.h"
#include "primitives/core/atomic.h"

namespace copse::detail {

/// Returns a grid of cubes over a box, `resolution` of them along its longest edge. Along the other edges, the
/// grid may be longer than the box. For the host.
GridShape cubes_over(const Aabb& box, u32 resolution);

/// The bits of a dense grid, as the builder writes them.
struct VoxelBits {
  GridShape shape;
  u32* words;
  u64 row_words, word_count;

  COPSE_HD u32* row(i32 y, i32 z) const { return words + (u64(z) * shape.resolution.y + u64(y)) * row_words; }
};

/// The triangles of a mesh, on the lattice of a grid.
struct VoxelTriangles {
  TriangleTable table;
  GridShape shape;

  COPSE_HD LatticeVertices vertices(u32 primitive) const {
    return LatticeVertices::of(shape, table.triangle(primitive), units_per_cell_bits);
  }

  COPSE_HD bool is_valid(u32 primitive) const { return !is_empty(bounds(table.triangle(primitive))); }

  /// Returns true if a part of the triangle lies beyond the grid by more than its own rounding.
  COPSE_HD bool reaches_out(u32 primitive) const {
    const Aabb box = bounds(table.triangle(primitive));
    if (is_empty(box)) return false;
    constexpr double slack = 1.0 / 1024;
    const dvec3 lo = shape.to_cells(box.lo), hi = shape.to_cells(box.hi);
    const uvec3& size = shape.resolution;
    return lo.x < -slack || lo.y < -slack || lo.z < -slack || hi.x > double(size.x) + slack ||
           hi.y > double(size.y) + slack || hi.z > double(size.z) + slack;
  }
  COPSE_HD bool sets_voxels(u32 primitive) const { return is_valid(primitive) && !reaches_out(primitive); }
};

/// Sets bits [begin, end) of a row.
COPSE_HD inline void set_bits(u32* row, u32 begin, u32 end) {
  for (u32 at = begin; at < end;) {
    const u32 word = at / 32, stop = smaller(end, (word + 1) * 32), count = stop - at;
    fetch_or_relaxed(row + word, (count == 32 ? ~0u : (1u << count) - 1) << (at % 32));
    at = stop;
  }
}

/// Rule `touched`.
struct SetTouched {
  VoxelTriangles triangles;
  VoxelBits voxels;

  COPSE_HD static CellParts parts_of(const LatticeVertices& v, const uvec3& resolution) {
    const CellRange range = touching_cells(units(), v.lo(), v.hi(), resolution);
    return CellParts::of(range, RowAxes::along_x(range.last - range.first + 1));
  }
  COPSE_HD u32 part_count(u32 primitive) const {
    if (!triangles.sets_voxels(primitive)) return 0;
    return parts_of(triangles.vertices(primitive), voxels.shape.resolution).count();
  }
  COPSE_HD void set_part(u32 primitive, u32 part) const {
    const LatticeVertices v = triangles.vertices(primitive);
    const CellParts parts = parts_of(v, voxels.shape.resolution);
    const RowAxes& axes = parts.axes;
    // i64 for all: choosing the type per part took twice as long on an H200.
    const LatticeTriangle<i64> triangle(axes.order(v.a), axes.order(v.b), axes.order(v.c), units());
    const i32 slab_end = parts.slab_end(part);
    for (i32 slab = parts.slab_begin(part); slab < slab_end; ++slab) {
      for (i32 row = 0; row < parts.size.y; ++row) {
        const i32 beside = parts.first.y + row, across = parts.first.z + slab;
        const RowRun run = triangle.touched(parts.first.x, parts.size.x, beside, across);
        if (run.is_empty()) continue;
        u32* const words = axes.across == 1 ? voxels.row(across, beside) : voxels.row(beside, across);
        set_bits(words, u32(parts.first.x + run.begin), u32(parts.first.x + run.end));
      }
    }
  }

 private:
  COPSE_HD static constexpr CellUnits units() { return {units_per_cell_bits, 0}; }
};

/// The columns that a triangle may meet, in parts of a few rows.
struct ColumnParts {
  static constexpr u32 columns_per_part = 64;

  i32 first_column, column_count, first_row, row_count;
  u32 rows_per_part;

  COPSE_HD static ColumnParts of(const LatticeColumns& columns, const ivec3& lo, const ivec3& hi,
                                 const ivec3& resolution) {
    const i32 first_column = columns.first_centre(lo.x), first_row = columns.first_centre(lo.y);
    const i32 column_count = smaller(columns.last_centre(hi.x), resolution.x - 1) - first_column + 1;
    const i32 row_count = smaller(columns.last_centre(hi.y), resolution.y - 1) - first_row + 1;
    if (column_count <= 0 || row_count <= 0) return {0, 0, 0, 0, 1};
    return {first_column, column_count, first_row, row_count, larger(columns_per_part / u32(column_count), 1u)};
  }
  COPSE_HD u32 count() const { return u32(divide_rounding_up(u64(row_count), rows_per_part)); }
  COPSE_HD i32 row_begin(u32 part) const { return first_row + i32(part * rows_per_part); }
  COPSE_HD i32 row_end(u32 part) const { return first_row + smaller(i32((part + 1) * rows_per_part), row_count); }
};

/// Sets the voxels in which lines along one axis meet the triangle. At a face between two voxels, it sets both.
struct MarkCrossings {
  COPSE_HD static constexpr EdgeRule rule() { return EdgeRule::closed; }

  template <class SetVoxel>
  COPSE_HD void operator()(const LatticeColumns::Depth& at, i32 depth_resolution, const SetVoxel& set) const {
    const i64 cell = at.divisor << units_per_cell_bits;
    const i64 place = floor_divide(at.dividend, cell);
    if (place < depth_resolution) set(i32(place));
    if (place > 0 && place * cell == at.dividend) set(i32(place) - 1);
  }
};

/// Flips the first voxel of a column whose centre is not below the triangle.
struct ToggleCrossing {
  COPSE_HD static constexpr EdgeRule rule() { return EdgeRule::one_side; }

  template <class SetVoxel>
  COPSE_HD void operator()(const LatticeColumns::Depth& at, i32 depth_resolution, const SetVoxel& set) const {
    const i64 place = first_centre_from(at, units_per_cell_bits);
    if (place < depth_resolution) set(i32(larger(place, i64{0})));
  }
};

/// Sets or flips the bit of a voxel of a column.
template <bool toggles>
struct VoxelOfColumn {
  const VoxelBits& voxels;
  u32 depth_axis;
  i32 column, row;

  COPSE_HD void operator()(i32 depth) const {
    const ivec3 voxel = depth_axis == 2   ? ivec3(column, row, depth)
                        : depth_axis == 0 ? ivec3(depth, column, row)
                                          : ivec3(row, depth, column);
    u32* const word = voxels.row(voxel.y, voxel.z) + voxel.x / 32;
    const u32 bit = 1u << (voxel.x % 32);
    if (toggles) {
      fetch_xor_relaxed(word, bit);
    } else {
      fetch_or_relaxed(word, bit);
    }
  }
};

/// Rules `crossed`, along one axis, and `inside`.
template <class Mark, bool toggles>
struct SetCrossed {
  VoxelTriangles triangles;
  VoxelBits voxels;
  u32 depth_axis;

  COPSE_HD LatticeColumns columns_of(const LatticeVertices& v) const {
    const ColumnAxes axes = ColumnAxes::along(depth_axis);
    return {axes.order(v.a), axes.order(v.b), axes.order(v.c), units_per_cell_bits, Mark::rule()};
  }
  COPSE_HD ColumnParts parts_of(const LatticeVertices& v, const LatticeColumns& columns) const {
    const ColumnAxes axes = ColumnAxes::along(depth_axis);
    return ColumnParts::of(columns, axes.order(v.lo()), axes.order(v.hi()),
                           axes.order(ivec3(voxels.shape.resolution)));
  }
  COPSE_HD u32 part_count(u32 primitive) const {
    if (!triangles.sets_voxels(primitive)) return 0;
    const LatticeVertices v = triangles.vertices(primitive);
    return parts_of(v, columns_of(v)).count();
  }
  COPSE_HD void set_part(u32 primitive, u32 part) const {
    const LatticeVertices v = triangles.vertices(primitive);
    const LatticeColumns columns = columns_of(v);
    const ColumnParts parts = parts_of(v, columns);
    const i32 depth_resolution = i32(coordinate(voxels.shape.resolution, depth_axis));
    const i32 row_end = parts.row_end(part);
    for (i32 row = parts.row_begin(part); row < row_end; ++row) {
      const RowRun run = columns.met(parts.first_column, parts.column_count, row);
      for (i32 k = run.begin; k < run.end; ++k) {
        const i32 column = parts.first_column + k;
        Mark{}(columns.depth(column, row), depth_resolution,
               VoxelOfColumn<toggles>{voxels, depth_axis, column, row});
      }
    }
  }
};

using SetCrossedVoxels = SetCrossed<MarkCrossings, false>;
using ToggleSurface = SetCrossed<ToggleCrossing, true>;

}  // namespace copse::detail
