#pragma once

// Chooses how many cells a grid over a box has. This happens on the device, where the box is.

#include "builders/grid/layout.h"

namespace copse::detail {

/// The request of a build: a resolution, or if that is 0 a number of cells.
struct GridRequest {
  uvec3 resolution;
  u32 cell_count;
};

/// The largest ratio of two edges of a cell.
inline constexpr double max_cell_stretch = 64;

COPSE_HD inline double larger_of_three(const dvec3& v) {
  return larger(v.x, larger(v.y, v.z));
}

/// Returns the cells along an edge of a box whose longest edge has `most` cells. All cells are nearly cubes.
COPSE_HD inline u32 cells_along(double edge, double longest, u32 most) {
  return larger(u32(mul_rn(edge / longest, double(most))), 1u);
}

/// Returns the resolution with the smallest cubes of which at most `cell_count` fill a box.
COPSE_HD inline uvec3 resolution_of_cubes(const dvec3& size, u32 cell_count) {
  const double longest = larger_of_three(size);
  uvec3 best(1);
  for (u32 lo = 1, hi = max_grid_resolution; lo <= hi;) {
    const u32 most = (lo + hi) / 2;
    const uvec3 resolution(cells_along(size.x, longest, most), cells_along(size.y, longest, most),
                           cells_along(size.z, longest, most));
    if (u64{resolution.x} * resolution.y * resolution.z <= cell_count) {
      best = resolution;
      lo = most + 1;
    } else {
      hi = most - 1;
    }
  }
  return best;
}

/// Returns the cells along an edge, each at least `thinnest` thick. For flat boxes these are fewer than `asked`.
COPSE_HD inline u32 cells_not_thinner(double edge, double thinnest, u32 asked) {
  const double most = edge / thinnest;
  return most < double(asked) ? larger(u32(most), 1u) : asked;
}

/// Returns the cells over a box. A box without extent on an axis gets one layer of cells there, as thick as 1/64
/// of their longest edge. Empty boxes and points get one cell.
COPSE_HD inline GridShape make_grid_shape(const Aabb& box, const GridRequest& request) {
  if (is_empty(box)) return {dvec3(0), dvec3(1), uvec3(1)};
  const dvec3 lo(box.lo),
      size(sub_rn(double(box.hi.x), lo.x), sub_rn(double(box.hi.y), lo.y), sub_rn(double(box.hi.z), lo.z));
  if (!(larger_of_three(size) > 0)) return {lo, dvec3(1), uvec3(1)};

  const uvec3 asked =
      request.resolution.x > 0 ? request.resolution : resolution_of_cubes(size, request.cell_count);
  const dvec3 edge(size.x / asked.x, size.y / asked.y, size.z / asked.z);
  const double thinnest = larger_of_three(edge) / max_cell_stretch;
  const uvec3 resolution(cells_not_thinner(size.x, thinnest, asked.x),
                         cells_not_thinner(size.y, thinnest, asked.y),
                         cells_not_thinner(size.z, thinnest, asked.z));
  const dvec3 cells_per_unit(resolution.x / larger(size.x, thinnest), resolution.y / larger(size.y, thinnest),
                             resolution.z / larger(size.z, thinnest));
  return {lo, cells_per_unit, resolution};
}

}  // namespace copse::detail
