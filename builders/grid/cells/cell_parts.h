#pragma once

// The cells that a primitive touches, in parts of about equal work. Most primitives are one part; a huge one is as
// many parts as it has slabs.

#include "builders/geometry/triangle_table.h"
#include "builders/grid/cells/lattice_triangle.h"

namespace copse::detail {

/// A range of cells in the order of rows, cut into parts of a few slabs each.
struct CellParts {
  static constexpr u32 rows_per_part = 16;

  RowAxes axes;
  ivec3 first, size;  // along, beside, across
  u32 slabs_per_part;

  COPSE_HD static CellParts of(const CellRange& range, const RowAxes& axes) {
    const ivec3 size = axes.order(range.last - range.first + 1);
    return {axes, axes.order(range.first), size, larger(rows_per_part / u32(size.y), 1u)};
  }
  COPSE_HD u32 count() const { return u32(divide_rounding_up(u64(size.z), slabs_per_part)); }
  COPSE_HD i32 slab_begin(u32 part) const { return i32(part * slabs_per_part); }
  COPSE_HD i32 slab_end(u32 part) const { return smaller(i32((part + 1) * slabs_per_part), size.z); }

  /// Returns true if every cell is touched, since every slab is touched and each slab is one cell.
  COPSE_HD bool is_chain() const { return size.x == 1 && size.y == 1; }

  /// Returns true if edge functions fit i32.
  COPSE_HD bool has_small_extent(const CellUnits& units) const {
    return larger(size.x, larger(size.y, size.z)) * units.width() <= max_small_extent;
  }

  /// Returns true if each cell can have a bit in a mask.
  COPSE_HD bool is_small(const CellUnits& units) const {
    return has_small_extent(units) && size.x * size.y * size.z <= 32;
  }
};

/// A run of cells in a row: `count` ids from `id` on, `stride` apart. `place` is the index of the first one in the
/// range, whose cells are counted along, then beside, then across.
struct CellRun {
  u32 id, stride, count, place;
};

/// Returns how far apart the ids of neighbours are, in the order of rows.
COPSE_HD inline uvec3 cell_strides(const GridShape& shape, const RowAxes& axes) {
  return axes.order(uvec3(1, shape.resolution.x, shape.resolution.x * shape.resolution.y));
}

COPSE_HD inline u32 first_cell_id(const uvec3& strides, const CellParts& parts) {
  return u32(parts.first.x) * strides.x + u32(parts.first.y) * strides.y + u32(parts.first.z) * strides.z;
}

COPSE_HD inline CellRun cell_run(const uvec3& strides, const CellParts& parts, const RowRun& run, i32 row,
                                 i32 slab) {
  const u32 id =
      first_cell_id(strides, parts) + u32(run.begin) * strides.x + u32(row) * strides.y + u32(slab) * strides.z;
  const u32 place = u32((slab * parts.size.y + row) * parts.size.x + run.begin);
  return {id, strides.x, u32(run.end - run.begin), place};
}

/// The rows of a part that one of several threads visits: every `stride`-th row, beginning with `first`.
struct PartRows {
  u32 part;
  i32 first = 0, stride = 1;
};

/// How much work a primitive is.
enum class CellExtent : u32 { none, small, wide };

/// Calls visit(CellRun) for each run of cells in the rows of a part; `touched(beside, across)` gives the run of a
/// row.
template <class Touched, class Visit>
COPSE_HD void visit_rows(const GridShape& shape, const CellParts& parts, const PartRows& rows,
                         const Touched& touched, Visit& visit) {
  const uvec3 strides = cell_strides(shape, parts.axes);
  const i32 slab_end = parts.slab_end(rows.part);
  i32 row = rows.first;
  for (i32 slab = parts.slab_begin(rows.part); slab < slab_end; ++slab, row -= parts.size.y) {
    for (; row < parts.size.y; row += rows.stride) {
      const RowRun run = touched(parts.first.y + row, parts.first.z + slab);
      if (!run.is_empty()) visit(cell_run(strides, parts, run, row, slab));
    }
  }
}

/// The same for all parts.
template <class Touched, class Visit>
COPSE_HD void visit_all_rows(const GridShape& shape, const CellParts& parts, const Touched& touched,
                             Visit& visit) {
  for (u32 part = 0; part < parts.count(); ++part) visit_rows(shape, parts, {part}, touched, visit);
}

struct WholeRows {
  i32 size;
  COPSE_HD RowRun operator()(i32, i32) const { return {0, size}; }
};

template <class Number>
struct RowsOfTriangle {
  LatticeTriangle<Number> triangle;
  i32 first, size;
  COPSE_HD RowRun operator()(i32 beside, i32 across) const {
    return triangle.touched(first, size, beside, across);
  }
};

/// The cells that triangles touch.
struct CellsOfTriangles {
  TriangleTable table;
  const GridShape* shape;
  CellUnits units;

