#pragma once

// A slow test of which cells triangles and boxes touch: it tries all thirteen axes that could separate a triangle
// from a box, in integers, for every cell of a grid.

#include <algorithm>
#include <array>
#include <vector>

#include "builders/grid/cells/lattice_triangle.h"

namespace copse::test {

/// Products over 65,536 cells need 72 bits.
__extension__ typedef __int128 i128;

using LatticePoint = std::array<i64, 3>;

struct LatticeBox {
  LatticePoint lo, hi;
};

inline LatticePoint cross(const LatticePoint& a, const LatticePoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline LatticePoint minus(const LatticePoint& a, const LatticePoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline i128 dot(const LatticePoint& a, const LatticePoint& b) {
  return i128{a[0]} * b[0] + i128{a[1]} * b[1] + i128{a[2]} * b[2];
}

/// Returns true if the projections of both onto the axis are apart.
inline bool separates(const LatticePoint& axis, const std::array<LatticePoint, 3>& triangle,
                      const LatticeBox& box) {
  i128 triangle_lo = dot(axis, triangle[0]), triangle_hi = triangle_lo;
  for (const LatticePoint& p : triangle) {
    triangle_lo = std::min(triangle_lo, dot(axis, p));
    triangle_hi = std::max(triangle_hi, dot(axis, p));
  }
  i128 box_lo = 0, box_hi = 0;
  for (int k = 0; k < 3; ++k) {
    box_lo += std::min(i128{axis[k]} * box.lo[k], i128{axis[k]} * box.hi[k]);
    box_hi += std::max(i128{axis[k]} * box.lo[k], i128{axis[k]} * box.hi[k]);
  }
  return triangle_hi < box_lo || box_hi < triangle_lo;
}

inline bool touch(const std::array<LatticePoint, 3>& triangle, const LatticeBox& box) {
  constexpr LatticePoint axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const LatticePoint& axis : axes) {
    if (separates(axis, triangle, box)) return false;
  }
  const LatticePoint edges[3] = {minus(triangle[1], triangle[0]), minus(triangle[2], triangle[1]),
                                 minus(triangle[0], triangle[2])};
  if (separates(cross(edges[0], edges[1]), triangle, box)) return false;
  for (const LatticePoint& edge : edges) {
    for (const LatticePoint& axis : axes) {
      if (separates(cross(edge, axis), triangle, box)) return false;
    }
  }
  return true;
}

inline LatticePoint lattice_point(const ivec3& p) {
  return {p.x, p.y, p.z};
}

/// Returns the closed box of a cell, with padding.
inline LatticeBox cell_box(const uvec3& cell, const detail::CellUnits& units) {
  const i64 edge = i64{1} << units.bits, pad = units.padding;
  return {{cell.x * edge - pad, cell.y * edge - pad, cell.z * edge - pad},
          {(cell.x + 1) * edge + pad, (cell.y + 1) * edge + pad, (cell.z + 1) * edge + pad}};
}

/// Returns the ids of the cells that a triangle touches, ascending.
inline std::vector<u32> touched_cells(const GridShape& grid, const std::array<ivec3, 3>& vertices,
                                      const detail::CellUnits& units) {
  const std::array<LatticePoint, 3> triangle = {lattice_point(vertices[0]), lattice_point(vertices[1]),
                                                lattice_point(vertices[2])};
  std::vector<u32> cells;
  for (u32 id = 0; id < grid.cell_count(); ++id) {
    if (touch(triangle, cell_box(grid.cell_at(id), units))) cells.push_back(id);
  }
  return cells;
}

}  // namespace copse::test
