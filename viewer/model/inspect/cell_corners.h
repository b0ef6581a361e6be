#pragma once

#include <array>

#include "builders/grid/layout.h"

namespace copse::viewer {

/// The corners of a box or of another cell. Bit 0 of a corner's number is its side along x, bit 1 along y, bit 2
/// along z.
using CellCorners = std::array<vec3, 8>;

inline CellCorners corners_of(const Aabb& box) {
  CellCorners corners;
  for (u32 i = 0; i < 8; ++i) {
    corners[i] = vec3((i & 1) != 0 ? box.hi.x : box.lo.x, (i & 2) != 0 ? box.hi.y : box.lo.y,
                      (i & 4) != 0 ? box.hi.z : box.lo.z);
  }
  return corners;
}

/// Returns the box of a cell.
inline Aabb cell_box(const GridShape& shape, const uvec3& cell) {
  const dvec3 lo = shape.lo + dvec3(cell) / shape.cells_per_unit;
  const dvec3 hi = shape.lo + dvec3(cell + 1u) / shape.cells_per_unit;
  return {vec3(lo), vec3(hi)};
}

}  // namespace copse::viewer