  /// Returns the number of parts of a triangle; 0 if it is left out of the grid.
  COPSE_HD u32 part_count(u32 primitive) const {
    const Triangle t = table.triangle(primitive);
    return is_empty(bounds(t)) ? 0 : parts_of(LatticeVertices::of(*shape, t, units.bits), *shape).count();
  }

  /// Calls visit(CellRun) for all cells of a primitive that has few, and stores the range of these cells.
  template <class Visit>
  COPSE_HD CellExtent visit_small(u32 primitive, CellParts& range, Visit& visit) const {
    const Triangle t = table.triangle(primitive);
    if (is_empty(bounds(t))) return CellExtent::none;
    const GridShape grid = *shape;
    const LatticeVertices v = LatticeVertices::of(grid, t, units.bits);
    range = parts_of(v, grid);
    if (!range.is_small(units)) return CellExtent::wide;
    if (range.is_chain()) {
      visit_all_rows(grid, range, WholeRows{1}, visit);
    } else {
      visit_all_rows(grid, range, rows_of<i32>(v, range), visit);
    }
    return CellExtent::small;
  }

  /// Calls visit(CellRun) for the cells in the rows of a part. Each cell of the primitive is in one run of one
  /// part.
  template <class Visit>
  COPSE_HD void visit_part(u32 primitive, const PartRows& rows, Visit& visit) const {
    const GridShape grid = *shape;
    const LatticeVertices v = LatticeVertices::of(grid, table.triangle(primitive), units.bits);
    const CellParts parts = parts_of(v, grid);
    if (parts.is_chain()) {
      visit_rows(grid, parts, rows, WholeRows{1}, visit);
    } else if (parts.has_small_extent(units)) {
      visit_rows(grid, parts, rows, rows_of<i32>(v, parts), visit);
    } else {
      visit_rows(grid, parts, rows, rows_of<i64>(v, parts), visit);
    }
  }

 private:
  template <class Number>
  COPSE_HD RowsOfTriangle<Number> rows_of(const LatticeVertices& v, const CellParts& parts) const {
    const RowAxes& axes = parts.axes;
    return {{axes.order(v.a), axes.order(v.b), axes.order(v.c), units}, parts.first.x, parts.size.x};
  }
  COPSE_HD CellParts parts_of(const LatticeVertices& v, const GridShape& grid) const {
    const CellRange range = touching_cells(units, v.lo(), v.hi(), grid.resolution);
    return CellParts::of(range, RowAxes::min_rows(range.last - range.first + 1));
  }
};

/// The cells that boxes touch.
struct CellsOfBoxes {
  CustomBoxes boxes;
  const GridShape* shape;

  COPSE_HD u32 part_count(u32 primitive) const {
    const Aabb box = boxes(primitive);
    return is_empty(box) ? 0 : parts_of(*shape, box).count();
  }
  template <class Visit>
  COPSE_HD CellExtent visit_small(u32 primitive, CellParts& range, Visit& visit) const {
    const Aabb box = boxes(primitive);
    if (is_empty(box)) return CellExtent::none;
    range = parts_of(*shape, box);
    if (!range.is_small(grid_units())) return CellExtent::wide;
    visit_all_rows(*shape, range, WholeRows{range.size.x}, visit);
    return CellExtent::small;
  }
  template <class Visit>
  COPSE_HD void visit_part(u32 primitive, const PartRows& rows, Visit& visit) const {
    const CellParts parts = parts_of(*shape, boxes(primitive));
    visit_rows(*shape, parts, rows, WholeRows{parts.size.x}, visit);
  }

 private:
  COPSE_HD static CellParts parts_of(const GridShape& grid, const Aabb& box) {
    const CellRange range = touching_cells(grid_units(), to_units(grid, box.lo, units_per_cell_bits),
                                           to_units(grid, box.hi, units_per_cell_bits), grid.resolution);
    return CellParts::of(range, RowAxes::min_rows(range.last - range.first + 1));
  }
};

}  // namespace copse::detail
