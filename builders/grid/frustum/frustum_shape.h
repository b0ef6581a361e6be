#pragma once

// Makes the space of a frustum: on the host what the camera says, on the device what the depths of triangles say.

#include "builders/grid/cells/lattice_triangle.h"
#include "builders/grid/frustum_layout.h"

namespace copse::detail {

/// The triangle test and the rounding of a ray's direction, a bit of its length, move a hit by less than this
/// share of the distance to the farthest vertex or to the hit.
inline constexpr double sight_error = triangle_test_error + 1.0 / (1u << 23);

/// Cells reach at most so many units past their faces.
inline constexpr i32 max_frustum_padding = units_per_cell / 2;

/// How far slabs go at least: farthest depth over nearest.
inline constexpr double min_depth_ratio = 1.25;

/// Chosen from the triangles, the nearest depth is at least this share of the farthest one.
inline constexpr double min_nearest_share = 1.0 / 3;

/// What is seen is known from a sample: slabs begin so much earlier and end so much later, as a share of the
/// depth.
inline constexpr double depth_margin = 1.0 / 64;

/// What a build asks for.
struct FrustumRequest {
  FrustumShape shape;       // what the camera says: all but depths, units and padding
  uvec3 cells;              // slabs, tiles across, tiles down: the order of the lattice
  double screen_units;      // the most units that a length makes across the screen at depth 1
  float nearest, farthest;  // 0: from the triangles
};

/// What a frustum and a resolution of tiles across, tiles down and slabs say to a build.
/// Throws: Error invalid_argument for either out of range.
FrustumRequest request_frustum(const ViewFrustum& frustum, const uvec3& resolution);

/// Throws: Error invalid_argument for a resolution out of range.
void check_frustum_resolution(const uvec3& resolution);

/// Depths; empty where hi is below lo.
struct DepthRange {
  double lo, hi;
};

/// Most units that a length makes across slabs, times the depth, anywhere behind `nearest`.
COPSE_HD inline double slab_units(const FrustumRequest& request, double nearest, double farthest) {
  return request.cells.x * double(units_per_cell) * request.shape.x_y_z_per_length.z *
         (farthest / (farthest - nearest));
}

/// How far sight_error moves a point, in units, where the farthest vertex is so many times as far as the point is
/// deep.
COPSE_HD inline double blur_in_units(const FrustumShape& shape, double distance_over_depth) {
  return mul_rn(mul_rn(shape.units_per_length, sight_error), add_rn(distance_over_depth, shape.corner));
}

/// What cells list beyond their faces to make up for a blur.
COPSE_HD inline i32 padding_for(double blur) {
  return blur < double(max_frustum_padding) ? cell_padding + i32(blur) + 1 : max_frustum_padding + 1;
}

/// The depths of slabs for what was asked and what is seen.
COPSE_HD inline void choose_depths(const FrustumRequest& request, const DepthRange& seen, double& nearest,
                                   double& farthest) {
  const bool any = seen.lo <= seen.hi;
  const double far_seen =
      any ? seen.hi * (1 + depth_margin) : (request.nearest > 0 ? 2.0 * double(request.nearest) : 2.0);
  farthest = request.farthest > 0 ? double(request.farthest) : far_seen;
  const double near_seen = larger(any ? seen.lo * (1 - depth_margin) : 0.0, farthest * min_nearest_share);
  nearest = request.nearest > 0 ? double(request.nearest) : near_seen;
  // Where only the farthest depth was asked for, all that is seen may be behind it.
  if (request.nearest == 0) nearest = smaller(nearest, farthest / min_depth_ratio);
  farthest = larger(farthest, nearest * min_depth_ratio);
}

/// The shape of a frustum whose slabs lie between two depths, and that of its cells.
COPSE_HD inline void shape_between(const FrustumRequest& request, double nearest, double farthest,
                                   FrustumShape& frustum, GridShape& cells) {
  frustum = request.shape;
  frustum.nearest = nearest;
  frustum.farthest = farthest;
  frustum.units_per_length = larger(request.screen_units, slab_units(request, nearest, farthest));
  frustum.padding = padding_for(blur_in_units(frustum, 2.0 * frustum.corner));
  const double slabs_per_unit = request.cells.x / (1.0 / nearest - 1.0 / farthest);
  cells = {dvec3(-1.0 / nearest, -1.0, -1.0), dvec3(slabs_per_unit, 0.5 * request.cells.y, 0.5 * request.cells.z),
           request.cells};
}

COPSE_HD inline void make_frustum_shape(const FrustumRequest& request, const DepthRange& seen,
                                        FrustumShape& frustum, GridShape& cells) {
  double nearest, farthest;
  choose_depths(request, seen, nearest, farthest);
  shape_between(request, nearest, farthest, frustum, cells);
}

/// Whether slabs may lie between two depths, for what was asked.
COPSE_HD inline bool are_depths_of(const FrustumRequest& request, double nearest, double farthest) {
  if (!(nearest > 0) || !(farthest >= nearest * min_depth_ratio) || !(farthest < double(infinity))) return false;
  if (request.nearest > 0 && nearest != double(request.nearest)) return false;
  return request.farthest == 0 || farthest == larger(double(request.farthest), nearest * min_depth_ratio);
}

}  // namespace copse::detail
