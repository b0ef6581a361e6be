#pragma once

// The visible part of a triangle that reaches past the screen or past the slabs of a frustum grid: the clipped and the
// blurred triangles of frustum_cells.h.

#include "builders/grid/cells/cell_parts.h"
#include "builders/grid/frustum/frustum_polygon.h"

namespace copse::detail {

/// A triangle in camera coordinates.
struct CameraTriangle {
  dvec3 a, b, c;

  COPSE_HD CameraTriangle(const FrustumShape& frustum, const Triangle& t)
      : a(frustum.to_camera(t.a)), b(frustum.to_camera(t.b)), c(frustum.to_camera(t.c)) {}

  COPSE_HD double nearest() const { return smaller(a.z, smaller(b.z, c.z)); }
  COPSE_HD double farthest() const { return larger(a.z, larger(b.z, c.z)); }

  COPSE_HD bool is_plain(const FrustumShape& frustum) const {
    const double lo = nearest(), hi = farthest();
    const bool is_within = lo >= frustum.nearest && hi <= frustum.farthest;
    return is_on_screen(a) && is_on_screen(b) && is_on_screen(c) && lo > 0 && hi <= 2 * lo &&
           (is_within || hi <= frustum.nearest || lo >= frustum.farthest);
  }

  /// Returns the largest error of the triangle test, as a length.
  COPSE_HD double error(const FrustumShape& frustum) const {
    return sight_error * larger(distance(frustum, a), larger(distance(frustum, b), distance(frustum, c)));
  }

  COPSE_HD static double magnitude_of(double a) { return a < 0 ? -a : a; }
  COPSE_HD static bool is_on_screen(const dvec3& p) {
    return magnitude_of(p.x) <= p.z && magnitude_of(p.y) <= p.z;
  }
  /// Returns an upper bound of the distance from the eye.
  COPSE_HD static double distance(const FrustumShape& frustum, const dvec3& p) {
    return FrustumShape::dot(frustum.length_per_x_y_z,
                             dvec3(magnitude_of(p.x), magnitude_of(p.y), magnitude_of(p.z)));
  }
};

/// Returns the window of all points that any cell may list, or that the error of the triangle test may move into
/// sight.
COPSE_HD inline ScreenWindow window_of_sight(const FrustumShape& frustum, const GridShape& cells, double error) {
  ScreenWindow window = window_of_tiles(cells.resolution, max_frustum_padding);
  window.length_x = error * (frustum.x_y_z_per_length.x + 2 * frustum.x_y_z_per_length.z);
  window.length_y = error * (frustum.x_y_z_per_length.y + 2 * frustum.x_y_z_per_length.z);
  return window;
}

/// Returns a point in front of the eye in units of cells.
COPSE_HD inline dvec3 to_frustum_cells(const GridShape& cells, const dvec3& p) {
  const double inverse = 1.0 / p.z;
  return dvec3(mul_rn(sub_rn(-inverse, cells.lo.x), cells.cells_per_unit.x),
               mul_rn(sub_rn(mul_rn(p.x, inverse), cells.lo.y), cells.cells_per_unit.y),
               mul_rn(sub_rn(mul_rn(p.y, inverse), cells.lo.z), cells.cells_per_unit.z));
}

COPSE_HD inline ivec3 lower_vertex(const ivec3& a, const ivec3& b) {
  return ivec3(smaller(a.x, b.x), smaller(a.y, b.y), smaller(a.z, b.z));
}
COPSE_HD inline ivec3 upper_vertex(const ivec3& a, const ivec3& b) {
  return ivec3(larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z));
}

/// The visible part of a triangle that is not plain: a polygon on screen in three pieces, before the depths of the
/// slabs, between them and behind them. The pieces before and behind are flat.
struct ClippedTriangle {
  static constexpr u32 piece_count = 3;

  ivec3 vertices[piece_count * FrustumPolygon::max_vertices];  // on the lattice, piece after piece
  u32 ends[piece_count] = {};
  bool is_blurred = false;
  CellUnits units;
  CellRange range{ivec3(0), ivec3(-1)};  // of the cells that it touches

  COPSE_HD bool is_empty() const { return range.last.x < range.first.x; }

  /// Returns parts with fewer rows, since a row takes longer than one of a plain triangle.
  COPSE_HD CellParts parts() const {
    constexpr u32 rows_per_part = 4;
    CellParts parts = CellParts::of(range, RowAxes::min_rows(range.last - range.first + 1));
    if (!is_blurred) parts.slabs_per_part = larger(rows_per_part / u32(parts.size.y), 1u);
    return parts;
  }

  COPSE_HD void blur(const GridShape& cells, double farthest) {
    is_blurred = true;
    const double last = add_rn(to_frustum_cells(cells, dvec3(0, 0, farthest)).x, 1.0);
    const ivec3 end = ivec3(cells.resolution) - 1;
    range = {ivec3(0), ivec3(last > 0 ? (last < end.x ? i32(last) : end.x) : 0, end.y, end.z)};
  }

