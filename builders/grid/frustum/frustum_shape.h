#pragma once

// Makes the space of a frustum: the host derives it from the camera, and the device adds the depths of triangles.

#include "builders/grid/cells/lattice_triangle.h"
#include "builders/grid/frustum_layout.h"

namespace copse::detail {

/// The triangle test and the rounding of a ray's direction (one bit of its length) move a hit by less than this
/// share of the distance to the farthest vertex or to the hit.
inline constexpr double sight_error = triangle_test_error + 1.0 / (1u << 23);

/// The maximum number of units by which cells reach past their faces.
inline constexpr i32 max_frustum_padding = units_per_cell / 2;

/// The smallest ratio of the farthest depth to the nearest.
inline constexpr double min_depth_ratio = 1.25;

/// If the nearest depth is chosen from the triangles, it is at least this share of the farthest one.
inline constexpr double min_nearest_share = 1.0 / 3;

/// The depths come from a sample of the triangles, so slabs begin earlier and end later by this share of the
/// depth.
inline constexpr double depth_margin = 1.0 / 64;

/// The input of a build, as the host derives it.
struct FrustumRequest {
  FrustumShape shape;       // what follows from the camera: all but depths, units and padding
  uvec3 cells;              // slabs, tiles across, tiles down: the order of the lattice
  double screen_units;      // maximum units per unit of length across the screen, at depth 1
  float nearest, farthest;  // 0: chosen from the triangles
};

/// Returns the input of a build for a frustum and a resolution: tiles across, tiles down, slabs.
/// Throws: Error invalid_argument for either out of range.
FrustumRequest request_frustum(const ViewFrustum& frustum, const uvec3& resolution);

/// Throws: Error invalid_argument for a resolution out of range.
void check_frustum_resolution(const uvec3& resolution);

/// A range of depths, empty if hi is below lo.
struct DepthRange {
  double lo, hi;
};

/// Returns the maximum units per unit of length across slabs, times the depth, anywhere behind `nearest`.
COPSE_HD inline double slab_units(const FrustumRequest& request, double nearest, double farthest) {
  return request.cells.x * double(units_per_cell) * request.shape.x_y_z_per_length.z *
         (farthest / (farthest - nearest));
}

/// Returns how far sight_error moves a point, in units, by the ratio of the distance to the farthest vertex to the
/// depth of the point.
COPSE_HD inline double blur_in_units(const FrustumShape& shape, double distance_over_depth) {
  return mul_rn(mul_rn(shape.units_per_length, sight_error), add_rn(distance_over_depth, shape.corner));
}

/// Returns how far cells must reach past their faces to make up for a blur.
COPSE_HD inline i32 padding_for(double blur) {
  return blur < double(max_frustum_padding) ? cell_padding + i32(blur) + 1 : max_frustum_padding + 1;
}

/// Chooses the depths of slabs from the request and from the depths that are seen.
COPSE_HD inline void choose_depths(const FrustumRequest& request, const DepthRange& seen, double& nearest,
                                   double& farthest) {
  const bool any = seen.lo <= seen.hi;
  const double far_seen =
      any ? seen.hi * (1 + depth_margin) : (request.nearest > 0 ? 2.0 * double(request.nearest) : 2.0);
  farthest = request.farthest > 0 ? double(request.farthest) : far_seen;
  const double near_seen = larger(any ? seen.lo * (1 - depth_margin) : 0.0, farthest * min_nearest_share);
  nearest = request.nearest > 0 ? double(request.nearest) : near_seen;
  // If only the farthest depth was given, all that is seen may be behind it.
  if (request.nearest == 0) nearest = smaller(nearest, farthest / min_depth_ratio);
  farthest = larger(farthest, nearest * min_depth_ratio);
}

/// Makes the shape of a frustum whose slabs lie between two depths, and the shape of its cells.
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

/// Returns true if the request allows slabs between these two depths.
COPSE_HD inline bool are_depths_of(const FrustumRequest& request, double nearest, double farthest) {
  if (!(nearest > 0) || !(farthest >= nearest * min_depth_ratio) || !(farthest < double(infinity))) return false;
  if (request.nearest > 0 && nearest != double(request.nearest)) return false;
  return request.farthest == 0 || farthest == larger(double(request.farthest), nearest * min_depth_ratio);
}

}  // namespace copse::detail
