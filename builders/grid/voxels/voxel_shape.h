#pragma once

// The cubes that voxels are, over a box; on the host.

#include <algorithm>
#include <cmath>

#include "builders/grid/layout.h"

namespace copse::detail {

/// Cubes over a box, `resolution` of them along its longest edge; the grid may be longer than the others.
inline GridShape cubes_over(const Aabb& box, u32 resolution) {
  if (is_empty(box)) return {dvec3(0), dvec3(1), uvec3(1)};
  const dvec3 lo(box.lo), size = dvec3(box.hi) - lo;
  const double longest = std::max({size.x, size.y, size.z});
  if (!(longest > 0)) return {lo, dvec3(1), uvec3(1)};
  const double cells_per_unit = resolution / longest;
  const auto cells = [&](double edge) {
    return std::clamp(u32(std::ceil(edge * cells_per_unit)), 1u, resolution);
  };
  return {lo, dvec3(cells_per_unit), uvec3(cells(size.x), cells(size.y), cells(size.z))};
}

}  // namespace copse::detail
