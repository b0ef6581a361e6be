#pragma once

// The cells that a primitive touches, in parts that are about equal work: most primitives are one part, a huge one
// is as many as it has slabs.

#include "builders/geometry/primitive_boxes.h"
#include "builders/grid/lattice_triangle.h"

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

  /// True where every cell is touched: every slab is, and each is one cell.
  COPSE_HD bool is_chain() const { return size.x == 1 && size.y == 1; }
};

/// Which cells a run of cells in a row is made of: ids from `id` on, `stride` apart.
struct CellRun {
  u32 id, stride, count;
};

COPSE_HD inline CellRun cell_run(const GridShape& shape, const CellParts& parts, const RowRun& run, i32 beside,
                                 i32 across) {
  const uvec3 strides(1, shape.resolution.x, shape.resolution.x * shape.resolution.y);
  const u32 stride = component(strides, parts.axes.along);
  const u32 id = u32(parts.first.x + run.begin) * stride + u32(beside) * component(strides, parts.axes.beside) +
                 u32(across) * component(strides, parts.axes.across);
  return {id, stride, u32(run.end - run.begin)};
}

/// Calls visit(CellRun) for the runs of a part whose rows `touched(beside, across)` tells.
template <class Touched, class Visit>
COPSE_HD void visit_rows(const GridShape& shape, const CellParts& parts, u32 part, const Touched& touched,
                         Visit& visit) {
  const i32 slab_end = parts.slab_end(part);
  for (i32 slab = parts.slab_begin(part); slab < slab_end; ++slab) {
    for (i32 row = 0; row < parts.size.y; ++row) {
      const i32 beside = parts.first.y + row, across = parts.first.z + slab;
      const RowRun run = touched(beside, across);
      if (!run.is_empty()) visit(cell_run(shape, parts, run, beside, across));
    }
  }
}

struct WholeRows {
  i32 size;
  COPSE_HD RowRun operator()(i32, i32) const { return {0, size}; }
};

struct RowsOfTriangle {
  LatticeTriangle triangle;
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

  /// 0 for a triangle that cannot stand in a grid.
  COPSE_HD u32 part_count(u32 primitive) const {
    const Triangle t = table.triangle(primitive);
    return is_empty(bounds(t)) ? 0 : parts_of(Vertices(*shape, t, units.bits)).count();
  }

  /// Calls visit(CellRun) for the cells of a part; each cell of the primitive is in one run of one part.
  template <class Visit>
  COPSE_HD void visit_part(u32 primitive, u32 part, Visit& visit) const {
    const GridShape grid = *shape;
    const Vertices v(grid, table.triangle(primitive), units.bits);
    const CellParts parts = parts_of(v);
    if (parts.is_chain()) {
      visit_rows(grid, parts, part, WholeRows{1}, visit);
    } else {
      const RowAxes& axes = parts.axes;
      const LatticeTriangle triangle(axes.order(v.a), axes.order(v.b), axes.order(v.c), units);
      visit_rows(grid, parts, part, RowsOfTriangle{triangle, parts.first.x, parts.size.x}, visit);
    }
  }

 private:
  struct Vertices {
    ivec3 a, b, c;
    uvec3 resolution;
    COPSE_HD Vertices(const GridShape& grid, const Triangle& t, u32 bits)
        : a(to_units(grid, t.a, bits)),
          b(to_units(grid, t.b, bits)),
          c(to_units(grid, t.c, bits)),
          resolution(grid.resolution) {}
  };

  COPSE_HD CellParts parts_of(const Vertices& v) const {
    const ivec3 lo(smaller(v.a.x, smaller(v.b.x, v.c.x)), smaller(v.a.y, smaller(v.b.y, v.c.y)),
                   smaller(v.a.z, smaller(v.b.z, v.c.z)));
    const ivec3 hi(larger(v.a.x, larger(v.b.x, v.c.x)), larger(v.a.y, larger(v.b.y, v.c.y)),
                   larger(v.a.z, larger(v.b.z, v.c.z)));
    const CellRange range = touching_cells(units, lo, hi, v.resolution);
    return CellParts::of(range, RowAxes::fewest_rows(range.last - range.first + 1));
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
  COPSE_HD void visit_part(u32 primitive, u32 part, Visit& visit) const {
    const CellParts parts = parts_of(*shape, boxes(primitive));
    visit_rows(*shape, parts, part, WholeRows{parts.size.x}, visit);
  }

 private:
  COPSE_HD static CellParts parts_of(const GridShape& grid, const Aabb& box) {
    const CellRange range = touching_cells(grid_units(), to_units(grid, box.lo, units_per_cell_bits),
                                           to_units(grid, box.hi, units_per_cell_bits), grid.resolution);
    return CellParts::of(range, RowAxes::fewest_rows(range.last - range.first + 1));
  }
};

}  // namespace copse::detail
