#pragma once

// The cells of a frustum grid that triangles touch, in the form in which cell_lists.h takes them.
//
// Lines stay lines in the space of a frustum, so a triangle in front of the eye is a triangle there too. It goes
// onto the same lattice of 1/256 cell as triangles of uniform grids, and all that follows is exact. There are
// three cases, from the usual one to the rarest:
//
//   plain    The triangle is on screen, its farthest vertex is at most twice as deep as the nearest, and neither
//            the nearest nor the farthest depth of the slabs lies within it. It is a triangle on the lattice.
//   clipped  The part on screen is a polygon on the lattice, taken as a fan of triangles. Parts before the first
//            slab or behind the last one are projected onto its outer face.
//   blurred  The triangle test errs by half a cell, as with a vertex very far away and a hit next to the eye, or
//            the triangle passes through the eye. All tiles list it, down to the farthest depth seen.

#include "builders/geometry/triangle_table.h"
#include "builders/grid/cells/cell_parts.h"
#include "builders/grid/frustum/clipped_triangle.h"

namespace copse::detail {

/// The vertices of a plain triangle on the lattice, inside the grid.
struct FrustumVertices {
  ivec3 a, b, c;

  COPSE_HD FrustumVertices(const GridShape& cells, const CameraTriangle& t)
      : a(vertex(cells, t.a)), b(vertex(cells, t.b)), c(vertex(cells, t.c)) {}

  COPSE_HD static ivec3 vertex(const GridShape& cells, const dvec3& p) {
    const dvec3 place = to_frustum_cells(cells, p);
    return ivec3(to_units(place.x, cells.resolution.x, units_per_cell_bits),
                 to_units(place.y, cells.resolution.y, units_per_cell_bits),
                 to_units(place.z, cells.resolution.z, units_per_cell_bits));
  }
};

/// The cells that the triangles of a table touch in a frustum.
struct CellsOfFrustum {
  TriangleTable table;
  const FrustumShape* frustum;
  const GridShape* shape;

  /// Returns the number of parts of a triangle; 0 if it cannot be seen.
  COPSE_HD u32 part_count(u32 primitive) const {
    const Triangle t = table.triangle(primitive);
    if (is_empty(bounds(t))) return 0;
    const CameraTriangle triangle(*frustum, t);
    if (triangle.is_plain(*frustum)) return parts_of(FrustumVertices(*shape, triangle)).count();
    if (is_beside_screen(triangle)) return 0;
    ClippedTriangle clipped;
    clip_triangle(*frustum, *shape, triangle, clipped);
    return clipped.is_empty() ? 0 : clipped.parts().count();
  }

  /// Calls visit(CellRun) for all cells of a plain triangle that has few, and stores the range of these cells.
  template <class Visit>
  COPSE_HD CellExtent visit_small(u32 primitive, CellParts& range, Visit& visit) const {
    const Triangle t = table.triangle(primitive);
    if (is_empty(bounds(t))) return CellExtent::none;
    const CameraTriangle triangle(*frustum, t);
    if (!triangle.is_plain(*frustum)) return is_beside_screen(triangle) ? CellExtent::none : CellExtent::wide;
    const FrustumVertices v(*shape, triangle);
    range = parts_of(v);
    if (!range.is_small(cell_units())) return CellExtent::wide;
    if (range.is_chain()) {
      visit_all_rows(*shape, range, WholeRows{1}, visit);
    } else {
      visit_all_rows(*shape, range, rows_of<i32>(v, range), visit);
    }
    return CellExtent::small;
  }

  /// Calls visit(CellRun) for the cells in the rows of a part. Each cell of the primitive is in one run of one
  /// part.
  template <class Visit>
  COPSE_HD void visit_part(u32 primitive, const PartRows& rows, Visit& visit) const {
    const CameraTriangle triangle(*frustum, table.triangle(primitive));
    if (!triangle.is_plain(*frustum)) return visit_clipped(triangle, rows, visit);
    const FrustumVertices v(*shape, triangle);
    const CellParts parts = parts_of(v);
    if (parts.is_chain()) {
      visit_rows(*shape, parts, rows, WholeRows{1}, visit);
    } else if (parts.has_small_extent(cell_units())) {
      visit_rows(*shape, parts, rows, rows_of<i32>(v, parts), visit);
    } else {
      visit_rows(*shape, parts, rows, rows_of<i64>(v, parts), visit);
    }
  }

 private:
  COPSE_HD CellUnits cell_units() const { return {units_per_cell_bits, frustum->padding}; }

  /// Returns true if the triangle is outside one side of the screen, by more than all padding.
  COPSE_HD bool is_beside_screen(const CameraTriangle& t) const {
    const double error = t.error(*frustum);
    return t.farthest() < -error * frustum->x_y_z_per_length.z ||
           window_of_sight(*frustum, *shape, error).is_outside(t.a, t.b, t.c);
  }

  template <class Visit>
  [[gnu::noinline]] COPSE_HD void visit_clipped(const CameraTriangle& triangle, const PartRows& rows,
                                                Visit& visit) const {
    ClippedTriangle clipped;
    clip_triangle(*frustum, *shape, triangle, clipped);
    const CellParts parts = clipped.parts();
    if (clipped.is_blurred) {
      visit_rows(*shape, parts, rows, WholeRows{parts.size.x}, visit);
    } else {
      visit_rows(*shape, parts, rows, RowsOfClipped{clipped, parts}, visit);
    }
  }

  template <class Number>
  COPSE_HD RowsOfTriangle<Number> rows_of(const FrustumVertices& v, const CellParts& parts) const {
    const RowAxes& axes = parts.axes;
    return {{axes.order(v.a), axes.order(v.b), axes.order(v.c), cell_units()}, parts.first.x, parts.size.x};
  }
  COPSE_HD CellParts parts_of(const FrustumVertices& v) const {
    const CellRange range = touching_cells(cell_units(), lower_vertex(v.a, lower_vertex(v.b, v.c)),
                                           upper_vertex(v.a, upper_vertex(v.b, v.c)), shape->resolution);
    return CellParts::of(range, RowAxes::min_rows(range.last - range.first + 1));
  }
};

}  // namespace copse::detail