  COPSE_HD void take(const FrustumShape& frustum, const GridShape& cells, const FrustumPolygon& polygon) {
    const DepthRange depths = polygon.depths();
    u32 count = 0;
    for (u32 piece = 0; piece < piece_count; ++piece) {
      const double from = piece == 0 ? 0 : (piece == 1 ? frustum.nearest : frustum.farthest);
      const double to = piece == 0 ? frustum.nearest : frustum.farthest;
      const bool is_last = piece + 1 == piece_count;
      if (depths.hi >= from && (is_last || depths.lo <= to)) {
        FrustumPolygon part = polygon;
        if (depths.lo < from) part.cut(ClipPlane{0, 0, 1, -from});
        if (!is_last && depths.hi > to) part.cut(ClipPlane{0, 0, -1, to});
        if (!part.is_whole()) return blur(cells, larger(depths.hi, frustum.nearest));
        for (u32 i = 0; i < part.count(); ++i) vertices[count++] = vertex(cells, part.vertex(i));
      }
      ends[piece] = count;
    }
    ivec3 lo = vertices[0], hi = vertices[0];
    for (u32 i = 1; i < count; ++i) {
      lo = lower_vertex(lo, vertices[i]);
      hi = upper_vertex(hi, vertices[i]);
    }
    range = touching_cells(units, lo, hi, cells.resolution);
  }

 private:
  /// Returns a vertex on the lattice, in the window around the tiles and inside the slabs.
  COPSE_HD static ivec3 vertex(const GridShape& cells, const dvec3& p) {
    const dvec3 place = to_frustum_cells(cells, p);
    return ivec3(to_units(place.x, cells.resolution.x, units_per_cell_bits), unit_at(place.y), unit_at(place.z));
  }
  /// Returns the nearest unit, for places down to -2^24.
  COPSE_HD static i32 unit_at(double cells) {
    constexpr i32 offset = 1 << 24;
    return i32(add_rn(add_rn(mul_rn(cells, double(units_per_cell)), 0.5), double(offset))) - offset;
  }
};

/// Cuts a triangle to the screen. It is not inlined: it is needed rarely, and its arrays would slow down every
/// triangle.
[[gnu::noinline]] COPSE_HD inline void clip_triangle(const FrustumShape& frustum, const GridShape& cells,
                                                     const CameraTriangle& triangle, ClippedTriangle& clipped) {
  // Find the part that may be seen, with all that rounding may move into sight.
  const double error = triangle.error(frustum), depth_error = error * frustum.x_y_z_per_length.z;
  FrustumPolygon polygon(triangle.a, triangle.b, triangle.c);
  polygon.cut(ClipPlane{0, 0, 1, depth_error});
  polygon.cut(window_of_sight(frustum, cells, error));
  if (polygon.count() == 0) return;

  // The nearest depth of the triangle bounds the error of a hit.
  const DepthRange depths = polygon.depths();
  const i32 padding = depths.lo > 0 ? padding_for(blur_in_units(frustum, error / sight_error / depths.lo))
                                    : max_frustum_padding + 1;
  clipped.units = {units_per_cell_bits, padding};
  if (padding > max_frustum_padding) {
    return clipped.blur(cells, larger(depths.hi + depth_error, frustum.nearest));
  }

  // Keep the part that touches the cells.
  polygon.cut(window_of_tiles(cells.resolution, padding));
  if (!polygon.is_whole()) return clipped.blur(cells, larger(depths.hi, frustum.nearest));
  if (polygon.count() > 0) clipped.take(frustum, cells, polygon);
}

/// The runs of cells of a clipped triangle. Each piece gives a run per row. Pieces share an edge, so their runs
/// join.
struct RowsOfClipped {
  const ClippedTriangle& clipped;
  CellParts parts;

  COPSE_HD RowRun operator()(i32 beside, i32 across) const {
    RowRun all{0, 0};
    u32 begin = 0;
    for (u32 piece = 0; piece < ClippedTriangle::piece_count; ++piece) {
      const u32 end = clipped.ends[piece];
      // A polygon of one or two corners is a triangle without area.
      if (end - begin == 1 || end - begin == 2) add_triangle(all, {begin, begin, end - 1}, beside, across);
      for (u32 i = begin + 2; i < end; ++i) add_triangle(all, {begin, i - 1, i}, beside, across);
      begin = end;
    }
    return all;
  }

 private:
  COPSE_HD ivec3 vertex(u32 i) const { return parts.axes.order(clipped.vertices[i]); }

  COPSE_HD void add_triangle(RowRun& all, const uvec3& corners, i32 beside, i32 across) const {
    const CellUnits& units = clipped.units;
    const ivec3 a = vertex(corners.x), b = vertex(corners.y), c = vertex(corners.z);
    const ivec3 lo = lower_vertex(a, lower_vertex(b, c)), hi = upper_vertex(a, upper_vertex(b, c));
    if (beside < units.first_touching(lo.y) || beside > units.last_touching(hi.y)) return;
    if (across < units.first_touching(lo.z) || across > units.last_touching(hi.z)) return;
    const i32 first = larger(units.first_touching(lo.x), parts.first.x);
    const i32 count = smaller(units.last_touching(hi.x), parts.first.x + parts.size.x - 1) - first + 1;
    if (count <= 0) return;
    const RowRun run = LatticeTriangle<i64>(a, b, c, units).touched(first, count, beside, across);
    if (run.is_empty()) return;
    const i32 from = first - parts.first.x;
    const RowRun found{from + run.begin, from + run.end};
    all = all.is_empty() ? found : RowRun{smaller(all.begin, found.begin), larger(all.end, found.end)};
  }
};

}  // namespace copse::detail
