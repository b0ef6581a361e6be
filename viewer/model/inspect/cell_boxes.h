#pragma once

#include "builders/grid/layout.h"

namespace copse::viewer {

/// The box of a cell.
inline Aabb cell_box(const GridShape& shape, const uvec3& cell) {
  const dvec3 lo = shape.lo + dvec3(cell) / shape.cells_per_unit;
  const dvec3 hi = shape.lo + dvec3(cell + 1u) / shape.cells_per_unit;
  return {vec3(lo), vec3(hi)};
}

}  // namespace copse::viewer
